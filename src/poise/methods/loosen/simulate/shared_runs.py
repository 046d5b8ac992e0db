"""Neighbouring states share a table: their windows overlap nearly wholly.

A velocity takes three states a frame apart, an interval one at each frame. All that lie a whole number of
steps, and not more than a part of a window, from one another form a *run*: one table of the reference from
the earliest start to the last time, into which each window points.

A trial goes once along a run and passes its states one after the other, instead of starting anew for each.
It differs from their own windows by what a window forgets; for a derivative that is little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray

PART = 0.5
"""A run's last state comes at most this part of a window after its first."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Tables of all runs, one after another."""

    grid: Array
    """Times of the rows [s], (R,)."""
    bounds: IntArray
    """Rows of run c: bounds[c] … bounds[c + 1]."""
    members: tuple[IntArray, ...]
    """States of each run in order of time."""
    end: IntArray
    """The row that each state is at, (S,)."""
    steps: IntArray
    """The steps of each state's window, (S,)."""

    @property
    def start(self) -> IntArray:
        """The row that each state's window starts in, (S,)."""
        return self.end - self.steps

    def __len__(self) -> int:
        return len(self.members)


def runs_of(times: Array, steps: IntArray, h: float) -> Runs:
    """Runs of windows that end at ``times`` [s] after ``steps`` steps of length h each."""
    members: list[list[int]] = []
    for state in np.argsort(times, kind="stable"):
        if members:
            first = members[-1][0]
            offset = (times[state] - times[first]) / h
            if abs(offset - round(offset)) < 1e-6 and offset <= PART * steps[first]:
                members[-1].append(int(state))
                continue
        members.append([int(state)])
    end = np.empty(len(times), dtype=np.int64)
    bounds, grids = [0], []
    for run in members:
        rows = np.rint((times[run] - times[run[0]]) / h).astype(np.int64)  # of each, from the first state's
        before = int((steps[run] - rows).max())
        end[run] = bounds[-1] + before + rows
        grids.append(times[run[0]] + np.arange(-before, int(rows[-1]) + 1) * h)
        bounds.append(bounds[-1] + len(grids[-1]))
    return Runs(
        np.concatenate(grids), np.array(bounds), tuple(np.array(run) for run in members), end, np.array(steps)
    )
