"""Inverse kinodynamics as a least-norm problem.

Unknown are the whitened coefficients u of the correction curve; the residual r(u) stacks the errors of the
*dynamic* states at the constraints' times. Derivatives ∂r/∂u come from one batch of trials, only for those
pairs of bell and run of states that overlap in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from poise.arrays import Array, IntArray
from poise.constraints import Constraint
from poise.methods.kinodynamics.correction import Layout
from poise.methods.kinodynamics.reach import change_of_pose
from poise.methods.kinodynamics.reference import correct_rows, perturb_rows
from poise.methods.kinodynamics.residuals import Residuals, Rows, velocity, weighted
from poise.methods.kinodynamics.runs import runs_of
from poise.methods.kinodynamics.simulator import RunawayError, Simulator

TRIAL = 1e-5
"""Change of a whitened unknown in trials."""
FAINT = 0.02
"""A bell that is nowhere higher than this within a run is not tried there."""
CHUNK = 512
"""Trials simulated at a time."""
REMEMBERED = 8
"""Of so many corrections the states are kept."""


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

        rows: list[Rows] = []
        for c in self.constraints:
            times = c.when.times(clip)
            around = None
            if c.rate or c.handle.needs_velocity:
                around = np.array([[number(t) for t in self._stencil(float(t))] for t in times])
            state = np.array([number(float(t)) for t in times])
            rows.append(Rows(c, times, state, around, 1.0))
        self._set(weighted(rows))
        self.times = np.array(list(known))  # (S,)
        frames = np.clip(np.rint(self.times * clip.fps), 0, clip.frames - 1).astype(int)
        if clip.loop:
            frames = np.rint(self.times * clip.fps).astype(int) % clip.frames
        self.all_windows = windows
        """Of each frame [s], (F,)."""
        self.windows = windows[frames]
        self.runs = runs_of(self.times, simulator.steps(self.windows, len(self.times)), simulator.h)
        self._q, self._v = simulator.reference.corrected(None).table(self.runs.grid)
        self._phi, self._dphi = (self._bells(self.runs.grid, derivative) for derivative in (0, 1))
        self._link = self._links()
        self._moved = np.unique(self._link[layout.free.any(axis=0)])
        self._known: dict[bytes, Array] = {}

    def _set(self, rows: list[Rows]) -> None:
        self.rows = rows
        self.measure = Residuals(self.character, self.simulator.clip.dt, rows)
        """Residuals of several sets of states (N, S, nq), (N, m)."""

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
            return basis.values(grid, derivative)
        early, late = (x / clip.duration for x in basis.span)
        cycles = range(int(np.floor(early)) - 1, int(np.ceil(late)) + 1)
        turns = (grid % clip.duration + k * clip.duration for k in cycles)
        return np.asarray(np.sum([basis.values(t, derivative) for t in turns], axis=0))

    def _links(self) -> IntArray:
        """The kernel's link that owns each degree of freedom, (nv,)."""
        tree = self.character.tree
        owner = np.searchsorted(tree.v_start, np.arange(self.character.nv), side="right") - 1
        # Fixed links share their start with the next one; step forward to the link that has freedoms.
        return np.asarray(owner, dtype=np.int64)

    def foremost(self) -> Problem:
        """The problem of the strongest priority alone; the states are the same."""
        first = min(c.priority for c in self.constraints)
        return self._with([rows for rows in self.rows if rows.constraint.priority == first])

    @property
    def trials(self) -> int:
        """How many simulations a Jacobian takes."""
        return len(self._pairs[0])

    def retargeted(self, constraints: Sequence[Constraint]) -> Problem:
        """The same problem with other targets; nothing is prepared again."""
        other = self._with(weighted([replace(rows, constraint=c) for rows, c in zip(self.rows, constraints)]))
        other.constraints = tuple(constraints)
        return other

    def _with(self, rows: list[Rows]) -> Problem:
        other = object.__new__(Problem)
        other.__dict__.update(self.__dict__)
        other._set(rows)
        return other

    @property
    def unknowns(self) -> int:
        """How many."""
        return len(self.layout.unknowns[0])

    def guess(self) -> Array:
        """Unknowns from inverse kinematics at each time: the pose's change as its bell's height, (n,)."""
        states = self.states(np.zeros(self.unknowns))
        lost = ~np.isfinite(states).all(axis=1)
        if lost.any():
            raise RunawayError(float(self.times[lost][0]))
        function, dof = self.layout.unknowns
        u = np.zeros(self.unknowns)
        heights = self._phi[self.runs.end]  # (S, K) each bell at each state's time
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
        correct_rows(self.character.tree, self._moved, self._q, self._v, curve, slope, q, v)
        return curve, slope, q, v

    def states(self, u: Array) -> Array:
        """Dynamic states at all times, (S, nq)."""
        found = self._known.get(u.tobytes())
        if found is None:
            _, _, q, v = self._corrected(u)
            runs = self.runs
            found = self.simulator.tabled(q, v, runs.grid, runs.start, runs.steps)[0]
            self._remember(u, found)
        return found

    def _remember(self, u: Array, states: Array) -> None:
        if len(self._known) >= REMEMBERED:
            del self._known[next(iter(self._known))]
        self._known[u.tobytes()] = states

    def residual(self, u: Array) -> Array:
        """r(u), (m,)."""
        return self.measure(self.states(u)[None])[0]

    def velocity(self, states: Array, rows: Rows) -> Array:
        """Velocity at a constraint's times from neighbouring states, (N, T, nv)."""
        return velocity(self.character.manifold, self.simulator.clip.dt, states, rows)

    # Jacobian --------------------------------------------------------------------------------

    def jacobian(self, u: Array, r: Array) -> Array:
        """∂r/∂u by trials, (m, n)."""
        return self.linearised(u)[1]

    def linearised(self, u: Array) -> tuple[Array, Array]:
        """r(u) and ∂r/∂u, (m,) and (m, n), from one batch: the states ride along with the trials."""
        runs = self.runs
        corrected = self._corrected(u)
        unknown, run = self._pairs
        # Sets of states: the windows' own, what trials compare with (runs without a change), and the trials'.
        sets = np.empty((len(self.layout.unknowns[0]) + 2, len(self.times), self.character.nq))
        for begin in range(0, max(len(run), 1), CHUNK):
            p, c = unknown[begin : begin + CHUNK], run[begin : begin + CHUNK]
            own, found = self._trials(corrected, p, c, windows=begin == 0)
            if begin == 0:
                sets[:] = own
                self._remember(u, own)
            for k, states in enumerate(found):  # the k-th states of all runs that have so many
                live = self._many[c] > k
                which = self._member[c[live], k]
                plain = p[live] < 0
                sets[1:, which[plain]] = states[plain]
                sets[p[live][~plain] + 2, which[~plain]] = states[~plain]
        measured = self.measure(sets)
        return measured[0], ((measured[2:] - measured[1]) / TRIAL).T

    def _trials(
        self, corrected: tuple[Array, Array, Array, Array], p: IntArray, c: IntArray, *, windows: bool
    ) -> tuple[Array, list[Array]]:
        """All windows' states where asked for, and those that trials of unknowns p pass along runs c."""
        runs, layout = self.runs, self.layout
        curve, slope, base_q, base_v = corrected
        count = runs.bounds[c + 1] - runs.bounds[c]
        own = len(runs.grid) if windows else 0
        rows = own + np.concatenate([[0], np.cumsum(count)])  # where each trial's table begins
        q, v = np.empty((rows[-1], self.character.nq)), np.empty((rows[-1], self.character.nv))
        q[:own], v[:own] = base_q[:own], base_v[:own]
        function, dof = (x[p] for x in layout.unknowns)
        amount = np.where(p < 0, 0.0, TRIAL * layout.scale[dof])
        perturb_rows(
            self.character.tree, self._q, self._v, curve, slope, base_q, base_v, runs.bounds[c], count,
            self._link[dof], dof, function, amount, self._phi, self._dphi, q[own:], v[own:],
        )  # fmt: skip
        times = np.concatenate([runs.grid[:own], *(runs.grid[runs.bounds[k] : runs.bounds[k + 1]] for k in c)])
        first = self._member[c, 0]
        shift = rows[:-1] - runs.bounds[c]
        start, steps = shift + runs.start[first], runs.steps[first]
        if windows:
            start, steps = np.concatenate([runs.start, start]), np.concatenate([runs.steps, steps])
        end_q, end_v = self.simulator.tabled(q, v, times, start, steps)
        skip = len(end_q) - len(c)
        found, own_states = [end_q[skip:]], end_q[:skip]
        end_q, end_v, live = end_q[skip:], end_v[skip:], np.arange(len(c))
        for k in range(1, int(self._many[c].max(initial=1))):
            on = self._many[c[live]] > k
            live, before = live[on], (end_q[on], end_v[on])
            here, there = (runs.end[self._member[c[live], n]] for n in (k - 1, k))
            end_q, end_v = self.simulator.tabled(q, v, times, shift[live] + here, there - here, before)
            found.append(end_q)
        return own_states, found

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray]:
        """Trials: unknowns and the runs they overlap in time with, (P,), (P,); unknown −1: none is changed."""
        bounds = zip(self.runs.bounds[:-1], self.runs.bounds[1:])
        reach = np.array([np.abs(self._phi[a:b]).max(axis=0) for a, b in bounds])  # (C, K)
        unknown, run = np.nonzero((reach > FAINT).T[self.layout.unknowns[0]])
        plain = np.flatnonzero(self._many > 1)
        return np.concatenate([np.full(len(plain), -1), unknown]), np.concatenate([plain, run])

    @cached_property
    def _many(self) -> IntArray:
        """States of each run, (C,)."""
        return np.array([len(run) for run in self.runs.members])

    @cached_property
    def _member(self) -> IntArray:
        """The k-th state of each run, (C, most); −1 where it has fewer."""
        out = np.full((len(self.runs), int(self._many.max())), -1)
        for c, run in enumerate(self.runs.members):
            out[c, : len(run)] = run
        return out
