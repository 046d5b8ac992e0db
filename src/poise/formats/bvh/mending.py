"""Lenient reading: a BVH text that was refused because its frames do not add up, mended and read again.

| in the file                          | what is done                           |
|--------------------------------------|----------------------------------------|
| more or fewer frames than announced  | the number announced is set right      |
| rows with too few or too many values | they are left out                      |
| frames over several lines, the last cut short | it is left out                |

Everything else is left to the reader, which refuses what it cannot understand. What is written back is the
mended text.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.arrays import IntArray
from poise.formats.bvh.lines import line_of, without_comments
from poise.formats.bvh.motion import read_header, values_per_line
from poise.formats.bvh.numbers import read_numbers

_SHOWN = 6
"""Lines named in a note at most."""


def mended(path: Path, data: bytes, motion_at: int, width: int) -> tuple[bytes, list[str]]:
    """The text with whole frames of ``width`` values only, as many as it announces; and notes."""
    header = read_header(path, data, motion_at)
    text = without_comments(data[header.begin :])
    numbers = read_numbers(text)
    if numbers.bad >= 0 or width == 0 or not np.isfinite(numbers.values).all():
        return data, []
    counts, ends = values_per_line(numbers, text)
    whole = counts == width
    notes: list[str] = []
    if whole.any():
        frames, body = int(whole.sum()), data[header.begin :]
        odd = np.flatnonzero((counts > 0) & ~whole)
        if len(odd):
            body = _without(body, odd, ends)
            notes.append(_left_out(data, header.begin, odd, ends, width))
    else:
        frames = len(numbers.values) // width
        firsts = np.concatenate([[0], np.cumsum(counts[counts > 0])])
        # Only where every frame begins a line is it clear that none of them has lost a value.
        if frames == 0 or not np.isin(np.arange(frames + 1) * width, firsts).all():
            return data, []
        body = data[header.begin : header.begin + int(numbers.ends[frames * width - 1])]
        if rest := len(numbers.values) - frames * width:
            notes.append(f"the last frame has only {rest} of {width} values and was left out")
        else:
            body = data[header.begin :]
    if frames != header.frames:
        notes.append(f"Frames says {header.frames}, but {frames} whole frames follow: these were read")
    start, stop = header.frames_span
    said = data[start:stop] if frames == header.frames else str(frames).encode()
    return data[:start] + said + data[stop : header.begin] + body, notes


def _without(body: bytes, lines: IntArray, ends: IntArray) -> bytes:
    """The text without some of its lines."""
    kept, at = [], 0
    for line in lines.tolist():
        kept.append(body[at : int(ends[line - 1]) + 1 if line else 0])
        at = int(ends[line])
        at += 2 if body[at : at + 2] == b"\r\n" else 1
    return b"".join([*kept, body[at:]])


def _left_out(data: bytes, begin: int, lines: IntArray, ends: IntArray, width: int) -> str:
    places = [line_of(data, begin + int(ends[line])) for line in lines[:_SHOWN].tolist()]
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    rows = "1 row without" if len(lines) == 1 else f"{len(lines)} rows without"
    at = "line" if len(places) == 1 else "lines"
    return f"{rows} {width} values left out ({at} {', '.join(map(str, places))}{more})"
