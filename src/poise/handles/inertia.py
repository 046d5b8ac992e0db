"""Rotational inertia about the centre of mass, in the measure that suits the purpose.

| measure    | value                                              | size | unit  |
|------------|----------------------------------------------------|------|-------|
| "tensor"   | xx, xy, xz, yy, yz, zz of I, world axes            | 6    | kg·m² |
| "planar"   | moment about the y axis (planar characters)        | 1    | kg·m² |
| "gyration" | k = √(tr C / M): how far the mass lies from c, rms | 1    | m     |
| "radii"    | √(eig C / M), longest first                        | 3    | m     |
| "shape"    | the tensor S = √(C / M), compared up to rotation   | 6    | m     |

C is the mass covariance. Radii are lengths of the same size as the body and obey no triangle inequality,
so they make better targets than moments. Where two radii cross, each one alone has a kink and three
rows cannot say "these two are equal" (that takes four, and six for a sphere). "shape" can:

    error = S − U diag(t) Uᵀ,    S = U diag(r) Uᵀ,   t the target's radii

the way to the nearest tensor with the target's radii, in S's own axes U; its length is |r − t|. Rows are
world components, xx, √2 xy, √2 xz, yy, √2 yz, zz. In the axes U its derivative is

    (∂E)_ij = (∂S)_ij (1 − (t_i − t_j)/(r_i − r_j)),   (∂E)_ii = (∂S)_ii

of full rank for equal targets. It is singular only where r_i = r_j but t_i ≠ t_j: which axis to stretch
is then undecided. A target is the value in another pose, or ``shape_of_radii``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.character import Character
from poise.errors import InputError, UnknownNameError
from poise.handles.form import INERTIA, Form
from poise.handles.handle import Handle
from poise.manifold.symmetric import ENTRIES, as_matrix, inertia_of_covariance

if TYPE_CHECKING:
    from poise.kinematics import Kinematics

_ROWS, _COLUMNS = np.transpose(ENTRIES)
_WEIGHT = np.where(_ROWS == _COLUMNS, 1.0, np.sqrt(2.0))  # makes |rows| the Frobenius norm
_YY = 3  # its place among the six of a symmetric tensor
_FLOOR = 1e-9
"""Radii and gaps are taken to be at least this [m] where one divides by them."""

MEASURES = {
    "tensor": ("kg·m²",) * 6,
    "planar": ("kg·m²",),
    "gyration": ("m",),
    "radii": ("m",) * 3,
    "shape": ("m",) * 6,
}


@dataclass(frozen=True)
class RotationalInertia(Handle):
    """How the mass is spread about the centre of mass, in one of several measures.

    Raises:
        UnknownNameError: There is no such measure.

    Examples:
        >>> tuck = poise.handles.RotationalInertia("gyration")
    """

    kind: ClassVar[str] = "rotational_inertia"
    measure: str = "tensor"
    """"tensor" (about the world's axes), "planar" (about the world's y), "gyration" (one radius), "radii"
    (about the principal axes) or "shape" (radii with their axes)."""

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise UnknownNameError("measure of inertia", str(self.measure), MEASURES)

    @property
    def label(self) -> str:
        """In words."""
        return {
            "tensor": "rotational inertia",
            "planar": "rotational inertia about y",
            "gyration": "radius of gyration",
            "radii": "principal radii of gyration",
            "shape": "shape of the mass",
        }[self.measure]

    @property
    def units(self) -> tuple[str, ...]:
        """By the measure."""
        return MEASURES[self.measure]

    def check(self, character: Character) -> None:
        """There must be mass."""
        character.require_mass("the rotational inertia")

    def form(self, character: Character) -> Form | None:
        """Moments count in metres: I = M k² by 1 / (2 M k), with k the radius of gyration at rest."""
        kind = INERTIA[self.measure]
        if self.measure == "shape":
            return Form(kind, numbers=3, goal=_radii_of_shapes)
        if self.measure in ("tensor", "planar"):
            return Form(kind, scale=1.0 / (2.0 * character.total_mass * gyration_at_rest(character)))
        return Form(kind)

    def value(self, kin: Kinematics) -> Array:
        """(F, size)"""
        tensor, mass = kin.covariance.tensor, kin.character.total_mass
        if self.measure == "tensor":
            return inertia_of_covariance(tensor)
        if self.measure == "planar":
            return inertia_of_covariance(tensor)[:, [_YY]]
        if self.measure == "gyration":
            return np.sqrt(tensor[:, _ROWS == _COLUMNS].sum(axis=1, keepdims=True) / mass)
        radii, axes = _root(tensor / mass)
        if self.measure == "radii":
            return radii
        return _tensor(radii, axes)

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, dim, nv)"""
        change, mass = kin.covariance.jacobian, kin.character.total_mass
        if self.measure == "tensor":
            return inertia_of_covariance(change)
        if self.measure == "planar":
            return inertia_of_covariance(change)[:, [_YY]]
        if self.measure == "gyration":
            trace = change[:, _ROWS == _COLUMNS].sum(axis=1, keepdims=True)
            return trace / (2 * mass * np.maximum(self.value(kin), _FLOOR)[:, :, None])
        if self.measure == "radii":
            return _root_change(kin)[2][:, [0, 1, 2], [0, 1, 2]]
        return self.error_jacobian(kin, self.value(kin))

    def error(self, value: Array, target: ArrayLike) -> Array:
        """(F, dim)"""
        if self.measure != "shape":
            return super().error(value, target)
        radii, axes = _principal(value)
        return _WEIGHT * _tensor(radii - self._target_radii(value, target), axes)

    def error_jacobian(self, kin: Kinematics, target: ArrayLike) -> Array:
        """(F, dim, nv)"""
        if self.measure != "shape":
            return self.jacobian(kin)
        radii, axes, change = _root_change(kin)  # change (F, 3, 3, nv) in principal axes
        goal = self._target_radii(np.empty((kin.frames, self.size)), target)
        gap = radii[:, :, None] - radii[:, None, :]
        wanted = goal[:, :, None] - goal[:, None, :]
        safe = np.where(np.abs(gap) > _FLOOR, gap, np.where(gap < 0, -_FLOOR, _FLOOR))
        ratio = np.where(wanted == 0.0, 0.0, wanted / safe)
        change = (1.0 - ratio)[..., None] * change
        world = np.einsum("fai,fbj,fijv->fabv", axes, axes, change, optimize=True)
        return _WEIGHT[:, None] * world[:, _ROWS, _COLUMNS]

    def _target_radii(self, value: Array, target: ArrayLike) -> Array:
        """Radii of a target tensor, longest first, (F, 3) or (1, 3)."""
        radii, _ = _principal(np.atleast_2d(self.as_target(target, value)))
        if (radii < -_FLOOR).any():
            raise InputError(f"the target of the {self.label} has a negative radius: {radii.min():g} m")
        return radii


