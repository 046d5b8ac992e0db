"""From a score to poses: the centre of mass where the ground can carry it, feet where they stand."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import JointKind
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.plan.template.eased import quintic, smooth
from poise.methods.plan.template.feet import FootPath, foot_path
from poise.methods.plan.template.posing import (
    DONE,
    NEARLY,
    CentreTask,
    DirectionTask,
    PlaceTask,
    Posture,
    Task,
    TurnTask,
    evenly_posed,
)
from poise.methods.plan.template.score import Score, shares
from poise.methods.plan.template.standing import (
    BONE,
    CENTRE,
    FOOT,
    HANG_BEND,
    HANG_OUT,
    TURN,
    Standing,
    arm_directions,
    knees,
    posture_weights,
)
from poise.methods.plan.template.weight import carried_path
from poise.watching import Progress

ROUNDS, IN_FLIGHT = 4, 7
"""How often the path of the weight is found, from what limbs add by turning; where there are flights."""
RELAXED = 0.8
"""Share of what is newly found that is taken: limbs answer to a path that answers to them."""
UPPER = 0.55
"""Share of the body's inertia that turns with the trunk."""
TAKE_UP = 0.2
"""Time in which the trunk takes up its speed before a flight, and loses it after [s]."""
STRETCHED = 0.975
"""Of their length legs are stretched at most."""
PUSHES = 0.97
"""The same at take-off and landing."""
FOLLOWS = 0.02
"""A foot that just left still goes its own way while its place weighs more than this."""
GIVES_WAY = 0.3
"""Time before and after a flight in which the body is carried lower, so that legs reach the ground [s]."""
GAZE = 10.0
"""Weight of the head's turn."""
SWUNG, LOOSE = 0.1, 0.003
"""Weights of a swinging foot's place, and of its place in flight, against a standing one's."""
IDLE = 2e-4
"""The same of a swinging foot's turn: an ankle that cannot turn so far must not roll the hips instead."""
FADE = 2.5
"""Frames around a stand over which weights fade."""


def performed(score: Score, stand: Standing, progress: Progress = lambda part: None) -> Array:
    """Poses of a score (F, nq)."""
    build = stand.build
    feet = [foot_path(score, k, leg) for k, leg in enumerate(build.legs)]
    pressure, ground = pressed(score, feet)
    turning = np.zeros((score.frames, 2))
    lean = np.zeros((score.frames, 3))
    posture = Posture(stand.q[None], posture_weights(build), build.moves)
    rounds = IN_FLIGHT if score.flights else ROUNDS
    q: Array | None = None
    for k in range(rounds):
        level = carried_path(pressure, score.height, ground, turning, score.dt)
        centre = np.column_stack([level, score.height])
        weight = CENTRE / build.leg**2 * np.ones((score.frames, 3))
        start = _started(score, stand, centre) if q is None else q
        tasks = [*_feet_tasks(score, stand, feet), *_body_tasks(score, stand, lean), *knees(build, stand.kin)]
        tasks = [CentreTask(centre, weight), *tasks]
        last = k == rounds - 1
        done = DONE if last else NEARLY  # the next round asks for something else anyway
        q = evenly_posed(build.character, start, tasks, posture, done=done)
        if last:
            break
        spin = angular_momentum(stand, q, score.dt)
        found = limbs_turning(score, spin, build.character.total_mass)
        turning = found if k == 0 else turning + RELAXED * (found - turning)
        if score.flights:
            lean = lean + flight_lean(score, spin, Kinematics(build.character, q).inertia)
            score.height = score.height - flight_reach(score, stand, q, feet)
        else:
            score.height = score.height - within_reach(score, stand, q, feet)
        progress((k + 1) / rounds)
    assert q is not None
    return q


def pressed(score: Score, feet: list[FootPath]) -> tuple[Array, Array]:
    """The centre of pressure (F, 2) and its height (F,), by how weight is shared; led through flights."""
    if score.pressure is not None:
        ground = np.zeros(score.frames) if score.ground is None else score.ground
        return score.pressure, ground
    share = shares(score)
    at = np.einsum("fl,lfi->fi", share, np.array([f.pressure for f in feet]))
    on = share.sum(axis=1) > 0
    t = score.times
    if not on.all():
        at = np.column_stack([np.interp(t, t[on], at[on, i]) for i in range(3)])
    return at[:, :2], at[:, 2]


