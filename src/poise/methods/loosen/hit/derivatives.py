"""Derivatives of dynamic states by trials: the same runs once more, the correction changed a little.

``along_unknowns`` takes one trial for each pair of unknown and run that overlap in time,
``along_directions`` one for each direction and state. Either way the windows' own states ride along in the
same batch.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array, IntArray
from poise.methods.loosen.hit.residuals import Residuals
from poise.methods.loosen.simulate.reference import perturb_rows

if TYPE_CHECKING:
    from poise.methods.loosen.hit.problem import Corrected, Problem

TRIAL = 1e-5
"""Change of a whitened unknown in trials."""
FAINT = 0.02
"""A bell that is nowhere higher than this within a run is not tried there."""
CHEAP = 16
"""With no more simulations than this a Jacobian comes with the residual at little extra cost."""
CHUNK = 512
"""Trials simulated at a time."""


class Trials:
    """Which trials a problem's Jacobian takes, and how they are made."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.runs = problem, problem.runs
        runs = self.runs
        self._tabled = partial(problem.simulator.tabled, limbs=problem.limbs)
        self._many = np.array([len(run) for run in runs.members])  # (C,)
        self._member = np.full((len(runs), int(self._many.max())), -1)  # (C, most) the k-th state of each run
        for c, run in enumerate(runs.members):
            self._member[c, : len(run)] = run
        self._plain = np.flatnonzero(self._many > 1)
        """Runs along which the unchanged correction goes too, to compare trials with."""
        reach = np.maximum.reduceat(np.abs(problem.phi), runs.bounds[:-1], axis=0)  # (C, K)
        unknown, run = np.nonzero((reach > FAINT).T[problem.layout.unknowns[0]])
        self.pairs = unknown, run
        """Unknowns and the runs they overlap in time with, (P,), (P,)."""

    def cheap(self, rows: int) -> bool:
        """Whether a Jacobian of so many rows comes with the residual at little extra cost."""
        return not len(self._plain) and (rows + 1) * len(self.runs) <= CHEAP

    def along_unknowns(self, u: Array, measure: Residuals) -> tuple[Array, Array]:
        """r(u) and ∂r/∂u, (m,) and (m, n)."""
        base = self.problem.corrected(u)
        sets = self._sets(len(u))
        number, run = self._with_plain(*self.pairs)
        for begin in range(0, max(len(run), 1), CHUNK):
            some = slice(begin, begin + CHUNK)
            tables = self._changed(base, number[some], run[some], own=begin == 0)
            self._go(*tables, number[some], run[some], sets, own=begin == 0)
        return self._compared(u, sets, measure, base=1)

    def along_directions(self, u: Array, along: Array, measure: Residuals) -> tuple[Array, Array]:
        """r(u) and ∂r/∂u times the columns of ``along`` (n, k), (m,) and (m, k)."""
        count, runs = along.shape[1], self.runs
        tables = self.problem.corrected(np.concatenate([u[None], u + TRIAL * along.T]))
        times = np.concatenate([runs.grid] * (count + 1))
        start = np.arange(0, len(times), len(runs.grid))[:, None] + runs.start  # (k + 1, S)
        steps = np.concatenate([runs.steps] * (count + 1))
        ends = self._tabled(tables.q, tables.v, times, start.ravel(), steps)[0]
        return self._compared(u, ends.reshape(*start.shape, -1), measure, base=0)

    def _sets(self, count: int) -> Array:
        """Sets of the limbs' states: the windows' own, the runs' without a change, and one for each trial."""
        return np.empty((count + 2, len(self.problem.times), len(self.problem.limbs.q)))

    def _with_plain(self, number: IntArray, run: IntArray) -> tuple[IntArray, IntArray]:
        """Trials by number and run, before them those without a change, by number −1."""
        return np.concatenate([np.full(len(self._plain), -1), number]), np.concatenate([self._plain, run])

    def _compared(self, u: Array, sets: Array, measure: Residuals, *, base: int) -> tuple[Array, Array]:
        """r(u) of the first set of states, and what those after set ``base`` differ from it by."""
        states = self.problem.whole(sets)
        self.problem.remember(u, states[0])
        measured = measure(states)
        slopes = np.zeros_like(measured[base + 1 :])
        if np.isfinite(measured[base]).all():
            told = np.isfinite(measured[base + 1 :]).all(axis=1)  # a trial that runs away says nothing
            slopes[told] = (measured[base + 1 :][told] - measured[base]) / TRIAL
        return measured[0], slopes.T

    def _changed(
        self, base: Corrected, number: IntArray, run: IntArray, *, own: bool
    ) -> tuple[Array, Array, Array, IntArray]:
        """Tables of runs with one unknown changed each: q, v, times, and their places against the base's."""
        problem, runs = self.problem, self.runs
        count = runs.bounds[run + 1] - runs.bounds[run]
        skip = len(runs.grid) if own else 0
        rows = skip + np.concatenate([[0], np.cumsum(count)])
        q, v = np.empty((rows[-1], base.q.shape[1])), np.empty((rows[-1], base.v.shape[1]))
        q[:skip], v[:skip] = base.q[:skip], base.v[:skip]
        function = problem.layout.unknowns[0][number]
        amount = np.where(number < 0, 0.0, TRIAL * problem.layout.size[number])
        perturb_rows(
            problem.limbs.tree, *problem.reference, *base, runs.bounds[run], count, problem.link[number],
            problem.column[number], function, amount, problem.phi, problem.dphi, q[skip:], v[skip:],
        )  # fmt: skip
        grids = (runs.grid[runs.bounds[c] : runs.bounds[c + 1]] for c in run)
        return q, v, np.concatenate([runs.grid[:skip], *grids]), rows[:-1] - runs.bounds[run]

    def _go(
        self,
        q: Array,
        v: Array,
        times: Array,
        shift: IntArray,
        number: IntArray,
        run: IntArray,
        sets: Array,
        *,
        own: bool,
    ) -> None:
        """Simulate trials along their runs; those whose run has more states go on from one to the next."""
        runs, tabled = self.runs, self._tabled
        first = self._member[run, 0]
        start, steps = shift + runs.start[first], runs.steps[first]
        if own:
            start, steps = np.concatenate([runs.start, start]), np.concatenate([runs.steps, steps])
        end_q, end_v = tabled(q, v, times, start, steps)
        if own:
            sets[:] = end_q[: -len(run) or None]
            end_q, end_v = end_q[len(sets[0]) :], end_v[len(sets[0]) :]
        for k in range(self._member.shape[1]):
            if k:
                on = self._many[run] > k
                run, number, shift, before = run[on], number[on], shift[on], (end_q[on], end_v[on])
                if not len(run):
                    break
                here, there = (runs.end[self._member[run, n]] for n in (k - 1, k))
                end_q, end_v = tabled(q, v, times, shift + here, there - here, before)
            which, plain = self._member[run, k], number < 0
            sets[1:, which[plain]] = end_q[plain]
            sets[number[~plain] + 2, which[~plain]] = end_q[~plain]
