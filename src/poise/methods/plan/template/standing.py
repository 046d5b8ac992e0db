"""The standing pose of a body: feet flat below the hips, knees a little bent, arms hanging, whatever way it
rests in its file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.character.labels import path_from_root
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.plan.template.build import Build, build_of
from poise.methods.plan.template.posing import (
    ApartTask,
    CentreTask,
    DirectionTask,
    PlaceTask,
    Posture,
    Task,
    TurnTask,
    posed,
)

SHORTEST = 1e-3
"""Legs that are shorter carry nobody [m]."""
BENT = 0.10
"""How far thighs lean forward and shins back [rad]."""
STRAIGHT = 0.35
"""Joints of legs that are bent by less at rest do not tell which way they fold [rad]."""
CLOSE = 0.55
"""Feet stand no closer to the middle than this share of the hips' half width …"""
WIDE = 0.07
"""… nor this part of the leg."""
HANG_OUT, HANG_BEND = 0.22, 0.30
"""Arms that hang: outward, and bend of the elbow [rad]."""
FOOT, CENTRE, TURN, BONE, HINGE = 3e4, 1e4, 10.0, 8.0, 300.0
"""Weights of feet and of the centre of mass (per leg length²), of turns and bones (per rad²), of knees that
are hinges."""
HAND = 1.0
"""How dearly hands keep their turn (per rad²)."""
SPINE = 2.0
"""How dearly the trunk keeps its shape (per rad²): it bends evenly, and no joint against another."""


@dataclass(frozen=True, eq=False)
class Standing:
    """A body that stands at the origin, looking along x, on z = 0."""

    build: Build
    q: Array
    """(nq,)"""
    soles: Array
    """Where the soles' origins are [m] (legs, 3)."""

    @cached_property
    def kin(self) -> Kinematics:
        return Kinematics(self.build.character, self.q)

    @property
    def centre(self) -> Array:
        """The centre of mass [m] (3,)."""
        return np.asarray(self.kin.com[0])

    @property
    def rotations(self) -> Array:
        """Of all bodies (n, 3, 3)."""
        return np.asarray(self.kin.rotations[0])


@lru_cache(maxsize=8)
def standing(character: Character) -> Standing:
    """How it stands."""
    build = build_of(character)
    if not build.legs or build.leg < SHORTEST:
        raise InputError(
            f"{character.name!r} has no legs to stand on: templates need feet under shins and thighs; "
            f"name the joints as a rig does, or plan from a scene of your own"
        )
    q = np.array(character.rest_pose())
    span = character.coordinates(build.mover)
    if character.bodies[build.mover].joint.kind is JointKind.FREE:
        turns = character.rest_placement().rotations
        up = int(character.parents[build.mover])
        above = turns[up] if up >= 0 else np.eye(3)
        q[span][3:] = so3.from_matrix(above.T @ build.turn @ turns[build.mover])
    kin = Kinematics(character, q)
    soles = _soles(build, kin)
    low = min(
        float((kin.positions[0, leg.foot] + kin.rotations[0, leg.foot] @ leg.flat.T @ -leg.origin)[2])
        for leg in build.legs
    )
    _lift(build, q, -low)
    for _ in range(2):
        kin = Kinematics(character, q)
        tasks = _tasks(build, kin, soles)
        posture = Posture(q[None], posture_weights(build), build.moves)
        q = posed(character, q[None], tasks, posture, most=80)[0]
    return Standing(build, q, soles)


def posture_weights(build: Build) -> Array:
    """How dearly joints keep to a pose (nv,): the trunk more than limbs, the mover not at all."""
    character = build.character
    out = np.full(character.nv, 0.05)
    out[character.dofs(build.mover)] = 1e-4
    trunk = {i for end in (build.chest, build.head) if end >= 0 for i in path_from_root(character, end)}
    for i in trunk:
        if i != build.mover:
            out[character.dofs(i)] = SPINE
    for arm in build.arms:
        out[character.dofs(arm.hand)] = HAND
    apart = {leg.foot for leg in build.legs}
    for i in apart:
        if character.bodies[i].joint.kind is JointKind.FREE:
            out[character.dofs(i)] = 1e-6
    return out


def knees(build: Build, kin: Kinematics) -> list[Task]:
    """Knees keep the axis they bend about, feet that hang elsewhere keep to their shins."""
    found: list[Task] = []
    at, turns = kin.positions[0], kin.rotations[0]
    character = build.character
    for leg in build.legs:
        if leg.knee != leg.hip and leg.knee != leg.foot:
            axis = np.array([0.0, 1.0, 0.0]) * build.leg
            other = turns[leg.hip].T @ (at[leg.knee] + axis - at[leg.hip])
            weight = HINGE / build.leg**2
            found.append(ApartTask(leg.knee, turns[leg.knee].T @ axis, leg.hip, other, weight))
        if leg.hip not in path_from_root(character, leg.foot) and leg.foot != build.mover:
            seen = character.rest_placement()
            own = seen.rotations[leg.knee].T @ (seen.positions[leg.foot] - seen.positions[leg.knee])
            found.append(ApartTask(leg.foot, np.zeros(3), leg.knee, own, FOOT / build.leg**2))
    return found


def _soles(build: Build, kin: Kinematics) -> Array:
    """Where soles stand: a person's below the hips, others' as at rest."""
    out = np.zeros((len(build.legs), 3))
    feet = np.array([kin.positions[0, leg.foot] for leg in build.legs])
    middle = feet[:, :2].mean(axis=0)
    for k, leg in enumerate(build.legs):
        if build.two_legged:
            half = abs(float(kin.positions[0, leg.hip, 1] - kin.positions[0, build.hips, 1]))
            out[k, 1] = leg.side * max(CLOSE * half, WIDE * build.leg)
        else:
            out[k, :2] = feet[k, :2] - middle
    return out


