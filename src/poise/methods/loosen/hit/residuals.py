"""From dynamic states to residuals: all constraints of one kind are measured together.

    r = [ w · error(x_KD(t_i)) ;  w · 0.1 s · (ẋ_KD(t_i) − wanted) ]

States are looked at as the clip that is handed out shows them (``seen``): velocities are those of paths
through its frames (the simulator's own velocity is not the motion's). A set of states that is not finite, or
beyond all bounds, has run away: its residuals are infinite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import FARTHEST, Array, IntArray
from poise.constraints import Constraint
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.seen import Sight, is_path_rate, sight, together
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
    sight: Sight
    weight: float

    @property
    def moving(self) -> bool:
        """Whether velocities are asked for."""
        return is_rate(self.constraint)


def is_rate(constraint: Constraint) -> bool:
    """Whether a constraint speaks of velocities."""
    return constraint.rate or constraint.handle.needs_velocity


def rows_of(clip: Clip, constraints: Sequence[Constraint]) -> tuple[list[Rows], Array]:
    """Rows of constraints, weighted, and all the times at which states are looked at [s], (S,)."""
    known: dict[float, int] = {}

    def number(t: float) -> int:
        return known.setdefault(round(t, 12), len(known))

    rows: list[Rows] = []
    for c in constraints:
        times = c.when.times(clip)
        rows.append(Rows(c, times, sight(clip, times, number, moving=is_rate(c)), 1.0))
    return weighted(rows), np.array(list(known))


def weighted(rows: list[Rows]) -> list[Rows]:
    """Rows with weights: the strongest priority present and the largest weight count as 1."""
    ranks = {p: k for k, p in enumerate(sorted({r.constraint.priority for r in rows}))}
    largest = max(r.constraint.weight for r in rows)

    def weight(c: Constraint) -> float:
        rate = RATE_SCALE if is_rate(c) else 1.0
        return float(np.sqrt(c.weight / largest) * PRIORITY_SCALE ** ranks[c.priority] * rate)

    return [replace(r, weight=weight(r.constraint)) for r in rows]


class _Kind:
    """All rows of one handle, rates or values: evaluated as one."""

    def __init__(self, pose: Kinematics, every: Sequence[Rows], columns: Sequence[IntArray]) -> None:
        self.constraint = every[0].constraint
        self.handle = self.constraint.handle.bind(pose.character)
        self.sight = together([r.sight for r in every])
        self.moving = every[0].moving
        self.along = is_path_rate(self.constraint)
        """Whether it is about the velocity of a path through frames."""
        self.key = self.sight.key + (b"path" if self.along else b"")
        self.wanted = np.concatenate([r.constraint.target_at(pose, r.times) for r in every])  # (T, size)
        self.columns = np.concatenate(columns)  # (T, dim) of the residual
        shape = self.columns.shape
        self.low, self.high, self.weight = np.empty(shape), np.empty(shape), np.empty((shape[0], 1))
        begin = 0
        for r in every:
            part = slice(begin, begin := begin + len(r.times))
            self.low[part], self.high[part] = np.asarray(r.constraint.lower), np.asarray(r.constraint.upper)
            self.weight[part] = r.weight

    def off(self, kin: Kinematics, count: int, dt: float) -> Array:
        """Weighted violations in ``count`` sets of states, (count, T, dim)."""
        c = self.constraint
        if self.along:  # of places, at all states that are looked at
            assert self.sight.around is not None
            places = self.handle.value(kin)
            places = places.reshape(count, *self.sight.around.shape, places.shape[1])
            value = self.sight.path_rate(dt, places).reshape(-1, places.shape[-1])
        else:
            value = c.value(kin)
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
        groups: list[tuple[Rows, list[int]]] = []
        for k, r in enumerate(every):
            for first, numbers in groups:
                if _alike(first, r):
                    numbers.append(k)
                    break
            else:
                groups.append((r, [k]))
        places = [np.arange(s.start, s.stop).reshape(len(r.times), -1) for r, s in zip(every, self.spans)]
        self._kinds = [
            _Kind(pose, [every[k] for k in numbers], [places[k] for k in numbers]) for _, numbers in groups
        ]
        # Kinds at the same times look at the same poses; velocities come along where any of them needs them.
        self._poses: dict[bytes, Sight] = {}
        self._moving: set[bytes] = {kind.key for kind in self._kinds if kind.moving and not kind.along}
        self._along: set[bytes] = {kind.key for kind in self._kinds if kind.along}
        for kind in self._kinds:
            if kind.key not in self._poses or self._poses[kind.key].around is None:
                self._poses[kind.key] = kind.sight

    def __call__(self, states: Array) -> Array:
        """Residuals of several sets of states (N, S, nq), (N, m)."""
        count, character = len(states), self.character
        lost = np.asarray(~(np.abs(states) <= FARTHEST).all(axis=(1, 2)))
        if lost.any():
            states = np.where(lost[:, None, None], character.manifold.neutral(), states)
        seen = {}
        for key, look in self._poses.items():
            if key in self._along:
                assert look.around is not None
                seen[key] = Kinematics(character, states[:, look.around.ravel()].reshape(-1, character.nq))
                continue
            q, v = look(character.manifold, self.dt, states, moving=key in self._moving)
            flat = None if v is None else v.reshape(-1, character.nv)
            seen[key] = Kinematics(character, q.reshape(-1, character.nq), flat)
        out = np.empty((count, self.rows))
        for kind in self._kinds:
            out[:, kind.columns] = kind.off(seen[kind.key], count, self.dt)
        out[lost] = np.inf
        return out


def _alike(a: Rows, b: Rows) -> bool:
    c, d = a.constraint, b.constraint
    between = (a.sight.share is None) == (b.sight.share is None)
    return between and c.rate == d.rate and c.norm == d.norm and c.handle == d.handle
