"""Joint limits as rows that must not be negative, linear in the modal coordinates.

Limits bound the exponential coordinates of joints; to first order these are the reference pose's plus u = Φ
ω.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import JointKind
from poise.manifold import so3
from poise.methods.plan.model.linear_dynamics import Footing
from poise.methods.plan.model.modal_spline import ModalSpline

WEIGHT = 0.05
"""Residual per radian: limits are kept softly, as ligaments do."""


class LimitRows:
    """Distances from the limits of all joints that the steered modes move, at some instants."""

    def __init__(self, footing: Footing, spline: ModalSpline, times: Array) -> None:
        character, low = footing.figure.character, spline.steered
        at = exponential_coordinates(footing)
        reach = np.linalg.norm(footing.modes.shapes[:, :low], axis=1)
        moved = reach > 0.02 * reach.max()
        dofs, signs, room = [], [], []
        for sign, bound in ((1.0, character.upper), (-1.0, character.lower)):
            found = np.flatnonzero(moved & np.isfinite(bound))
            dofs.append(found)
            signs.append(np.full(len(found), sign))
            room.append(np.maximum(sign * (bound[found] - at[found]), 0.0))  # the reference pose is allowed
        chosen = np.concatenate(dofs)
        slopes = -WEIGHT * np.concatenate(signs)[:, None] * footing.modes.shapes[chosen]  # (r, modes)
        sampled = spline.sample(times)
        self._fixed = WEIGHT * np.concatenate(room) + sampled.fixed[..., 0] @ slopes.T  # (T, r)
        rows = slopes[:, :low][None, :, :, None] * sampled.by_unknown[:, None, :, 0]  # (T, r, low, d)
        self._by_unknown = rows.reshape(self._fixed.size, -1)
        self._fixed = self._fixed.ravel()

    def values(self, y: Array) -> Array:
        """C of all limits at all instants; zero where there is room."""
        return np.minimum(self._fixed + self._by_unknown @ y, 0.0)

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C and J."""
        c = self.values(y)
        return c, np.where(c[:, None] < 0, self._by_unknown, 0.0)


def exponential_coordinates(footing: Footing) -> Array:
    """Exponential coordinates of the joints in the reference pose, (nv,); zero for the root."""
    character, q0 = footing.figure.character, footing.figure.q0
    out = np.zeros(character.nv)
    for i, body in enumerate(character.bodies[1:], start=1):
        values = q0[character.coordinates(i)]
        out[character.dofs(i)] = so3.log(values) if body.joint.kind is JointKind.BALL else values
    return out
