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
    """Of n bodies, world axes; read-only."""

    positions: Array
    """Of their origins [m] (…, n, 3)."""
    rotations: Array
    """World from body (…, n, 3, 3)."""


def placed(tree: Tree, q: Array) -> BodyPlaces:
    """Places for configurations q (F, nq): x = x_p + R_p (offset + t), R = R_p · rest · Q, link by link."""
    frames, bodies, own = len(q), len(tree.link), _own_turns(tree, q)
    positions, rotations = np.empty((frames, bodies, 3)), np.empty((frames, bodies, 3, 3))
    # A massless helper stands in for the body it leads to, until that one's own link has been placed.
    leads_to = tree.link.searchsorted(np.arange(len(tree.parent))).tolist()
    for i, up in enumerate(tree.parent.tolist()):
        body, kind, start = leads_to[i], tree.kind[i], int(tree.q_start[i])
        at, turn = tree.offset[i], tree.rest[i]
        if up >= 0:
            above = rotations[:, leads_to[up]]
            at, turn = positions[:, leads_to[up]] + above @ at, above @ turn
        if kind == LINK_SLIDE:
            at = at + q[:, start, None] * (turn @ tree.axis[i])
        elif kind == LINK_TRANSLATION:
            at = at + np.einsum("...ij,...j->...i", turn, q[:, start : start + 3])
        positions[:, body] = at
        rotations[:, body] = turn @ own[i] if i in own else turn
    positions.flags.writeable = rotations.flags.writeable = False
    return BodyPlaces(positions, rotations)


def _own_turns(tree: Tree, q: Array) -> dict[int, Array]:
    """Q of each link that turns, (F, 3, 3)."""
    balls, hinges = (np.flatnonzero(tree.kind == kind) for kind in (LINK_BALL, LINK_HINGE))
    quaternions = q[:, tree.q_start[balls, None] + np.arange(4)]  # (F, balls, 4)
    angles = q[:, tree.q_start[hinges], None]  # (F, hinges, 1)
    turned = so3.to_matrix(np.concatenate([quaternions, so3.exp(angles * tree.axis[hinges])], axis=1))
    return {int(link): turned[:, k] for k, link in enumerate([*balls, *hinges])}