def _lift(build: Build, q: Array, by: float) -> None:
    """Move a pose up, and over the middle of its feet."""
    character = build.character
    span = character.coordinates(build.mover)
    up = int(character.parents[build.mover])
    above = character.rest_placement().rotations[up] if up >= 0 else np.eye(3)
    kin = Kinematics(character, q)
    middle = np.mean([kin.positions[0, leg.foot] for leg in build.legs], axis=0)
    shift = np.array([-middle[0], -middle[1], by])
    if character.bodies[build.mover].joint.kind is JointKind.FREE:
        q[span][:3] += above.T @ shift
    else:
        q[span][:2] += shift[[0, 2]]


def foot_tasks(build: Build, soles: Array) -> list[Task]:
    """Feet flat at soles (legs, 3)."""
    found: list[Task] = []
    one = np.ones(1)
    for leg, sole in zip(build.legs, soles):
        place = (sole + leg.origin)[None]
        found.append(PlaceTask(leg.foot, np.zeros(3), place, FOOT / build.leg**2 * one))
        found.append(TurnTask(leg.foot, leg.flat[None], FOOT * 0.1 * one))
        if leg.toes >= 0:
            found.append(TurnTask(leg.toes, leg.toes_flat[None], FOOT * 0.1 * one))
    return found


def _tasks(build: Build, kin: Kinematics, soles: Array) -> list[Task]:
    one = np.ones(1)
    tasks = foot_tasks(build, soles)
    turns = build.turn @ build.character.rest_placement().rotations
    for body in dict.fromkeys((build.hips, build.chest, build.head)):
        if body >= 0 and not any(body == leg.foot for leg in build.legs):
            tasks.append(TurnTask(body, turns[body][None], TURN * one))
    if build.two_legged:
        lean = np.array([np.sin(BENT), 0.0, -np.cos(BENT)])
        for leg in build.legs:
            if leg.knee not in (leg.hip, leg.foot):
                tasks.append(DirectionTask(leg.hip, leg.knee, lean[None], BONE * one))
                tasks.append(DirectionTask(leg.knee, leg.foot, (lean * [-1, 1, 1])[None], BONE * one))
        middle = soles[:, 0].mean() + np.mean([0.5 * (leg.heel + leg.ball)[0] for leg in build.legs])
        target = np.array([[middle, 0.0, 0.0]])
        tasks.append(CentreTask(target, np.array([[CENTRE, CENTRE, 0.0]]) / build.leg**2))
    elif not build.one_legged:
        now = np.array(kin.com)
        high = max(float(np.ptp(soles[:, 0])), 1e-9)
        now[0, 0] = np.clip(now[0, 0], soles[:, 0].min() + 0.2 * high, soles[:, 0].max() - 0.2 * high)
        now[0, 1] = 0.0
        now[0, 2] = _rested(build) - 0.03 * build.leg
        tasks.append(CentreTask(now, CENTRE / build.leg**2 * np.ones((1, 3))))
        tasks += _forelegs(build, kin)
    for arm in build.arms:
        upper, fore = arm_directions(arm.side, 0.0, HANG_OUT, HANG_BEND)
        tasks.append(DirectionTask(arm.upper, arm.forearm, upper[None], BONE * one))
        tasks.append(DirectionTask(arm.forearm, arm.hand, fore[None], BONE * one))
    if not build.two_legged:
        tasks += knees(build, kin)
    else:
        tasks += [t for t in knees(build, kin) if t.weight > HINGE / build.leg**2]
    return tasks


def _forelegs(build: Build, kin: Kinematics) -> list[Task]:
    """The wrists of forelegs that rest straight are bent a little forward: so they fold, and not backward."""
    found: list[Task] = []
    at, one = kin.positions[0], np.ones(1)
    for leg in build.legs:
        way = path_from_root(build.character, leg.foot)
        if not leg.front or leg.hip not in way or len(way[way.index(leg.hip) :]) < 3:
            continue
        above, wrist = way[-3], way[-2]
        bones = [at[wrist] - at[above], at[leg.foot] - at[wrist]]
        tilts = [float(np.arctan2(b[0], -b[2])) for b in bones]
        if abs(tilts[0] - tilts[1]) > STRAIGHT:
            continue
        middle = 0.5 * (tilts[0] + tilts[1])
        for (a, b), tilt in zip(((above, wrist), (wrist, leg.foot)), (middle + BENT, middle - BENT)):
            lean = np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
            found.append(DirectionTask(a, b, lean[None], BONE * one))
    return found


def _rested(build: Build) -> float:
    """Height of the centre of mass above the soles at rest [m]."""
    kin = Kinematics(build.character, build.character.rest_pose())
    low = min(float((kin.positions[0, leg.foot] - [0.0, 0.0, leg.origin[2]])[2]) for leg in build.legs)
    return float(kin.com[0, 2]) - low


def arm_directions(side: float, swing: float, out: float, bend: float) -> tuple[Array, Array]:
    """Directions of upper arm and forearm (3,) each of a body that looks along x."""

    def way(angle: float, aside: float) -> Array:
        return np.array([np.sin(angle) * np.cos(aside), side * np.sin(aside), -np.cos(angle) * np.cos(aside)])

    return way(swing, out), way(swing + bend, 0.35 * out)
