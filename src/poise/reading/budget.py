"""What a file may stand for, by its own size.

A few bytes can claim anything: a count of 2²⁷ vertices, a key a million seconds later, the same array ten
thousand times. A reader says what it is about to make before it makes it, and what no file of that size has
is refused:

    numbers made  ≤  FREE + PER_BYTE · bytes of the file

Sound files need a few numbers for each of their bytes; what is free is for small files with long motion.
"""

from __future__ import annotations

from pathlib import Path

from poise.errors import FileFormatError

FREE = 1 << 22
"""Numbers that any file may stand for: 32 MB of them."""
PER_BYTE = 8
"""Numbers that each byte of a file may stand for."""


class Budget:
    """What is left of it, for one reading of one file."""

    def __init__(self, path: str | Path, size: int, *, free: int = FREE, per_byte: int = PER_BYTE) -> None:
        self.path, self.size, self._per_byte = Path(path), size, per_byte
        self.left = free + per_byte * size

    def grow(self, size: int) -> None:
        """Another file of so many bytes belongs to it."""
        self.size += size
        self.left += self._per_byte * size

    def spend(self, count: int, what: str) -> None:
        """Before ``count`` numbers (or steps) are made: refused, naming ``what``, where they are too many."""
        if count > self.left:
            raise FileFormatError(
                self.path,
                f"{what}: {count:,} numbers are announced, but a file of {self.size:,} bytes may stand for "
                f"{self.left:,} more",
            )
        self.left -= count
