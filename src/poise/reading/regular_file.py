"""Bytes of regular files: devices and pipes, which may never end or never begin, are not opened."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from poise.errors import FileFormatError

LARGEST = 1 << 32
"""Bytes of a file: more is nothing that Poise reads into memory."""
_KINDS = (
    (stat.S_ISDIR, "this is a folder, not a file"),
    (stat.S_ISFIFO, "this is a pipe, not a file"),
    (stat.S_ISSOCK, "this is a socket, not a file"),
    (stat.S_ISCHR, "this is a device, not a file"),
    (stat.S_ISBLK, "this is a device, not a file"),
)
_MODE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def read_bytes(path: str | Path, *, largest: int = LARGEST) -> bytes:
    """All of a regular file, at most ``largest`` bytes."""
    return _read(path, largest, None)


def read_head(path: str | Path, count: int) -> bytes:
    """The first ``count`` bytes of a regular file, or all where it has fewer."""
    return _read(path, None, count)


def read_text(path: str | Path, *, largest: int = LARGEST) -> str:
    """All of a text file in UTF-8."""
    try:
        return read_bytes(path, largest=largest).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise FileFormatError(
            path, f"not a text file in UTF-8: byte {problem.start} is {problem.reason}"
        ) from None


def is_regular(path: str | Path) -> bool:
    """Whether there is a regular file of that name, links followed."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _read(path: str | Path, largest: int | None, count: int | None) -> bytes:
    try:
        _require_regular(path, os.stat(path).st_mode)
        # Not to wait for a writer, should the file have become a pipe since; and looked at again for that.
        handle = os.open(path, _MODE)
        with open(handle, "rb", closefd=True) as file:
            found = os.fstat(handle)
            _require_regular(path, found.st_mode)
            if largest is not None and found.st_size > largest:
                raise FileFormatError(
                    path,
                    f"the file has {found.st_size:,} bytes; at most {largest:,} are read of its kind",
                )
            return file.read(found.st_size if count is None else min(count, found.st_size))
    except FileNotFoundError:
        raise FileFormatError(path, "no such file") from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise FileFormatError(path, f"cannot be read: {reason}") from None


def _require_regular(path: str | Path, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    what = next((words for test, words in _KINDS if test(mode)), "this is no regular file")
    raise FileFormatError(path, what)
