"""Where feet stand in a clip: points of each foot that are low and slow, with hysteresis.

A point is down while it moves slower than ``slow`` near its lowest height; a short rise above that, below
``fast``, does not end it. Short gaps are closed, short touches dropped. Points of one rigid foot that stand
together make one plant: the first is held at its mean place, the others where the rigid foot puts them.
Independent means would contradict the foot's length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character
from poise.character.labels import roles
from poise.constraints import During, FootPlace, FootPlant
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.motion import Clip


@dataclass(frozen=True)
class Touch:
    """What counts as standing."""

    slow: float = 0.35
    """Slower than this a point comes to stand [m/s]."""
    fast: float = 0.5
    """Faster than this it leaves [m/s]."""
    low: float = 0.06
    """Height above its lowest [m]; a quarter more to leave."""
    gap: float = 0.05
    """Interruptions shorter than this do not count [s]."""
    least: float = 0.1
    """Touches shorter than this do not count [s]."""


def detect(
    clip: Clip, feet: Sequence[Sequence[str]] | None = None, *, touch: Touch | None = None
) -> list[FootPlant]:
    """Foot plants of a clip, in the order of time; ``feet`` lists points of each foot, heel first."""
    touch = touch or Touch()
    feet = feet_of(clip.character) if feet is None else feet
    kin = Kinematics(clip.character, clip.q)
    found: list[FootPlant] = []
    for points in feet:
        standing = {p: list(_stretches(clip, kin.point(p), touch)) for p in points}
        for heel_toe in _together(standing, list(points)):
            found.append(_plant(clip, kin, heel_toe, len(found) + 1))
    return sorted(found, key=lambda plant: min(w.start for w in plant.intervals.values()))  # type: ignore[attr-defined]


def feet_of(character: Character) -> list[tuple[str, ...]]:
    """Two points of each foot: heel and ball where the character names them, else ankle and toes."""
    found: list[tuple[str, ...]] = []
    known = roles(character)
    for side in ("left", "right"):
        named = [f"{side.title()}{part}" for part in ("Heel", "Ball")]
        if all(n in character.points for n in named):
            found.append(tuple(named))
            continue
        bodies = [known[r] for r in (f"{side} foot", f"{side} toes") if r in known]
        if bodies:
            found.append(tuple(character.names[i] for i in bodies))
    if not found:
        raise InputError(f"{character.name!r} has no feet that are known by name: say which points stand")
    return found


def _stretches(clip: Clip, path: Array, touch: Touch) -> Iterator[tuple[int, int]]:
    """First and last frame of each time that a point stands still."""
    speed = np.linalg.norm(np.gradient(path, clip.dt, axis=0), axis=1) if clip.frames > 1 else np.zeros(1)
    height = path[:, 2] - np.percentile(path[:, 2], 2)
    sure = (speed < touch.slow) & (height < touch.low)
    maybe = (speed < touch.fast) & (height < 1.25 * touch.low)
    down = np.zeros(clip.frames, dtype=bool)
    for first, last in runs(maybe):
        if sure[first : last + 1].any():
            # From where it is surely down to where it surely leaves.
            inside = first + np.flatnonzero(sure[first : last + 1])
            down[inside[0] : inside[-1] + 1] = True
    for first, last in runs(~down):
        if first > 0 and last < clip.frames - 1 and (last - first + 1) * clip.dt <= touch.gap:
            down[first : last + 1] = True
    for first, last in runs(down):
        if (last - first + 1) * clip.dt >= touch.least:
            yield first, last


def runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last index of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2])]


def _together(
    standing: dict[str, list[tuple[int, int]]], points: list[str]
) -> Iterator[dict[str, tuple[int, int]]]:
    """Stretches of the points of one foot that overlap, each stretch in one plant."""
    left = {p: list(standing[p]) for p in points}
    while any(left.values()):
        first = min((s[0][0], p) for p, s in left.items() if s)[1]
        own = {first: left[first].pop(0)}
        for p in points:
            if p not in own and left[p]:
                low, high = own[first]
                start, end = left[p][0]
                if start <= high and end >= low:
                    own[p] = left[p].pop(0)
        yield {p: own[p] for p in points if p in own}


def _plant(clip: Clip, kin: Kinematics, standing: dict[str, tuple[int, int]], number: int) -> FootPlant:
    """A plant at the mean place of its first point, the others as the rigid foot has them."""
    points = list(standing)
    heel = points[0]
    first, last = standing[heel]
    place = kin.point(heel)[first : last + 1].mean(axis=0)
    marks = [np.zeros(3)]
    for other in points[1:]:
        start, end = standing[other]
        both = slice(max(first, start), min(last, end) + 1)
        way = kin.point(other)[both] - kin.point(heel)[both]  # (T, 3)
        length = float(np.linalg.norm(way, axis=1).mean())
        mean = way.mean(axis=0)
        marks.append(mean * length / max(float(np.linalg.norm(mean)), 1e-9))
    yaw = float(np.arctan2(marks[-1][1], marks[-1][0])) if len(marks) > 1 else 0.0
    c, s = np.cos(yaw), np.sin(yaw)
    flat = [(c * x + s * y, -s * x + c * y, z) for x, y, z in marks]
    when = {p: During(float(clip.times[a]), float(clip.times[b])) for p, (a, b) in standing.items()}
    return FootPlant(
        when,
        FootPlace(float(place[0]), float(place[1]), yaw),
        height=float(place[2]),
        name=f"plant {number} of {', '.join(points)}",
        marks=tuple((float(x), float(y), float(z)) for x, y, z in flat),
    )
