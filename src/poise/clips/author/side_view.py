"""Poses as an animator reads them off a side view, for the humanoid and the planar humanoid alike.

Angles are in degrees, forward and bending positive. Head, soles and toes are meant against the world, limbs
against what carries them. In space both sides are posed alike, arms hang a little off the body and legs are
turned out; in the plane these angles have no meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.clips.author.puppet import SIDES, Puppet, about_y, about_z, bend
from poise.manifold import so3


@dataclass(frozen=True)
class SideView:
    """Angles of a pose [°]."""

    lean: float = 1.0
    """Of the hips, forward."""
    flex: float = 3.0
    """Of the whole spine, forward, beyond the hips."""
    look: float = 2.0
    """Of the head, down from straight ahead."""
    arm: float = 2.0
    """Raised forward from hanging along the trunk."""
    abduct: float = 8.0
    turn: float = -8.0
    elbow: float = 18.0
    palm: float = 14.0
    hip: float = 4.5
    """Of the thigh, forward."""
    knee: float = 7.0
    sole: float = 0.0
    """Of the foot against the ground; positive is heel up."""
    toes: float = 0.0
    """Of the toes against the ground; as the sole in the air."""
    out: float = 10.0
    """Legs turned out."""

    def replaced(self, **changes: float) -> SideView:
        """A copy with some angles changed."""
        return replace(self, **changes)

    def of(self, character: Character, *, right: SideView | None = None) -> Array:
        """The configuration (nq,), hips at the origin; the right arm as in another pose, if one is given."""
        arms = {"Left": self, "Right": right or self}
        if character.bodies[0].joint.kind is JointKind.PLANAR:
            return self._flat(character, arms)
        return self._round(character, arms)

    def _flat(self, character: Character, arms: dict[str, SideView]) -> Array:
        spine, head = self.flex / 3, (self.look - self.lean - self.flex) / 2
        angles = {"Spine": spine, "Spine1": spine, "Chest": spine, "Neck": head, "Head": head}
        for side, arm in arms.items():
            angles |= {f"{side}Arm": -arm.arm, f"{side}ForeArm": -arm.elbow}
            angles |= {f"{side}UpLeg": -self.hip, f"{side}Leg": self.knee}
            angles[f"{side}Foot"] = self.sole - (self.lean - self.hip + self.knee)
            angles[f"{side}ToeBase"] = self.toes - self.sole
        q = np.zeros(character.nq)
        q[2] = np.radians(self.lean)
        for name, angle in angles.items():
            q[character.coordinates(name)] = np.radians(angle)
        return q

    def _round(self, character: Character, arms: dict[str, SideView]) -> Array:
        puppet, still = Puppet(character), np.zeros(1)

        def one(angle: float) -> Array:
            return np.radians([angle])

        limbs: dict[str, Array] = {}
        for side, arm in arms.items():
            angles = (arm.arm, arm.abduct, arm.turn, arm.elbow, arm.palm)
            limbs |= puppet.arm_angles(side, *(one(angle) for angle in angles))
            thigh = about_z(one(SIDES[side] * self.out)) @ about_y(one(-self.hip))
            limbs |= {f"{side}UpLeg": so3.from_matrix(thigh), f"{side}Leg": one(self.knee)[:, None]}
            limbs[f"{side}Ankle"] = one(self.lean - self.hip + self.knee - self.sole)[:, None]
            limbs[f"{side}ToeBase"] = one(self.sole - self.toes)[:, None]
        half = bend(one(self.flex / 2), still, still)
        head = about_y(one(self.look - self.lean - self.flex))
        return puppet.assemble(np.zeros((1, 3)), about_y(one(self.lean)), half, half, head, limbs)[0]
