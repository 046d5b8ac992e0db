"""A disk that fails at the k-th thing that is asked of it, for every k.

Everything by which Python writes is counted (opening for writing, every write, sync, cutting, renaming,
changing permissions, removing), below one folder. The call whose turn it is does half of its work, where it
has halves, and fails with the error given; all others do what they do.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import pathlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ERRORS = (errno.ENOSPC, errno.EIO)


class Disk:
    """Counts, and fails once."""

    def __init__(self, folder: Path, number: int, error: int) -> None:
        self.folder, self.number, self.error = str(folder.resolve()), number, error
        self.count = 0
        self.asked: list[str] = []

    def turn(self, what: str) -> bool:
        """One more thing is asked; whether it is to fail."""
        self.count += 1
        self.asked.append(what)
        return self.count == self.number

    def failure(self, path: Any = None) -> OSError:
        return OSError(self.error, os.strerror(self.error), None if path is None else str(path))

    def below(self, path: Any) -> bool:
        if isinstance(path, int):
            try:
                path = os.readlink(f"/proc/self/fd/{path}")
            except OSError:
                return False
        return str(path).startswith(self.folder)


@contextmanager
def failing(folder: Path, number: int = 0, error: int = errno.ENOSPC) -> Iterator[Disk]:
    """A disk that fails at the thing of that number; 0 counts only."""
    disk = Disk(folder, number, error)

    class Raw(io.FileIO):
        def write(self, data: Any, /) -> int:
            if disk.below(self.name) and disk.turn("write"):
                whole = bytes(data)
                super().write(whole[: len(whole) // 2])
                raise disk.failure()
            return super().write(data)

        def truncate(self, size: int | None = None, /) -> int:
            if disk.below(self.name) and disk.turn("truncate"):
                raise disk.failure()
            return super().truncate(size)

    def opened(file: Any, mode: str = "r", buffering: int = -1, *args: Any, **options: Any) -> Any:
        if not (set(mode) & set("wax+") and disk.below(file)):
            return plain_open(file, mode, buffering, *args, **options)
        if disk.turn("open"):
            raise disk.failure(file)
        raw = Raw(file, mode.replace("b", "").replace("t", ""))
        if buffering == 0:
            return raw
        buffer: Any = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        if "b" in mode:
            return buffer
        text = io.TextIOWrapper(buffer, *args, **options)
        text.mode = mode  # type: ignore[misc]
        return text

    def guarded(name: str, function: Callable[..., Any], which: int = 0) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            wanted = disk.below(args[which])
            if name == "os.open":
                wanted = wanted and bool(args[1] & (os.O_WRONLY | os.O_RDWR))
            if wanted and disk.turn(name):
                if name == "os.write":
                    function(args[0], bytes(args[1])[: len(args[1]) // 2])
                raise disk.failure(None if isinstance(args[which], int) else args[which])
            return function(*args, **options)

        return call

    plain_open = builtins.open
    names = ("open", "write", "fsync", "ftruncate", "replace", "rename", "unlink", "chmod", "link", "mkdir")
    before = {name: getattr(os, name) for name in names}
    io_open = io.open
    try:
        builtins.open = io.open = pathlib.io.open = opened  # type: ignore[assignment,attr-defined]
        for name, function in before.items():
            setattr(os, name, guarded(f"os.{name}", function))
        yield disk
    finally:
        for name, function in before.items():
            setattr(os, name, function)
        builtins.open, io.open = plain_open, io_open
        pathlib.io.open = io_open  # type: ignore[attr-defined]
