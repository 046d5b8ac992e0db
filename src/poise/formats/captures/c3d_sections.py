"""The sections of a C3D file: header, parameters, and frames, from bytes alone (c3d.org's user guide).

    header       512 bytes: where the others begin; how many points, frames, analog samples; scale, rate
    parameters   groups and their entries, each with a type (letters, bytes, words, floats) and dimensions
    data         per frame four numbers for each point (x, y, z, residual), then analog samples; words
                 that are to be scaled, or floats where the scale is negative; Intel's, DEC's or MIPS's

Nothing is believed beyond the bytes that are there.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.errors import FileFormatError
from poise.reading import Budget

BLOCK = 512
"""Bytes in which C3D files count."""
INTEL, DEC, MIPS = 84, 85, 86
"""Kinds of processors, by which numbers are written."""
ENTRIES = 20_000
"""Groups and parameters of a file at most."""


@dataclass(frozen=True)
class Numbers:
    """How numbers are written."""

    kind: int

    def word(self, data: bytes, at: int, signed: bool = False) -> int:
        """Two bytes."""
        letter = "h" if signed else "H"
        return int(struct.unpack_from((">" if self.kind == MIPS else "<") + letter, data, at)[0])

    def floats(self, data: bytes) -> Array:
        """As many floats as there are, as doubles."""
        if self.kind == DEC:  # words in the other order, exponents greater by two
            words = np.frombuffer(data, "<u2").reshape(-1, 2)[:, ::-1]
            with np.errstate(all="ignore"):
                return np.ascontiguousarray(words).view("<f4").ravel().astype(np.float64) / 4.0
        return np.frombuffer(data, ">f4" if self.kind == MIPS else "<f4").astype(np.float64)

    def words(self, data: bytes) -> Array:
        """Signed words, as doubles."""
        return np.frombuffer(data, ">i2" if self.kind == MIPS else "<i2").astype(np.float64)


@dataclass(frozen=True, eq=False)
class C3dFile:
    """What a file holds."""

    parameters: dict[str, dict[str, Any]]
    """By group and name, upper case: a list of words, or an array."""
    points: Array
    """(F, P, 4): places in the file's unit, and residuals; −1: lost."""
    rate: float
    first: int = 1
    """The number of the first frame; the recording begins with 1."""

    def words(self, group: str, name: str) -> list[str]:
        """A parameter of letters; empty where there is none."""
        value = self.parameters.get(group, {}).get(name)
        return value if isinstance(value, list) else []

    def number(self, group: str, name: str) -> float | None:
        """The first number of a parameter."""
        value = self.parameters.get(group, {}).get(name)
        return float(value.ravel()[0]) if isinstance(value, np.ndarray) and value.size else None


def read_sections(path: Path, data: bytes) -> C3dFile:
    """The sections of a file, or a complaint that says where it breaks off."""
    if len(data) < 2 * BLOCK or data[1] != 0x50 or not data[0]:
        raise FileFormatError(path, "not a C3D file, or cut off within its header")
    first = BLOCK * (data[0] - 1)
    if first + 4 > len(data):
        raise FileFormatError(path, f"cut off: its parameters begin at byte {first:,} of {len(data):,}")
    numbers = Numbers(data[first + 3])
    if numbers.kind not in (INTEL, DEC, MIPS):
        raise FileFormatError(path, f"a C3D file of an unknown kind of processor, {data[first + 3]}")
    try:
        parameters = _parameters(data, first + 4, numbers)
    except (struct.error, ValueError, IndexError) as problem:
        raise FileFormatError(path, f"its parameters are damaged: {str(problem)[:80]}") from None
    return _frames(path, data, numbers, parameters)


def _parameters(data: bytes, at: int, numbers: Numbers) -> dict[str, dict[str, Any]]:
    groups: dict[int, str] = {}
    entries: list[tuple[int, str, Any]] = []
    for _ in range(ENTRIES):
        if at + 2 > len(data):
            break
        length, group = abs(_signed(data[at])), _signed(data[at + 1])
        if not length or not group:
            break
        name = data[at + 2 : at + 2 + length].decode("latin-1").strip().upper()
        here = at + 2 + length
        following = numbers.word(data, here)
        if group < 0:
            groups[-group] = name
        else:
            entries.append((group, name, _value(data, here + 2, numbers)))
        if not following:
            break
        at = here + following
    found: dict[str, dict[str, Any]] = {}
    for group, name, value in entries:
        found.setdefault(groups.get(group, str(group)), {})[name] = value
    return found


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def _value(data: bytes, at: int, numbers: Numbers) -> Any:
    kind, dimensions = _signed(data[at]), data[at + 1]
    shape = [data[at + 2 + k] for k in range(min(dimensions, 7))]
    count = int(np.prod(shape, dtype=np.int64)) if shape else 1
    size = count * abs(kind)
    raw = data[at + 2 + dimensions : at + 2 + dimensions + size]
    if kind not in (-1, 1, 2, 4) or len(raw) < size:
        raise ValueError(f"{count} values of type {kind} are claimed, {len(raw)} bytes follow")
    if kind == -1:
        width = shape[0] if shape else 1
        text = raw.decode("latin-1")
        return [text[k : k + width].strip() for k in range(0, len(text), width)] if width else []
    if kind == 4:
        return numbers.floats(raw)
    return numbers.words(raw) if kind == 2 else np.frombuffer(raw, "u1").astype(np.float64)


def _frames(path: Path, data: bytes, numbers: Numbers, parameters: dict[str, dict[str, Any]]) -> C3dFile:
    points, analog = numbers.word(data, 2), numbers.word(data, 4)
    begin, end = numbers.word(data, 6), numbers.word(data, 8)
    scale, rate = (float(numbers.floats(data[k : k + 4])[0]) for k in (12, 20))
    start = BLOCK * (numbers.word(data, 16) - 1)
    width = 4 if scale < 0 else 2
    row = (4 * points + analog) * width
    there = max(0, len(data) - start) // row if row and start > 0 else 0
    claimed = end - begin + 1
    frames = min(there, claimed) if claimed > 0 and end < 65535 else there
    if not points or not frames or not np.isfinite(scale):
        raise FileFormatError(path, f"{points} markers in {frames} frames: there is nothing to read")
    if claimed > there and end < 65535:
        raise FileFormatError(
            path, f"cut off: {claimed:,} frames are announced, but the file holds {there:,}"
        )
    Budget(path, len(data)).spend(frames * (4 * points + analog), f"{points} markers in {frames} frames")
    raw = data[start : start + frames * row]
    table = (numbers.floats(raw) if scale < 0 else numbers.words(raw)).reshape(frames, -1)
    values = table[:, : 4 * points].reshape(frames, points, 4).copy()
    if scale >= 0:
        values[:, :, :3] *= scale
    return C3dFile(parameters, values, rate, max(begin, 1))
