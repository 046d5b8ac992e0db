"""What comes of a plan."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character import Character
from poise.constraints.report import Report
from poise.methods.plan.motion_piece import MotionPiece
from poise.motion import Clip
from poise.motion.frame_times import exact_rate
from poise.operations.result import Result

SHOWN = 9
"""Figures in a picture."""


class PlanResult(Result):
    """The motion, its pieces, and how well it does what was asked."""

    def __init__(self, clip: Clip, report: Report, pieces: tuple[MotionPiece, ...]) -> None:
        super().__init__(clip, report)
        self.pieces = pieces

    def drawn(self) -> dict[str, Any]:
        """Figures from the first frame to the last."""
        return super().drawn() | {"count": SHOWN}

    @property
    def character(self) -> Character:
        """Whose motion it is."""
        return self.clip.character

    @property
    def begins(self) -> Array:
        """When each piece begins, and when the last one ends [s] (pieces + 1,)."""
        return np.concatenate([[0.0], np.cumsum([p.duration for p in self.pieces])])

    def at(self, time: ArrayLike) -> Array:
        """The true pose at any time [s], not only at the clip's frames, (nq,); of several, (T, nq)."""
        found = poses(self.pieces, np.atleast_1d(np.asarray(time, dtype=np.float64)))
        return found if np.ndim(time) else found[0]


def poses(pieces: tuple[MotionPiece, ...], times: Array) -> Array:
    """Poses of a row of pieces (T, nq); at a hand-over, those of the later piece."""
    begins = np.concatenate([[0.0], np.cumsum([p.duration for p in pieces])])
    index = np.clip(np.searchsorted(begins, times, side="right") - 1, 0, len(pieces) - 1)
    out = np.empty((len(times), pieces[0].character.nq))
    for k in np.unique(index).tolist():
        chosen = index == k
        out[chosen] = pieces[k].pose(np.clip(times[chosen] - begins[k], 0.0, pieces[k].duration))
    return out


def clip_of(pieces: tuple[MotionPiece, ...], name: str, fps: Fraction | float | str) -> Clip:
    """A row of pieces sampled at a rate; the last frame is the first at or after the end."""
    end = sum(p.duration for p in pieces)
    exact = exact_rate(fps)
    rate = float(exact)
    frames = int(np.ceil(end * rate - 1e-9)) + 1
    return Clip(pieces[0].character, poses(pieces, np.arange(frames) / rate), exact, name=name)
