"""Inverse kinodynamics as a least-norm problem.

Unknown are the whitened coefficients u of the correction curve; the residual stacks, for all constraints, the
errors of the *dynamic* states at their times,

    r(u) = [ w · error(x_KD(t_i; u)) ;  w · 0.1 s · (ẋ_KD(t_i; u) − wanted) ]

Velocities are differences of neighbouring dynamic states (the simulator's own velocity is not the
motion's). Derivatives ∂r/∂u come from one batch of trial windows, only for those pairs of bell and state
that overlap in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poise.arrays import Array, IntArray
from poise.constraints import Constraint
from poise.kinematics import Kinematics
from poise.methods.kinodynamics.correction import Layout
from poise.methods.kinodynamics.reach import change_of_pose
from poise.methods.kinodynamics.reference import correct_rows, perturb_rows
from poise.methods.kinodynamics.simulator import RunawayError, Simulator

RATE_SCALE = 0.1
"""Seconds: a velocity error of 1 m/s weighs as much as a position error of 10 cm."""
PRIORITY_SCALE = 1e-2
"""Each lower priority counts this much less."""
TRIAL = 1e-5
"""Change of a whitened unknown in trial windows."""
FAINT = 0.02
"""A bell that is nowhere higher than this within a window is not tried there."""
CHUNK = 512
"""Trial windows simulated at a time."""


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


class Problem:
    """Constraints on the dynamic states of a clip, as a function of the correction's coefficients."""

    def __init__(
        self, simulator: Simulator, constraints: Sequence[Constraint], layout: Layout, windows: Array
    ) -> None:
        self.simulator, self.constraints, self.layout = simulator, tuple(constraints), layout
        clip = simulator.clip
        self.character = clip.character
        known: dict[float, int] = {}

        def number(t: float) -> int:
            return known.setdefault(round(t, 12), len(known))

        self.rows: list[Rows] = []
        for c in self.constraints:
            c.dim(self.character)
            times = c.when.times(clip)
            around = None
            if c.rate or c.handle.needs_velocity:
                around = np.array([[number(t) for t in self._stencil(float(t))] for t in times])
            state = np.array([number(float(t)) for t in times])
            self.rows.append(Rows(c, times, state, around, 1.0))
        self.rows = weighted(self.rows)
        self.times = np.array(list(known))  # (S,)
        frames = np.clip(np.rint(self.times * clip.fps), 0, clip.frames - 1).astype(int)
        if clip.loop:
            frames = np.rint(self.times * clip.fps).astype(int) % clip.frames
        self.all_windows = windows
        """Of each frame [s], (F,)."""
        self.windows = windows[frames]
        self._steps = simulator.steps(self.windows, len(self.times))
        self._first = np.concatenate([[0], np.cumsum(self._steps + 1)])
        h = simulator.h
        grid = np.concatenate([t + np.arange(-n, 1) * h for t, n in zip(self.times, self._steps)])
        self._grid = grid
        self._q, self._v = simulator.reference.corrected(None).table(grid)
        self._phi, self._dphi = (self._bells(grid, derivative) for derivative in (0, 1))
        self._link = self._links()

    def _stencil(self, t: float) -> tuple[float, float, float]:
        """Times of the states a velocity at t is taken from: around it, or on one side at the ends."""
        clip = self.simulator.clip
        dt = clip.dt
        if not clip.loop and t - dt < -1e-9:
            return t, t + dt, t + 2 * dt
        if not clip.loop and t + dt > clip.duration + 1e-9:
            return t - 2 * dt, t - dt, t
        return t - dt, t, t + dt

    def _bells(self, grid: Array, derivative: int) -> Array:
        """Every bell at every row, (R, K); on a loop what leaves at one end enters at the other."""
        clip, basis = self.simulator.clip, self.layout.basis
        if not clip.loop:
            return np.ascontiguousarray(basis.matrix(grid, derivative).toarray())
        early, late = (x / clip.duration for x in basis.span)
        cycles = range(int(np.floor(early)) - 1, int(np.ceil(late)) + 1)
        turns = (grid % clip.duration + k * clip.duration for k in cycles)
        return np.ascontiguousarray(np.sum([basis.matrix(t, derivative).toarray() for t in turns], axis=0))

    def _links(self) -> IntArray:
        """The kernel's link that owns each degree of freedom, (nv,)."""
        tree = self.character.tree
        owner = np.searchsorted(tree.v_start, np.arange(self.character.nv), side="right") - 1
        # Fixed links share their start with the next one; step forward to the link that has freedoms.
        return np.asarray(owner, dtype=np.int64)

    def foremost(self) -> Problem:
        """The problem of the strongest priority alone; the states are the same."""
        first = min(c.priority for c in self.constraints)
        other = object.__new__(Problem)
        other.__dict__.update(self.__dict__)
        other.rows = [rows for rows in self.rows if rows.constraint.priority == first]
        return other

    @property
    def trials(self) -> int:
        """How many windows a Jacobian takes."""
        return len(self._pairs[0])

    def retargeted(self, constraints: Sequence[Constraint]) -> Problem:
        """The same problem with other targets; nothing is prepared again."""
        other = object.__new__(Problem)
        other.__dict__.update(self.__dict__)
        other.constraints = tuple(constraints)
        other.rows = weighted([replace(rows, constraint=c) for rows, c in zip(self.rows, constraints)])
        return other

    @property
    def unknowns(self) -> int:
        """How many."""
        return int(self.layout.free.sum())

    def guess(self) -> Array:
        """Unknowns from inverse kinematics at each time: the pose's change as its bell's height, (n,)."""
        states = self.states(np.zeros(self.unknowns))
        lost = ~np.isfinite(states).all(axis=1)
        if lost.any():
            raise RunawayError(float(self.times[lost][0]))
        function, dof = self.layout.unknowns
        u = np.zeros(self.unknowns)
        heights = self._phi[self._first[1:] - 1]  # (S, K) each bell at each state's time
        for state in sorted({int(s) for rows in self.rows for s in rows.state}):
            here = [rows for rows in self.rows if state in rows.state and rows.around is None]
            if not here:
                continue
            bell = int(np.argmax(np.abs(heights[state])))
            free = self.layout.free[bell]
            change = change_of_pose(
                self.character,
                states[state],
                [rows.constraint for rows in here],
                [rows.weight for rows in here],
                float(self.times[state]),
                np.where(free, self.layout.scale, 0.0),
            )
            mine = function == bell
            u[mine] = change[dof[mine]] / self.layout.scale[dof[mine]]
        return u

    # Residual --------------------------------------------------------------------------------

    def _corrected(self, u: Array) -> tuple[Array, Array, Array, Array]:
        c = self.layout.coefficients(u)
        curve, slope = self._phi @ c, self._dphi @ c
        q, v = np.empty_like(self._q), np.empty_like(self._v)
        correct_rows(self.character.tree, self._q, self._v, curve, slope, q, v)
        return curve, slope, q, v

    def states(self, u: Array) -> Array:
        """Dynamic states at all times, (S, nq)."""
        _, _, q, v = self._corrected(u)
        return self.simulator.tabled(q, v, self._grid, self._first[:-1], self._steps)[0]

    def residual(self, u: Array) -> Array:
        """r(u), (m,)."""
        return self.measure(self.states(u)[None])[0]

    def measure(self, states: Array) -> Array:
        """Residuals of several sets of states (N, S, nq), (N, m)."""
        count = len(states)
        shared: dict[bytes, Kinematics] = {}  # constraints at the same times look at the same poses
        parts = []
        for rows in self.rows:
            key = rows.state.tobytes()
            if key not in shared:
                shared[key] = self._kinematics(states, rows)
            c = rows.constraint
            off = c.violation(c.error(shared[key], np.tile(rows.times, count))) * rows.weight
            parts.append(off.reshape(count, -1))
        return np.concatenate(parts, axis=1)

    def _kinematics(self, states: Array, rows: Rows) -> Kinematics:
        """Poses at a constraint's times, with velocities where any constraint there needs them."""
        same = [r for r in self.rows if r.around is not None and np.array_equal(r.state, rows.state)]
        v = self.velocity(states, same[0]).reshape(-1, self.character.nv) if same else None
        return Kinematics(self.character, states[:, rows.state].reshape(-1, self.character.nq), v)

    def velocity(self, states: Array, rows: Rows) -> Array:
        """Velocity at the constraint's times from neighbouring states, (N, T, nv)."""
        assert rows.around is not None
        manifold, dt = self.character.manifold, self.simulator.clip.dt
        a, b, c = (states[:, rows.around[:, k]] for k in range(3))
        early, late = manifold.minus(b, a) / dt, manifold.minus(c, b) / dt
        where = np.argmax(rows.around == rows.state[:, None], axis=1)  # 0, 1 or 2
        ahead, centre, behind = 1.5 * early - 0.5 * late, 0.5 * (early + late), 1.5 * late - 0.5 * early
        pick = where[None, :, None]
        return np.where(pick == 0, ahead, np.where(pick == 1, centre, behind))

    # Jacobian --------------------------------------------------------------------------------

    def jacobian(self, u: Array, r: Array) -> Array:
        """∂r/∂u by trial windows, (m, n)."""
        return self.linearised(u)[1]

    def linearised(self, u: Array) -> tuple[Array, Array]:
        """r(u) and ∂r/∂u, (m,) and (m, n), from one batch: the states ride along with the trials."""
        function, dof = self.layout.unknowns
        curve, slope, base_q, base_v = self._corrected(u)
        unknown, state = self._pairs
        trial: Array | None = None
        for start in range(0, max(len(unknown), 1), CHUNK):
            p, s = unknown[start : start + CHUNK], state[start : start + CHUNK]
            count = self._steps[s] + 1
            own = len(self._grid) if trial is None else 0  # the first chunk carries the base windows as well
            total = own + int(count.sum())
            q, v = np.empty((total, self.character.nq)), np.empty((total, self.character.nv))
            q[:own], v[:own] = base_q[:own], base_v[:own]
            d = np.ascontiguousarray(dof[p])
            perturb_rows(
                self.character.tree, self._q, self._v, curve, slope, base_q, base_v, self._first[s], count,
                self._link[d], d, np.ascontiguousarray(function[p]), TRIAL * self.layout.scale[d], self._phi,
                self._dphi, q[own:], v[own:],
            )  # fmt: skip
            first = own + np.concatenate([[0], np.cumsum(count)])[:-1]
            times = [self._grid[self._first[k] : self._first[k + 1]] for k in s]
            if trial is None:
                times.insert(0, self._grid)
                first = np.concatenate([self._first[:-1], first])
                steps = np.concatenate([self._steps, self._steps[s]])
            else:
                steps = self._steps[s]
            ends = self.simulator.tabled(q, v, np.concatenate(times), first, steps)[0]
            if trial is None:
                base, ends = ends[: len(self.times)], ends[len(self.times) :]
                trial = np.repeat(base[None], len(function) + 1, axis=0)  # (1 + n, S, nq), first the base
            trial[p + 1, s] = ends
        assert trial is not None
        measured = self.measure(trial)
        return measured[0], ((measured[1:] - measured[0]) / TRIAL).T

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray]:
        """Unknowns and states that overlap in time, (P,), (P,)."""
        bounds = zip(self._first[:-1], self._first[1:])
        reach = np.array([np.abs(self._phi[a:b]).max(axis=0) for a, b in bounds])  # (S, K)
        unknown, state = np.nonzero((reach > FAINT).T[self.layout.unknowns[0]])
        return unknown.astype(np.int64), state.astype(np.int64)
