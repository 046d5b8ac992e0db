"""Pins: places and directions that a motion keeps at instants, because somebody asked for them there.

A pin is a row on the pose at its own time, between frames or not,

    ½ w |x(q_t ⊕ d(t)) − x̂|²,      d(t) = Σ_a N_a(t) c_a,

whose weight grows from stage to stage until nothing is left of it. So keys of a plan stay met while all else
may change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.curves import TangentCurve
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.ground.keys import GridKeys, scatter
from poise.methods.ground.wrench import Stride
from poise.operations.values.pin_in_time import CENTRE, Pin

TURN = 1.0
"""A radian weighs as much as so many metres."""


@dataclass(frozen=True, eq=False)
class Pins:
    """P pins of a character's motion."""

    character: Character
    pins: tuple[Pin, ...] = ()
    base: Array | None = None
    """Poses at their times, as they are now (P, nq)."""

    @classmethod
    def of(cls, character: Character, pins: Sequence[Pin]) -> Pins:
        """Of a motion as it was given."""
        poses = np.array([p.q for p in pins]) if pins else None
        return cls(character, tuple(pins), poses)

    def later(self, by: float) -> Pins:
        """The same on a clock that began so much earlier."""
        return replace(self, pins=tuple(replace(p, time=p.time + by) for p in self.pins))

    def moved(self, change: TangentCurve) -> Pins:
        """The same, of a motion that has been changed; where they are to stay does not change."""
        if self.base is None:
            return self
        d = np.asarray(change.evaluate([p.time for p in self.pins]))
        return replace(self, base=self.character.manifold.plus(self.base, d))


class Pinned:
    """Pins as rows of a problem."""

    def __init__(self, pins: Pins, keys: GridKeys, stride: Stride) -> None:
        self.keys, self.stride, self.count = keys, stride, len(pins.pins)
        self.character = pins.character
        if pins.base is None:
            return
        self.base = pins.base
        self.columns, self.weights = keys.stencil(np.array([p.time for p in pins.pins]))
        given = Kinematics(self.character, np.array([p.q for p in pins.pins]))
        points = [None if p.of == CENTRE else self.character.point(p.of) for p in pins.pins]
        self.centred = np.array([p is None for p in points])
        self.body = np.array([0 if p is None else p.body for p in points])
        self.reach = np.array([np.zeros(3) if p is None else p.position for p in points])
        self._each = np.arange(self.count)
        self.place, self.turn = self._placed(given)
        self.firm = np.array([p.firm for p in pins.pins])
        told = [[*p.axes, *(3 * [p.turn])] for p in pins.pins]
        self.mask = np.array(told, dtype=np.float64) * ([1.0] * 3 + [TURN] * 3)

    def _posed(self, c: Array) -> tuple[Array, Kinematics]:
        """Displacements at the pins (P, nv), and the poses there."""
        d = np.zeros((self.count, self.character.nv))
        d[:, self.stride.dofs] = np.einsum("pa,pai->pi", self.weights, c[self.columns])
        return d, Kinematics(self.character, self.character.manifold.plus(self.base, d))

    def _placed(self, kin: Kinematics) -> tuple[Array, Array]:
        """Places (P, 3) and directions (P, 3, 3) of what is pinned."""
        reach = np.einsum("pij,pj->pi", kin.rotations[self._each, self.body], self.reach)
        place = np.where(self.centred[:, None], kin.com, kin.positions[self._each, self.body] + reach)
        turn = np.where(self.centred[:, None, None], np.eye(3), kin.rotations[self._each, self.body])
        return place, turn

    def _missed(self, kin: Kinematics) -> Array:
        """(P, 6)"""
        place, turn = self._placed(kin)
        turns = turn @ np.swapaxes(self.turn, 1, 2)
        return np.concatenate([place - self.place, so3.log(so3.from_matrix(turns))], axis=1) * self.mask

    def merit(self, c: Array, weight: float) -> float:
        """½ Σ weight |missed|²."""
        if not self.count:
            return 0.0
        weights = np.minimum(weight, self.firm)
        return 0.5 * float(weights @ (self._missed(self._posed(c)[1]) ** 2).sum(axis=1))

    def add(self, c: Array, weight: float, band: Array, gradient: Array) -> None:
        """Rows at coefficients c, with their weight, into a matrix and its gradient."""
        if not self.count:
            return
        d, kin = self._posed(c)
        missed = self._missed(kin)
        turn = so3.right_jacobian(d[:, self.character.manifold.rotation_slots[1]])
        jacobian = np.zeros((self.count, 6, self.character.nv))
        if self.centred.any():
            jacobian[self.centred, :3] = np.asarray(kin.com_jacobian)[self.centred]
        for body in np.unique(self.body[~self.centred]):
            own = np.flatnonzero((self.body == body) & ~self.centred)
            of = Kinematics(self.character, np.ascontiguousarray(kin.q[own]))
            turning = np.asarray(of.angular_jacobian(int(body)))
            origin = np.asarray(of.point_jacobians([self.character.point(self.character.names[body])])[0])
            arm = np.einsum("pij,pj->pi", of.rotations[:, body], self.reach[own])
            jacobian[own, :3] = origin - so3.hat(arm) @ turning
            jacobian[own, 3:] = turning
        rows = self.stride.turned(jacobian, turn) * self.mask[:, :, None]
        weights = np.minimum(weight, self.firm)
        for i in range(self.count):
            wide = np.concatenate([w * rows[i] for w in self.weights[i]], axis=1)
            place = self.keys.place[self.columns[i]]
            block = np.asfortranarray(
                weights[i] * (wide.T @ wide)
            )  # as the rows of stretches come: one kernel
            scatter(place, self.keys.size, block, weights[i] * (missed[i] @ wide), band, gradient)
