"""Derivatives of dynamic states by trials: the same runs once more, the correction changed a little.

``along_unknowns`` takes one trial for each pair of unknown and run that overlap in time,
``along_directions`` one for each direction and state. Either way the windows' own states ride along in the
same batch.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array, IntArray
from poise.dynamics.window_batch import gains
from poise.kernels.graphics_card import card
from poise.methods.loosen.hit.residuals import Residuals
from poise.methods.loosen.simulate.perturbed import TrialRows, perturb_row, perturb_rows
from poise.methods.loosen.simulate.reference import Table
from poise.workers import for_frames

if TYPE_CHECKING:
    from poise.methods.loosen.hit.problem import Corrected, Problem

TRIAL = 1e-5
"""Change of a whitened unknown in trials."""
FAINT = 0.02
"""A bell that is nowhere higher than this within a run is not tried there."""
CHEAP = 16
"""With no more simulations than this a Jacobian comes with the residual at little extra cost."""
CHUNK, CARD_CHUNK = 512, 2**14
"""Trials simulated at a time by processors, and by a graphics card."""


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
        # (C, most) steps from each state of a run to its next, 0 behind the last
        self._legs = np.zeros_like(self._member)
        for c, run in enumerate(runs.members):
            self._legs[c, : len(run)] = np.diff(runs.end[run], prepend=runs.start[run[0]])
        self._plain = np.flatnonzero(self._many > 1)
        """Runs along which the unchanged correction goes too, to compare trials with."""
        reach = np.maximum.reduceat(np.abs(problem.bells.value), runs.bounds[:-1], axis=0)  # (C, K)
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
        windows = len(run) + len(self.runs.steps)
        on_card = gains(self.problem.simulator.options.device, windows)
        chunk = CARD_CHUNK if on_card else CHUNK
        for begin in range(0, max(len(run), 1), chunk):
            some = slice(begin, begin + chunk)
            self._go(base, number[some], run[some], sets, own=begin == 0, on_card=on_card)
        return self._compared(u, sets, measure, base=1)

    def along_directions(self, u: Array, along: Array, measure: Residuals) -> tuple[Array, Array]:
        """r(u) and ∂r/∂u times the columns of ``along`` (n, k), (m,) and (m, k)."""
        count, runs = along.shape[1], self.runs
        _, table = self.problem.corrected(np.concatenate([u[None], u + TRIAL * along.T]))
        times = np.concatenate([runs.grid] * (count + 1))
        start = np.arange(0, len(times), len(runs.grid))[:, None] + runs.start  # (k + 1, S)
        steps = np.concatenate([runs.steps] * (count + 1))
        ends = self._tabled(*table, times, start.ravel(), steps)[0]
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

    def _go(
        self, base: Corrected, number: IntArray, run: IntArray, sets: Array, *, own: bool, on_card: bool
    ) -> None:
        """Simulate trials along their runs, and before them the windows of all states themselves.

        Those whose run has more states go on from one to the next.
        """
        runs = self.runs
        rows, shift = self._trial_rows(number, run, own=own)
        start, legs = shift + runs.start[self._member[run, 0]], self._legs[run]
        if own:
            alone = np.zeros((len(runs.steps), legs.shape[1]), dtype=np.int64)
            alone[:, 0] = runs.steps
            start, legs = np.concatenate([runs.start, start]), np.concatenate([alone, legs])
        with card().lock if on_card else nullcontext():
            table = self._changed(base, rows, on_card=on_card)
            ends = self._tabled(*table, runs.grid[rows.row], start, legs)[0]  # (W, K, nq)
        if own:
            sets[:] = ends[: -len(run) or None, 0]
            ends = ends[len(sets[0]) :]
        for k in range(legs.shape[1]):
            there = self._many[run] > k
            plain, tried = there & (number < 0), there & (number >= 0)
            sets[1:, self._member[run[plain], k]] = ends[plain, k]
            sets[number[tried] + 2, self._member[run[tried], k]] = ends[tried, k]

    def _trial_rows(self, number: IntArray, run: IntArray, *, own: bool) -> tuple[TrialRows, IntArray]:
        """Rows of the trials' tables, behind the base's own, and their places against the base's, (P,)."""
        problem, runs = self.problem, self.runs
        count = runs.bounds[run + 1] - runs.bounds[run]
        skip = len(runs.grid) if own else 0
        shift = skip + np.cumsum(count) - count - runs.bounds[run]
        trial = np.concatenate([np.full(skip, -1), np.repeat(np.arange(len(run)), count)])
        row = np.arange(len(trial))
        row[skip:] -= np.repeat(shift, count)
        amount = np.where(number < 0, 0.0, TRIAL * problem.layout.size[number])
        function = problem.layout.unknowns[0][number]
        return TrialRows(row, trial, problem.link[number], problem.column[number], function, amount), shift

    def _changed(self, base: Corrected, rows: TrialRows, *, on_card: bool) -> Table:
        """Tables of runs with one unknown changed each, where they are simulated."""
        problem = self.problem
        count, (nq, nv) = len(rows.row), (x.shape[1] for x in base.table)
        if on_card and problem.simulator.options.gravity != "compensated":
            there = card()
            out = Table(*(there.room(f"trial {n}", (count, n), order="F") for n in (nq, nv)))
            there.run(
                perturb_row, 0, count, there.constant(problem.limbs.tree),
                there.constant(problem.reference),
                there.put_all("change", base.change, order="F"),
                there.put_all("base", base.table, order="F"), there.constant(problem.bells),
                there.put_all("trial rows", rows), out,
            )  # fmt: skip
            return out
        out = Table(np.empty((count, nq)), np.empty((count, nv)))
        for_frames(
            perturb_rows, count, problem.limbs.tree, problem.reference, *base, problem.bells, rows, out,
            grain=4096,
        )  # fmt: skip
        return out
