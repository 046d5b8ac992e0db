"""Binary FBX as it lies in a file: a tree of named records, each with a list of values.

    header   "Kaydara FBX Binary  \\0\\x1a\\0", version (uint32)
    record   end, number of values, their length (uint32 each, uint64 from 7500 on), name (a byte of length)
             values, then records inside, closed by a record of zeros

A value is a letter and a number, text, or an array, which may be deflated. Versions 7.1 to 7.7 are read and
7.4 is written; text files and 6.1 are refused with advice.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import FileFormatError
from poise.reading import Budget, read_bytes

MAGIC = b"Kaydara FBX Binary  \x00\x1a\x00"
OLDEST, NEWEST, WIDE = 7000, 7799, 7500
"""Versions that are read; from ``WIDE`` on places in the file take eight bytes."""
WRITTEN = 7400
"""The version that is written: what all programs of the last ten years read."""
DEEPEST = 64
"""Records inside records; files of programs have a dozen."""
_SCALARS = {"C": "<b", "B": "<b", "Y": "<h", "I": "<i", "F": "<f", "D": "<d", "L": "<q"}
_ARRAYS = {"f": "<f4", "d": "<f8", "i": "<i4", "l": "<i8", "b": "u1", "c": "u1"}
_ADVICE = "save it as binary FBX 2014 or later (7.4), for example with Blender or Autodesk's FBX Converter"


@dataclass(frozen=True)
class Record:
    """One record."""

    name: str
    values: tuple[Any, ...] = ()
    inside: tuple[Record, ...] = ()
    kinds: str = ""
    """Letters of the values as a file had them; empty: chosen by what they are."""
    closed: bool = False
    """Whether a record of zeros follows, though nothing is inside."""

    def all(self, name: str) -> Iterator[Record]:
        """The records of that name inside this one."""
        return (each for each in self.inside if each.name == name)

    def get(self, name: str) -> Record | None:
        """The first record of that name inside this one."""
        return next(self.all(name), None)

    def value(self, name: str, default: Any = None) -> Any:
        """The first value of the first record of that name."""
        found = self.get(name)
        return found.values[0] if found is not None and found.values else default

    def array(self, name: str, kind: str = "f") -> Any:
        """Numbers of a record, as an array; empty where there are none. ``kind``: "f" reals, "i" wholes."""
        found = self.value(name)
        if not isinstance(found, np.ndarray):
            return np.zeros(0, dtype=np.float64 if kind == "f" else np.int64)
        return found.astype(np.float64 if kind == "f" else np.int64)


@dataclass(frozen=True)
class RecordFile:
    """A file: its version and its outermost records."""

    path: Path
    version: int
    top: Record
    data: bytes

    @property
    def footer(self) -> bytes:
        """Sixteen bytes after the records, by which programs know a file for sound."""
        at = len(self.data) - 16 - 120 - 4
        found = self.data[:at].rstrip(b"\0")[-16:] if at > 27 else b""
        return found if len(found) == 16 else FOOTER


def read_records(path: Path) -> RecordFile:
    """Read a file; whatever is not binary FBX 7 is refused, saying what to do."""
    return parsed_records(path, read_bytes(path))


def parsed_records(path: Path, data: bytes) -> RecordFile:
    """The same of bytes that were read before."""
    if not data.startswith(MAGIC[:20]):
        if re.search(rb"FBXHeaderExtension|; FBX ", data[:4096]):
            raise FileFormatError(path, f"this FBX file is text, and only binary ones can be read: {_ADVICE}")
        raise FileFormatError(path, "not an FBX file: it does not begin with Kaydara FBX Binary")
    if len(data) < 27:
        raise FileFormatError(path, "truncated: the file ends within its header")
    (version,) = struct.unpack_from("<I", data, 23)
    if not OLDEST <= version <= NEWEST:
        raise FileFormatError(path, f"FBX version {version / 1000:g} cannot be read: {_ADVICE}")
    return RecordFile(path, version, _Parser(path, data, version).top(), data)


class _Parser:
    def __init__(self, path: Path, data: bytes, version: int) -> None:
        self.path, self.data = path, data
        self.head = struct.Struct("<QQQB" if version >= WIDE else "<IIIB")
        self.budget = Budget(path, len(data))

    def error(self, problem: str) -> FileFormatError:
        return FileFormatError(self.path, problem)

    def top(self) -> Record:
        found, closed = self._records(27, len(self.data), 0)
        if not closed:
            raise self.error("truncated: the file ends without closing its records")
        return Record("", (), found)

    def _records(self, at: int, end: int, depth: int) -> tuple[tuple[Record, ...], bool]:
        """Records from one byte on up to ``end``, or to a record of zeros, and whether there was one."""
        if depth > DEEPEST:
            raise self.error(f"records lie more than {DEEPEST} deep inside one another")
        found: list[Record] = []
        while at + self.head.size <= end:
            stop, count, length, size = self.head.unpack_from(self.data, at)
            if stop == 0:
                return tuple(found), True
            first = at + self.head.size + size
            if not first + length <= stop <= end:
                raise self.error(
                    f"truncated or damaged: the record at byte {at} ends at byte {stop} of {end}"
                )
            self.budget.spend(1 + count, "records")
            name = self.data[at + self.head.size : first].decode("utf-8", "surrogateescape")
            values, kinds = self._values(first, first + length, count, name)
            inside: tuple[Record, ...] = ()
            closed = False
            if first + length < stop:
                inside, closed = self._records(first + length, stop, depth + 1)
            found.append(Record(name, values, inside, kinds, closed))
            at = stop
        return tuple(found), False

    def _values(self, at: int, end: int, count: int, name: str) -> tuple[tuple[Any, ...], str]:
        values: list[Any] = []
        kinds = ""
        try:
            for _ in range(count):
                kind = chr(self.data[at])
                kinds += kind
                at += 1
                if kind in _SCALARS:
                    values.append(struct.unpack_from(_SCALARS[kind], self.data, at)[0])
                    at += struct.calcsize(_SCALARS[kind])
                elif kind in "SR":
                    (size,) = struct.unpack_from("<I", self.data, at)
                    if at + 4 + size > end:
                        raise self.error(f"truncated: a text of {name} runs past its record")
                    body = self.data[at + 4 : at + 4 + size]
                    values.append(body.decode("utf-8", "surrogateescape") if kind == "S" else body)
                    at += 4 + size
                elif kind in _ARRAYS:
                    found, at = self._array(kind, at, end, name)
                    values.append(found)
                else:
                    raise self.error(f"damaged: a value of {name} has the unknown kind {kind!r}")
                if at > end:
                    raise self.error(f"truncated: a value of {name} runs past its record")
        except (struct.error, IndexError):
            raise self.error(f"truncated: the values of {name} run past the end of the file") from None
        return tuple(values), kinds

    def _array(self, kind: str, at: int, end: int, name: str) -> tuple[Any, int]:
        count, packed, size = struct.unpack_from("<III", self.data, at)
        at += 12
        if at + size > end:
            raise self.error(f"truncated: an array of {name} runs past its record")
        dtype = np.dtype(_ARRAYS[kind])
        self.budget.spend(count, f"an array of {name}")
        wanted = count * dtype.itemsize
        body = self.data[at : at + size]
        if packed == 1:
            try:
                body = zlib.decompressobj().decompress(body, max(wanted, 1))
            except zlib.error as problem:
                raise self.error(f"damaged: an array of {name} cannot be unpacked ({problem})") from None
        if packed > 1 or len(body) < wanted:
            raise self.error(f"damaged: an array of {name} has {len(body)} bytes in place of {wanted}")
        return np.frombuffer(body, dtype, count), at + size


FOOTER = bytes.fromhex("fabcab09d0c8d466b176fb831cf7267e")
"""Of files that say they were made at the beginning of the clock (see :data:`MADE`)."""
MADE = (
    Record("FileId", (bytes.fromhex("28b32aebb624ccc2bfc8b02aa92bfcf1"),)),
    Record("CreationTime", ("1970-01-01 10:00:00:000",)),
)
"""Programs of Autodesk's check identity, time and footer against each other: these three belong together."""
_END = bytes.fromhex("f85a8c6adef5d97eece90ce3758f297b")


