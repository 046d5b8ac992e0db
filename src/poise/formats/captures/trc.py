"""TRC: OpenSim's marker tables.

    PathFileType  4  (X/Y/Z)  name.trc
    DataRate  CameraRate  NumFrames  NumMarkers  Units  OrigDataRate  OrigDataStartFrame  OrigNumFrames
    100       100         245        51          m      …
    Frame#    Time        C7                     L.ASIS …
                          X1   Y1   Z1           X2 …
    (an empty line, usually)
    1         0.00        0.1  1.4  0.2          …

y is up and x ahead in such files. A lost marker is left blank, or is 0 0 0.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.errors import FileFormatError
from poise.files import write_text
from poise.formats.captures.axes import CaptureAxes
from poise.formats.captures.table import numbers
from poise.markers import Markers
from poise.motion.source import Source
from poise.reading import Budget, read_bytes

_SPELLINGS = {
    1.0: "m meter meters metre metres",
    0.1: "dm decimeter decimeters decimetre decimetres",
    0.01: "cm centimeter centimeters centimetre centimetres",
    0.001: "mm millimeter millimeters millimetre millimetres",
    0.0254: "in inch inches",
    0.3048: "ft foot feet",
}
UNITS = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}
"""Units of length by the words that files have for them, in lower case [m]."""


_HEADS = (
    *("DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units"),
    *("OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"),
)


def is_trc(head: bytes) -> bool:
    """Whether a file that begins so is one."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(b"pathfiletype")


def read_trc(path: Path, *, up: str | None = None, scale: float | None = None) -> Markers:
    """The markers of a file."""
    data = read_bytes(path)
    lines = data.decode("utf-8", "replace").removeprefix("\ufeff").splitlines()
    if len(lines) < 6:
        raise FileFormatError(
            path, f"{len(lines)} lines: a TRC file has five of heading and a row for each frame"
        )
    said = _heading(path, lines)
    names = _names(path, lines[3])
    rows = [(k + 1, line) for k, line in enumerate(lines[4:], 4) if line.strip() and not _is_axes(line)]
    if not rows:
        raise FileFormatError(path, "the file has no frames")
    Budget(path, len(data)).spend(len(rows) * (2 + 3 * len(names)), "the table of markers")
    table = numbers(path, rows, 2 + 3 * len(names))
    places = table[:, 2:].reshape(len(rows), len(names), 3)
    places[(places == 0.0).all(axis=2)] = np.nan
    unit = UNITS.get(said.get("units", "mm").lower()) if scale is None else scale
    if unit is None:
        raise FileFormatError(
            path, f"units {said['units']!r} are not known; give scale=, the unit's length in metres", line=3
        )
    axes = CaptureAxes(up or "y", "x")
    notes = [f"y up, x ahead, unit {unit:g} m"] if up is None else []
    if (count := said.get("numframes")) is not None and count != str(len(rows)):
        notes.append(f"{count} frames are announced, {len(rows)} are there")
    rate = said.get("datarate") or said["camerarate"]
    source = Source(str(path), "trc", unit, axes.up, tuple(notes))
    start = float(table[0, 1]) if np.isfinite(table[0, 1]) else 0.0
    return Markers(names, axes.inside(places * unit), rate, path.stem, source, start=start)


def _heading(path: Path, lines: list[str]) -> dict[str, str]:
    words = [w.strip().lower() for w in lines[1].split("\t" if "\t" in lines[1] else None)]
    values = [v.strip() for v in lines[2].split("\t" if "\t" in lines[2] else None)]
    said = {w: v for w, v in zip(words, values) if w}
    if not said.get("datarate") and not said.get("camerarate"):
        raise FileFormatError(path, "the header has no DataRate", line=2)
    return said


def _names(path: Path, line: str) -> tuple[str, ...]:
    cells = [c.strip() for c in line.split("\t")] if "\t" in line else line.split()
    names = [c for c in cells[2:] if c]
    if not names:
        raise FileFormatError(path, "the file names no markers", line=4)
    return tuple(names)


def _is_axes(line: str) -> bool:
    first = line.split()[0]
    return first[0] in "xX" and first[1:].isdigit()


def write_trc(markers: Markers, path: Path) -> None:
    """Write markers: metres, y up, x ahead; lost ones are left blank."""
    rate = f"{markers.fps:.12g}"
    count, frames = len(markers.names), markers.frames
    values = (rate, rate, str(frames), str(count), "m", rate, "1", str(frames))
    names = "\t\t\t".join(n.replace("\t", " ") for n in markers.names)
    letters = "\t".join(f"X{k}\tY{k}\tZ{k}" for k in range(1, count + 1))
    places = CaptureAxes("y", "x").in_file(markers.positions)
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{path.name}",
        "\t".join(_HEADS),
        "\t".join(values),
        f"Frame#\tTime\t{names}",
        f"\t\t{letters}",
        "",
    ]
    for k, (time, row) in enumerate(zip(markers.times, places.reshape(frames, -1))):
        cells = "\t".join("" if np.isnan(v) else f"{v:.9g}" for v in row)
        lines.append(f"{k + 1}\t{time:.9g}\t{cells}")
    write_text(path, "\n".join(lines) + "\n")
