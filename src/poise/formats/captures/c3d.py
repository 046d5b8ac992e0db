"""C3D: markers as motion-capture systems record them, without any library.

The up axis is said by ``Y_SCREEN`` of the group ``POINT``; where it is not, it is the one along which the
figure is tallest. A lost marker has the residual −1, or is 0 0 0.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.errors import FileFormatError
from poise.formats.captures.axes import CaptureAxes
from poise.formats.captures.c3d_sections import BLOCK, C3dFile, read_sections
from poise.formats.captures.trc import UNITS
from poise.markers import Markers
from poise.motion.source import Source
from poise.reading import read_bytes

FRAME_LIMIT = 1e9
"""No place is farther away in any unit."""


def is_c3d(head: bytes) -> bool:
    """Whether a file that begins so is one: the second byte of its header is 80."""
    return len(head) > 4 and head[1] == 0x50 and 2 <= head[0] < 100 and b"\0" in head[:BLOCK]


def read_c3d(path: Path, *, up: str | None = None, scale: float | None = None) -> Markers:
    """The markers of a file."""
    file = read_sections(path, read_bytes(path))
    places = file.points[:, :, :3].copy()
    lost = (
        (file.points[:, :, 3] < 0) | (places == 0.0).all(axis=2) | ~(np.abs(places) < FRAME_LIMIT).all(axis=2)
    )
    places[lost] = np.nan
    if lost.all():
        raise FileFormatError(path, "the file has no visible marker")
    told = next(iter(file.words("POINT", "UNITS")), "").strip(" \0")
    unit = UNITS.get(told.lower() or "mm") if scale is None else scale
    if unit is None:
        raise FileFormatError(path, f"units {told!r} are not known; give scale=, the unit's length in metres")
    axis, note = _up(file, places) if up is None else (up, "")
    axes = CaptureAxes(axis, "-y" if axis == "z" else "z")
    notes = tuple(n for n in (note, "" if told or scale else "no unit is said: millimetres") if n)
    rate = file.rate if file.rate > 0 else file.number("POINT", "RATE") or 0.0
    source = Source(str(path), "c3d", unit, axis, notes)
    names, start = _names(file, places.shape[1]), (file.first - 1) / rate if rate > 0 else 0.0
    return Markers(names, axes.inside(places * unit), f"{rate:.9g}", path.stem, source, start=start)


def _names(file: C3dFile, count: int) -> tuple[str, ...]:
    """Labels, made different where two are the same, and numbered where there are too few."""
    said = [
        name for key in ("LABELS", *(f"LABELS{k}" for k in range(2, 9))) for name in file.words("POINT", key)
    ]
    found: dict[str, None] = {}
    for k in range(count):
        name = said[k] if k < len(said) and said[k] else f"marker {k + 1}"
        while name in found:
            name += f" ({k + 1})"
        found[name] = None
    return tuple(found)


def _up(file: C3dFile, places: Array) -> tuple[str, str]:
    said = next(iter(file.words("POINT", "Y_SCREEN")), "").upper().lstrip("+")
    if said in ("Y", "Z"):
        return said.lower(), ""
    seen = places[np.isfinite(places[:, :, 0]).any(axis=1)]
    tall = np.median(np.nanmax(seen, axis=1) - np.nanmin(seen, axis=1), axis=0)
    axis = "z" if tall[2] >= tall[1] else "y"
    return axis, f"the up axis is not said: {axis}, along which markers spread most (say up= if not)"
