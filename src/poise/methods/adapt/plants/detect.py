"""Where feet stand in a clip: points of each foot that are low and slow, and stay about where they are.

A point comes to stand where it is slower than ``slow`` and low; it leaves where it is faster than ``fast``
or higher (hysteresis). Low is near the lowest that it gets, or, longer, where no other foot is lower: stairs.
Short gaps are closed, short touches dropped; what creeps beyond ``stray`` is parted where it is fastest.
Lengths and speeds are those of a leg of 0.85 m; a clip whose feet go faster than a walker's is fast
throughout, and so are its touches.

Points of one rigid foot that stand together make one plant: the first is held at its mean place, the others
where the rigid foot puts them. Independent means would contradict the foot's length. Each keeps its own
interval: heel first down, toes last up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character
from poise.character.labels import roles
from poise.constraints import During, FootPlace, FootPlant
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.adapt.problem.limits import bones
from poise.motion import Clip, operators

LEG = 0.85
"""Length of the leg that lengths and speeds are given for [m]."""
WALKER = 5.0
"""Speed of a walker's swinging foot at that size [m/s]."""


@dataclass(frozen=True)
class Touch:
    """What counts as standing, for a leg of 0.85 m that walks."""

    slow: float = 0.35
    """Slower than this a point comes to stand [m/s]; at least a twelfth of its usual top speed."""
    fast: float = 0.5
    """Faster than this it leaves [m/s]."""
    low: float = 0.06
    """Height above its lowest [m]; a quarter more to leave."""
    stray: float = 0.06
    """How far from its mean place it still stands there [m]."""
    gap: float = 0.05
    """Interruptions shorter than this do not count [s]."""
    least: float = 0.1
    """Touches shorter than this do not count [s]."""

    def scaled(self, size: float, top: float) -> Touch:
        """For another size, and points whose top speed is ``top`` [m/s]."""
        tempo = min(1.0, WALKER * size / max(top, 1e-9))
        slow = max(self.slow * size, top / 12.0)
        return Touch(
            slow,
            slow * self.fast / self.slow,
            self.low * size,
            self.stray * size,
            self.gap * tempo,
            self.least * tempo,
        )


def detect(
    clip: Clip, feet: Sequence[Sequence[str]] | None = None, *, touch: Touch | None = None
) -> list[FootPlant]:
    """Foot plants of a clip, in the order of time; ``feet`` lists points of each foot, heel first."""
    feet = feet_of(clip.character) if feet is None else feet
    long = _three_cycles(clip) if clip.loop else clip
    kin = Kinematics(clip.character, long.q)
    size = leg_length(clip.character) / LEG
    below = np.min([kin.point(p)[:, 2] for points in feet for p in points], axis=0)
    found: list[tuple[float, FootPlant]] = []
    for points in feet:
        standing = {p: _stretches(long, kin.point(p), below, touch or Touch(), size) for p in points}
        for own in _together(standing):
            if clip.loop and not (own := _in_middle(own, clip.frames)):
                continue
            plant = _plant(clip, kin, own, clip.frames if clip.loop else 0)
            found.append((min(first for first, _ in own.values()), plant))
    found.sort(key=lambda item: item[0])
    plants = [
        replace(plant, name=f"plant {k} of {', '.join(plant.intervals)}")
        for k, (_, plant) in enumerate(found, 1)
    ]
    # What turns from cycle to cycle is adapted within its first.
    return [part for p in plants for part in _cut_at_seam(p, clip)] if clip.travel.yaw else plants


def feet_that_stand(clip: Clip) -> list[FootPlant]:
    """Foot plants of a clip; none where no feet are known."""
    return detect(clip) if known_feet(clip.character) else []


def move_plant(
    plants: Sequence[FootPlant],
    which: int | str,
    by: Sequence[float] = (0.0, 0.0),
    *,
    turn: float = 0.0,
    lift: float = 0.0,
) -> list[FootPlant]:
    """The plants with one of them (its number from 0, or its name) moved by (x, y) [m], turned and lifted."""
    names = [p.name for p in plants]
    if which not in (names if isinstance(which, str) else range(len(plants))):
        raise InputError(f"no foot plant {which!r}; there are {', '.join(names) or 'none'}")
    number = names.index(which) if isinstance(which, str) else which
    chosen = plants[number]
    if chosen.place is None or len(by) != 2:
        raise InputError(f"{chosen.name}: only a plant that has a place can be moved, by two numbers (x, y)")
    x, y, yaw = chosen.place
    place = FootPlace(x + float(by[0]), y + float(by[1]), yaw + turn)
    moved = replace(chosen, place=place, height=chosen.height + lift)
    return [moved if k == number else p for k, p in enumerate(plants)]


