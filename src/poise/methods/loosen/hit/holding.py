"""Holds brought to where they must be: simulate, shift each aim by minus its point's error, and again.

The answer to a shift is the shift itself but for what springs, weight and the body's own turning add, so a
pass leaves a tenth of the error or less. A limb that is straight and still too short answers with nothing:
its aim is kept just beyond its length, which is the nearest it gets, and no force grows without bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.curves import TangentCurve
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hold import Hold, anchors_of, chain_length, within
from poise.methods.loosen.simulate.gains import path_to
from poise.methods.loosen.simulate.simulator import RunawayError, Simulator

PASSES = 16
"""Most simulations of a hold; two or three are usual."""
GOAL = 0.25
"""Part of the tolerance at which a hold is good enough."""
BEYOND = 0.02
"""How far beyond its limb's length an aim may lie [m]: at 100 Hz that straightens
limbs and pulls a trunk along."""
STALLED, PATIENCE = 0.8, 5
"""A hold that was not brought down to this part of its error in so many passes will not be."""
ASTRAY = 6.0
"""A pass that leaves so many times the least error went too far. (A limb that snaps straight while the hold
comes on leaves a wave that takes a few passes to run out: less is no reason to turn back.)"""
SLOWLY, MOST = 0.6, 3.0
"""Where each of two passes left more than this part of the error before, shifts answer too little: so much
more is shifted as the last one answered less, up to so many times the error."""
STRAIGHT = 1e-3
"""What is out of reach and as near as this [m] to the nearest that a straight limb gets, is done."""


@dataclass(frozen=True, eq=False)
class Settled:
    """Holds as they ended, and how."""

    holds: tuple[Hold, ...]
    off: tuple[float, ...]
    """Farthest of each from where it must be [m]; infinite where the motion ran away."""
    history: tuple[float, ...]
    """Sums of the least so far after each pass [m]."""

    @property
    def fine(self) -> bool:
        """Whether all are where they must be."""
        return all(off <= _enough(hold) for hold, off in zip(self.holds, self.off))


@dataclass(frozen=True, eq=False)
class _Look:
    """What a simulation shows of a hold."""

    error: Array
    """Of its point at each time, (T, 3) [m]."""
    base: Array
    """Where its limb begins, (T, 3)."""

    @property
    def off(self) -> float:
        return float(np.linalg.norm(self.error, axis=1).max())


class Holding:
    """What simulates the holds of one clip; ``windows`` of all frames (F,) [s]."""

    def __init__(self, simulator: Simulator, holds: Sequence[Hold], windows: Array) -> None:
        self.simulator = simulator
        character = simulator.clip.character
        self.character = character
        free = np.zeros(character.nv, dtype=bool)
        for hold in holds:
            for body in path_to(character, hold.body):
                free[character.dofs(body)] = True
        self._limbs = simulator.limbs(free)
        self._times = np.unique(np.concatenate([hold.times for hold in holds]))
        self._rows = [np.searchsorted(self._times, hold.times) for hold in holds]
        frames = np.rint(self._times * simulator.clip.fps).astype(np.int64)
        self._windows = windows[
            frames % len(windows) if simulator.clip.loop else np.clip(frames, 0, len(windows) - 1)
        ]
        self._long = [chain_length(character, hold.point, hold.top) for hold in holds]

    def settled(
        self, holds: Sequence[Hold], correction: TangentCurve | None = None, passes: int = PASSES
    ) -> Settled:
        """The holds with the best aims that a few passes find."""
        now = list(holds)
        best: list[tuple[float, Hold, _Look | None]] = [(np.inf, hold, None) for hold in now]
        history: list[float] = []
        seen: list[list[_Look]] = [[] for _ in now]
        for _ in range(passes):
            try:
                looks = self._looks(now, correction)
            except RunawayError:
                break
            waiting = False
            for k, look in enumerate(looks):
                off, hold, kept = best[k]
                if look.off < off:
                    best[k] = look.off, now[k], look
                if kept is not None and look.off > ASTRAY * off:
                    now[k] = self._aimed(k, hold, kept, 0.5)
                else:
                    seen[k].append(look)
                    now[k] = self._aimed(k, now[k], look, _share(seen[k]))
                waiting |= not self._there(k, best[k])
            history.append(sum(off for off, _, _ in best))
            if not waiting or (len(history) > PATIENCE and history[-1] > STALLED * history[-1 - PATIENCE]):
                break
        return Settled(tuple(hold for _, hold, _ in best), tuple(off for off, _, _ in best), tuple(history))

    def _looks(self, holds: Sequence[Hold], correction: TangentCurve | None) -> list[_Look]:
        simulator = self.simulator.like(holds=anchors_of(holds), correction=correction)
        q = simulator.states(self._times, self._windows, limbs=self._limbs)[0]
        self.simulator.simulations += simulator.simulations
        kin = Kinematics(self.character, q)
        return [
            _Look(kin.point(hold.point)[rows] - hold.goal, kin.positions[rows, hold.top])
            for hold, rows in zip(holds, self._rows)
        ]

    def _aimed(self, k: int, hold: Hold, look: _Look, share: Array | float) -> Hold:
        """With a share of the error taken off its aim (of each axis (T, 1)), but for what no limb can do."""
        place = hold.aim - share * look.error
        return hold.aimed(within(place, look.base, self._long[k] + BEYOND))

    def _there(self, k: int, found: tuple[float, Hold, _Look | None]) -> bool:
        """Whether nothing is left to be done for a hold: it is there, or all that is left is out of reach."""
        off, hold, look = found
        if look is None or off <= _enough(hold):
            return look is not None
        short = np.linalg.norm(hold.goal - look.base, axis=1) - self._long[k]
        left = np.linalg.norm(look.error, axis=1)
        least = np.where(short > 0.0, 1.1 * short + STRAIGHT, 0.0)
        return bool((left <= least + _enough(hold)).all())


def _share(seen: Sequence[_Look]) -> Array | float:
    """What is shifted over the error: more at times (T, 1) at which the last shift took little of it away,
    where a hold comes nearer slowly but steadily."""
    if len(seen) < 3:
        return 1.0
    last, before, now = (look.off for look in seen[-3:])
    if not (SLOWLY * last < before < last and SLOWLY * before < now < before):
        return 1.0
    old, new = seen[-2].error, seen[-1].error
    gone = (old * (old - new)).sum(axis=1, keepdims=True) / np.maximum(
        (old * old).sum(axis=1, keepdims=True), 1e-18
    )
    return np.asarray(1.0 / np.clip(gone, 1.0 / MOST, 1.0))


def _enough(hold: Hold) -> float:
    return GOAL * hold.constraint.tolerance_for(hold.clip.character)