def file_bytes(records: Sequence[Record], version: int = WRITTEN, footer: bytes = FOOTER) -> bytes:
    """A file of these outermost records, with the footer that readers look for."""
    out = bytearray(MAGIC + struct.pack("<I", version))
    head = struct.Struct("<QQQB" if version >= WIDE else "<IIIB")
    for each in records:
        _write(each, out, head)
    out += bytes(head.size) + footer + bytes(4)
    out += bytes(-len(out) % 16 or 16)
    out += struct.pack("<I", version) + bytes(120) + _END
    return bytes(out)


NESTING = frozenset({"References", "AnimationStack", "AnimationLayer", "Objects", "Connections", "Takes"})
"""Records that are closed as if something were inside, even if nothing is."""


def _write(record: Record, out: bytearray, head: struct.Struct) -> None:
    start = len(out)
    name = record.name.encode("utf-8", "surrogateescape")
    kinds = record.kinds or [""] * len(record.values)
    values = b"".join(_packed(value, kind) for value, kind in zip(record.values, kinds, strict=True))
    out += bytes(head.size) + name + values
    for each in record.inside:
        _write(each, out, head)
    if record.inside or record.closed or record.name in NESTING:
        out += bytes(head.size)
    head.pack_into(out, start, len(out), len(record.values), len(values), len(name))


class Wide(int):
    """A whole number that takes eight bytes, whatever its size: identities and times."""


def _packed(value: Any, kind: str) -> bytes:
    """A value after its letter; the letter of values that no file had follows from what they are."""
    if isinstance(value, np.ndarray):
        letter = kind or {"f4": "f", "f8": "d", "i4": "i", "i8": "l"}[value.dtype.str[1:]]
        body = np.ascontiguousarray(value, dtype=_ARRAYS[letter]).tobytes()
        packed = zlib.compress(body, 1) if len(body) > 128 else body
        return (
            letter.encode() + struct.pack("<III", value.size, int(packed is not body), len(packed)) + packed
        )
    if kind in _SCALARS:
        return kind.encode() + struct.pack(_SCALARS[kind], value)
    if isinstance(value, bool):
        return b"C" + struct.pack("<?", value)
    if isinstance(value, Wide):
        return b"L" + struct.pack("<q", value)
    if isinstance(value, int):
        return b"I" + struct.pack("<i", value)
    if isinstance(value, float):
        return b"D" + struct.pack("<d", value)
    body = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else bytes(value)
    return (b"S" if isinstance(value, str) else b"R") + struct.pack("<I", len(body)) + body
