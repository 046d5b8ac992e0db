"""Kernels that come with the package: one archive per level of processors, read and never written.

    shipped/x86-64-v3-cpython-311-numba-0.68.1.kernels

An archive begins with ``MAGIC`` and a table of contents (length as eight bytes, then JSON as zlib): the mark
of the sources its kernels were made from, and of every kernel the place, length and checksum of its machine
code and of its bitcode. Those follow, each compressed for itself (LZMA, machine code filtered): a verb reads
a few dozen of them. An archive of other sources is not used, nor is a kernel that is damaged: it is compiled,
as if it had not been shipped.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import sys
import zlib
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from poise.errors import InputError

FOLDER = Path(__file__).with_name("shipped")
MAGIC = b"poise kernels 1\n"
BITCODE = ".bitcode"
"""Ends the name of what another kernel needs that has this one inside."""
_FILTERS = [
    {"id": lzma.FILTER_X86},
    {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 2**22},
]


def archive_of(level: str, folder: Path = FOLDER) -> Path:
    """The archive of a level, for this Python and this numba."""
    return folder / f"{level}-{made_with()}.kernels"


def made_with() -> str:
    """The part of an archive's name that says who can read it."""
    try:
        numba = version("numba")
    except PackageNotFoundError:
        numba = "none"
    return f"{sys.implementation.cache_tag}-numba-{numba}"


class ShippedFolder:
    """An archive as a place for kernels, like a folder that cannot be written."""

    def __init__(self, path: Path, sources: str) -> None:
        self.path, self._sources = path, sources

    @cached_property
    def contents(self) -> dict[str, tuple[int, int, str]]:
        """Of every part its place, length and checksum; nothing where the archive is of other sources."""
        try:
            with self.path.open("rb") as file:
                if file.read(len(MAGIC)) != MAGIC:
                    return {}
                length = int.from_bytes(file.read(8), "little")
                table: dict[str, Any] = json.loads(zlib.decompress(file.read(min(length, 2**24))))
            begin = len(MAGIC) + 8 + length
            if table["sources"] != self._sources:
                return {}
            return {name: (begin + at, size, mark) for name, (at, size, mark) in table["kernels"].items()}
        except (OSError, ValueError, KeyError, TypeError, zlib.error):
            return {}

    def holds(self, name: str) -> bool:
        """Whether it has such a kernel."""
        return name in self.contents

    def read(self, name: str) -> bytes | None:
        """A kernel without its bitcode, like a file's contents; None if there is none, or it is damaged."""
        code = self._part(name)
        return None if code is None else joined(code, b"")

    def bitcode(self, name: str) -> bytes:
        """A kernel's bitcode."""
        found = self._part(name + BITCODE)
        if found is None:
            raise InputError(f"{self.path} is damaged: install Poise again")
        return found

    def _part(self, name: str) -> bytes | None:
        if name not in self.contents:
            return None
        place, size, mark = self.contents[name]
        try:
            with self.path.open("rb") as file:  # opened anew: processes that were forked share no place in it
                file.seek(place)
                body = lzma.decompress(file.read(size), lzma.FORMAT_RAW, filters=_FILTERS)
        except (OSError, lzma.LZMAError, EOFError):
            return None
        return body if hashlib.sha256(body).hexdigest() == mark else None

    def write(self, name: str, body: bytes) -> None:
        """What is shipped stays as it is."""
        raise PermissionError(13, "it came with the package", str(self.path))

    def drop(self, name: str) -> None:
        """A kernel that cannot be used is not looked for again."""
        self.contents.pop(name, None)


def joined(code: bytes, bitcode: bytes) -> bytes:
    """What the file of a kernel holds: its parts and its bitcode."""
    return len(code).to_bytes(8, "little") + code + bitcode


def parted(body: bytes) -> tuple[bytes, bytes]:
    """The parts and the bitcode of a kernel's file."""
    end = 8 + int.from_bytes(body[:8], "little")
    return body[8:end], body[end:]


def packed(kernels: dict[str, bytes], sources: str) -> bytes:
    """An archive of kernels: what their files hold, by name."""
    parts: list[bytes] = []
    table, at = {}, 0
    split = {name: parted(body) for name, body in kernels.items()}
    codes = {name: code for name, (code, _) in split.items()}
    codes |= {name + BITCODE: bitcode for name, (_, bitcode) in split.items()}
    for name, body in sorted(codes.items()):
        small = lzma.compress(body, lzma.FORMAT_RAW, filters=_FILTERS)
        table[name] = (at, len(small), hashlib.sha256(body).hexdigest())
        parts.append(small)
        at += len(small)
    told = zlib.compress(json.dumps({"sources": sources, "kernels": table}).encode(), 9)
    return b"".join([MAGIC, len(told).to_bytes(8, "little"), told, *parts])
