"""A pose, or a whole motion, that the result is drawn towards.

    ½ w ∫ |d − d*|²_D dt,      d*(t) = prior(t) ⊖ q(t)

A quadratic in the displacement: to first order the distance from the wanted pose, and exact where it counts,
at the pose itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.errors import InputError
from poise.methods.adapt.problem.price import LEAST
from poise.methods.adapt.problem.unknowns import Space
from poise.methods.adapt.rows.rows import PER_SECOND
from poise.motion import Clip
from poise.motion.hung_feet import Hanging


@dataclass(frozen=True, eq=False)
class PosePrior:
    """Where the motion would rather be, and how much."""

    pose: Clip | ArrayLike
    """A configuration (nq,), or a clip of as many frames."""
    weight: float = 0.1
    """1: leaving the prior costs as much as leaving the clip."""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.weight) and self.weight > 0):
            raise InputError(f"a pose prior's weight must be positive, not {self.weight}")

    def hung(self, by: Hanging) -> PosePrior:
        """The same of the character whose legs carry its feet."""
        if isinstance(self.pose, Clip):
            return replace(self, pose=by.there(self.pose))
        return replace(self, pose=by.poses(checked(self.pose, "pose prior", (by.own.nq,))[None])[0])

    def away(self, clip: Clip) -> Array:
        """d* at the frames (F, nv)."""
        manifold = clip.character.manifold
        if isinstance(self.pose, Clip):
            if self.pose.frames != clip.frames or self.pose.character.nq != clip.character.nq:
                raise InputError(f"the pose prior {self.pose.name!r} must have the clip's joints and frames")
            return manifold.minus(self.pose.q, clip.q)
        return manifold.minus(checked(self.pose, "pose prior", (clip.character.nq,)), clip.q)


def prior_slope(space: Space, band: Array, diagonal: Array, prior: PosePrior) -> Array:
    """Add the prior's matrix to ``band`` in place; its linear part (n,)."""
    away = prior.away(space.clip)[:, space.dofs]  # (F, m)
    pull = prior.weight * space.clip.dt * PER_SECOND * (diagonal + LEAST)  # (m,)
    tug = np.zeros(space.count)
    columns, weights = space.stencil.columns, space.stencil.weights[0]
    for i in range(space.size):
        g = space.group[i]
        slots = space.slot[i][columns[g]]  # (F, 4)
        for a in range(4):
            here = slots[:, a] >= 0
            np.add.at(tug, slots[here, a], -pull[i] * weights[g, here, a] * away[here, i])
            for b in range(4):
                both = here & (slots[:, b] >= slots[:, a])
                value = pull[i] * weights[g, both, a] * weights[g, both, b]
                np.add.at(band, (slots[both, a], slots[both, b] - slots[both, a]), value)
    return tug
