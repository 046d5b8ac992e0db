"""What comes of a plan."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.constraints.report import Report
from poise.methods.plan.motion_piece import MotionPiece
from poise.methods.plan.solve.projection import hold_exactly, places_along
from poise.methods.plan.solve.stance import StanceMotion
from poise.motion import Clip
from poise.motion.frame_times import exact_rate
from poise.operations.result import Result
from poise.operations.values.pin_in_time import Pin
from poise.world import World

RATE = 0.0005
"""Time before a key at which it is held as well, once and twice, where it tells speeds [s]: those with which
it arrives, since speeds of joints jump where feet land."""
EVERY = 0.05
"""Time between two instants at which what is held is told to stay [s]; in between it hardly moves."""
FIRM = 1e4
"""How firmly [m²/m²]: what is left is put right pose by pose."""
SHOWN = 9
"""Figures in a picture."""


class PlanResult(Result):
    """The motion, its pieces, and how well it does what was asked.

    Examples:
        >>> jump = poise.plan("lamp jump")
        >>> print(jump.begins, jump.met)
    """

    def __init__(
        self,
        clip: Clip,
        report: Report,
        pieces: tuple[MotionPiece, ...],
        unsupported: tuple[str, ...] = (),
        world: World | None = None,
    ) -> None:
        super().__init__(clip, report)
        self.pieces = pieces
        self.unsupported = unsupported
        """Warnings about forces that the ground cannot give to the motion as it was planned."""
        self.world = World.flat(0.0) if world is None else world
        """What it was planned in."""

    held_still: bool = True
    """Whether what is held is where it was planned on the ground too; else it was put elsewhere."""

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
        times = np.atleast_1d(np.asarray(time, dtype=np.float64))
        found = poses(self.pieces, times)
        if self.ground is not None and self.ground.change:
            moved = found
            for change in self.ground.change:
                moved = self.character.manifold.plus(moved, change.evaluate(times))
            found = self.standing(moved, found, times) if self.held_still else moved
        return found if np.ndim(time) else found[0]

    def standing(self, q: Array, planned: Array, times: Array) -> Array:
        """Poses (T, nq) in which all that is held is where it was ``planned`` (T, nq), to the last digit."""
        out, index = np.array(q), self._pieces_at(times)
        for k in np.unique(index).tolist():
            piece, chosen = self.pieces[k], np.flatnonzero(index == k)
            holds = piece.footing.holds if isinstance(piece, StanceMotion) else ()
            if holds:
                chosen = chosen[(q[chosen] != planned[chosen]).any(axis=1)]
            if holds and len(chosen):
                places = places_along(self.character, planned[chosen], holds)
                out[chosen] = hold_exactly(piece.footing.figure, q[chosen], places)[0]
        return out

    def finished(self, clip: Clip) -> Clip:
        """A clip that was put on the ground, with all that is held in its place."""
        times = np.minimum(clip.times, float(self.begins[-1]))
        return clip.with_q(self.standing(clip.q, self.clip.q, times))

    def astray(self, clip: Clip) -> float:
        """How far what is held is from where it was planned, at worst, in a clip of the same frames [m]."""
        index, worst = self._pieces_at(np.minimum(clip.times, float(self.begins[-1]))), 0.0
        for k, piece in enumerate(self.pieces):
            holds = piece.footing.holds if isinstance(piece, StanceMotion) else ()
            chosen = np.flatnonzero(index == k)
            if holds and len(chosen):
                was, now = (places_along(self.character, c.q[chosen], holds) for c in (self.clip, clip))
                worst = max(worst, float(np.linalg.norm(now.positions - was.positions, axis=2).max()))
        return worst

    def _pieces_at(self, times: Array) -> IntArray:
        return np.clip(np.searchsorted(self.begins, times, side="right") - 1, 0, len(self.pieces) - 1)

    @property
    def kept(self) -> tuple[Pin, ...]:
        """Keys: places and directions at their time; where speeds are told, shortly before too. What stances
        hold, now and again while they last."""
        found: list[Pin] = []
        for begin, piece in zip(self.begins, self.pieces):
            if isinstance(piece, StanceMotion):
                found += self._holds(float(begin), piece)
            for after, key in piece.keys:
                time = float(begin) + after
                rates = key.velocity is not None or key.angular_velocity is not None
                turn = key.orientation is not None or key.angular_velocity is not None
                told = [p for p in (key.position, key.velocity) if p is not None]
                axes = tuple(any(p[i] is not None for p in told) for i in range(3))
                if not (any(axes) or turn):
                    continue
                for shift in (-2 * RATE, -RATE, 0.0) if rates else (0.0,):
                    at = min(max(time + shift, 0.0), float(self.begins[-1]))
                    found.append(Pin(at, key.of, self.at(at), (axes[0], axes[1], axes[2]), turn))
        return tuple(found)

    def _holds(self, begin: float, piece: StanceMotion) -> list[Pin]:
        times = begin + np.linspace(0.0, piece.duration, max(2, round(piece.duration / EVERY) + 1))
        planned = poses(self.pieces, times)
        return [
            Pin(float(time), hold.what, q, firm=FIRM, turn=hold.turns(self.character))
            for time, q in zip(times, planned)
            for hold in piece.footing.holds
        ]

    def measured_on(self, clip: Clip) -> Report:
        """Keys by the true pose at their times, on the ground where it stands there, not by frames."""
        now = {
            (o.name, o.when): o
            for begin, piece in zip(self.begins, self.pieces)
            for o in piece.outcomes_of(float(begin), self.at)
        }
        said: Report = self.report
        return replace(said, outcomes=tuple(now.get((o.name, o.when), o) for o in said.outcomes))

    @property
    def stands_in(self) -> World:
        """What the scene says is there."""
        return self.world


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
