"""Where bodies are in given poses, by numpy alone.

Kernels of ``kinematics`` do the same many times faster, with all that follows from it; but code has to be
loaded before it is fast, and a first picture does not wait for that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character.tree import LINK_BALL, LINK_HINGE, LINK_SLIDE, LINK_TRANSLATION, Tree
from poise.manifold import so3


class BodyPlaces(NamedTuple):
    """Of n bodies, world axes."""

    positions: Array
    """Of their origins [m] (…, n, 3)."""
    rotations: Array
    """World from body (…, n, 3, 3)."""


def placed(tree: Tree, q: Array) -> BodyPlaces:
    """Places for configurations q (F, nq): x = x_p + R_p (offset + t), R = R_p · rest · Q, link by link."""
    links, frames = len(tree.parent), len(q)
    at, turns = np.empty((links, frames, 3)), np.empty((links, frames, 3, 3))
    own = _own_turns(tree, q)
    for i, (up, kind, start) in enumerate(
        zip(tree.parent.tolist(), tree.kind.tolist(), tree.q_start.tolist())
    ):
        above = turns[up] if up >= 0 else np.eye(3)
        at[i] = (at[up] if up >= 0 else 0.0) + above @ tree.offset[i]
        before = above @ tree.rest[i]
        if kind == LINK_SLIDE:
            at[i] += q[:, start, None] * (before @ tree.axis[i])
        elif kind == LINK_TRANSLATION:
            at[i] += np.einsum("...ij,...j->...i", before, q[:, start : start + 3])
        turns[i] = before @ own[i] if i in own else before
    bodies = tree.link
    return BodyPlaces(np.moveaxis(at[bodies], 0, 1), np.moveaxis(turns[bodies], 0, 1))


def _own_turns(tree: Tree, q: Array) -> dict[int, Array]:
    """Q of each link that turns, (F, 3, 3)."""
    balls, hinges = (np.flatnonzero(tree.kind == kind) for kind in (LINK_BALL, LINK_HINGE))
    quaternions = q[:, tree.q_start[balls, None] + np.arange(4)]  # (F, balls, 4)
    angles = q[:, tree.q_start[hinges], None]  # (F, hinges, 1)
    turned = so3.to_matrix(np.concatenate([quaternions, so3.exp(angles * tree.axis[hinges])], axis=1))
    return {int(link): turned[:, k] for k, link in enumerate([*balls, *hinges])}
