"""How long a window must be for a soft body not to be seen to forget.

``choose`` measures: to first order the model is linear, so what a window leaves out is exactly

    y_full(t) − y_KD(t; δ) = Ψ(t, t − δ) (y_full(t − δ) − y_start(t − δ)),

Ψ the product of the steps between, and to second order exactly what the quadratic forces of that difference
do: differences of all starts, carried along together, give the errors of all windows at all frames. The
window of a frame is the shortest from which on every longer one stays within the tolerance: a root mean
square over the vertices of 0.1 % of the body's diameter.

``impulse_window`` is Kry et al.'s prediction: the slowest mode set going by the largest acceleration of the
bone times one step. It knows one impulse only, and is too short where a motion keeps time with the body.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.dynamics.elastic.chains import forget, run_along
from poise.errors import InputError
from poise.methods.loosen.wear.sway import Sway
from poise.methods.loosen.window.length import oscillator_window
from poise.workers import algebra_on_one_thread, for_ranges

SHARE = 0.001
"""Tolerance as a share of the body's diameter."""
LONGEST = 8.0
"""No window is made longer than this [s]; what swings on for longer is cut off, and told."""
IN_HAND = 0.8
"""Share of the tolerance aimed at."""


@dataclass(frozen=True, eq=False)
class Choice:
    """Windows for the frames of a clip and how good they are."""

    windows: Array
    """One for each frame [s], (F,)."""
    seconds: float
    """One for all: the longest of them."""
    error: float
    """What the chosen windows leave out at most [m], root mean square over the vertices."""
    tolerance: float
    """[m]"""


def tolerance_of(motion: Sway, asked: float | None) -> float:
    """The tolerance asked for [m], or 0.1 % of the diameter."""
    if asked is None:
        return SHARE * motion.attachment.diameter
    if not (np.isfinite(asked) and asked > 0):
        raise InputError(f"a tolerance must be positive [m], not {asked}")
    return float(asked)


class Full(NamedTuple):
    """Full dynamics from ``lead`` frames before the first on."""

    table: Array
    """Its rows, (R, …)."""
    begin: Array
    """Balance at its frames, (N, 2, m)."""
    rows: Array
    """First and second order of the states at its rows, (R + 1, 2, 2m)."""
    lead: int

    @property
    def states(self) -> Array:
        """At frames, (N, 2m)."""
        return np.asarray(self.rows[:: len(self.table) // (len(self.begin) - 1)].sum(axis=1))


def full(motion: Sway, longest: float) -> Full:
    """Full dynamics of all of a clip, ``longest`` [s] before it and more.

    Before its first frame a clip holds its pose and a loop has always been going on.
    """
    clip, model = motion.clip, motion.attachment.model
    settled = min(14.0 / max(model.decay, 1e-9), 60.0)  # e⁻¹⁴: to a millionth
    lead = math.ceil((longest + (settled if clip.loop else 0.0)) * clip.fps)
    table, begin = motion.transitions(-lead, clip.frames - 1)
    rows = np.empty((len(table) + 1, 2, table.shape[1]))
    start = np.concatenate([begin[0], np.zeros_like(begin[0])], axis=1)
    run_along(table, model.pulls, motion.h * motion.per_row, start, rows)
    return Full(table, begin, rows, lead)


@algebra_on_one_thread()
def errors(motion: Sway, longest: float = LONGEST) -> Array:
    """Errors [m] of windows of 1, 2, … frames (A) that end at each frame, (F, A)."""
    table, begin, rows, lead = full(motion, longest)
    oldest = max(1, math.ceil(longest * motion.clip.fps))
    skip, every = lead - oldest, motion.rows
    off = rows[::every].copy()
    off[:, :, : begin.shape[2]] -= begin
    out = np.zeros((len(begin) - skip, oldest))
    first = np.ascontiguousarray(rows[skip * every :, 0])
    for_ranges(
        forget, len(out) - 1, table[skip * every :], motion.attachment.model.pulls, motion.h * motion.per_row,
        first, off[skip:], motion.attachment.spread, every, oldest, out, grain=64,
    )  # fmt: skip
    return out[oldest:]


@algebra_on_one_thread()
def error_map(motion: Sway, windows: Array) -> Array:
    """Errors [m] of windows [s] (W,) at every frame, (W, F)."""
    lengths = motion.lengths(windows, len(windows))
    return errors(motion, float(lengths.max() / motion.clip.fps))[:, lengths - 1].T


@algebra_on_one_thread()
def choose(motion: Sway, *, tolerance: float | None = None, longest: float = LONGEST) -> Choice:
    """A window for each frame, as short as the tolerance allows."""
    wanted = tolerance_of(motion, tolerance)
    found = errors(motion, longest)
    bad = found > IN_HAND * wanted
    # The last window that fails, and one frame more.
    needed = np.where(bad.any(axis=1), bad.shape[1] - np.argmax(bad[:, ::-1], axis=1), 0)
    length = np.minimum(needed + 1, found.shape[1])
    left = found[np.arange(len(found)), length - 1]
    windows = length * motion.clip.dt
    return Choice(windows, float(windows.max()), float(left.max()), wanted)


def impulse_window(motion: Sway, *, tolerance: float | None = None) -> float:
    """The paper's prediction [s] from the largest linear and angular acceleration of the bone in the clip."""
    model, clip = motion.attachment.model, motion.clip
    drive, rotations = motion.drive(motion.grid_times(0, clip.frames))
    pull = drive.channels[:, :3] + np.einsum("kji,j->ki", rotations[:-1], motion.attachment.gravity)
    v = motion.h * float(np.linalg.norm(pull, axis=1).max())
    w = motion.h * float(np.linalg.norm(drive.channels[:, 3:6], axis=1).max())
    speed = v * float(np.linalg.norm(model.gains[:3, 0])) + w * float(np.linalg.norm(model.gains[3:6, 0]))
    reach = math.sqrt(motion.attachment.spread[0, 0])
    return oscillator_window(
        1.0, float(model.drag[0]), float(model.eigenvalues[0]), speed * reach, tolerance_of(motion, tolerance)
    )
