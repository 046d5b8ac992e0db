"""Steps in a row: which foot goes where and when becomes a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.manifold import so3
from poise.methods.plan.template.eased import smooth
from poise.methods.plan.template.feet import foot_path
from poise.methods.plan.template.score import ArmAngles, Plant, Score
from poise.methods.plan.template.standing import HANG_BEND, HANG_OUT, Standing
from poise.methods.plan.template.wish import Wish
from poise.world import World

ROLL_IN, ROLL_OUT = -0.30, 0.55
"""Pitch of a foot that lands on its heel, and of one that leaves over its ball [rad], of a long step."""
ARMS = 0.75
"""Swing of the arms for feet that are a leg length apart [rad]."""


@dataclass(frozen=True)
class Step:
    """A foot lifts off, swings and touches down elsewhere."""

    leg: int
    lift: float
    """[s]"""
    land: float
    """[s]"""
    place: tuple[float, float]
    """Of the sole's origin [m]."""
    yaw: float


@dataclass(frozen=True)
class Manner:
    """How a row of steps is made."""

    double: float
    """Time in which weight passes from foot to foot [s]."""
    clear: float
    """How high feet are lifted [m]."""
    roll: float = 1.0
    """Share of the usual roll over heel and ball; 0: feet land flat."""
    first: float = 0.5
    """Time in which weight leaves a foot that has stood all along [s]."""
    early: float = 0.3
    late: float = 0.8


def ground_frame(world: World, level: Array, yaw: float, above: float) -> tuple[Array, Array]:
    """Place on the ground (3,) and rotation of a foot that lies on it (3, 3)."""
    lies, away = world.under(np.array([[level[0], level[1], above]]))
    place, normal = lies[0], away[0]
    turn = so3.exp(np.array([0.0, 0.0, yaw]))
    if normal[2] > 0.5 and normal[2] < 1 - 1e-9:
        turn = so3.multiply(so3.between(np.array([0.0, 0.0, 1.0]), normal), turn)
    return place, np.asarray(so3.to_matrix(turn))


def stepped(
    name: str, stand: Standing, wish: Wish, steps: Sequence[Step], duration: float, manner: Manner
) -> Score:
    """The score of steps from a stand; height, trunk and arms follow from the feet."""
    build = stand.build
    world = wish.world or World.flat(0.0)
    above = 3 * build.leg
    times, dt = wish.times(duration)
    plants: list[list[Plant]] = []
    clears: list[list[float]] = []
    for k in range(len(build.legs)):
        own = sorted((s for s in steps if s.leg == k), key=lambda s: s.lift)
        place, turn = ground_frame(world, stand.soles[k, :2], 0.0, above)
        starts, row, clear = -1.0, [], []
        long = 0.0
        for step in own:
            new, then = ground_frame(world, np.array(step.place), step.yaw, above)
            ahead = float(then[:, 0] @ (new - place)) / build.leg
            size = np.clip(ahead / 0.8, 0.0, 1.0) * manner.roll
            rises = np.clip(1.0 - 4.0 * abs(new[2] - place[2]) / build.leg, 0.0, 1.0)
            first = starts < 0
            row.append(
                Plant(
                    starts, step.lift, place, turn,
                    load=manner.double, unload=manner.first if first else manner.double,
                    land=0.0 if first else ROLL_IN * long, leave=ROLL_OUT * size,
                    early=0.5 if first else manner.early, late=manner.late if ahead > 0.1 else 0.5,
                )
            )  # fmt: skip
            clear.append(manner.clear)
            starts, place, turn, long = step.land, new, then, size * rises
        row.append(
            Plant(
                starts, duration + 1.0, place, turn,
                load=manner.double, land=ROLL_IN * long if own else 0.0,
                early=manner.early if own else 0.5, late=0.5,
            )
        )  # fmt: skip
        plants.append(row)
        clears.append(clear)
    zero = np.zeros(len(times))
    score = Score(name, times, dt, plants, zero + stand.centre[2], zero, world, clears)
    return dressed(score, stand, steps)


def dressed(score: Score, stand: Standing, steps: Sequence[Step]) -> Score:
    """Height, yaw, twist and arms, by where the feet are."""
    build, t = stand.build, score.times
    feet = [foot_path(score, k, leg) for k, leg in enumerate(build.legs)]
    home = stand.soles
    levels = np.array([f.place - leg.origin for f, leg in zip(feet, build.legs)])  # (legs, F, 3)
    frames = np.array([f.turn @ leg.flat.T for f, leg in zip(feet, build.legs)])
    score.yaw = np.unwrap(np.arctan2(frames[:, :, 1, 0], frames[:, :, 0, 0]), axis=1).mean(axis=0)
    away = np.linalg.norm(levels[:, None, :, :2] - levels[None, :, :, :2], axis=3)
    usual = np.linalg.norm(home[:, None, :2] - home[None, :, :2], axis=2)
    stretch = np.maximum(away - usual[:, :, None], 0.0).max(axis=(0, 1))
    dip = 0.025 * build.leg + stretch**2 / (7.0 * build.leg)
    moving = stepping(t, steps)
    ground = soft(
        np.array([f.pressure[:, 2] for f in feet]).mean(axis=0), score.dt, 0.18 * build.clock / 0.31
    )
    score.height = stand.centre[2] + ground - soft(dip * moving, score.dt, 0.25 * build.clock)
    if build.two_legged:
        ahead = np.column_stack([np.cos(score.yaw), np.sin(score.yaw)])
        apart = np.einsum("fi,fi->f", levels[0, :, :2] - levels[1, :, :2], ahead) / build.leg  # left − right
        score.twist = -0.12 * apart
        score.pitch = 0.05 * moving
        score.arms = {
            side: ArmAngles(
                -side * ARMS * apart, HANG_OUT + 0 * t, HANG_BEND + 0.25 * np.abs(apart) + 0.1 * moving
            )
            for side in (1.0, -1.0)
        }
    return score


def stepping(t: Array, steps: Sequence[Step]) -> Array:
    """0 before and after all steps, 1 in between (F,)."""
    if not steps:
        return np.zeros(len(t))
    begin, end = min(s.lift for s in steps), max(s.land for s in steps)
    fade = 0.35 * max(end - begin, 1e-6)
    fade = min(fade, 0.5)
    return smooth((t - begin + 0.3) / (fade + 0.3)) * smooth((end + 0.3 - t) / (fade + 0.3))


def soft(x: Array, dt: float, width: float) -> Array:
    """Smoothed by a bell of a width [s], ends held."""
    reach = max(1, int(3 * width / dt))
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) * dt / width) ** 2)
    return np.asarray(np.convolve(np.pad(x, reach, "edge"), bell / bell.sum(), "valid"))
