"""Sway in large motions: windows of the corotated model, which share their runs.

Windows start on a coarse grid of frames, at or up to ``SHARED`` seconds before t − δ:

    y_KD(t) = Simulate(bone, t, t − s(t)),     s(t) = G ⌊(t − δ) / G⌋

Still nothing before s(t) matters and every frame can be had alone, to the same bits; but frames with the same
s lie on one run, so a clip takes (δ + G)/G times its own length, not δ times its frames. At the grid
neighbours differ by what windows of length δ leave out.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray
from poise.dynamics.elastic.large import Runs, run_large
from poise.errors import InputError
from poise.methods.loosen.wear.attachment import Attachment, Embedded
from poise.methods.loosen.wear.sway import Sway
from poise.motion import Clip
from poise.workers import for_ranges

STEP = 1 / 240
"""Of the simulation [s]."""
SHARED = 0.5
"""G [s]."""


class LargeSway(Sway):
    """A clip and what one of its bones carries, by corotated forces."""

    def __init__(self, clip: Clip, attachment: Attachment, *, step: float = STEP) -> None:
        super().__init__(clip, attachment, step=step)
        self.grid = max(1, round(SHARED * clip.fps))
        """G in frames."""

    @cached_property
    def vertices(self) -> Embedded:
        """All vertices of the attachment."""
        return self.embedded(self.attachment.surface.points)

    def embedded(self, places: Array) -> Embedded:
        """Material points of the attachment by their places at rest on the bone, (P, 3)."""
        return self.attachment.embedded(places, large=True)

    @property
    def bending(self) -> Array:
        """Θ: how directions of derivatives follow from modes, (r, b, b)."""
        return np.zeros((0, 1, 1))

    def rest(self, rotations: Array) -> Array:
        """States (T, 2n) nearly in balance with gravity on a bone turned so, (T, 3, 3)."""
        model, load = self.attachment.large, self.attachment.model.load
        change = -np.einsum("kji,j->ki", rotations, self.attachment.gravity) - load
        out = np.zeros((len(rotations), 2 * len(model)))
        for c in range(3):
            out[:, : len(model)] -= change[:, c, None] * model.gains[c]
        out[:, : len(model)] /= model.eigenvalues
        return out

    def _states(self, at: Array, window: ArrayLike) -> Array:
        """Coordinates and their velocities at times [s] of a clip that does not jump, (T, 2n)."""
        x = at * self.clip.fps
        near = np.rint(x)
        on_frame = np.abs(x - near) < 1e-6
        start = np.floor((x - self.lengths(window, len(at)) + 1e-6) / self.grid).astype(np.int64) * self.grid
        out = np.empty((len(at), 2 * len(self.attachment.large)))
        if on_frame.any():
            end = near[on_frame].astype(np.int64)
            out[on_frame] = self._together(start[on_frame], end)
        for k in np.flatnonzero(~on_frame):
            steps = max(1, round((at[k] - start[k] * self.clip.dt) / self.h))
            out[k] = self._runs(at[k] + np.arange(-steps, 1) * self.h, [0], [steps], steps)[0, -1]
        return out

    def _together(self, start: IntArray, end: IntArray) -> Array:
        """States at frames ``end`` of runs begun at frames ``start``."""
        n = self.per_frame
        starts, which = np.unique(start, return_inverse=True)
        length = np.zeros(len(starts), dtype=np.int64)
        np.maximum.at(length, which, end - start)
        first, last = int(starts[0]), int((starts + length).max())
        found = self._runs(self.grid_times(first, last), (starts - first) * n, length * n, n)
        return np.asarray(found[which, end - start - 1])

    def _runs(self, times: Array, start: ArrayLike, steps: ArrayLike, every: int) -> Array:
        """States after every ``every`` steps of runs over a grid of times, (W, S, 2n)."""
        model, begin = self.attachment.large, np.asarray(start, dtype=np.int64)
        count = np.asarray(steps, dtype=np.int64)
        drive, rotations = self.drive(times)
        drive.channels[:, :3] -= self.attachment.model.load
        out = np.zeros((len(begin), int(count.max()) // every, 2 * len(model)))
        runs = Runs(begin, count, every, self.rest(rotations[begin]))
        for_ranges(run_large, len(begin), model.packed, drive, self.h, runs, out)
        lost = ~np.isfinite(out).all(axis=(1, 2))
        if lost.any():
            raise InputError(
                f"{self.attachment.name!r} is torn apart by the motion at about "
                f"{times[begin[lost][0]]:.2f} s: does the clip jump there? Smooth it, or give a stiffer "
                "material"
            )
        return out