def feet_of(character: Character) -> list[tuple[str, ...]]:
    """Two points of each foot: heel and ball where the character names them, else ankle and toes."""
    found = known_feet(character)
    if not found:
        raise InputError(f"{character.name!r} has no feet that are known by name: say which points stand")
    return found


def known_feet(character: Character) -> list[tuple[str, ...]]:
    """The same, none where no feet are known; feet that no leg carries are refused."""
    found: list[tuple[str, ...]] = []
    known = roles(character)
    for side in ("left", "right"):
        foot, shin = known.get(f"{side} foot"), known.get(f"{side} shin")
        if foot is not None and shin is not None and foot not in character.subtree(shin):
            below, above = character.names[foot], character.names[shin]
            raise InputError(
                f"{character.name!r}: {below!r} does not hang from {above!r}, so that no leg carries it; put "
                "the feet under the shins (bake the rig's inverse kinematics) before they are asked to stand"
            )
    for side in ("left", "right"):
        named = [f"{side.title()}{part}" for part in ("Heel", "Ball")]
        if all(n in character.points for n in named):
            found.append(tuple(named))
            continue
        bodies = [known[r] for r in (f"{side} foot", f"{side} toes") if r in known]
        if bodies:
            found.append(tuple(character.names[i] for i in bodies))
    return found


def leg_length(character: Character) -> float:
    """From hip to ankle [m]; of characters without known legs half of their height at rest."""
    known = roles(character)
    sides = [s for s in ("left", "right") if f"{s} thigh" in known and f"{s} foot" in known]
    lengths = [bones(character, known[f"{s} thigh"], known[f"{s} foot"]) for s in sides]
    if lengths and min(lengths) > 0:
        return float(np.mean(lengths))
    return max(0.5 * float(np.ptp(character.rest_placement()[0][:, 2])), 1e-3)


def _stretches(clip: Clip, path: Array, below: Array, touch: Touch, size: float) -> list[tuple[int, int]]:
    """First and last frame of each time that a point stands still."""
    speed = np.linalg.norm(np.gradient(path, clip.dt, axis=0), axis=1) if clip.frames > 1 else np.zeros(1)
    touch = touch.scaled(size, float(np.percentile(speed, 95)))
    above = path[:, 2] - np.percentile(path[:, 2], 2)
    slow, fast = speed < touch.slow, speed < touch.fast
    down = _settled(slow & (above < touch.low), fast & (above < 1.25 * touch.low))
    # High up a point stands where nothing is below it, and for longer than at the top of a jump.
    carries = path[:, 2] - below < touch.low
    for first, last in runs(_settled(slow & carries, fast & carries)):
        if (last - first + 1) * clip.dt >= 2.0 * touch.least:
            down[first : last + 1] = True
    for first, last in runs(~down):
        if first > 0 and last < clip.frames - 1 and (last - first + 1) * clip.dt <= touch.gap:
            down[first : last + 1] = True
    kept = [part for run in runs(down) for part in _parted(*run, path, speed, touch.stray)]
    return [(a, b) for a, b in kept if (b - a + 1) * clip.dt >= touch.least and b > a]


def _settled(sure: NDArray[np.bool_], maybe: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """From where it surely stands to where it surely no longer does."""
    down = np.zeros(len(sure), dtype=bool)
    for first, last in runs(maybe):
        inside = first + np.flatnonzero(sure[first : last + 1])
        if len(inside):
            down[inside[0] : inside[-1] + 1] = True
    return down


def _parted(first: int, last: int, path: Array, speed: Array, stray: float) -> Iterator[tuple[int, int]]:
    """Stretches that stay about one place: others are cut where they move fastest."""
    flat = path[first : last + 1, :2]
    away = np.linalg.norm(flat - flat.mean(axis=0), axis=1)
    if last - first < 3 or float(away.max()) <= stray:
        yield first, last
        return
    inner = speed[first + 1 : last]
    peak = first + 1 + int(np.argmax(inner))
    hurry = next((a, b) for a, b in runs(speed >= 0.5 * speed[peak]) if a <= peak <= b)
    low, high = max(hurry[0], first + 1), min(hurry[1], last - 1)
    yield from _parted(first, low - 1, path, speed, stray)
    yield from _parted(high + 1, last, path, speed, stray)


def runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last index of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2])]


