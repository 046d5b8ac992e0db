"""Where on the ground a segment takes place: a shift and a heading.

A segment is solved in its own frame, with the reference pose at its usual place, so that segments which
differ only in place share their modes; results are moved to the world afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.errors import InputError
from poise.manifold import so3


@dataclass(frozen=True, eq=False)
class GroundFrame:
    """world = shift + turn about z by heading."""

    shift: Array = field(default_factory=lambda: np.zeros(3))
    heading: float = 0.0

    @property
    def rotation(self) -> Array:
        """World from local, (3, 3)."""
        c, s = np.cos(self.heading), np.sin(self.heading)
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def to_world(self, points: Array) -> Array:
        """Points (…, 3)."""
        return points @ self.rotation.T + self.shift

    def to_local(self, points: Array) -> Array:
        """Points (…, 3)."""
        return (points - self.shift) @ self.rotation

    def moved(self, character: Character, q: Array, *, back: bool = False) -> Array:
        """Configurations (F, nq) moved from local to world, or back."""
        root = character.coordinates(0)
        out = np.array(q, dtype=np.float64)
        kind = character.bodies[0].joint.kind
        move = self.to_local if back else self.to_world
        if kind is JointKind.PLANAR:
            if abs(self.heading) > 1e-12 or abs(self.shift[1]) > 1e-12:
                raise InputError(f"{character.name!r} lives in a plane: it cannot turn or step aside")
            spots = np.zeros((*out.shape[:-1], 3))
            spots[..., [0, 2]] = out[..., root][..., :2]
            out[..., root.start : root.start + 2] = move(spots)[..., [0, 2]]
            return out
        place = slice(root.start, root.start + 3)
        turn = slice(root.start + 3, root.stop)
        out[..., place] = move(out[..., place])
        about = so3.exp(np.array([0.0, 0.0, -self.heading if back else self.heading]))
        out[..., turn] = so3.multiply(about, out[..., turn])
        return out

    def turned_velocity(self, character: Character, v: Array, *, back: bool = False) -> Array:
        """Velocities (F, nv) from local to world, or back: only the root's linear part is in world axes."""
        out = np.array(v, dtype=np.float64)
        if character.bodies[0].joint.kind is JointKind.FREE:
            place = slice(character.dofs(0).start, character.dofs(0).start + 3)
            out[..., place] = out[..., place] @ (self.rotation if back else self.rotation.T)
        return out