def angular_momentum(stand: Standing, q: Array, dt: float) -> Array:
    """About the centre of mass, between frames (F − 1, 3) [kg·m²/s]."""
    character = stand.build.character
    manifold = character.manifold
    half = manifold.interpolate(q[:-1], q[1:], 0.5)
    v = manifold.minus(q[1:], q[:-1]) / dt
    return np.asarray(Kinematics(character, half, v).momentum[:, 3:])


def limbs_turning(score: Score, spin: Array, mass: float) -> Array:
    """What limbs add by turning: (L̇_y, −L̇_x)/m (F, 2) [m²/s²]; nothing in flight."""
    rate = np.zeros((score.frames, 3))
    rate[1:-1] = np.diff(spin, axis=0) / score.dt
    rate[score.flies] = 0.0
    return np.column_stack([rate[:, 1], -rate[:, 0]]) / mass


def flight_lean(score: Score, spin: Array, inertia: Array) -> Array:
    """How the trunk turns so that angular momentum stays what it is in flight: rotation vectors (F, 3).

    Limbs that swing in the air turn the rest against them, by ∫ (L̄ − L) / I, where L̄ is such that nothing is
    left of it at landing. Before take-off and after landing the trunk takes up the speed it has in the air.
    """
    t, dt = score.times, score.dt
    out = np.zeros((score.frames, 3))
    for n, (begin, end) in enumerate(score.flights):
        a, b = int(round(begin / dt)), int(round(end / dt))
        if b - a < 3 or b >= score.frames:
            continue
        upper = UPPER * np.einsum("fii->fi", inertia[a:b])
        missing = spin[a:b]
        kept = (missing / upper).sum(axis=0) / (1.0 / upper).sum(axis=0)
        rate = (kept - missing) / upper
        out[a + 1 : b + 1] += np.cumsum(rate, axis=0) * dt
        before = score.flights[n - 1][1] if n else 0.0
        after = score.flights[n + 1][0] if n + 1 < len(score.flights) else float(t[-1])
        lead, lag = min(TAKE_UP, 0.5 * (begin - before)), min(TAKE_UP, 0.5 * (after - end))
        ahead = (t >= begin - lead) & (t <= begin)
        behind = (t >= end) & (t <= end + lag)
        for i in range(3):
            out[ahead, i] += quintic((t[ahead] - begin + lead) / lead, lead, (0, 0, 0), (0, rate[0, i], 0))
            out[behind, i] += quintic((t[behind] - end) / lag, lag, (0, rate[-1, i], 0), (0, 0, 0))
    return out


def within_reach(score: Score, stand: Standing, q: Array, feet: list[FootPath]) -> Array:
    """How much lower the body must be carried for legs to reach their feet unstretched (F,) [m]."""
    short = stretched(stand, q, feet, STRETCHED).max(axis=1, initial=0.0)
    if short.max() <= 0:
        return np.zeros(score.frames)
    reach = max(1, round(0.25 * stand.build.clock / score.dt))
    wide = np.pad(np.maximum(short, 0.0), reach, "edge")
    top = np.lib.stride_tricks.sliding_window_view(wide, 2 * reach + 1).max(axis=1)
    bell = np.hanning(2 * reach + 3)[1:-1]
    soft = np.convolve(np.pad(top, reach, "edge"), bell / bell.sum(), "valid")
    return np.asarray(1.1 * soft)


