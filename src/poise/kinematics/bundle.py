"""Everything an inner loop asks for, in one pass per frame over buffers that are allocated once.

Body placements, P points with their Jacobians, centre of mass with its Jacobian, and momentum.
Intermediate results stay in cache; columns of Jacobians that are zero by the structure of the tree
are zeroed when the buffers are made and never touched again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, frozen
from poise.character import Character, Point
from poise.compilation import kernel
from poise.errors import InputError
from poise.kinematics.centre_of_mass import centre_frame
from poise.kinematics.forward import as_frames, forward_frame, put, velocities_frame
from poise.kinematics.jacobians import points_frame
from poise.kinematics.layout import Layout, layout
from poise.kinematics.momentum import momentum_frame
from poise.workers import for_frames


class Bundle:
    """Reusable buffers for F frames of a character and P of its points.

    ``update`` overwrites the arrays in place; copy what must outlive the next call.
    """

    def __init__(self, character: Character, frames: int, points: tuple[Point | str, ...] = ()) -> None:
        if frames < 1:
            raise InputError(f"a bundle needs at least one frame, not {frames}")
        character.require_mass("the centre of mass")
        self.character = character
        chosen = [character.point(p) if isinstance(p, str) else p for p in points]
        self._bodies: IntArray = frozen([p.body for p in chosen], dtype=np.int64)
        self._places: Array = frozen(np.array([p.position for p in chosen]).reshape(-1, 3))
        bodies, nv, count = len(character.bodies), character.nv, len(chosen)
        self.positions = np.empty((frames, bodies, 3))
        self.rotations = np.empty((frames, bodies, 3, 3))
        self.points = np.empty((frames, count, 3))
        self.point_jacobians = np.zeros((frames, count, 3, nv))
        self.com = np.empty((frames, 3))
        self.com_jacobian = np.empty((frames, 3, nv))
        self.momentum = np.empty((frames, 6))

    def update(self, q: ArrayLike, v: ArrayLike) -> Bundle:
        """Evaluate at configurations q (F, nq) and velocities v (F, nv); NaN in, NaN out."""
        frames = len(self.com)
        for_frames(
            _bundle,
            frames,
            layout(self.character),
            as_frames(q, "q", self.character.nq, frames=frames, finite=False),
            as_frames(v, "v", self.character.nv, frames=frames, finite=False),
            self._bodies,
            self._places,
            self.positions,
            self.rotations,
            self.points,
            self.point_jacobians,
            self.com,
            self.com_jacobian,
            self.momentum,
        )
        return self


@kernel()
def _bundle(
    first: int,
    last: int,
    tree: Layout,
    q: Array,
    v: Array,
    bodies: IntArray,
    places: Array,
    positions: Array,
    rotations: Array,
    points: Array,
    point_jacobians: Array,
    com: Array,
    com_jacobian: Array,
    momentum: Array,
) -> None:
    count = tree.parent.size
    axes, moments, velocities = np.empty((v.shape[1], 3)), np.empty((count, 3)), np.empty((count, 6))
    for f in range(first, last):
        x, turn = positions[f], rotations[f]
        forward_frame(tree, q[f], x, turn, axes)
        points_frame(tree, bodies, places, x, turn, axes, points[f], point_jacobians[f])
        centre = centre_frame(tree, x, turn, axes, moments, com_jacobian[f])
        put(com, f, centre)
        velocities_frame(tree, v[f], x, axes, velocities)
        momentum_frame(tree, x, turn, velocities, centre, momentum[f])
