"""The MOTION section: header and frames, with the place of every frame in the file.

    MOTION  Frames: F  Frame Time: s  (one line of C numbers per frame)

Blank lines and comments are skipped; a frame may run over several lines. Anything else that does
not add up (too few or too many frames or values, words, NaN) is refused with line, frame and channel;
``mending`` makes some of it good for those who ask.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from poise.arrays import Array, IntArray
from poise.errors import FileFormatError, InputError
from poise.formats.bvh.hierarchy import FileJoint
from poise.formats.bvh.lines import line_of, without_comments
from poise.formats.bvh.numbers import Numbers, read_numbers
from poise.formats.bvh.rate import rate_of

_FRAMES = re.compile(rb"\s*Frames[ \t]*:?[ \t]*([^\s]*)", re.IGNORECASE)
_TIME = re.compile(rb"\s*Frame[ \t]*Time[ \t]*:?[ \t]*([^\s]*)", re.IGNORECASE)

LENIENT = "to read what is there all the same, say lenient=True or --lenient"
Span = tuple[int, int]
MakeError = Callable[[str, int], FileFormatError]
"""The exception for a problem at a byte of the file."""


@dataclass(frozen=True, eq=False)
class FileMotion:
    """Frames as the file has them: degrees and file units."""

    values: Array
    """(F, C)"""
    spans: IntArray
    """First and one past the last byte of each frame, (F, 2)."""
    rate: Fraction
    frames_span: Span
    """Where the number of frames stands."""
    time_span: Span
    """Where the frame time stands."""
    wrapped: bool
    """Whether frames run over several lines."""


def channel_names(joints: Sequence[FileJoint]) -> list[str]:
    """ "joint 'Spine', Zrotation" for each column."""
    return [f"joint {j.name!r}, {c}" for j in joints for c in j.channels]


@dataclass(frozen=True)
class Header:
    """What stands before the frames."""

    frames: int
    """How many are announced."""
    rate: Fraction
    frames_span: Span
    time_span: Span
    begin: int
    """The first byte after it."""


def read_header(path: Path, data: bytes, motion_at: int) -> Header:
    """Number of frames and frame time of the MOTION section that begins at ``motion_at``."""
    tail = without_comments(data[motion_at:])
    at = motion_at + len(b"MOTION")

    def error(problem: str, offset: int) -> FileFormatError:
        return FileFormatError(path, problem, line=line_of(data, offset))

    def after(place: int) -> int:
        """The next byte that is not blank."""
        return len(data) - len(data[place:].lstrip())

    found = _FRAMES.match(tail, at - motion_at)
    if not found:
        raise error("expected 'Frames: …' after MOTION", after(at))
    frames_span = (motion_at + found.start(1), motion_at + found.end(1))
    if not re.fullmatch(rb"[0-9]{1,18}", found[1]):
        shown = found[1].decode("utf-8", "replace")[:40]
        raise error(f"Frames is {shown!r}, not a whole number", frames_span[0])
    frames = int(found[1])
    found = _TIME.match(tail, found.end())
    if not found:
        raise error("expected 'Frame Time: …' after Frames", after(frames_span[1]))
    time_span = (motion_at + found.start(1), motion_at + found.end(1))
    try:
        rate = rate_of(found[1].decode("utf-8", "replace"))
    except InputError as problem:
        raise error(str(problem), time_span[0]) from None
    return Header(frames, rate, frames_span, time_span, motion_at + found.end())


def read_motion(path: Path, data: bytes, motion_at: int, joints: Sequence[FileJoint]) -> FileMotion:
    """Header and all frames of the MOTION section that begins at ``motion_at``."""

    def error(problem: str, offset: int) -> FileFormatError:
        return FileFormatError(path, problem, line=line_of(data, offset))

    header = read_header(path, data, motion_at)
    frames, begin = header.frames, header.begin
    if frames == 0:
        raise error("Frames: 0: there is no motion in the file", header.frames_span[0])
    text = without_comments(data[begin:])
    numbers = read_numbers(text)
    names = channel_names(joints)
    if not names:
        raise error("no joint has channels: there is no motion in the file", motion_at)
    _check_words(numbers, text, begin, names, error)
    wrapped = _check_counts(numbers, text, begin, names, frames, header.frames_span, error)
    width = len(names)
    starts, ends = numbers.starts[::width] + begin, numbers.ends[width - 1 :: width] + begin
    return FileMotion(
        values=numbers.values.reshape(frames, width),
        spans=np.stack([starts, ends], axis=1),
        rate=header.rate,
        frames_span=header.frames_span,
        time_span=header.time_span,
        wrapped=wrapped,
    )


def values_per_line(numbers: Numbers, text: bytes) -> tuple[IntArray, IntArray]:
    """How many values each line of a text has, and where each line ends (its line end excluded)."""
    raw = np.frombuffer(text, dtype=np.uint8)
    breaks = np.append(np.flatnonzero((raw == 10) | (raw == 13)), len(text))
    return np.diff(np.searchsorted(numbers.starts, breaks), prepend=0), breaks


def _check_words(numbers: Numbers, text: bytes, begin: int, names: list[str], error: MakeError) -> None:
    """Every token is a finite number."""
    wrong = numbers.bad
    if wrong < 0 and not np.isfinite(numbers.values).all():
        wrong = int(np.flatnonzero(~np.isfinite(numbers.values))[0])
    if wrong < 0:
        return
    start = int(numbers.starts[wrong])
    word = text[start : int(numbers.ends[wrong])].decode("utf-8", "replace")[:40]
    frame, column = divmod(wrong, len(names))
    hint = " (decimals need a point, not a comma)" if re.fullmatch(r"[-+]?\d+,\d+", word) else ""
    raise error(f"frame {frame}, {names[column]}: {word!r} is not a finite number{hint}", begin + start)


def _check_counts(
    numbers: Numbers,
    text: bytes,
    begin: int,
    names: list[str],
    frames: int,
    frames_span: Span,
    error: MakeError,
) -> bool:
    """As many frames as announced, each complete; returns whether frames run over several lines."""
    width, total = len(names), len(numbers.values)
    per_line, _ = values_per_line(numbers, text)
    per_line = per_line[per_line > 0]
    regular = bool(np.all(per_line == width))
    if regular and len(per_line) == frames:
        return False
    if regular:
        advice = f" ({LENIENT})" if len(per_line) else ""
        found = f"Frames says {frames}, but {len(per_line)} frames of motion follow"
        raise error(found + advice, frames_span[0])
    # Each frame must at least begin on a new line, or values have been lost or added somewhere.
    first_of_lines = np.concatenate([[0], np.cumsum(per_line)])
    if total == frames * width and np.isin(np.arange(frames) * width, first_of_lines).all():
        return True
    if len(per_line) >= frames or per_line.max() > width or len(per_line) == 1:
        line = int(np.flatnonzero(per_line != width)[0])
        start, count = int(numbers.starts[first_of_lines[line]]), int(per_line[line])
        missing = f", the first missing is {names[count]}" if count < width else ""
        found = f"frame {line} has {count} values, {width} are needed{missing}"
        raise error(f"{found} ({LENIENT})", begin + start)
    found = f"Frames says {frames} of {width} values, {frames * width} in all, but {total} values follow"
    raise error(f"{found} ({LENIENT})", frames_span[0])
