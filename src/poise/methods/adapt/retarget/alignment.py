"""What stands between two skeletons as they are built: the turn C of every body that has a counterpart.

C turns the target's body, in the pose in which it is compared (``reference_pose``), so that it lies as the
source's does. Trunk and head lie as the whole figure does: both stand upright and look ahead, however their
spines are drawn. Limbs turn on from there by the shortest way that lays their bones along the source's.
Feet are flat on the ground, wherever their joints are: they only take the same heading.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.labels import roles
from poise.character.limbs import limb_joints
from poise.character.placement import BodyPlaces
from poise.manifold import so3
from poise.methods.adapt.retarget.correspondence import Correspondence
from poise.methods.adapt.retarget.reference_pose import frame_of

SHORT = 1e-3
"""Bones shorter than this [m] have no direction."""
LEVEL = 0.02
"""Feet shorter than this on the ground [m] have no heading."""
TRUNK = ("hips", "spine", "chest", "neck", "head", "clavicle")
FEET = ("foot", "toes")
NEXT = {"upper_arm": "forearm", "forearm": "hand", "thigh": "shin", "shin": "foot", "foot": "toes"}


@dataclass(frozen=True, eq=False)
class Alignment:
    """Two skeletons side by side, each in the pose that stands for how it is built."""

    pairing: Correspondence
    ours: BodyPlaces
    """The source's."""
    theirs: BodyPlaces
    """The target's."""

    @cached_property
    def parts(self) -> dict[int, str]:
        """Parts by which bodies of the target are known: "upper_arm", "chest" …; those that have a pair."""
        joints, known = limb_joints(self.pairing.target), roles(self.pairing.target)
        named = {joints[body].body: role.split()[-1] for role, body in known.items()}
        return {body: part for body, part in named.items() if body in self.pairing.pairs}

    @cached_property
    def whole(self) -> Array | None:
        """The turn of the whole figure (3, 3); None where one has no two sides."""
        ours = frame_of(self.pairing.source, self.ours)
        theirs = frame_of(self.pairing.target, self.theirs)
        return None if ours is None or theirs is None else np.asarray(ours @ theirs.T)

    @cached_property
    def turns(self) -> dict[int, Array]:
        """C of every body of the target that has a counterpart (3, 3)."""
        found: dict[int, Array] = {-1: np.eye(3) if self.whole is None else self.whole}
        for t in self.pairing.pairs:
            above = found[self.pairing.above(t)]
            part = self.parts.get(t, "")
            if self.whole is not None and part in TRUNK:
                found[t] = self.whole
            elif self.whole is not None and part in FEET:
                found[t] = self._level(t) @ self.whole
            else:
                ways = [(a, above @ b) for a, b in self._ways(t)]
                found[t] = carry(ways) @ above
        return found

    def spot(self, character: Character, pose: BodyPlaces, body: int) -> Array:
        """Where a body's limb joint is (3,)."""
        return np.asarray(pose.positions[limb_joints(character)[body].at])

    def way(self, target: int) -> tuple[Array, Array] | None:
        """The bone of a paired body, of source and target; None where there is none."""
        ways = self._ways(target)
        if not ways:
            return None
        return np.sum([a / np.linalg.norm(a) for a, _ in ways], axis=0), np.sum(
            [b / np.linalg.norm(b) for _, b in ways], axis=0
        )

    def _ways(self, t: int) -> list[tuple[Array, Array]]:
        """Directions that correspond, of bones that leave a body: the one of its limb, else all."""
        pairing = self.pairing
        below = pairing.below(t)
        leads = NEXT.get(self.parts.get(t, ""))
        chosen = [k for k in below if self.parts.get(k) == leads] or below
        found = []
        for k in chosen:
            s = pairing.pairs[t]
            a = self.spot(pairing.source, self.ours, pairing.pairs[k]) - self.spot(
                pairing.source, self.ours, s
            )
            b = self.spot(pairing.target, self.theirs, k) - self.spot(pairing.target, self.theirs, t)
            if min(np.linalg.norm(a), np.linalg.norm(b)) > SHORT:
                found.append((a, b))
        return found

    def _level(self, t: int) -> Array:
        """The turn about the source's own vertical that gives a foot its heading (3, 3)."""
        frame = frame_of(self.pairing.source, self.ours)
        if frame is None or self.whole is None:
            return np.eye(3)
        up = frame[:, 2]
        ways = []
        for a, b in self._ways(t):
            flat = [w - (w @ up) * up for w in (a, self.whole @ b)]
            if min(float(np.linalg.norm(w)) for w in flat) > LEVEL:
                ways.append((flat[0], flat[1]))
        return carry(ways[:1])


def carry(ways: list[tuple[Array, Array]]) -> Array:
    """The rotation (3, 3) that takes second directions to first ones: shortest for one, best fit for more."""
    units = [(a / np.linalg.norm(a), b / np.linalg.norm(b)) for a, b in ways]
    if not units:
        return np.eye(3)
    if len(units) == 1:
        return so3.to_matrix(so3.between(units[0][1], units[0][0]))
    # Wahba's problem, by singular values.
    u, _, vt = np.linalg.svd(sum(np.outer(a, b) for a, b in units))
    return np.asarray(u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))]) @ vt)