def stretched(stand: Standing, q: Array, feet: list[FootPath], share: float) -> Array:
    """How much lower hips must be for legs to use no more than a share of their length (F, legs) [m]."""
    build = stand.build
    kin = Kinematics(build.character, q)
    short = np.zeros((len(q), len(build.legs)))
    for k, (leg, path) in enumerate(zip(build.legs, feet)):
        bones = leg.length - leg.origin[2]
        if leg.hip == leg.foot or bones <= 0:
            continue
        way = path.place - kin.positions[:, leg.hip]
        far = np.linalg.norm(way, axis=1)
        steep = np.maximum(-way[:, 2] / np.maximum(far, 1e-9), 0.5)
        short[:, k] = (far - share * bones) / steep
    return short


def flight_reach(score: Score, stand: Standing, q: Array, feet: list[FootPath]) -> Array:
    """How much lower flights must be for legs to push off and to land unstretched (F,) [m].

    All of a flight is carried down alike, so that its parabola stays; what leads up to it and away from it
    takes that up. A knee that goes through being straight would snap.
    """
    t = score.times
    led = np.stack([nearness(f.stands) for f in feet], axis=1) > FOLLOWS
    short = np.where(led, stretched(stand, q, feet, PUSHES), 0.0).max(axis=1, initial=0.0)
    deep = []
    for n, (begin, end) in enumerate(score.flights):
        before = score.flights[n - 1][1] if n else 0.0
        after = score.flights[n + 1][0] if n + 1 < len(score.flights) else float(t[-1])
        near = (t > begin - min(GIVES_WAY, begin - before)) & (t < end + min(GIVES_WAY, after - end))
        deep.append(max(0.0, float(short[near].max(initial=0.0))))
    return level_in_flight(t, score.flights, deep)


def level_in_flight(t: Array, flights: list[tuple[float, float]], deep: list[float]) -> Array:
    """As deep as each flight says all through it, and smoothly from one to the next (F,) [m].

    Where the body stands long enough in between it comes up again; else it goes from one depth straight to
    the other. The larger of both would have a corner between them, which is a blow to the body.
    """
    out, last = np.zeros(len(t)), len(flights) - 1
    for n, (begin, end) in enumerate(flights):
        out[(t >= begin) & (t <= end)] = deep[n]
        before = flights[n - 1][1] if n else 0.0
        after = flights[n + 1][0] if n < last else float(t[-1])
        if n and begin - before < 2 * GIVES_WAY:
            between = (t > before) & (t < begin)
            out[between] = deep[n - 1] + (deep[n] - deep[n - 1]) * smooth(
                (t[between] - before) / (begin - before)
            )
        else:
            lead = min(GIVES_WAY, begin - before)
            rises = (t > begin - lead) & (t < begin)
            out[rises] = deep[n] * smooth((t[rises] - begin + lead) / lead)
        if n == last or after - end >= 2 * GIVES_WAY:
            lag = min(GIVES_WAY, after - end)
            falls = (t > end) & (t < end + lag)
            out[falls] = deep[n] * (1 - smooth((t[falls] - end) / lag))
    return out


def _started(score: Score, stand: Standing, centre: Array) -> Array:
    """The standing pose, carried along and turned."""
    character, mover = stand.build.character, stand.build.mover
    q = np.tile(stand.q, (score.frames, 1))
    span = character.coordinates(mover)
    if character.bodies[mover].joint.kind is not JointKind.FREE:
        q[:, span.start] += centre[:, 0] - stand.centre[0]
        q[:, span.start + 1] += centre[:, 2] - stand.centre[2]
        return q
    up = int(character.parents[mover])
    above = stand.rotations[up] if up >= 0 else np.eye(3)
    yaw = so3.to_matrix(so3.exp(np.outer(score.yaw, [0.0, 0.0, 1.0])))
    arm = stand.kin.positions[0, mover] - stand.centre
    places = centre + np.einsum("fij,j->fi", yaw, arm)
    base = stand.kin.positions[0, up] if up >= 0 else np.zeros(3)
    offset = np.asarray(character.bodies[mover].offset) * 0.0
    q[:, span.start : span.start + 3] = (places - base) @ above - offset
    turned = yaw @ stand.rotations[mover]
    q[:, span.start + 3 : span.stop] = so3.continuous(so3.from_matrix(above.T @ turned))
    return q