def _together(standing: dict[str, list[tuple[int, int]]]) -> Iterator[dict[str, tuple[int, int]]]:
    """Stretches of the points of one foot that overlap, each stretch in one plant."""
    left = {p: list(stretches) for p, stretches in standing.items()}
    while any(left.values()):
        first = min((s[0][0], p) for p, s in left.items() if s)[1]
        own = {first: left[first].pop(0)}
        for p, others in left.items():
            while others and others[0][0] <= own[first][1] and others[0][1] >= own[first][0]:
                start, end = others.pop(0)
                own[p] = (own[p][0] if p in own else start, end)
        yield {p: own[p] for p in standing if p in own}


def _three_cycles(clip: Clip) -> Clip:
    """A loop with the cycle before it and the one after."""
    long = operators.unroll(clip, 3)
    return long.with_q(clip.travel.apply(clip.character, long.q, -1))


def _in_middle(own: dict[str, tuple[int, int]], frames: int) -> dict[str, tuple[int, int]]:
    """A plant of three cycles if it starts in the second (what never ends: its part there), else nothing."""
    start, end = min(a for a, _ in own.values()), max(b for _, b in own.values())
    if start == 0 and end == 3 * frames:
        return {p: (max(a, frames), min(b, 2 * frames - 1)) for p, (a, b) in own.items()}
    return own if frames <= start < 2 * frames else {}


def _cut_at_seam(plant: FootPlant, clip: Clip) -> list[FootPlant]:
    """The parts of a plant before and after a loop's seam, both in the first cycle."""
    whole: dict[str, During] = {p: w for p, w in plant.intervals.items() if isinstance(w, During)}
    seam, last = clip.duration, float(clip.times[-1])
    before = {p: During(w.start, min(w.end, last)) for p, w in whole.items() if w.start <= last}
    after = {p: During(max(w.start, seam) - seam, w.end - seam) for p, w in whole.items() if w.end >= seam}
    if not after or plant.place is None or plant.marks is None:
        return [plant]
    (dx, dy, dz), yaw = (np.asarray(v) for v in clip.travel.repeated(-1))
    c, s = float(np.cos(yaw)), float(np.sin(yaw))
    x, y, facing = plant.place
    back = FootPlace(c * x - s * y + float(dx), s * x + c * y + float(dy), facing + float(yaw))
    come = replace(plant, place=back, height=plant.height + float(dz), name=f"{plant.name}, come round")
    return [part for part in (_only(plant, before), _only(come, after)) if part is not None]


def _only(plant: FootPlant, intervals: dict[str, During]) -> FootPlant | None:
    """A plant with some of its points, each still on its mark."""
    if not intervals or plant.place is None or plant.marks is None:
        return None
    marks = [mark for p, mark in zip(plant.intervals, plant.marks) if p in intervals]
    a, b, up = marks[0]
    c, s = np.cos(plant.place.yaw), np.sin(plant.place.yaw)
    x, y = plant.place.x + c * a - s * b, plant.place.y + s * a + c * b
    return replace(
        plant,
        intervals=intervals,
        place=FootPlace(float(x), float(y), plant.place.yaw),
        height=plant.height + up,
        marks=tuple((m[0] - a, m[1] - b, m[2] - up) for m in marks),
    )


def _plant(clip: Clip, kin: Kinematics, standing: dict[str, tuple[int, int]], origin: int) -> FootPlant:
    """A plant at the mean place of its first point, the others as the rigid foot has them.

    ``origin`` is the pose of ``kin`` that is the clip's first frame.
    """
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
    when = {
        p: During(float((a - origin) / clip.rate), float((b - origin) / clip.rate))
        for p, (a, b) in standing.items()
    }
    return FootPlant(
        when,
        FootPlace(float(place[0]), float(place[1]), yaw),
        height=float(place[2]),
        marks=tuple((float(x), float(y), float(z)) for x, y, z in flat),
    )
