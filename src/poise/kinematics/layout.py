"""What kinematic kernels read: the character's tree, seen from its bodies and degrees of freedom.

A massless helper link (the translation of a free joint, the slides of a planar one) stands where
the body it leads to stands as far as Jacobians are concerned: a direction has no place, and every
*rotation* of the joint turns about the body's own origin. So after forward kinematics there are
only bodies (a place, an orientation, a mass) and degrees of freedom (a world axis, turning or
sliding, that moves one body and all that hangs from it).
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.character import Character
from poise.character.tree import LINK_BALL, LINK_HINGE, LINK_NV
from poise.manifold.symmetric import ENTRIES


class Layout(NamedTuple):
    """Read-only arrays over L links, n bodies and nv degrees of freedom."""

    kind: IntArray
    """LINK_… of each link (L,)."""
    slot: IntArray
    """The body a link leads to (L,)."""
    above: IntArray
    """The body a link's parent leads to, −1 for the world (L,)."""
    q_start: IntArray
    v_start: IntArray
    """First coordinate and first degree of freedom of each link (L,)."""
    offset: Array
    """In the parent's frame [m] (L, 3)."""
    tilted: IntArray
    """1 where the rest rotation is not the identity (L,)."""
    rest: Array
    """Parent-from-joint rotations (L, 3, 3)."""
    axis: Array
    """In the joint's frame (L, 3)."""
    parent: IntArray
    """Parent body, −1 for the world (n,)."""
    first_dof: IntArray
    """Degrees of freedom of body i are first_dof[i] … first_dof[i + 1] − 1, (n + 1,)."""
    turning: IntArray
    """1 for a rotation, 0 for a translation (nv,)."""
    mass: Array
    """[kg] (n,)"""
    branch_mass: Array
    """Mass of each body and all that hangs from it [kg] (n,)."""
    centre: Array
    """Centre of mass in the body's frame [m] (n, 3)."""
    inertia: Array
    """About the centre, body axes, as xx, xy, xz, yy, yz, zz [kg·m²] (n, 6)."""
    covariance: Array
    """∫ x xᵀ dm about the centre, body axes, likewise [kg·m²] (n, 6)."""


_known: WeakKeyDictionary[Character, Layout] = WeakKeyDictionary()


def layout(character: Character) -> Layout:
    """The layout of a character, built once."""
    found = _known.get(character)
    if found is None:
        found = _known[character] = _build(character)
    return found


def _build(character: Character) -> Layout:
    # Unsigned where nothing is ever −1: the compiler then drops Python's wrap-around of negative indices.
    tree, whole, index = character.tree, np.int64, np.uint32
    slot = np.array(tree.body)
    for link in range(len(slot) - 1, -1, -1):
        # A helper leads to the same body as the link that follows it.
        if slot[link] < 0:
            slot[link] = slot[link + 1]
    above = np.where(tree.parent >= 0, slot[tree.parent], -1)
    counts = [b.joint.nv for b in character.bodies]
    turning = [int(k in (LINK_HINGE, LINK_BALL)) for k in tree.kind for _ in range(LINK_NV[k])]
    own = tree.link
    branch = np.array(tree.mass[own])
    for i in range(len(branch) - 1, 0, -1):
        branch[character.parents[i]] += branch[i]
    inertia = tree.inertia[own]
    trace = np.trace(inertia, axis1=1, axis2=2)
    covariance = 0.5 * trace[:, None, None] * np.eye(3) - inertia
    rows, columns = np.transpose(ENTRIES)
    return Layout(
        kind=tree.kind,
        slot=frozen(slot, dtype=index),
        above=frozen(above, dtype=whole),
        q_start=frozen(tree.q_start, dtype=index),
        v_start=frozen(tree.v_start, dtype=index),
        offset=tree.offset,
        tilted=frozen((tree.rest != np.eye(3)).any(axis=(1, 2)), dtype=whole),
        rest=tree.rest,
        axis=tree.axis,
        parent=character.parents,
        first_dof=frozen(np.concatenate([[0], np.cumsum(counts)]), dtype=index),
        turning=frozen(turning, dtype=whole),
        mass=frozen(tree.mass[own]),
        branch_mass=frozen(branch),
        centre=frozen(tree.centre[own]),
        inertia=frozen(inertia[:, rows, columns]),
        covariance=frozen(covariance[:, rows, columns]),
    )
