"""Zip archives and the NumPy arrays in them, unpacked within a budget.

A zip archive says how large each member will be, and may lie: unpacking stops at what was said, and what was
said, all together, may be so many times the archive's own size and no more. An array's header is held against
the bytes behind it.
"""

from __future__ import annotations

import math
import re
import zipfile
import zlib
from collections.abc import Callable, Container
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from poise.errors import FileFormatError

FREE = 1 << 26
"""Bytes that any archive may unpack to."""
PER_BYTE = 16
"""Bytes that each byte of an archive may unpack to; motion shrinks to a third at best."""
MEMBERS = 4096
"""Of an archive at most."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MAGIC = b"\x93NUMPY"
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[biufcSU][0-9]{1,9})', 'fortran_order': (True|False), "
    rb"'shape': \(([0-9, L]*)\),? *\}\s*"
)
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


class Archive:
    """The members of a zip archive; every complaint names the file."""

    def __init__(self, data: bytes, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
            members = self._zip.infolist()
        except _BROKEN as problem:
            raise self.error(problem) from None
        total, allowed = sum(m.file_size for m in members), FREE + PER_BYTE * len(data)
        if total > allowed:
            raise FileFormatError(
                path,
                f"the archive unpacks to {total:,} bytes; {len(data):,} bytes may hold {allowed:,} at most",
            )
        if len(members) > MEMBERS:
            raise FileFormatError(path, f"the archive has {len(members)} members, more than {MEMBERS}")
        packed = next((m for m in members if m.compress_type not in _METHODS), None)
        if packed is not None:
            raise FileFormatError(
                path, f"{packed.filename[:80]!r} uses a compression that Poise does not read: use deflate"
            )
        self.names: tuple[str, ...] = tuple(dict.fromkeys(m.filename for m in members))

    def error(self, problem: object) -> FileFormatError:
        """The exception for a damaged archive, ready to raise."""
        return FileFormatError(self.path, f"a damaged or incomplete archive: {str(problem)[:200]}")

    def read(self, name: str) -> bytes:
        """A member's bytes, as many as were announced."""
        try:
            # With a count: without one, all that the packed bytes hold is unpacked, and then cut off.
            with self._zip.open(name) as member:
                return member.read(self._zip.getinfo(name).file_size + 1)
        except (*_BROKEN, KeyError) as problem:
            raise self.error(problem) from None


def read_arrays(
    data: bytes, path: str | Path, *, only: Container[str] | None = None
) -> dict[str, NDArray[np.generic]]:
    """The arrays of a NumPy archive (``.npz``) by name; nothing in it is executed.

    ``only`` are names that are wanted: what else is in it is not even looked at.
    """
    archive = Archive(data, path)
    return {
        name.removesuffix(".npy"): _array(archive.read(name), name, archive.error)
        for name in archive.names
        if name.endswith(".npy") and (only is None or name.removesuffix(".npy") in only)
    }


def read_array(data: bytes, path: str | Path) -> NDArray[np.generic]:
    """The array of a ``.npy`` file; nothing in it is executed."""
    return _array(
        data, "it", lambda problem: FileFormatError(path, f"a damaged or incomplete array: {problem}")
    )


def _array(data: bytes, name: str, complaint: Callable[[str], FileFormatError]) -> NDArray[np.generic]:
    """One array, from the bytes of a ``.npy`` file."""
    wide = 4 if data[6:7] in (b"\x02", b"\x03") else 2
    start = 8 + wide
    size = int.from_bytes(data[8:start], "little")
    header = _HEADER.fullmatch(data, start, start + size) if data.startswith(_MAGIC) else None
    if header is None or start + size > len(data):
        raise complaint(f"{name[:80]} does not begin like an array of plain numbers")
    shape = tuple(int(n) for n in header[3].replace(b"L", b"").split(b",") if n.strip())
    try:
        dtype = np.dtype(header[1].decode())
    except TypeError:
        raise complaint(f"{name[:80]} holds numbers of an unknown kind, {header[1].decode()!r}") from None
    count, body = math.prod(shape), len(data) - start - size
    if count * dtype.itemsize != body or not dtype.itemsize:
        raise complaint(
            f"{name[:80]} claims {count:,} values of {dtype.itemsize} bytes, {body:,} bytes follow"
        )
    flat = np.frombuffer(data, dtype, count, start + size)
    return flat.reshape(shape, order="F" if header[2] == b"True" else "C")
