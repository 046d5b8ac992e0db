"""A spin in its document: what turns, and how the body comes into the spin and out of it.

From start to end the solved motion is turned by R(t) about its centre of mass; after it R stays as it ended,
which is no turn at all where the body lands as posed. So that its turning does not jump by Ω, R's rate, it
winds up before the start and follows through after the end, over L seconds:

    exp(σ(t)),    σ = Ω L (s³ − s²)  before,     σ = Ω L s (1 − s)²  after,     s ∈ [0, 1]

which is zero with zero rate at the far end, and zero with rate Ω at the spin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.manifold import so3
from poise.methods.key.sheet.key import TICK
from poise.methods.key.spin.spin import Rotation, Spin, rotated

_STEP = 1e-5  # [s] of the difference that gives Ω
NOTABLE = 0.05
"""A jump of the body's turning below this [rad/s] is not worth a word."""


@dataclass(frozen=True, eq=False)
class Flight:
    """A spin whose rotation is known."""

    spin: Spin
    rotation: Rotation
    lead: float
    """Length of the wind-up [s]."""
    follow: float
    """Length of the follow-through [s]."""

    @property
    def character(self) -> Character:
        """Who flies."""
        return self.rotation.character

    def turned(self, times: Array, q: Array) -> Array:
        """(T, nq): the solved motion at times within the spin, turned."""
        # One time after the other: sums over a batch may round otherwise than those over one time.
        turns = np.concatenate([self.rotation.at([t]) for t in times])
        return rotated(self.character, q, turns)

    def before(self, times: Array, q: Array) -> Array:
        """(T, nq): poses before the spin, winding up."""
        s = 1.0 + (times - self.spin.start) / max(self.lead, TICK)
        shape = np.where((s > 0.0) & (s < 1.0), s * s * (s - 1.0), 0.0) * self.lead
        return self._leaning(q, self._turn(shape, self._rate(self.spin.start, 1.0)), shape != 0.0)

    def after(self, times: Array, q: Array, *, eased: bool = True) -> Array:
        """(T, nq): poses after the spin, turned as it ended, following through."""
        s = (times - self.spin.end) / max(self.follow, TICK)
        shape = np.where(eased & (s > 0.0) & (s < 1.0), s * (1.0 - s) ** 2, 0.0) * self.follow
        through = self._turn(shape, self._rate(self.spin.end, -1.0))
        last = self._last()
        if last is None:
            return self._leaning(q, through, shape != 0.0)
        if self._planar:
            return rotated(self.character, q, last + through)
        return rotated(self.character, q, so3.multiply(last, through))

    @property
    def warnings(self) -> list[str]:
        """What the animator should know."""
        spin, found = self.spin, []
        where = f"spin from {spin.start:g} to {spin.end:g} s"
        if not self.rotation.met:
            found.append(f"{where}: misses its end orientation by {np.degrees(self.rotation.missed):.2g}°")
        for edge, room, side in ((spin.start, self.lead, 1.0), (spin.end, self.follow, -1.0)):
            jump = float(np.linalg.norm(self._rate(edge, side)))
            if room < TICK and jump > NOTABLE:
                found.append(f"{where}: the body's turning jumps by {jump:.3g} rad/s at {edge:g} s")
        if self.leftover > 0.0:
            found.append(
                f"{where}: ends turned by {np.degrees(self.leftover):.3g}° from as posed, and goes on so; "
                "a pin that pulls at its end makes it jump"
            )
        return found

    @property
    def leftover(self) -> float:
        """How far from as posed the spin leaves the body [rad]."""
        if self.spin.momentum is None and self.spin.orientation_end is None:
            return 0.0
        angle = self.rotation.at([self.spin.end])[0]
        return abs(float(angle)) if self._planar else float(np.linalg.norm(so3.log(angle)))

    def angle(self, times: Array) -> Array:
        """(T,): how far from as posed the body is at times within the spin, whole turns apart [rad]."""
        turns = self.rotation.at(times)
        if self._planar:
            return np.abs(turns - 2.0 * np.pi * np.round(turns / (2.0 * np.pi)))
        return np.linalg.norm(so3.log(turns), axis=1)

    @property
    def _planar(self) -> bool:
        return self.character.bodies[0].joint.kind is JointKind.PLANAR

    def _last(self) -> Array | None:
        """R as it stays after the end; None: as posed."""
        if self.spin.momentum is None and self.spin.orientation_end is None:
            # A planar angle counts its turns, so that the curve through the frames does not turn back.
            whole = 2.0 * np.pi * self.spin.turns * np.sign(self.spin.axis[1])
            return np.asarray(whole) if self._planar and whole else None
        return self.rotation.at([self.spin.end])[0]

    def _rate(self, at: float, side: float) -> Array:
        """Ω just inside the spin: (3,), or () in the plane."""
        near = self.rotation.at([at, at + side * _STEP, at + 2.0 * side * _STEP])
        if self._planar:
            first, second = near[1] - near[0], near[2] - near[0]
        else:
            first, second = so3.difference(near[1:], near[0])
        return np.asarray((4.0 * first - second) / (2.0 * side * _STEP))

    def _turn(self, shape: Array, rate: Array) -> Array:
        return shape * rate if self._planar else so3.exp(shape[:, None] * rate)

    def _leaning(self, q: Array, turn: Array, where: Array) -> Array:
        """Poses turned where they are to be; the others keep their bits."""
        out = np.array(q)
        if where.any():
            out[where] = rotated(self.character, q[where], turn[where])
        return out
