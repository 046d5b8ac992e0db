"""All kinematic quantities of a character over frames, each computed when first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character import Character, Point
from poise.errors import InputError
from poise.kinematics.centre_of_mass import CentreOfMass, centre_of_mass
from poise.kinematics.forward import Placement, as_frames, body_velocities, placed, read_only
from poise.kinematics.inertia import MassCovariance, mass_covariance
from poise.kinematics.jacobians import angular_jacobians, point_jacobians
from poise.kinematics.momentum import momentum, momentum_jacobian, momentum_matrix
from poise.manifold.symmetric import as_matrix, inertia_of_covariance


class Kinematics:
    """What can be said about configurations q (F, nq) with velocities v (F, nv) or none.

    A single configuration (nq,) is one frame: results keep the leading axis F = 1. Quaternions must
    be unit. Results are cached and read-only; world axes throughout.

    Args:
        character: Whose configurations they are.
        q: Configurations (F, nq) or (nq,).
        v: Velocities (F, nv) or (nv,) [m/s, rad/s]; what asks for velocities fails without them.

    Raises:
        InputError: A shape does not fit, or numbers are not finite.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> moved = poise.kinematics.Kinematics(walk.character, walk.q, walk.velocity)
        >>> print(moved.com[0], moved.point("LeftHeel")[0])
    """

    def __init__(self, character: Character, q: ArrayLike, v: ArrayLike | None = None) -> None:
        self.character = character
        self.q: Array = as_frames(q, "q", character.nq)
        self._v = None if v is None else as_frames(v, "v", character.nv, frames=len(self.q))
        self._points: dict[tuple[int, bytes], tuple[Array, Array]] = {}
        self._angular: dict[int, Array] = {}

    def __repr__(self) -> str:
        speed = "without" if self._v is None else "with"
        return f"Kinematics({self.character.name!r}, {self.frames} frames, {speed} velocities)"

    @property
    def frames(self) -> int:
        """Number of frames."""
        return len(self.q)

    @property
    def v(self) -> Array:
        """Velocities (F, nv); an error where none were given."""
        if self._v is None:
            raise InputError(f"velocities of {self.character.name!r} are needed: Kinematics(character, q, v)")
        return self._v

    @cached_property
    def placement(self) -> Placement:
        """Bodies and degrees of freedom in the world."""
        return placed(self.character, self.q)

    @property
    def positions(self) -> Array:
        """Body origins [m] (F, n, 3)."""
        return self.placement.positions

    @property
    def rotations(self) -> Array:
        """World-from-body rotations (F, n, 3, 3)."""
        return self.placement.rotations

    @cached_property
    def velocities(self) -> Array:
        """Body velocities: linear at the origin, then angular [m/s, rad/s] (F, n, 6)."""
        return body_velocities(self.character, self.placement, self.v)

    # Points and orientations -----------------------------------------------------------------

    def resolve(self, point: str | Point) -> Point:
        """A named point of the character, or the point itself."""
        return self.character.point(point) if isinstance(point, str) else point

    def point(self, point: str | Point) -> Array:
        """World position of a point [m] (F, 3)."""
        body, place = self.resolve(point)
        if self._points and (found := self._points.get(_key(body, place))) is not None:
            return found[0]
        turned = np.einsum("fij,j->fi", self.rotations[:, body], place)
        return read_only(self.positions[:, body] + turned)

    def point_jacobian(self, point: str | Point) -> Array:
        """Jacobian of a point (F, 3, nv)."""
        return self._require_points([self.resolve(point)])[0][1]

    def point_jacobians(self, points: Sequence[str | Point]) -> list[Array]:
        """Jacobians of several points, each (F, 3, nv), those still unknown in one pass."""
        return [jacobian for _, jacobian in self._require_points([self.resolve(p) for p in points])]

    def _require_points(self, points: list[Point]) -> list[tuple[Array, Array]]:
        keys = [_key(p.body, p.position) for p in points]
        new = {key: p for key, p in zip(keys, points) if key not in self._points}
        if new:
            bodies, places = [p.body for p in new.values()], [p.position for p in new.values()]
            x, jacobians = point_jacobians(self.character, self.placement, bodies, places)
            for k, key in enumerate(new):
                self._points[key] = (x[:, k], jacobians[:, k])
        return [self._points[key] for key in keys]

    def angular_jacobian(self, body: int | str) -> Array:
        """Jacobian of a body's angular velocity (F, 3, nv)."""
        i = self.character.index(body) if isinstance(body, str) else int(body)
        found = self._angular.get(i)
        if found is None:
            found = self._angular[i] = angular_jacobians(self.character, self.placement, [i])[:, 0]
        return found

    # Mass ------------------------------------------------------------------------------------

    @cached_property
    def _com(self) -> CentreOfMass:
        return centre_of_mass(self.character, self.placement)

    @property
    def com(self) -> Array:
        """Centre of mass [m] (F, 3)."""
        return self._com.position

    @property
    def com_jacobian(self) -> Array:
        """Jacobian of the centre of mass (F, 3, nv)."""
        return self._com.jacobian

    @cached_property
    def covariance(self) -> MassCovariance:
        """∫ x xᵀ dm about the centre of mass (F, 6) and Jacobian (F, 6, nv) [kg·m²]."""
        return mass_covariance(self.character, self.placement, self.com)

    @cached_property
    def inertia(self) -> Array:
        """Rotational inertia about the centre of mass [kg·m²] (F, 3, 3)."""
        return read_only(as_matrix(inertia_of_covariance(self.covariance.tensor)))

    @cached_property
    def inertia_jacobian(self) -> Array:
        """Jacobian of the inertia's xx, xy, xz, yy, yz, zz (F, 6, nv)."""
        return read_only(inertia_of_covariance(self.covariance.jacobian))

    @cached_property
    def momentum(self) -> Array:
        """Linear [kg·m/s], then angular momentum about the centre of mass [kg·m²/s] (F, 6)."""
        return momentum(self.character, self.placement, self.com, self.v)

    @cached_property
    def momentum_matrix(self) -> Array:
        """A(q): momentum = A v, (F, 6, nv)."""
        return momentum_matrix(self.character, self.placement, self.com)

    @cached_property
    def momentum_jacobian(self) -> Array:
        """∂(A(q) v)/∂q at fixed v, (F, 6, nv)."""
        return momentum_jacobian(self.character, self.placement, self.com, self.v)


def _key(body: int, place: Array) -> tuple[int, bytes]:
    return int(body), np.asarray(place, dtype=np.float64).tobytes()
