"""A character as one matrix that is linear in everything one asks of it.

With bone frames turned so that all of them are the world's at the reference pose q0, a pose is

    𝐖 = [τ | W₁ … W_n] ∈ R^{3×(1+3n)},     τ the root's place, W_i the turn of bone i since q0 (1 at q0).

Every point of every bone, and the centre of mass, is 𝐖 a with a constant column a; the turn of a bone is
three columns. The kinetic energy is ½ tr(𝐖̇ 𝐌 𝐖̇ᵀ) with constant 𝐌; with 𝐌_c = 𝐌 − m a_c a_cᵀ the
second moment of mass about the centre is 𝐖 𝐌_c 𝐖ᵀ, and angular momentum is the skew part of 𝐖 𝐌_c 𝐖̇ᵀ.
To first order in a displacement u of the joints, W_i = 1 + hat(Θ_i u).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character, JointKind
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.kinematics.jacobians import angular_jacobians
from poise.manifold import so3

CENTRE = "com"
"""Name of the centre of mass wherever a point may be named."""


class AffineFigure:
    """A character about a reference pose q0 (nq,)."""

    def __init__(self, character: Character, q0: Array) -> None:
        _require_rotations(character)
        self.character, self.q0 = character, q0
        self.bones = len(character.bodies)
        kin = Kinematics(character, q0)
        self.kin = kin
        self.origins, self.rotations = kin.positions[0], kin.rotations[0]  # (n, 3), (n, 3, 3)
        self.turning: Array = angular_jacobians(character, kin.placement, np.arange(self.bones))[0]
        """Θ: turn of each bone per displacement of the joints (n, 3, nv)."""
        size = 1 + 3 * self.bones
        self._origin_columns = np.zeros((self.bones, size))
        for i, up in enumerate(character.parents.tolist()):
            if up < 0:
                self._origin_columns[i, 0] = 1.0
            else:
                self._origin_columns[i] = self._origin_columns[up]
                self._origin_columns[i, 1 + 3 * up : 4 + 3 * up] += self.origins[i] - self.origins[up]
        self.reference = np.concatenate([self.origins[0][:, None], np.tile(np.eye(3), self.bones)], axis=1)
        """𝐖 at q0, (3, 1 + 3n)."""

    def body(self, name: str) -> int:
        """The bone that a body's or a point's name belongs to."""
        return self.character.point(name).body

    def column(self, name: str) -> Array:
        """a of a named point, body origin, or ``"com"``, (1 + 3n,)."""
        if name == CENTRE:
            return self.centre
        point = self.character.point(name)
        return self.column_of(point.body, np.asarray(point.position))

    def column_of(self, body: int, place: Array) -> Array:
        """a of a place in a body's frame (3,), (1 + 3n,)."""
        return self._column(body, self.rotations[body] @ place)

    def _column(self, body: int, arm: Array) -> Array:
        out = self._origin_columns[body].copy()
        out[1 + 3 * body : 4 + 3 * body] += arm
        return out

    def turn_columns(self, body: int) -> Array:
        """The three columns whose images are the axes of W_body, (1 + 3n, 3)."""
        out = np.zeros((1 + 3 * self.bones, 3))
        out[1 + 3 * body : 4 + 3 * body] = np.eye(3)
        return out

    @cached_property
    def _mass_columns(self) -> tuple[Array, Array]:
        """Columns of the bones' own centres of mass (n, 1 + 3n), and their masses (n,)."""
        bodies = self.character.bodies
        columns = [self.column_of(i, np.asarray(b.mass.centre)) for i, b in enumerate(bodies)]
        return np.array(columns), np.array([b.mass.mass for b in bodies])

    @cached_property
    def centre(self) -> Array:
        """a_c of the centre of mass, (1 + 3n,)."""
        columns, masses = self._mass_columns
        if not masses.sum() > 0:
            raise InputError(f"{self.character.name!r} has no mass; see character.with_guessed_masses")
        return masses @ columns / masses.sum()

    @cached_property
    def mass(self) -> Array:
        """𝐌 [kg, kg·m, kg·m²], (1 + 3n, 1 + 3n)."""
        columns, masses = self._mass_columns
        out = columns.T @ (masses[:, None] * columns)
        for i, body in enumerate(self.character.bodies):
            turn = self.rotations[i]
            inertia = turn @ np.asarray(body.mass.inertia) @ turn.T
            block = slice(1 + 3 * i, 4 + 3 * i)
            out[block, block] += 0.5 * np.trace(inertia) * np.eye(3) - inertia
        return out

    @cached_property
    def centred_mass(self) -> Array:
        """𝐌_c, about the centre of mass, (1 + 3n, 1 + 3n); its first row and column vanish."""
        return self.mass - self.character.total_mass * np.outer(self.centre, self.centre)

    @cached_property
    def give(self) -> Array:
        """Inverse of the metric Σ_i |turn of bone i|² on displacements of the joints, (nv, nv).

        The root may go anywhere for next to nothing: what counts is how bones turn, not what carries them.
        """
        turning = self.turning.reshape(-1, self.character.nv)
        metric = turning.T @ turning
        free = np.diag(metric) < 1e-12
        metric[free, free] = 1e-6
        return np.asarray(np.linalg.inv(metric))

    @cached_property
    def rests(self) -> Array:
        """Parent-from-joint rotations at rest, (n, 3, 3)."""
        return so3.to_matrix(np.array([body.rest for body in self.character.bodies], dtype=np.float64))

    def displacement(self, turns: Array, shift: Array) -> Array:
        """u of bone turns (n, 3) and a root shift (3,): what each joint does between its two bones, (nv,)."""
        relative = turns - np.where(self.character.parents[:, None] >= 0, turns[self.character.parents], 0.0)
        axes = self.kin.placement.axes[0]  # (nv, 3)
        out = np.asarray((axes * relative[self._body_of_dof]).sum(axis=1))
        slides = 3 if self.character.bodies[0].joint.kind is JointKind.FREE else 2
        out[:slides] = axes[:slides] @ shift
        return out

    @cached_property
    def _body_of_dof(self) -> IntArray:
        """(nv,)"""
        return np.repeat(np.arange(self.bones), [body.joint.nv for body in self.character.bodies])


def _require_rotations(character: Character) -> None:
    """Bones must keep their lengths: a root that may go anywhere, and joints that only turn."""
    if character.bodies[0].joint.kind not in (JointKind.FREE, JointKind.PLANAR):
        raise InputError(f"{character.name!r} is fixed to the world: its root needs a free or planar joint")
    for body in character.bodies[1:]:
        if body.joint.kind not in (JointKind.FIXED, JointKind.HINGE, JointKind.BALL):
            kind = body.joint.kind.name.lower()
            raise InputError(f"{body.name!r} of {character.name!r} has a {kind} joint: only turns are warped")
