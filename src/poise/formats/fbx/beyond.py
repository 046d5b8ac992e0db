"""What a curve does before its first key and after its last: it holds, goes on straight, or comes again.

With the keys' span [t₀, t₁], its length T, values y₀ and y₁ at its ends, and a time t beyond it by
(n + r) T, n whole and 0 ≤ r < 1:

    constant   y₀ or y₁
    slope      y₀ + m₀ (t − t₀)  or  y₁ + m₁ (t − t₁)
    repeat     the curve at r T from where it is entered
    mirror     the same, there and back in turn
    relative   repeat, each time further by y₁ − y₀

A curve that comes again so many times, and no more, holds where the last time ends. Blender's importers let
all curves hold; Maya and MotionBuilder, which write these, do not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.formats.fbx.records import Record

CONSTANT, SLOPE, REPEAT, MIRROR, RELATIVE = "CKRMA"
"""Ways to go on, by the letters of the format."""
SHORTEST = 1e-9
"""Keys in less time [s] are one key, which does not come again."""
_CYCLES = (REPEAT, MIRROR, RELATIVE)


@dataclass(frozen=True)
class Beyond:
    """How a curve goes on at one of its ends."""

    way: str = CONSTANT
    times: int = -1
    """How often it comes again; below 0: without end."""


def read_beyond(record: Record, name: str) -> Beyond:
    """What a curve's record says of one end; whatever is not known holds."""
    found = record.get(name)
    if found is None:
        return Beyond()
    way, times = found.value("Type"), found.value("Repetition", -1)
    letter = chr(way) if isinstance(way, int) and 0 < way < 128 else str(_text(way))[:1]
    known = letter in (SLOPE, *_CYCLES)
    return Beyond(letter if known else CONSTANT, int(times) if isinstance(times, int) else -1)


def _text(value: Any) -> Any:
    return value.decode("ascii", "replace") if isinstance(value, bytes) else value


def gone_on(
    times: Array,
    span: tuple[float, float],
    ends: tuple[float, float],
    slopes: tuple[float, float],
    beyond: tuple[Beyond, Beyond],
    inside: Callable[[Array], Array],
) -> Array:
    """Values at times (T,) anywhere, of a curve whose keys lie in ``span``, where ``inside`` tells them.

    ``ends`` are its values there, ``slopes`` those of the curve [1/s], and ``beyond`` how it goes on before
    and after.
    """
    out = np.empty(len(times))
    within = (times >= span[0]) & (times <= span[1])
    out[within] = inside(times[within])
    for k, where in enumerate((times < span[0], times > span[1])):
        if not where.any():
            continue
        if beyond[k].way == SLOPE:
            out[where] = ends[k] + slopes[k] * (times[where] - span[k])
        elif beyond[k].way in _CYCLES and span[1] - span[0] > SHORTEST and beyond[k].times != 0:
            out[where] = _again(times[where], span, ends, beyond[k], inside, before=k == 0)
        else:
            out[where] = ends[k]
    return out


def _again(
    times: Array,
    span: tuple[float, float],
    ends: tuple[float, float],
    beyond: Beyond,
    inside: Callable[[Array], Array],
    *,
    before: bool,
) -> Array:
    """Values of a curve that comes again."""
    length = span[1] - span[0]
    way = (span[0] - times if before else times - span[1]) / length
    turn = np.floor(way)
    part = way - turn
    if beyond.times > 0:
        over = turn >= beyond.times
        turn, part = np.where(over, beyond.times - 1, turn), np.where(over, 1.0, part)
    if beyond.way == MIRROR:  # odd turns run as the curve does, even ones back
        part = np.where(turn % 2 == 0, 1.0 - part, part)
    at = 1.0 - part if before else part
    values = inside(span[0] + length * np.clip(at, 0.0, 1.0))
    if beyond.way == RELATIVE:
        values = values + (-1.0 if before else 1.0) * (turn + 1) * (ends[1] - ends[0])
    return np.asarray(values)