def _feet_tasks(score: Score, stand: Standing, feet: list[FootPath]) -> list[Task]:
    build = stand.build
    found: list[Task] = []
    for leg, path in zip(build.legs, feet):
        near = nearness(path.stands)
        led = np.where(score.flies, LOOSE, SWUNG)
        weight = FOOT * (led + (1 - led) * near)
        turn = 0.1 * FOOT * (IDLE + (1 - IDLE) * near)
        found.append(PlaceTask(leg.foot, np.zeros(3), path.place, weight / build.leg**2))
        found.append(TurnTask(leg.foot, path.turn, turn))
        if leg.toes >= 0:
            found.append(TurnTask(leg.toes, path.toes, turn))
    return found


def nearness(stands: Array) -> Array:
    """1 while a foot stands, and fading within a few frames around it (F,)."""
    on = np.flatnonzero(stands)
    if not len(on):
        return np.zeros(len(stands))
    frames = np.arange(len(stands))
    k = np.searchsorted(on, frames)
    away = np.minimum(
        np.abs(frames - on[np.clip(k, 0, len(on) - 1)]), np.abs(frames - on[np.clip(k - 1, 0, len(on) - 1)])
    )
    return np.asarray(np.exp(-((away / FADE) ** 2)))


def _body_tasks(score: Score, stand: Standing, lean: Array) -> list[Task]:
    """Trunk, head and arms."""
    build, frames = stand.build, score.frames
    one, none = np.ones(frames), np.zeros(frames)
    pitch = none if score.pitch is None else score.pitch
    pelvis = 0.6 * pitch if score.pelvis is None else score.pelvis
    roll = none if score.roll is None else score.roll
    twist = none if score.twist is None else score.twist
    leaned = so3.to_matrix(so3.exp(lean))
    trunk = leaned @ _turned(score.yaw, pitch, roll)
    found: list[Task] = []
    feet = {leg.foot for leg in build.legs}
    turns = stand.rotations
    if build.hips not in feet and build.hips != build.chest:
        hips = leaned @ _turned(score.yaw + twist, pelvis, roll) @ turns[build.hips]
        found.append(TurnTask(build.hips, hips, 0.5 * TURN * one))
    if build.chest not in feet:
        found.append(TurnTask(build.chest, trunk @ turns[build.chest], TURN * one))
    if build.head >= 0 and build.head not in (build.chest, build.hips):
        gaze = none if score.gaze is None else score.gaze
        head = _turned(score.yaw, gaze, none) @ turns[build.head]
        found.append(TurnTask(build.head, head, GAZE * one))
    level = _turned(score.yaw, 0.6 * pitch, none)
    for arm in build.arms:
        upper, fore = _arm(score, arm.side)
        found.append(DirectionTask(arm.upper, arm.forearm, np.einsum("fij,fj->fi", level, upper), BONE * one))
        found.append(DirectionTask(arm.forearm, arm.hand, np.einsum("fij,fj->fi", level, fore), BONE * one))
    for body, place, target, weight in score.hands:
        found.append(PlaceTask(body, place, target, weight * FOOT / build.leg**2))
    return found


def _arm(score: Score, side: float) -> tuple[Array, Array]:
    own = score.arms.get(side)
    if own is None:
        upper, fore = arm_directions(side, 0.0, HANG_OUT, HANG_BEND)
        return np.tile(upper, (score.frames, 1)), np.tile(fore, (score.frames, 1))
    both = [arm_directions(side, *(float(x) for x in row)) for row in zip(own.swing, own.out, own.bend)]
    return np.array([b[0] for b in both]), np.array([b[1] for b in both])


def _turned(yaw: Array, pitch: Array, roll: Array) -> Array:
    """Rotations about z, then y, then x (F, 3, 3)."""
    turn = so3.exp(np.outer(yaw, [0.0, 0.0, 1.0]))
    turn = so3.multiply(turn, so3.exp(np.outer(pitch, [0.0, 1.0, 0.0])))
    return np.asarray(so3.to_matrix(so3.multiply(turn, so3.exp(np.outer(roll, [1.0, 0.0, 0.0])))))
