"""Something in the scene that is not the character: a ball that was thrown, a weight that is carried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character import Shape
from poise.manifold import so3

if TYPE_CHECKING:
    from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class Prop:
    """A solid and where it is at each frame of a motion."""

    name: str
    shape: Shape
    positions: Array
    """Of the shape's frame [m], (F, 3); not numbers where it is not there."""
    rotations: Array  # (F, 4)

    @property
    def nbytes(self) -> int:
        """Of its places."""
        return int(self.positions.nbytes + self.rotations.nbytes)

    @property
    def placed(self) -> tuple[Array, Array]:
        """Positions (F, 3) and rotations (F, 4) of the solid itself."""
        offset = so3.rotate(self.rotations, np.broadcast_to(self.shape.position, self.positions.shape))
        turned = so3.multiply(self.rotations, np.broadcast_to(self.shape.rotation, self.rotations.shape))
        return self.positions + offset, turned


def carried(name: str, clip: Clip, body: str, place: ArrayLike, radius: float, start: float) -> Prop:
    """A ball on a body, from a time on [s]."""
    from poise.kinematics import Kinematics

    found = Kinematics(clip.character, clip.q)
    i = clip.character.index(body)
    positions = found.positions[:, i] + found.rotations[:, i] @ np.asarray(place, dtype=np.float64)
    positions[clip.times < start] = np.nan
    turns = np.tile(so3.IDENTITY, (clip.frames, 1))
    return Prop(name, Shape.sphere((0.0, 0.0, 0.0), radius, "target"), positions, turns)
