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
        self.bodies = [None if p.of == CENTRE else self.character.point(p.of) for p in pins.pins]
        self.place = np.array([self._place(given, i) for i in range(self.count)])
        self.turn = np.array([self._turn(given, i) for i in range(self.count)])
        told = [[*p.axes, *(3 * [p.turn])] for p in pins.pins]
        self.mask = np.array(told, dtype=np.float64) * ([1.0] * 3 + [TURN] * 3)

    def _place(self, kin: Kinematics, i: int) -> Array:
        point = self.bodies[i]
        if point is None:
            return np.asarray(kin.com[i])
        return np.asarray(kin.positions[i, point.body] + kin.rotations[i, point.body] @ point.position)

    def _turn(self, kin: Kinematics, i: int) -> Array:
        point = self.bodies[i]
        return np.eye(3) if point is None else np.asarray(kin.rotations[i, point.body])

    def _posed(self, c: Array) -> tuple[Array, Kinematics]:
        """Displacements at the pins (P, nv), and the poses there."""
        d = np.zeros((self.count, self.character.nv))
        d[:, self.stride.dofs] = np.einsum("pa,pai->pi", self.weights, c[self.columns])
        return d, Kinematics(self.character, self.character.manifold.plus(self.base, d))

    def _missed(self, kin: Kinematics) -> Array:
        """(P, 6)"""
        off = np.array([self._place(kin, i) for i in range(self.count)]) - self.place
        turns = np.array([self._turn(kin, i) @ self.turn[i].T for i in range(self.count)])
        return np.concatenate([off, so3.log(so3.from_matrix(turns))], axis=1) * self.mask

    def merit(self, c: Array) -> float:
        """½ Σ |missed|²."""
        return 0.5 * float((self._missed(self._posed(c)[1]) ** 2).sum()) if self.count else 0.0

    def add(self, c: Array, weight: float, band: Array, gradient: Array) -> None:
        """Rows at coefficients c, with their weight, into a matrix and its gradient."""
        if not self.count:
            return
        d, kin = self._posed(c)
        missed = self._missed(kin)
        turn = so3.right_jacobian(d[:, self.character.manifold.rotation_slots[1]])
        com = np.asarray(kin.com_jacobian)
        jacobian = np.zeros((self.count, 6, self.character.nv))
        for i, point in enumerate(self.bodies):
            if point is None:
                jacobian[i, :3] = com[i]
                continue
            one = Kinematics(self.character, kin.q[i : i + 1])
            jacobian[i, :3] = one.point_jacobians([point])[0][0]
            jacobian[i, 3:] = one.angular_jacobian(point.body)[0]
        rows = self.stride.turned(jacobian, turn) * self.mask[:, :, None]
        for i in range(self.count):
            wide = np.concatenate([w * rows[i] for w in self.weights[i]], axis=1)
            place = self.keys.place[self.columns[i]]
            block = np.asfortranarray(weight * (wide.T @ wide))  # as the rows of stretches come: one kernel
            scatter(place, self.keys.size, block, weight * (missed[i] @ wide), band, gradient)
