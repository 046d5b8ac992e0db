"""Limbs of a standing figure whose names say nothing: by the mirrored chains of its rest pose.

Two mirrored chains that reach the ground are legs, two mirrored chains further up are arms, what lies
between is the spine, what goes on upwards is the head. A chain leads from a body to the tip farthest from it;
its mirror image is the nearest to where the plane shows its tip. Every branching is looked at once and
neighbours are looked up in a tree, so thousands of nameless joints, as files hold them, take little time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import IntArray
from poise.character.character import Character
from poise.character.naming import Part
from poise.character.symmetry import Symmetry, nearest, symmetry

_SAME = 0.1
"""How far the tips of mirrored chains may be from each other's image, in sizes of the figure."""
_APART = 0.05
"""How far apart they must be, likewise."""


def limbs_by_shape(character: Character) -> dict[int, Part]:
    """Parts of the bodies of something that looks like a standing figure; nothing for anything else."""
    plane = symmetry(character)
    shape = _Chains(character, plane)
    pairs = sorted(shape.pairs(), key=lambda pair: pair.height)
    if len(pairs) < 2:
        return {}
    places, ends = plane.places, character.subtree_ends
    legs, arms = pairs[0], max(pairs[1:], key=lambda pair: pair.length)
    hips, chest = legs.at, arms.at
    if not hips <= chest < ends[hips] or legs.height > places[hips, 2] - 0.2 * plane.size:
        return {}
    found = {k: Part.LEG for first in legs.chains for k in shape.chain(first)}
    found |= {k: Part.ARM for first in arms.chains for k in shape.chain(first)}
    found[hips] = Part.HIPS
    found |= dict.fromkeys(shape.way(hips, chest)[1:], Part.SPINE)
    upward = [k for k in character.children[chest] if k not in found and places[k, 2] > places[chest, 2]]
    if upward:
        neck = shape.chain(max(upward, key=lambda k: places[shape.tip(k), 2]))
        found |= dict.fromkeys(neck[:-1], Part.NECK) | {neck[-1]: Part.HEAD}
    return found


class _Pair(NamedTuple):
    """Two chains that mirror each other."""

    height: float
    """Of the tip of the first [m]."""
    length: int
    """Bodies of each."""
    at: int
    """The body they hang from."""
    chains: tuple[int, int]
    """Their first bodies."""


class _Chains:
    """The ways from bodies to the tips farthest from them."""

    def __init__(self, character: Character, plane: Symmetry) -> None:
        self.character, self.plane = character, plane
        self.leaves: IntArray = np.flatnonzero([not below for below in character.children])
        self.depth: IntArray = np.zeros(len(character.bodies), dtype=np.int64)
        for i in range(1, len(self.depth)):
            self.depth[i] = self.depth[int(character.parents[i])] + 1

    def tip(self, first: int) -> int:
        """The end of the chain that begins at ``first``."""
        start, stop = np.searchsorted(self.leaves, [first, self.character.subtree_ends[first]])
        tips, places = self.leaves[start:stop], self.plane.places
        return int(tips[np.argmax(np.linalg.norm(places[tips] - places[first], axis=1))])

    def way(self, first: int, last: int) -> list[int]:
        """The bodies from ``first`` to ``last``, which hangs from it."""
        found = [last]
        while found[-1] != first:
            found.append(int(self.character.parents[found[-1]]))
        return found[::-1]

    def chain(self, first: int) -> list[int]:
        """The bodies from ``first`` to its tip."""
        return self.way(first, self.tip(first))

    def pairs(self) -> list[_Pair]:
        """Chains of two or more bodies and their mirror images, for every body that carries some."""
        found: list[_Pair] = []
        for at, children in enumerate(self.character.children):
            long = [k for k in children if self.character.children[k]]
            if len(long) < 2:
                continue
            by_length: dict[int, list[tuple[int, int]]] = {}
            for k in long:
                tip = self.tip(k)
                by_length.setdefault(int(self.depth[tip] - self.depth[k]) + 1, []).append((k, tip))
            for length, chains in by_length.items():
                found += self._mirrored(at, length, chains) if len(chains) > 1 else []
        return found

    def _mirrored(self, at: int, length: int, chains: list[tuple[int, int]]) -> list[_Pair]:
        """Of chains that hang from one body and are equally long, each on the left with its image."""
        left, size, places = self.plane.left, self.plane.size, self.plane.places
        tips = places[[tip for _, tip in chains]]
        aside = (tips - places[at]) @ left
        one, other = np.flatnonzero(aside > 0), np.flatnonzero(aside < 0)
        if not len(one) or not len(other):
            return []
        index, far = nearest(tips[one] - 2 * aside[one, None] * left, tips[other])
        found = []
        for a, b, off in zip(one.tolist(), other[index].tolist(), far.tolist()):
            if off < _SAME * size and aside[a] - aside[b] > _APART * size:
                first, second = sorted((a, b))
                both = chains[first][0], chains[second][0]
                found.append(_Pair(float(tips[first, 2]), length, at, both))
        return found
