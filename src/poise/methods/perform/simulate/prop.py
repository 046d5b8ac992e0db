"""Something in the scene that is not the character: a ball that was thrown, a weight that is carried."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Shape
from poise.manifold import so3
from poise.motion import Clip
from poise.operations.values.disturbance import Load


@dataclass(frozen=True, eq=False)
class Prop:
    """A solid and where it is: at the steps of a simulation, then at the frames of a motion."""

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


def carried(load: Load, clip: Clip) -> Prop:
    """The ball that stands for a weight, from when it is put on."""
    from poise.kinematics import Kinematics  # late: whoever only shows props needs no kernels

    found = Kinematics(clip.character, clip.q)
    i = clip.character.index(load.body)
    positions = found.positions[:, i] + found.rotations[:, i] @ np.asarray(load.place, dtype=np.float64)
    positions[clip.times < load.time] = np.nan
    turns = np.tile(so3.IDENTITY, (clip.frames, 1))
    shape = Shape.sphere((0.0, 0.0, 0.0), load.radius, "target")
    return Prop(f"{load.mass:g} kg", shape, positions, turns)
