"""The limbs that a correction moves: all that has to be simulated again when it changes.

A prescribed root moves as told, whatever hangs from it: what happens in one limb is not felt in any other.
A limb without unknowns therefore has the same states under every correction, and the others have the same
to the bit whether it is simulated with them or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.character.tree import Tree, part_of


@dataclass(frozen=True, eq=False)
class Limbs:
    """Some limbs and the root, as a tree of their own."""

    tree: Tree
    links: IntArray
    """Of the character's tree."""
    q: IntArray
    """Their coordinates, columns of the character's q."""
    v: IntArray
    """Their degrees of freedom, columns of the character's v."""

    def all_of(self, character: Character) -> bool:
        """Whether nothing is missing."""
        return self.tree is character.tree

    def among(self, states: Array, still: Array) -> Array:
        """Whole configurations (…, nq): the limbs' (…, their q), all else from ``still`` (…, nq)."""
        out = np.empty((*states.shape[:-1], still.shape[-1]))
        out[...] = still
        out[..., self.q] = states
        return out


def whole(character: Character) -> Limbs:
    """All limbs."""
    tree = character.tree
    return Limbs(tree, np.arange(len(tree.parent)), np.arange(character.nq), np.arange(character.nv))


def moved_limbs(character: Character, free: NDArray[np.bool_]) -> Limbs:
    """The limbs with free degrees of freedom (nv,); all of them where the root has some."""
    return _moved_limbs(character, free.tobytes())


@lru_cache(maxsize=64)
def _moved_limbs(character: Character, free: bytes) -> Limbs:
    tree = character.tree
    # Fixed links share their start with the next one: the last that starts there has freedoms.
    owner = np.searchsorted(tree.v_start, np.flatnonzero(np.frombuffer(free, dtype=bool)), side="right") - 1
    limb = np.arange(len(tree.parent))
    for i, parent in enumerate(tree.parent):
        if parent >= tree.root_links:
            limb[i] = limb[parent]
    root = limb < tree.root_links
    moved = np.isin(limb, limb[owner])
    if (moved | root).all() or (moved & root).any():
        return whole(character)
    links = np.flatnonzero(moved | root)
    part, q, v = part_of(tree, links)
    return Limbs(part, links, q, v)
