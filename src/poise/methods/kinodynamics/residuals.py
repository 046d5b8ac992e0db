"""From dynamic states to residuals: all constraints of one kind are measured together.

    r = [ w · error(x_KD(t_i)) ;  w · 0.1 s · (ẋ_KD(t_i) − wanted) ]

Velocities are differences of neighbouring dynamic states (the simulator's own velocity is not the motion's).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, IntArray
from poise.constraints import Constraint
from poise.kinematics import Kinematics
from poise.manifold import ProductManifold
from poise.motion import Clip

RATE_SCALE = 0.1
"""Seconds: a velocity error of 1 m/s weighs as much as a position error of 10 cm."""
PRIORITY_SCALE = 1e-2
"""Each lower priority counts this much less."""


@dataclass(frozen=True, eq=False)
class Rows:
    """One constraint, resolved to states."""

    constraint: Constraint
    times: Array  # (T,)
    state: IntArray  # (T,)
    around: IntArray | None  # (T, 3) states before, at and after, for velocities
    weight: float


def weighted(rows: list[Rows]) -> list[Rows]:
    """Rows with weights: the strongest priority present and the largest weight count as 1."""
    ranks = {p: k for k, p in enumerate(sorted({r.constraint.priority for r in rows}))}
    largest = max(r.constraint.weight for r in rows)

    def weight(c: Constraint) -> float:
        rate = RATE_SCALE if c.rate or c.handle.needs_velocity else 1.0
        return float(np.sqrt(c.weight / largest) * PRIORITY_SCALE ** ranks[c.priority] * rate)

    return [replace(r, weight=weight(r.constraint)) for r in rows]


def stencil(clip: Clip, t: float) -> tuple[float, float, float]:
    """Times of the states a velocity at t is taken from: around it, or on one side at the ends."""
    dt = clip.dt
    if not clip.loop and t - dt < -1e-9:
        return t, t + dt, t + 2 * dt
    if not clip.loop and t + dt > clip.duration + 1e-9:
        return t - 2 * dt, t - dt, t
    return t - dt, t, t + dt


def velocity(manifold: ProductManifold, dt: float, states: Array, rows: Rows) -> Array:
    """Velocities at a constraint's times in sets of states (N, S, nq), from neighbouring ones, (N, T, nv)."""
    assert rows.around is not None
    pace = manifold.minus(states[:, rows.around[:, 1:]], states[:, rows.around[:, :2]]) / dt  # (N, T, 2, nv)
    return at_the_time(pace, rows)


def at_the_time(pace: Array, rows: Rows) -> Array:
    """Rates of change at a constraint's times (N, T, d), from those of the intervals around (N, T, 2, d)."""
    assert rows.around is not None
    where = np.argmax(rows.around == rows.state[:, None], axis=1)  # 0, 1 or 2: ahead, centre, behind
    share = np.array([[1.5, -0.5], [0.5, 0.5], [-0.5, 1.5]])[where]
    return np.asarray(share[:, :1] * pace[:, :, 0] + share[:, 1:] * pace[:, :, 1])


class _Kind:
    """All rows of one handle, rates or values: evaluated as one."""

    def __init__(self, pose: Kinematics, every: Sequence[Rows], columns: Sequence[IntArray]) -> None:
        self.constraint = every[0].constraint
        self.handle = self.constraint.handle.bind(pose.character)
        around = [r.around for r in every if r.around is not None]
        self.rows = replace(
            every[0],
            times=np.concatenate([r.times for r in every]),
            state=np.concatenate([r.state for r in every]),
            around=np.concatenate(around) if around else None,
        )
        self.key = self.rows.state.tobytes()
        self.wanted = np.concatenate([r.constraint.target_at(pose, r.times) for r in every])  # (T, size)
        self.columns = np.concatenate(columns)  # (T, dim) of the residual
        shape = self.columns.shape
        self.low, self.high, self.weight = np.empty(shape), np.empty(shape), np.empty((shape[0], 1))
        begin = 0
        for r in every:
            part = slice(begin, begin := begin + len(r.times))
            self.low[part], self.high[part] = np.asarray(r.constraint.lower), np.asarray(r.constraint.upper)
            self.weight[part] = r.weight

    def off(self, kin: Kinematics, count: int) -> Array:
        """Weighted violations in ``count`` sets of states, (count, T, dim)."""
        c, value = self.constraint, self.constraint.value(kin)
        wanted = self.wanted if count == 1 or len(self.wanted) == 1 else np.tile(self.wanted, (count, 1))
        error = value - wanted if c.rate else self.handle.error(value, wanted)
        if c.norm:
            error = np.linalg.norm(error, axis=1, keepdims=True)
        error = error.reshape(count, *self.columns.shape)
        return np.asarray((error - np.minimum(np.maximum(error, self.low), self.high)) * self.weight)


class Residuals:
    """The residual of given constraints as a function of dynamic states; ``pose`` is any."""

    def __init__(self, pose: Kinematics, dt: float, every: Sequence[Rows]) -> None:
        character = pose.character
        self.character, self.dt = character, dt
        sizes = [len(r.times) * r.constraint.dim(character) for r in every]
        ends = np.cumsum(sizes)
        self.spans = tuple(slice(int(end - size), int(end)) for end, size in zip(ends, sizes))
        """Where each constraint's rows lie."""
        self.rows = self.spans[-1].stop
        groups: list[tuple[Constraint, list[int]]] = []
        for k, r in enumerate(every):
            for first, numbers in groups:
                if _alike(first, r.constraint):
                    numbers.append(k)
                    break
            else:
                groups.append((r.constraint, [k]))
        places = [np.arange(s.start, s.stop).reshape(len(r.times), -1) for r, s in zip(every, self.spans)]
        self._kinds = [
            _Kind(pose, [every[k] for k in numbers], [places[k] for k in numbers]) for _, numbers in groups
        ]
        # Kinds at the same times look at the same poses; velocities come along where any of them needs them.
        self._poses: dict[bytes, Rows] = {}
        for kind in self._kinds:
            if kind.key not in self._poses or self._poses[kind.key].around is None:
                self._poses[kind.key] = kind.rows

    def __call__(self, states: Array) -> Array:
        """Residuals of several sets of states (N, S, nq), (N, m)."""
        count, character = len(states), self.character
        seen = {}
        for key, rows in self._poses.items():
            v = None
            if rows.around is not None:
                v = velocity(character.manifold, self.dt, states, rows).reshape(-1, character.nv)
            seen[key] = Kinematics(character, states[:, rows.state].reshape(-1, character.nq), v)
        out = np.empty((count, self.rows))
        for kind in self._kinds:
            out[:, kind.columns] = kind.off(seen[kind.key], count)
        return out


def _alike(a: Constraint, b: Constraint) -> bool:
    return a.rate == b.rate and a.norm == b.norm and a.handle == b.handle
