"""Reach: a hand goes to a place, stays there and comes back; the body leans with it and stands."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.errors import InputError
from poise.gravity import EARTH
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.plan.template.build import Arm
from poise.methods.plan.template.eased import smooth
from poise.methods.plan.template.kinds import stand as standing_still
from poise.methods.plan.template.posing import CentreTask, PlaceTask, Posture, Task, TurnTask, posed
from poise.methods.plan.template.score import ArmAngles, Score
from poise.methods.plan.template.standing import (
    CENTRE,
    FOOT,
    HANG_BEND,
    HANG_OUT,
    TURN,
    Standing,
    foot_tasks,
    knees,
    posture_weights,
)
from poise.methods.plan.template.wish import Wish

GO, STAY, BACK = 2.6, 1.6, 2.8
"""Times to go there, to stay and to come back, in clocks."""
FAR = 1.25
"""How far from its shoulder a hand reaches at most, over arm lengths: the trunk helps."""
KEPT = 0.003
"""How dearly the weight stays where it is, beside where it must be: it goes along."""
WITHIN = 0.6
"""Share of the way from the middle of the feet to their ends within which it stays."""


def score(stand: Standing, wish: Wish) -> Score:
    """The score."""
    build = stand.build
    body, point, home = _what(stand, wish)
    target = _where(stand, wish, home)
    unit = build.clock / wish.tempo
    lasts = (GO + STAY + BACK + 2.0) * unit
    scale = wish.seconds / lasts if wish.seconds else 1.0
    go, stay, back = (x * unit * scale for x in (GO, STAY, BACK))
    t0 = 0.6 * unit * scale
    from dataclasses import replace

    made = standing_still.score(stand, replace(wish, seconds=lasts * scale, tempo=1.0))
    t = made.times
    there = smooth((t - t0) / go) * (1 - smooth((t - t0 - go - stay) / back))
    way = home + there[:, None] * (target - home)
    up = (0.06 if build.arms else 0.0) * build.leg * np.sin(np.pi * np.clip(there, 0, 1)) ** 2
    way[:, 2] += up
    made.name = "reach"
    made.hands = [(body, point, way, 0.15 * smooth(there / 0.35))]
    when = t0 + go + 0.5 * stay
    when = round(when / made.dt) * made.dt
    name = f"{build.character.names[body]} reaches"
    made.reaches = [(name, body, point, target, when)]
    ahead = (target - stand.kin.positions[0, build.chest]) / build.leg
    low = np.clip((stand.kin.positions[0, build.chest, 2] - target[2]) / build.leg - 0.2, 0.0, 1.2)
    lean = turn = 0.0
    if not build.one_legged:
        lean = build.stoop * float(np.clip(0.12 * max(ahead[0], 0.0) + 0.55 * low, 0.0, 1.0))
        turn = 0.5 * float(np.clip(0.35 * np.arctan2(ahead[1], max(ahead[0], 0.25)), -0.4, 0.4))
        made.pitch, made.yaw, made.gaze = there * lean, there * turn, there * 0.35
    centre = _carried(stand, _reaching(stand, (body, point, target), lean, turn))
    made.height = made.height + there * (centre[2] - stand.centre[2])
    assert made.pressure is not None
    pushed = np.gradient(np.gradient(there, made.dt), made.dt)  # who leans forward pushes backward first
    made.pressure = (
        made.pressure + (there - stand.centre[2] / EARTH * pushed)[:, None] * (centre - stand.centre)[:2]
    )
    side = 1.0 if home[1] > 0 else -1.0
    made.arms = {
        s: ArmAngles(
            (0.9 if s == side else -0.1) * there,
            HANG_OUT + 0 * t,
            HANG_BEND + (0.3 if s == side else 0.1) * there,
        )
        for s in (1.0, -1.0)
    }
    return made


def _reaching(stand: Standing, what: tuple[int, Array, Array], lean: float, turn: float) -> Array:
    """Where the centre of mass would be [m] (3,) if only feet, what reaches and the trunk's turn mattered.

    Who keeps the weight where it was must twist what is heavy against what reaches: a head on a neck.
    """
    build, one = stand.build, np.ones(1)
    body, point, target = what
    tasks: list[Task] = [*foot_tasks(build, stand.soles), *knees(build, stand.kin)]
    tasks.append(PlaceTask(body, point, target[None], FOOT / build.leg**2 * one))
    way = so3.multiply(so3.exp(np.array([0.0, 0.0, turn])), so3.exp(np.array([0.0, lean, 0.0])))
    turned = so3.to_matrix(way)
    for trunk in dict.fromkeys((build.hips, build.chest)):
        if all(trunk != leg.foot for leg in build.legs):
            tasks.append(TurnTask(trunk, (turned @ stand.rotations[trunk])[None], TURN * one))
    tasks.append(CentreTask(stand.centre[None], KEPT * CENTRE / build.leg**2 * np.ones((1, 3))))
    posture = Posture(stand.q[None], posture_weights(build), build.moves)
    q = posed(build.character, stand.q[None], tasks, posture, most=120)
    return np.asarray(Kinematics(build.character, q).com[0])


def _carried(stand: Standing, centre: Array) -> Array:
    """The place next to it that feet carry well (3,)."""
    legs, soles = stand.build.legs, stand.soles
    ends = np.array([sole + end for leg, sole in zip(legs, soles) for end in (leg.heel, leg.tip)])
    low, high = ends[:, :2].min(axis=0), ends[:, :2].max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    within = np.clip(centre[:2], middle - WITHIN * half, middle + WITHIN * half)
    return np.append(within, centre[2])


def _what(stand: Standing, wish: Wish) -> tuple[int, Array, Array]:
    """Body and point that reach, and where that point is while the body stands."""
    build = stand.build
    arm = _arm(stand, wish)
    body = arm.hand if arm is not None else build.head
    if body < 0:
        raise InputError(f"{build.character.name!r} has neither hands nor a head to reach with")
    point = np.zeros(3)
    return body, point, np.asarray(stand.kin.positions[0, body])


def _arm(stand: Standing, wish: Wish) -> Arm | None:
    wanted = 1.0 if wish.side == "left" else -1.0
    return next((a for a in stand.build.arms if a.side == wanted), None)


def _where(stand: Standing, wish: Wish, home: Array) -> Array:
    """The place to reach for: what is asked, else in front of the shoulder, or of the head."""
    build = stand.build
    arm = _arm(stand, wish)
    at = stand.kin.positions[0]
    if arm is None:
        size = 0.12 * build.leg if not build.one_legged else 0.16 * float(home[2])
        usual = home + [size, 0.0, -size]
        far, shoulder = np.inf, home
    else:
        long = float(
            np.linalg.norm(at[arm.hand] - at[arm.forearm]) + np.linalg.norm(at[arm.forearm] - at[arm.upper])
        )
        shoulder = at[arm.upper]
        usual = shoulder + np.array([0.8 * long, 0.1 * arm.side * long, -0.05 * long])
        far = FAR * long
    target = usual if wish.to is None else np.array([float(x) for x in wish.to])
    away = float(np.linalg.norm(target - shoulder))
    if away > far:
        raise InputError(
            f"the place is {away:.2f} m from the shoulder, and the arm with the trunk's help reaches "
            f"{far:.2f} m: ask for a nearer one (to), or walk there first"
        )
    return target
