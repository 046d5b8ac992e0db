"""What a synthesis hands back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.constraints.report import Report
from poise.methods.plan.motion_piece import MotionPiece
from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class Result:
    """The motion, its pieces, and how well it does what was asked."""

    clip: Clip
    report: Report
    pieces: tuple[MotionPiece, ...]

    @property
    def character(self) -> Character:
        """Whose motion it is."""
        return self.clip.character

    @property
    def begins(self) -> Array:
        """When each piece begins, and when the last one ends [s] (pieces + 1,)."""
        return np.concatenate([[0.0], np.cumsum([p.duration for p in self.pieces])])

    def at(self, times: Array) -> Array:
        """True poses (T, nq) at any times [s], not only at the clip's frames."""
        return poses(self.pieces, np.asarray(times, dtype=np.float64))

    def resampled(self, rate: float) -> Clip:
        """The same motion at another frame rate."""
        return clip_of(self.pieces, self.clip.name, rate)


def poses(pieces: tuple[MotionPiece, ...], times: Array) -> Array:
    """Poses of a row of pieces (T, nq); at a hand-over, those of the later piece."""
    begins = np.concatenate([[0.0], np.cumsum([p.duration for p in pieces])])
    index = np.clip(np.searchsorted(begins, times, side="right") - 1, 0, len(pieces) - 1)
    out = np.empty((len(times), pieces[0].character.nq))
    for k in np.unique(index).tolist():
        chosen = index == k
        out[chosen] = pieces[k].pose(np.clip(times[chosen] - begins[k], 0.0, pieces[k].duration))
    return out


def clip_of(pieces: tuple[MotionPiece, ...], name: str, rate: float) -> Clip:
    """A row of pieces sampled at a rate; the last frame is the first at or after the end."""
    end = sum(p.duration for p in pieces)
    frames = int(np.ceil(end * rate - 1e-9)) + 1
    return Clip(pieces[0].character, poses(pieces, np.arange(frames) / rate), rate, name=name)
