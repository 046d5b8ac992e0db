"""The rigid motion that comes nearest to a motion of many vertices, and what is left without it.

    x_k ≈ R_k x̄ + p_k ,   x̄ the first frame

by least squares over all vertices (Kabsch). A head that turns and wobbles is then a turn of one body and few
shapes, instead of a wobble that every shape has to turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.manifold import so3

WORTHWHILE = 0.5
"""A rigid part that leaves more than this of the squared displacements is none."""


class RigidPart(NamedTuple):
    """Vertices = R local + p."""

    q: Array
    """p and R as a free joint has them, (F, 7)."""
    local: Array
    """What is left in the moving frame, (F, N, 3)."""


def rigid_part(vertices: Array) -> RigidPart | None:
    """The rigid part of frames (F, N, 3); None where it is not much of the motion."""
    rest = vertices[0] - vertices[0].mean(axis=0)
    centres = vertices.mean(axis=1)
    moved = vertices - centres[:, None]
    u, _, vt = np.linalg.svd(np.einsum("fvi,vj->fij", moved, rest))
    u[:, :, 2] *= np.sign(np.linalg.det(u @ vt))[:, None]  # a rotation, not a reflection
    turn = so3.continuous(so3.from_matrix(u @ vt))
    matrix = so3.to_matrix(turn)
    shift = centres - matrix @ vertices[0].mean(axis=0)
    local = (vertices - shift[:, None]) @ matrix  # Rᵀ from the left
    local[0], turn[0], shift[0] = vertices[0], so3.IDENTITY, 0.0
    before = float(((vertices - vertices[0]) ** 2).sum())
    if not before or float(((local - vertices[0]) ** 2).sum()) > WORTHWHILE * before:
        return None
    return RigidPart(np.concatenate([shift, turn], axis=1), local)
