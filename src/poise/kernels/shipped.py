"""Kernels that come with the package: one archive per level of processors, read and never written.

    shipped/x86-64-v3-cpython-311-numba-0.68.1.kernels

An archive begins with ``MAGIC`` and a table of contents (length as eight bytes, then JSON as zlib): the mark
of the sources its kernels were made from, of every kernel the place, length and checksum of its machine code,
and where its bitcode is among all bitcode. Machine code follows, each kernel's compressed for itself (LZMA,
filtered): a verb reads a few dozen of them. All bitcode is one part: much of it is alike, and hardly anybody
reads it. An archive of other sources is not used, nor is a kernel that is damaged: it is compiled, as if it
had not been shipped.
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
MAGIC = b"poise kernels 2\n"
BITCODE = "bitcode"
"""The part with what other kernels need that have one of these inside."""
_FILTERS = [
    {"id": lzma.FILTER_X86},
    {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 2**24},
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
        return self._table[0]

    @cached_property
    def _table(self) -> tuple[dict[str, tuple[int, int, str]], dict[str, tuple[int, int]]]:
        """Parts, and where among all bitcode that of each kernel is."""
        try:
            with self.path.open("rb") as file:
                if file.read(len(MAGIC)) != MAGIC:
                    return {}, {}
                length = int.from_bytes(file.read(8), "little")
                table: dict[str, Any] = json.loads(zlib.decompress(file.read(min(length, 2**24))))
            begin = len(MAGIC) + 8 + length
            if table["sources"] != self._sources:
                return {}, {}
            parts = {name: (begin + at, size, mark) for name, (at, size, mark) in table["parts"].items()}
            return parts, {name: (at, size) for name, (at, size) in table["bitcode"].items()}
        except (OSError, ValueError, KeyError, TypeError, zlib.error):
            return {}, {}

    def holds(self, name: str) -> bool:
        """Whether it has such a kernel."""
        return name in self.contents

    def read(self, name: str) -> bytes | None:
        """A kernel without its bitcode, like a file's contents; None if there is none, or it is damaged."""
        code = self._part(name)
        return None if code is None else joined(code, b"")

    def bitcode(self, name: str) -> bytes:
        """A kernel's bitcode."""
        at, size = self._table[1].get(name, (0, -1))
        if self._bitcode is None or size < 0:
            raise InputError(f"{self.path} is damaged: install Poise again")
        return self._bitcode[at : at + size]

    @cached_property
    def _bitcode(self) -> bytes | None:
        return self._part(BITCODE)

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
    codes, all_bitcode, places = {}, bytearray(), {}
    for name, body in sorted(kernels.items()):
        codes[name], bitcode = parted(body)
        places[name] = (len(all_bitcode), len(bitcode))
        all_bitcode += bitcode
    written: list[bytes] = []
    table, at = {}, 0
    for name, part in (*codes.items(), (BITCODE, bytes(all_bitcode))):
        small = lzma.compress(part, lzma.FORMAT_RAW, filters=_FILTERS)
        table[name] = (at, len(small), hashlib.sha256(part).hexdigest())
        written.append(small)
        at += len(small)
    head = json.dumps({"sources": sources, "parts": table, "bitcode": places})
    told = zlib.compress(head.encode(), 9)
    return b"".join([MAGIC, len(told).to_bytes(8, "little"), told, *written])