def gyration_at_rest(character: Character) -> float:
    """The radius of gyration of the rest pose [m]: the size of a character to those who scale by it."""
    from poise.kinematics import Kinematics

    rest = Kinematics(character, character.rest_pose())
    return max(float(RotationalInertia("gyration").value(rest)[0, 0]), 1e-3)


def _radii_of_shapes(targets: Array, name: str) -> Array:
    """Principal radii (F, 3), longest first, of targets of the measure "shape" (F, 6)."""
    radii = np.asarray(np.linalg.eigvalsh(as_matrix(targets))[:, ::-1], dtype=np.float64)
    if (radii < -_FLOOR).any():
        raise InputError(f"{name} has a negative radius: {radii.min():g} m")
    return radii


def shape_of_radii(radii: ArrayLike) -> Array:
    """The target of the measure "shape" that has three given radii [m], (6,).

    Args:
        radii: Along x, y and z [m], (3,).

    Returns:
        Array: What the handle should be.

    Raises:
        InputError: The radii are not three finite numbers.

    Examples:
        >>> shape = poise.handles.shape_of_radii((0.4, 0.4, 0.1))
    """
    a, b, c = checked(radii, "radii", (3,))
    return np.array([a, 0.0, 0.0, b, 0.0, c])


def _principal(tensor: Array) -> tuple[Array, Array]:
    """Eigenvalues (F, 3), largest first, and axes as columns (F, 3, 3) of 6-vectors (F, 6)."""
    values, axes = np.linalg.eigh(as_matrix(tensor))
    return values[:, ::-1].astype(np.float64), axes[:, :, ::-1].astype(np.float64)


def _root(covariance: Array) -> tuple[Array, Array]:
    """Radii (F, 3), longest first, and axes (F, 3, 3) of C / M (F, 6)."""
    squares, axes = _principal(covariance)
    return np.sqrt(np.maximum(squares, 0.0)), axes


def _tensor(diagonal: Array, axes: Array) -> Array:
    """U diag(d) Uᵀ as (F, 6)."""
    whole = (axes * diagonal[:, None, :]) @ np.swapaxes(axes, 1, 2)
    return np.asarray(whole[:, _ROWS, _COLUMNS])


def _root_change(kin: Kinematics) -> tuple[Array, Array, Array]:
    """Radii, axes, and ∂S for S = √(C / M) in principal axes: ∂S_ij = ∂(C / M)_ij / (r_i + r_j)."""
    mass = kin.character.total_mass
    radii, axes = _root(kin.covariance.tensor / mass)
    change = np.moveaxis(as_matrix(np.moveaxis(kin.covariance.jacobian, 1, 2)), 1, 3) / mass  # (F, 3, 3, nv)
    turned = np.einsum("fai,fbj,fabv->fijv", axes, axes, change, optimize=True)
    sums = np.maximum(radii[:, :, None] + radii[:, None, :], _FLOOR)
    return radii, axes, turned / sums[..., None]
