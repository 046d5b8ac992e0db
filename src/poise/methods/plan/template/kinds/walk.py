"""Walk: along a route, over footsteps, or straight ahead."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.errors import InputError
from poise.methods.plan.template.gait import Manner, Step, stepped
from poise.methods.plan.template.score import Score
from poise.methods.plan.template.standing import Standing
from poise.methods.plan.template.wish import Wish

LEGS = (2, 4)
"""How many legs it takes."""
STEP, PACE = 0.56, 1.85
"""Length of a step over leg lengths, and its time in clocks."""
DOUBLE = 0.26
"""Share of a step in which both feet carry."""
LIFT = 0.07
"""How high feet swing, over leg lengths."""


def score(stand: Standing, wish: Wish) -> Score:
    """The score."""
    if stand.build.four_legged:
        return four_legged(stand, wish)
    steps, duration, pace = two_legged(stand, wish)
    manner = Manner(DOUBLE * pace, LIFT * stand.build.leg, first=0.8 * pace)
    return stepped("walk", stand, wish, steps, duration, manner)


def way_of(stand: Standing, wish: Wish, usual: float) -> tuple[Array, float]:
    """Points of the way, closely spaced (N, 2), and its length [m]."""
    build = stand.build
    if wish.route:
        corners = np.array([(0.0, 0.0), *[tuple(p)[:2] for p in wish.route]], dtype=np.float64)
        if np.linalg.norm(corners[1]) < 1e-6:
            corners = corners[1:]
        if len(corners) < 2:
            raise InputError("a route needs a place to go to: x,y of one place at least [m]")
        return rounded(corners, 0.8 * build.leg)
    length = wish.over if wish.over is not None else usual
    return np.array([[0.0, 0.0], [length, 0.0]]), length


def rounded(corners: Array, radius: float) -> tuple[Array, float]:
    """A way through corners, rounded by averaging over a length (N, 2), and its length [m]."""
    gaps = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    total = np.concatenate([[0.0], np.cumsum(gaps)])
    s = np.linspace(0.0, total[-1], max(2, int(total[-1] / (0.02 * radius))))
    ends = s[-1] if len(s) else 0.0
    out = np.zeros((len(s), 2))
    offsets = np.linspace(-1.0, 1.0, 21)
    weights = 1 - np.abs(offsets) + 0.05
    for offset, weight in zip(offsets, weights / weights.sum()):
        near = np.minimum(np.minimum(s, ends - s), radius)
        at = s + offset * near
        out += weight * np.column_stack([np.interp(at, total, corners[:, i]) for i in (0, 1)])
    length = float(np.linalg.norm(np.diff(out, axis=0), axis=1).sum())
    return out, length


def along(way: Array, s: Array) -> tuple[Array, Array]:
    """Places (N, 2) and headings (N,) at lengths s of a way."""
    gaps = np.linalg.norm(np.diff(way, axis=0), axis=1)
    total = np.concatenate([[0.0], np.cumsum(gaps)])
    at = np.column_stack([np.interp(s, total, way[:, i]) for i in (0, 1)])
    step = 0.02 * total[-1]
    a = np.column_stack([np.interp(np.maximum(s - step, 0), total, way[:, i]) for i in (0, 1)])
    b = np.column_stack([np.interp(np.minimum(s + step, total[-1]), total, way[:, i]) for i in (0, 1)])
    return at, np.unwrap(np.arctan2(b[:, 1] - a[:, 1], b[:, 0] - a[:, 0]))


def step_at(speed: float, time: float, least: float, most: float) -> float:
    """The length of a step that takes so long at a speed [m]; refused where legs cannot take it."""
    size = speed * time
    if not least <= size <= most:
        raise InputError(
            f"field 'speed': {speed:g} m/s does not suit these legs: ask for {least / time:.2f} to "
            f"{most / time:.2f} m/s, or another tempo"
        )
    return size


def two_legged(stand: Standing, wish: Wish) -> tuple[list[Step], float, float]:
    """Footsteps of a person, how long they take, and the time of one step."""
    build = stand.build
    pace = PACE * build.clock / wish.tempo
    sides = {"left": 0, "right": 1}
    first = sides.get(wish.side or "right", 1)
    if wish.footsteps:
        places = [(float(f[0]), float(f[1]), float(f[2]) if len(f) > 2 else None) for f in wish.footsteps]
    else:
        size = STEP * build.leg
        if wish.speed:
            size = step_at(wish.speed, pace, 0.15 * build.leg, 0.9 * build.leg)
        way, length = way_of(stand, wish, (wish.steps or 4) * size)
        count = wish.steps or wish.counted(length / size)
        at, yaw = along(way, np.linspace(0.0, length, count + 1)[1:])
        half = np.abs(stand.soles[:, 1]).mean()
        places = []
        for k, ((x, y), turn) in enumerate(zip(at, yaw)):
            side = build.legs[(first + k) % 2].side
            places.append((x - side * half * np.sin(turn), y + side * half * np.cos(turn), float(turn)))
        x, y, turn = at[-1][0], at[-1][1], float(yaw[-1])
        side = build.legs[(first + count) % 2].side
        places.append((x - side * half * np.sin(turn), y + side * half * np.cos(turn), turn))
    double = DOUBLE * pace
    steps = []
    begin = 0.9 * pace
    yaws = _yaws(places)
    for k, (x, y, _) in enumerate(places):
        lift = begin + k * pace
        steps.append(Step((first + k) % 2, lift, lift + pace - double, (x, y), yaws[k]))
    duration = begin + len(places) * pace + 1.2 * pace
    return steps, wish.seconds or duration, pace


def _yaws(places: list[tuple[float, float, float | None]]) -> list[float]:
    """Headings of footsteps: those given, else along the way of the steps around."""
    out: list[float] = []
    points = np.array([(0.0, 0.0), *[(p[0], p[1]) for p in places]])
    for k, place in enumerate(places):
        if place[2] is not None:
            out.append(place[2])
            continue
        a, b = points[max(k - 1, 0)], points[min(k + 2, len(points) - 1)]
        way = b - a
        out.append(
            float(np.arctan2(way[1], way[0])) if np.linalg.norm(way) > 1e-6 else (out[-1] if out else 0.0)
        )
    return list(np.unwrap(out))


def four_legged(stand: Standing, wish: Wish) -> Score:
    """A walk on four legs: hind left, front left, hind right, front right, three feet on the ground."""
    build = stand.build
    if wish.footsteps:
        raise InputError("field 'footsteps': only two-legged bodies take footsteps; give this one a route")
    stride = 0.55 * build.leg
    cycle = 5.2 * build.clock / wish.tempo
    if wish.speed:
        stride = step_at(wish.speed, cycle, 0.15 * build.leg, 0.8 * build.leg)
    steps, duration = strides(stand, wish, stride, cycle, {0: 0.0, 2: 0.25, 1: 0.5, 3: 0.75}, 0.22)
    manner = Manner(0.12 * cycle, 0.06 * build.leg, roll=0.0, first=0.2 * cycle, early=0.5, late=0.5)
    return stepped("walk", stand, wish, steps, duration, manner)


def strides(
    stand: Standing, wish: Wish, stride: float, cycle: float, phases: dict[int, float], swing: float
) -> tuple[list[Step], float]:
    """Steps of legs whose phases in a cycle are told, each in the air for a share of it; and their time."""
    way, length = way_of(stand, wish, (wish.steps or 3) * stride)
    count = wish.steps or wish.counted(length / stride)
    begin = 0.35 * cycle
    steps = []
    middle = stand.soles[:, :2].mean(axis=0)
    for leg, phase in phases.items():
        for k in range(count + 1):
            s = min((k + 0.5 + (phase - 0.5) * 0.0) * length / count, length) if k < count else length
            lift = begin + (k + phase) * cycle
            home = stand.soles[leg, :2] - middle
            at, yaw = along(way, np.array([s]))
            c, n = np.cos(yaw[0]), np.sin(yaw[0])
            x, y = at[0] + middle + [c * home[0] - n * home[1], n * home[0] + c * home[1]]
            steps.append(Step(leg, lift, lift + swing * cycle, (float(x), float(y)), float(yaw[0])))
    return steps, wish.seconds or begin + (count + 1.9) * cycle
