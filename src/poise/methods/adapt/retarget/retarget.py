"""Give a performance to another character: other proportions, or another skeleton altogether.

The motion is put on the target bone by bone (``transfer``), which gets every pose right and no contact. Then
it is adapted: feet stand where the performer's did, scaled; ankles follow the performer's, scaled; hands go
where the performer's hands went beside the shoulders; the floor and the target's own limits hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.labels import path_from_root
from poise.constraints import Always, Constraint, FootPlace, FootPlant, Path, pin
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.adapt.adapt import adapted
from poise.methods.adapt.plants.detect import detect, known_feet
from poise.methods.adapt.problem.limits import bones
from poise.methods.adapt.problem.requirements import free_joints
from poise.methods.adapt.result import AdaptResult
from poise.methods.adapt.retarget.correspondence import correspond
from poise.methods.adapt.retarget.transfer import Transfer, sole_height
from poise.motion import Clip
from poise.operations.retarget import Retarget
from poise.watching import Progress

FOLLOW: dict[str, Any] = {"priority": 1, "weight": 0.1, "tolerance": 0.3}
"""How ankles and hands follow: softly, and not in the way of feet that stand."""

Feet = list[tuple[tuple[str, ...], tuple[str, ...]]]
"""Points of each foot, of source and target."""


def retargeted(
    clip: Clip, character: Character, asked: Retarget, *, progress: Progress | None = None
) -> AdaptResult:
    """The clip performed by another character; feet that stand are those of the source, if they are kept."""
    transfer = Transfer(clip, correspond(clip.character, character, asked.map))
    start = transfer.clip_on_target()
    feet = _feet(transfer)
    plants = detect(clip, [ours for ours, _ in feet]) if feet and asked.plants else []
    standing = [_on_target(p, plants, transfer, start, feet) for p in plants]
    paths = [*_ankles(transfer), *(_hands(transfer, start) if asked.hands else ())]
    if asked.floor is None:
        heights = {p: float(_standing(character, p)[2]) for _, points in feet for p in points}
        asked = msgspec.structs.replace(asked, floor=heights or None)
    if asked.joints is None:
        asked = msgspec.structs.replace(asked, joints=tuple(_carriers(start, transfer, feet)))
    return adapted(start, [*standing, *paths], asked, progress=progress)


def _carriers(start: Clip, transfer: Transfer, feet: Feet) -> list[str]:
    """Joints that carry feet and hands; heads and fingers stay as they are."""
    character, known = start.character, transfer.pairing.roles()
    ends = [character.names[known[r][1]] for r in known if r.endswith((" foot", " hand"))]
    points = [character.point(p) for p in [*ends, *(p for _, theirs in feet for p in theirs)]]
    # A body's own joint does not move its origin.
    moved = [p.body if np.any(p.position) else int(character.parents[p.body]) for p in points]
    free = free_joints(start)
    ways = {i for body in moved for i in path_from_root(character, body)}
    return [character.names[i] for i in sorted(ways) if i in free] or ["*"]


def _feet(transfer: Transfer) -> Feet:
    """Points of feet that correspond, of source and target."""
    return list(zip(known_feet(transfer.pairing.source), known_feet(transfer.pairing.target)))


def _on_target(
    plant: FootPlant, plants: Sequence[FootPlant], transfer: Transfer, start: Clip, feet: Feet
) -> FootPlant:
    """A plant under the target's foot, at the place of the source's, scaled."""
    points = list(plant.intervals)
    number = next((k for k, (ours, _) in enumerate(feet) if set(points) <= set(ours)), None)
    if number is None:
        raise InputError(
            f"{plant.name}: its points do not belong to one foot of {transfer.clip.character.name!r}"
        )
    ours, theirs = feet[number]
    to = {ours[-1]: theirs[-1], ours[0]: theirs[0]}
    intervals = {to[p]: when for p, when in plant.intervals.items() if p in to}
    lowest = min(p.height for p in plants if next(iter(p.intervals)) == points[0])
    rise = transfer.scale * (plant.height - lowest)
    character = start.character
    at = np.array([_standing(character, p) for p in intervals])
    marks = at - at[0]
    yaw = np.arctan2(marks[-1, 1], marks[-1, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    marks = marks @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    made = FootPlant(
        intervals,
        height=float(at[0, 2]) + rise,
        name=plant.name,
        marks=tuple((float(x), float(y), float(z)) for x, y, z in marks),
    )
    times = np.concatenate([w.times(start) for w in made.intervals.values()])
    kin = Kinematics(character, start.at(times))
    foot = character.point(next(iter(intervals))).body
    # Heading by the foot's own rotation: its points may be too close to tell.
    facing = kin.rotations[:, foot] @ character.rest_placement()[1][foot].T @ [c, s, 0.0]
    turn = float(np.arctan2(*facing.sum(axis=0)[[1, 0]]))
    x, y, _ = made.estimate(start)
    return replace(made, place=FootPlace(x, y, turn))


def _standing(character: Character, point: str) -> Array:
    """Where a point is when the character stands on the floor as it rests (3,)."""
    places, turns = character.rest_placement()
    p = character.point(point)
    where = places[p.body] + turns[p.body] @ p.position
    return np.asarray(where - [0.0, 0.0, sole_height(character)])


def _ankles(transfer: Transfer) -> list[Constraint]:
    """Ankles follow the source's."""
    known = transfer.pairing.roles()
    found = []
    for role in ("left foot", "right foot"):
        if role in known:
            ours, theirs = known[role]
            found.append(_follow(transfer, theirs, transfer.moved(transfer.source.positions[:, ours])))
    return found


def _hands(transfer: Transfer, start: Clip) -> list[Constraint]:
    """Hands keep the places that the source's have beside the shoulders, scaled as the trunk, or the arm."""
    pairing, there = transfer.pairing, transfer.source.positions
    here, known = Kinematics(start.character, start.q).positions, pairing.roles()
    found = []
    for side in ("left", "right"):
        parts = [known.get(role) for role in ("hips", f"{side} upper_arm", f"{side} hand")]
        if None in parts:
            continue
        hips, shoulder, hand = (p for p in parts if p is not None)
        ratios = []
        for first, last in ((hips, shoulder), (shoulder, hand)):
            ours, theirs = (
                bones(c, first[k], last[k]) for k, c in enumerate((pairing.source, pairing.target))
            )
            ratios.append(theirs / ours)
        way = min(ratios) * (there[:, hand[0]] - there[:, shoulder[0]])
        found.append(_follow(transfer, hand[1], here[:, shoulder[1]] + way))
    return found


def _follow(transfer: Transfer, body: int, path: Array) -> Constraint:
    """A body's origin goes along a path (F, 3), softly."""
    name = transfer.pairing.target.names[body]
    times = np.asarray(transfer.clip.times)
    return pin(name, Path(times, path), Always(), name=f"{name} follows", **FOLLOW)
