"""The mirror plane of a rest pose: which way is left, and which bodies have a twin on the other side.

Names tell left from right where they can: left is the sum of the ways from right bodies to the left ones of
the same name. Where no name has a side, the plane is upright and passes through the root. Its normal is an
eigenvector of the horizontal second moment Σ d dᵀ of a mirrored set of points, whichever way that is turned
about the vertical, so there are few planes to try; the one with the most twins is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.character.character import Character
from poise.character.naming import read_name

NEAR = 0.02
"""How far a twin may be from where the mirror shows it, in sizes of the figure."""
ASIDE = 0.01
"""How far from the plane a body must be to have a side, in sizes of the figure."""
FEW = 256
"""So many points are compared with each other at once: SciPy takes a quarter of a second to load."""
_Y = (0.0, 1.0, 0.0)
"""The normal that is tried first: figures are mirrored left to right."""


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A plane through the root of a rest pose."""

    places: Array
    """Of all bodies at rest, (n, 3)."""
    left: Array
    """Unit normal, to the figure's left, (3,)."""
    size: float
    """Longest side of the box around all bodies [m]."""

    @cached_property
    def aside(self) -> Array:
        """How far to the left of the plane each body is, (n,)."""
        return np.asarray((self.places - self.places[0]) @ self.left)

    @cached_property
    def twins(self) -> NDArray[np.bool_]:
        """Whether each body has one where the mirror shows it, (n,)."""
        mirrored = self.places - 2 * self.aside[:, None] * self.left
        return np.less(nearest(mirrored, self.places)[1], NEAR * self.size)

    @property
    def pairs(self) -> int:
        """Bodies beside the plane that have a twin."""
        return int(np.sum(self.twins & np.greater(np.abs(self.aside), ASIDE * self.size)))


@lru_cache(maxsize=16)
def symmetry(character: Character) -> Symmetry:
    """The mirror plane of the rest pose, by names, else by shape."""
    places = np.asarray(character.rest_placement().positions)
    size = float(np.ptp(places, axis=0).max()) or 1.0
    named = _by_names(character, places)
    if np.linalg.norm(named) > 1e-6 * size:
        return Symmetry(places, named / np.linalg.norm(named), size)
    flat = places[:, :2] - places[0, :2]
    normals = [_Y, (1.0, 0.0, 0.0), *((x, y, 0.0) for x, y in np.linalg.eigh(flat.T @ flat)[1].T)]
    tried = [Symmetry(places, _leftish(np.array(n)), size) for n in normals]
    # The first of the best: a figure that faces x where the shape does not say otherwise.
    return max(tried, key=lambda plane: plane.pairs)


def nearest(points: Array, among: Array) -> tuple[IntArray, Array]:
    """For each of ``points`` (k, 3) the nearest of ``among`` (m, 3), and how far it is, (k,) each."""
    if len(points) * len(among) > FEW**2:
        from scipy.spatial import cKDTree

        far, index = cKDTree(among).query(points)
        return np.asarray(index), np.asarray(far)
    apart = np.linalg.norm(points[:, None] - among, axis=-1)
    nearby: IntArray = np.argmin(apart, axis=1)
    return nearby, apart[np.arange(len(points)), nearby]


def _by_names(character: Character, places: Array) -> Array:
    """Σ (left − right) over bodies of one name but for the side, (3,)."""
    groups: dict[tuple[str, ...], dict[str, list[int]]] = {}
    for i, name in enumerate(character.names):
        reading = read_name(name)
        if reading.side:
            groups.setdefault(reading.without_side, {}).setdefault(reading.side, []).append(i)
    total = np.zeros(3)
    for group in groups.values():
        left, right = group.get("left", []), group.get("right", [])
        if len(left) == len(right):
            total += places[left].sum(axis=0) - places[right].sum(axis=0)
    return total


def _leftish(normal: Array) -> Array:
    """Of the two normals of a plane the one nearer to y (or x, where neither is)."""
    lead = normal[1] if abs(normal[1]) > 1e-9 else normal[0]
    return normal if lead > 0 else -normal
