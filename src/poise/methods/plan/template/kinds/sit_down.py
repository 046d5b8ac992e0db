"""Sit down: onto a seat behind, weight over the feet until it carries."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.plan.template.eased import eased, smooth
from poise.methods.plan.template.posing import CentreTask, PlaceTask, Posture, Task, TurnTask, posed
from poise.methods.plan.template.score import ArmAngles, Plant, Score
from poise.methods.plan.template.standing import (
    CENTRE,
    FOOT,
    HANG_BEND,
    HANG_OUT,
    TURN,
    Standing,
    foot_tasks,
    posture_weights,
)
from poise.methods.plan.template.wish import Wish
from poise.world import World
from poise.world.shapes import Box
from poise.world.surface import Surface

LEGS = (2,)
"""How many legs it takes."""
HIGH, LOWEST = 0.52, 0.35
"""Height of a seat, and the lowest that is asked for, over leg lengths."""
BACK = 0.27
"""How far behind the feet hips come down, over leg lengths."""
OVER = 0.2
"""Where the weight is between heel (0) and ball (1) as hips touch the seat: the nearer to the heel, the less
the trunk bows."""


def score(stand: Standing, wish: Wish) -> Score:
    """The score: down with the trunk forward, onto the seat, and upright on it."""
    build = stand.build
    high = wish.high if wish.high is not None else HIGH * build.leg
    if not LOWEST * build.leg <= high <= 0.8 * build.leg:
        raise InputError(
            f"a seat of {high:.2f} m does not suit legs of {build.leg:.2f} m: ask for "
            f"{LOWEST * build.leg:.2f} to {0.8 * build.leg:.2f} m (high)"
        )
    low = _under(stand)
    hips = np.array([-BACK * build.leg, 0.0, high - low])
    toes = max(float(OVER * leg.ball[0] + (1 - OVER) * leg.heel[0]) for leg in build.legs)
    over = _seated(stand, hips, toes)
    upright = _seated(stand, hips, None)
    unit = build.clock / wish.tempo
    t1, t2, t3 = 1.0 * unit, 5.0 * unit, 8.0 * unit
    duration = 10.5 * unit
    times, dt = wish.times(duration)
    lean = float(np.clip(_pitch(stand, over), 0.2, 1.2))
    wide = 0.5 * build.leg
    seat = Surface(
        "seat",
        Box((0.5 * wide, wide, 0.5 * high), overhang=0.0),
        place=(hips[0] - 0.2 * wide, 0.0, 0.5 * high),
    )
    world = (wish.world or World.flat(0.0)).with_surfaces([seat])
    plants = [[Plant(-1.0, duration + 1, s, np.eye(3), early=0.5, late=0.5)] for s in stand.soles]
    a, b = (Kinematics(build.character, q).com[0] for q in (over, upright))
    height = eased([(0.0, stand.centre[2]), (t1, stand.centre[2]), (t2, a[2]), (t3, b[2])], times)
    made = Score("sit down", times, dt, plants, height, np.zeros(len(times)), world)
    x = eased([(0.0, stand.centre[0]), (0.5 * t1, stand.centre[0]), (t2, a[0]), (t3, b[0])], times)
    made.pressure = np.column_stack([x, np.zeros(len(times))])
    sits = smooth((times - t2) / (t3 - t2))
    made.ground = np.zeros(len(times)) + high * sits * 0.0
    made.pitch = eased([(0.0, 0.0), (0.8 * t1, 0.0), (t2, lean), (t3, 0.05)], times)
    made.pelvis = 0.8 * made.pitch
    made.gaze = 0.3 * made.pitch
    path = stand.kin.positions[0, build.hips] + smooth((times - t1) / (t2 - t1))[:, None] * (
        hips - stand.kin.positions[0, build.hips]
    )
    weight = smooth((times - t1) / (t2 - t1)) ** 2
    made.hands = [(build.hips, np.zeros(3), path, 0.1 * weight)]
    made.reaches = [("hips on the seat", build.hips, np.zeros(3), hips, round(t3 / dt) * dt)]
    down = smooth((times - t1) / (t2 - t1))
    made.arms = {
        s: ArmAngles(0.45 * down, HANG_OUT + 0 * times, HANG_BEND + 0.65 * down) for s in (1.0, -1.0)
    }
    return made


def _under(stand: Standing) -> float:
    """How far below the hips' origin the skin of the seat is [m] (negative)."""
    build = stand.build
    own = [k for k, part in enumerate(build.patches.part) if part == "seat"]
    if not own:
        return -0.1 * build.leg
    kin = stand.kin
    found = build.patches.places(kin)[0, own, 2] - build.patches.radius[own]
    return float(found.min() - kin.positions[0, build.hips, 2])


def _seated(stand: Standing, hips: Array, over: float | None) -> Array:
    """The pose with hips on the seat: the trunk forward so that weight is over a place, or upright."""
    build = stand.build
    one = np.ones(1)
    tasks: list[Task] = [*foot_tasks(build, stand.soles)]
    tasks.append(PlaceTask(build.hips, np.zeros(3), hips[None], FOOT / build.leg**2 * one))
    turns = stand.rotations
    if over is None:
        tasks.append(TurnTask(build.chest, turns[build.chest][None], TURN * one))
        tasks.append(TurnTask(build.hips, turns[build.hips][None], TURN * one))
    else:
        forward = so3.to_matrix(so3.exp(np.array([0.0, 0.6, 0.0])))
        tasks.append(TurnTask(build.chest, (forward @ turns[build.chest])[None], 0.05 * TURN * one))
        target = np.array([[over, 0.0, 0.0]])
        tasks.append(CentreTask(target, np.array([[0.3 * CENTRE, CENTRE, 0.0]]) / build.leg**2))
    posture = Posture(stand.q[None], posture_weights(build), build.moves)
    return np.asarray(posed(build.character, stand.q[None], tasks, posture, most=120)[0])


def _pitch(stand: Standing, q: Array) -> float:
    """How far forward the chest is turned in a pose [rad]."""
    build = stand.build
    now = Kinematics(build.character, q).rotations[0, build.chest] @ stand.rotations[build.chest].T
    return float(np.arctan2(now[0, 2], now[2, 2]))
