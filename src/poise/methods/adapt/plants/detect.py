"""Where feet stand in a clip: the contacts that carry it (``poise.contacts``), as plants that can be held.

Who touches what, and when, is found there; here it is told by points of each foot. A point stands while the
patch of its foot next to it rests within a contact on a surface that stays where it is. What creeps beyond
``STRAY`` has no one place: it is parted where it moves most.

Points of one rigid foot that stand together make one plant: the first is held at its mean place, the others
where the rigid foot puts them. Independent means would contradict the foot's length. Each keeps its own
interval: heel first down, toes last up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.labels import roles
from poise.constraints import During, FootPlace, FootPlant, When
from poise.contacts.differentiated_clip import runs
from poise.contacts.find import find
from poise.contacts.given import ClipContacts, supported_by
from poise.contacts.patches import patch_at
from poise.contacts.support import Support
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.adapt.problem.limits import bones
from poise.motion import Clip
from poise.motion.hung_feet import hanging
from poise.motion.operators.neighbours import extended

LEG = 0.85
"""Length of the leg that lengths are given for [m]."""
STRAY = 0.06
"""How far from its mean place a point still stands there, of a leg of that length [m]: captured soles creep
by five centimetres."""


def detect(
    clip: Clip, feet: Sequence[Sequence[str]] | None = None, given: ClipContacts | None = None
) -> list[FootPlant]:
    """Foot plants of a clip, in the order of time; ``feet`` lists points of each foot, heel first.

    ``given``: contacts that the user says are there, in place of those that are found.
    """
    feet = feet_of(clip.character) if feet is None else feet
    support = find(clip) if given is None else supported_by(find(clip, given.world), given)
    lead = clip.frames if clip.loop else 0
    kin = Kinematics(clip.character, extended(clip, lead) if lead else clip.q)
    stray = STRAY * leg_length(clip.character) / LEG
    found: list[tuple[float, FootPlant]] = []
    for points in feet:
        standing = _standing(support, kin, points, lead, stray)
        for own in _together(standing):
            if clip.loop and min(a for a, _ in own.values()) >= lead + clip.frames:
                own = {p: (a - clip.frames, b - clip.frames) for p, (a, b) in own.items()}
            plant = _plant(clip, kin, own, lead)
            found.append((min(first for first, _ in own.values()), plant))
    found.sort(key=lambda item: item[0])
    plants = [
        replace(plant, name=f"plant {k} of {', '.join(plant.intervals)}")
        for k, (_, plant) in enumerate(found, 1)
    ]
    # What turns from cycle to cycle is adapted within its first.
    return [part for p in plants for part in _cut_at_seam(p, clip)] if clip.travel.yaw else plants


def feet_that_stand(clip: Clip, given: ClipContacts | None = None) -> list[FootPlant]:
    """Foot plants of a clip; none where no feet are known."""
    return detect(clip, given=given) if known_feet(clip.character) else []


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
        raise InputError(f"{character.name!r} has no feet with known names; name the points that stand")
    return found


def known_feet(character: Character) -> list[tuple[str, ...]]:
    """The same, none where no feet are known; feet that no leg carries are refused."""
    found: list[tuple[str, ...]] = []
    known = roles(character)
    for side in ("left", "right"):
        foot, shin = known.get(f"{side} foot"), known.get(f"{side} shin")
        if foot is None or shin is None or foot in character.subtree(shin):
            continue
        if hanging(character) is None:
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


def _standing(
    support: Support, kin: Kinematics, points: Sequence[str], lead: int, stray: float
) -> dict[str, list[tuple[int, int]]]:
    """First and last frames (of ``kin``) of the times that points of one foot stand in one place.

    Where one of them moves on, the foot does: the others are parted there, too.
    """
    found = {p: [(a + lead, b + lead) for a, b in support.rests(patch_at(kin.character, p))] for p in points}
    rests = {p: _joined(own, [r for other in found.values() for r in other]) for p, own in found.items()}
    moves = np.zeros(kin.frames, dtype=bool)
    for p, own in rests.items():
        for first, last in own:
            kept = np.zeros(last - first + 1, dtype=bool)
            for a, b in _parted(first, last, kin.point(p), stray):
                kept[a - first : b - first + 1] = True
            moves[first : last + 1] |= ~kept
    return {
        p: [(a + i, a + j) for a, b in own for i, j in runs(~moves[a : b + 1]) if j > i]
        for p, own in rests.items()
    }


def _joined(rests: list[tuple[int, int]], all_of: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The rests of a point, joined where it comes down anew while another point of the foot stands."""
    found: list[tuple[int, int]] = []
    for a, b in rests:
        if found and any(first <= found[-1][1] and last >= a for first, last in all_of):
            found[-1] = found[-1][0], b
        else:
            found.append((a, b))
    return found


def _parted(first: int, last: int, path: Array, stray: float) -> Iterator[tuple[int, int]]:
    """Stretches that stay about one place: others are cut where they move most."""
    flat = path[first : last + 1, :2]
    away = np.linalg.norm(flat - flat.mean(axis=0), axis=1)
    if last - first < 3 or float(away.max()) <= stray:
        if last > first:
            yield first, last
        return
    ways = np.linalg.norm(np.gradient(flat, axis=0), axis=1)
    peak = 1 + int(np.argmax(ways[1:-1]))
    hurry = next((a, b) for a, b in runs(ways >= 0.5 * ways[peak]) if a <= peak <= b)
    low, high = max(hurry[0], 1), min(hurry[1], len(ways) - 2)
    yield from _parted(first, first + low - 1, path, stray)
    yield from _parted(first + high + 1, last, path, stray)


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
    return [part for part in (with_points(plant, before), with_points(come, after)) if part is not None]


def with_points(plant: FootPlant, intervals: Mapping[str, When]) -> FootPlant | None:
    """A plant with some of its points, each still on its mark; None without any."""
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
