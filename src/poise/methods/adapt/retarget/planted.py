"""Feet that stand, under the target's feet where the source's are, scaled: flat, or on their toes as there.

A foot that is down as a whole is held by three points, heel, ankle and ball, where those are points of it:
two leave it to roll over the line between them. One that turns while it stands is held by the point about
which it turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.feet_at_rest import feet_at_rest
from poise.constraints import During, FootPlace, FootPlant, When
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.adapt.retarget.transfer import Transfer, sole_height
from poise.motion import Clip

FLAT = np.radians(15.0)
"""A foot that slopes no more than this stands flat."""
TURNS = np.radians(25.0)
"""A foot whose heading changes by more than this while it stands turns on the spot."""

Feet = list[tuple[tuple[str, ...], tuple[str, ...]]]
"""Points of each foot, of source and target."""


def on_target(
    plant: FootPlant, plants: Sequence[FootPlant], transfer: Transfer, start: Clip, feet: Feet
) -> FootPlant:
    """A plant of the target, whose motion so far is ``start``; ``plants`` are all of the source's."""
    points = list(plant.intervals)
    number = next((k for k, (ours, _) in enumerate(feet) if set(points) <= set(ours)), None)
    if number is None:
        raise InputError(
            f"{plant.name}: its points do not belong to one foot of {transfer.clip.character.name!r}"
        )
    ours, theirs = feet[number]
    to = {ours[-1]: theirs[-1], ours[0]: theirs[0]}
    # A foot that is known by its ankle alone is held while the heel is down: then the ankle rises.
    intervals: dict[str, When] = {}
    for point, when in plant.intervals.items():  # from heel to toes
        if point in to:
            intervals.setdefault(to[point], when)
    rise = transfer.scale * _elevation(plant, [p for p in plants if set(p.intervals) <= set(ours)])
    character = start.character
    foot = character.point(next(iter(intervals))).body
    times = np.concatenate([w.times(start) for w in intervals.values()])
    kin = Kinematics(character, start.at(times))
    ahead = feet_at_rest(character).rotations[foot].T @ _ahead(character, theirs)
    facing = (kin.rotations[:, foot] @ ahead)[:, :2]  # by its rotation: points may be too close to tell
    if len(intervals) > 1 and _turned(facing) > TURNS:
        intervals = _pivot(start, intervals)
    else:
        intervals = _upright(character, intervals)
    rest = np.array([as_it_stands(character, p) for p in intervals])
    flat = rest - rest[0]
    yaw = np.arctan2(flat[-1, 1], flat[-1, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    marks = flat @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    pitch = _pitch(kin, list(intervals)) - np.arctan2(marks[-1, 2], np.hypot(*marks[-1, :2]))
    if len(marks) > 1 and abs(pitch) > FLAT:
        c2, s2 = np.cos(pitch), np.sin(pitch)
        x, z = marks[:, 0].copy(), marks[:, 2].copy()
        marks[:, 0], marks[:, 2] = c2 * x - s2 * z, s2 * x + c2 * z
    # The lowest of its points is on the ground.
    height = float(np.max(rest[:, 2] - marks[:, 2])) + rise
    made = FootPlant(
        intervals,
        height=height,
        name=plant.name,
        marks=tuple((float(x), float(y), float(z)) for x, y, z in marks),
    )
    way = kin.rotations[:, foot] @ feet_at_rest(character).rotations[foot].T @ [c, s, 0.0]
    turn = float(np.arctan2(*way.sum(axis=0)[[1, 0]]))
    x, y, _ = made.estimate(start)
    return replace(made, place=FootPlace(x, y, turn))


def _ahead(character: Character, points: Sequence[str]) -> Array:
    """From heel to toes at rest, level; (3,). x where that cannot be told."""
    way = as_it_stands(character, points[-1]) - as_it_stands(character, points[0])
    way[2] = 0.0
    return way if float(np.linalg.norm(way)) > 1e-6 else np.array([1.0, 0.0, 0.0])


def _turned(facing: Array) -> float:
    """How far a heading (T, 2) turns in all [rad]."""
    mean = facing.sum(axis=0)
    away = np.arctan2(facing[:, 1] * mean[0] - facing[:, 0] * mean[1], facing @ mean)
    return float(np.ptp(away))


def _pivot(start: Clip, intervals: dict[str, When]) -> dict[str, When]:
    """The point about which a foot turns: the one that wanders least while it is down."""

    def wanders(point: str) -> float:
        path = Kinematics(start.character, start.at(intervals[point].times(start))).point(point)[:, :2]
        return float(np.linalg.norm(path - path.mean(axis=0), axis=1).mean())

    chosen = min(intervals, key=wanders)
    return {chosen: intervals[chosen]}


def _upright(character: Character, intervals: dict[str, When]) -> dict[str, When]:
    """With the ankle while heel and ball, points below it, are both down."""
    heel, *others = intervals
    place = character.point(heel)
    one, other = intervals[heel], intervals[others[0]] if others else None
    if not place.position.any() or not isinstance(one, During) or not isinstance(other, During):
        return intervals
    first, last = max(one.start, other.start), min(one.end, other.end)
    if last <= first:
        return intervals
    return {heel: one, character.names[place.body]: During(first, last), others[0]: other}


def _elevation(plant: FootPlant, others: Sequence[FootPlant]) -> float:
    """How much higher than in its lowest stand a foot stands as a whole, heel and toes [m]."""
    found = []
    for k, point in enumerate(plant.intervals):
        heights = [
            p.height + (p.marks[j][2] if p.marks is not None else 0.0)
            for p in others
            for j, name in enumerate(p.intervals)
            if name == point
        ]
        own = plant.height + (plant.marks[k][2] if plant.marks is not None else 0.0)
        found.append(own - min(heights))
    return min(found)


def _pitch(kin: Kinematics, points: Sequence[str]) -> float:
    """Mean slope of the way from the first to the last of points [rad]."""
    if len(points) < 2:
        return 0.0
    way = (kin.point(points[-1]) - kin.point(points[0])).mean(axis=0)
    return float(np.arctan2(way[2], np.hypot(way[0], way[1])))


def as_it_stands(character: Character, point: str) -> Array:
    """Where a point is when the character stands on the floor as it rests (3,)."""
    places, turns = feet_at_rest(character)
    p = character.point(point)
    where = places[p.body] + turns[p.body] @ p.position
    return np.asarray(where - [0.0, 0.0, sole_height(character, p.body)])
