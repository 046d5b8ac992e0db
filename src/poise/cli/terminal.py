"""What is printed: text that may come from anybody's file, made harmless for terminals."""

from __future__ import annotations

import builtins
import re
from typing import IO

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and new line
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # those that turn or break lines
    "\ud800-\udfff]"  # halves of characters
)


def harmless(text: object) -> str:
    """A text whose control characters are shown as ``\\u001b`` and do nothing; JSON stays the same JSON."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", str(text))


def print(
    *things: object, sep: str = " ", end: str = "\n", file: IO[str] | None = None, flush: bool = False
) -> None:
    """As the built-in one, but names from files cannot move the cursor, clear the screen or hide a line."""
    builtins.print(*(harmless(thing) for thing in things), sep=sep, end=end, file=file, flush=flush)
