"""How a loop moves on: the rigid motion of the root from one cycle to the next.

A walk cycle repeats its pose, not its place. ``Travel`` is a translation and a turn about the
vertical, applied in the world from the left: cycle k+1 is ``travel`` applied to cycle k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked, frozen
from poise.character import Character, JointKind
from poise.manifold import so3


@dataclass(frozen=True, eq=False)
class Travel:
    """Translation (3,) [m] and yaw [rad] of the root per cycle."""

    translation: ArrayLike = (0.0, 0.0, 0.0)
    yaw: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "translation", frozen(checked(self.translation, "travel", (3,))))
        object.__setattr__(self, "yaw", float(self.yaw))

    @property
    def still(self) -> bool:
        """Whether the loop stays in place."""
        return self.yaw == 0.0 and not np.any(self.translation)

    def repeated(self, times: ArrayLike) -> tuple[Array, Array]:
        """Translations (…, 3) and yaws (…) after so many cycles (negative ones go back)."""
        k = np.asarray(times, dtype=np.float64)
        yaw = k * self.yaw
        x, y, z = np.asarray(self.translation)
        if abs(self.yaw) < 1e-12:
            return k[..., None] * np.array([x, y, z]), yaw
        # Sum of a geometric series of rotations: Σ_{j<k} R^j d = (R^k − I)(R − I)⁻¹ d.
        half = 0.5 * self.yaw
        ratio = np.sin(0.5 * yaw) / np.sin(half)
        turn = 0.5 * yaw - half
        dx = ratio * (np.cos(turn) * x - np.sin(turn) * y)
        dy = ratio * (np.sin(turn) * x + np.cos(turn) * y)
        return np.stack([dx, dy, k * z], axis=-1), yaw

    def apply(self, character: Character, q: Array, times: ArrayLike) -> Array:
        """Configurations (…, nq) moved on by ``times`` cycles (…)."""
        kind = character.bodies[0].joint.kind
        if self.still or kind not in (JointKind.FREE, JointKind.PLANAR):
            return q
        shift, yaw = self.repeated(times)
        out = np.array(
            np.broadcast_to(q, (*np.broadcast_shapes(q.shape[:-1], shift.shape[:-1]), q.shape[-1]))
        )
        if kind is JointKind.PLANAR:
            # It cannot turn, so nothing turns its steps.
            k = np.asarray(times, dtype=np.float64)[..., None]
            out[..., :2] += k * np.asarray(self.translation)[[0, 2]]
            return out
        zero = np.zeros_like(yaw)
        turn = so3.exp(np.stack([zero, zero, yaw], axis=-1))
        out[..., :3] = so3.rotate(turn, out[..., :3]) + shift
        out[..., 3:7] = so3.multiply(turn, out[..., 3:7])
        return out

    def turn(self, character: Character, v: Array, times: ArrayLike) -> Array:
        """Velocities (…, nv) as they are ``times`` cycles later: a free root's linear part turns."""
        if not self.yaw or character.bodies[0].joint.kind is not JointKind.FREE:
            return v
        _, yaw = self.repeated(times)
        zero = np.zeros_like(yaw)
        lead = np.broadcast_shapes(v.shape[:-1], yaw.shape)
        out = np.array(np.broadcast_to(v, (*lead, v.shape[-1])))
        out[..., :3] = so3.rotate(so3.exp(np.stack([zero, zero, yaw], axis=-1)), out[..., :3])
        return out
