"""A file's axes and unit of length: conversion to metres with z up, and guesses where a file is silent.

Up is y or z. In a y-up file characters usually face z, in a z-up file −y: so they stand alike wherever files
of both kinds meet. Either way they face x inside,

    y up: (x, y, z) → (z, x, y),    z up: (x, y, z) → (−y, x, z)

Both are rotations that only reorder numbers and change signs, so nothing is rounded and nothing is mirrored.
Figures that face another way are turned in addition (see ``facing``).

BVH has no unit and no up axis. Up follows from where the body is relative to its feet (or, without
names that say "foot", from the longer extent); the unit from the height of a standing person.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.errors import UnknownNameError

UP_AXES = ("y", "z")
CMU_UNIT = 0.0254 / 0.45
"""Unit of the CMU motion-capture database [m]: inches, scaled by 0.45."""
UNITS: dict[str, float] = {
    "centimetre": 0.01,
    "metre": 1.0,
    "millimetre": 0.001,
    "inch": 0.0254,
    "CMU unit": CMU_UNIT,
    "decimetre": 0.1,
    "foot": 0.3048,
}
"""Units met in the wild [m]."""
# Log-height handicaps: rarer units must fit better.
_RARITY = {"inch": 0.05, "CMU unit": 0.05, "decimetre": 0.05, "foot": 0.3}
STATURE = 1.7
"""[m]"""
_PLAUSIBLE = (1.0, 2.4)  # [m]
_CMU_NAMES = {"lhipjoint", "rhipjoint", "leftfingerbase", "lthumb"}
_FOOT = re.compile(r"foot|feet|toe|ankle|heel|hoof|paw", re.IGNORECASE)


@dataclass(frozen=True)
class Axes:
    """Change of axes between a file with the given up axis and Poise (z up)."""

    up: str

    def __post_init__(self) -> None:
        if self.up not in UP_AXES:
            raise UnknownNameError("up axis", str(self.up), UP_AXES)

    @property
    def _order(self) -> tuple[list[int], list[float]]:
        """Which file axis each of Poise's axes is, and its sign."""
        return ([2, 0, 1], [1.0, 1.0, 1.0]) if self.up == "y" else ([1, 0, 2], [-1.0, 1.0, 1.0])

    @property
    def _inverse(self) -> tuple[list[int], list[float]]:
        """Which of Poise's axes each file axis is, and its sign."""
        return ([1, 2, 0], [1.0, 1.0, 1.0]) if self.up == "y" else ([1, 0, 2], [1.0, -1.0, 1.0])

    def vector(self, in_file: ArrayLike) -> Array:
        """File → Poise, (…, 3); also right for rotation vectors."""
        return _reordered(in_file, *self._order)

    def quaternion(self, in_file: ArrayLike) -> Array:
        """File → Poise, (…, 4)."""
        return _with_real(in_file, *self._order)

    def vector_to_file(self, inside: ArrayLike) -> Array:
        """Poise → file, (…, 3)."""
        return _reordered(inside, *self._inverse)

    def quaternion_to_file(self, inside: ArrayLike) -> Array:
        """Poise → file, (…, 4)."""
        return _with_real(inside, *self._inverse)

    def matrix_to_file(self, inside: ArrayLike) -> Array:
        """Transforms that act on columns, Poise → file, (…, 4, 4)."""
        order, signs = self._inverse
        full, sign = [*order, 3], np.array([*signs, 1.0])
        found = np.asarray(inside, dtype=np.float64)[..., full, :][..., full]
        return np.asarray(found * sign[:, None] * sign)

    def limits(self, lower: ArrayLike, upper: ArrayLike) -> tuple[Array, Array]:
        """Bounds of a rotation vector, file → Poise, (…, 3) each: an axis turned round swaps them."""
        one, other = self.vector(lower), self.vector(upper)
        return np.minimum(one, other), np.maximum(one, other)


def _reordered(values: ArrayLike, order: list[int], signs: list[float]) -> Array:
    return np.asarray(np.asarray(values, dtype=np.float64)[..., order] * np.array(signs))


def _with_real(values: ArrayLike, order: list[int], signs: list[float]) -> Array:
    given = np.asarray(values, dtype=np.float64)
    return np.concatenate([given[..., :1], _reordered(given[..., 1:], order, signs)], axis=-1)


def guess_up(rest: Array, posed: Array, names: Sequence[str]) -> str:
    """The up axis of points in the rest pose (P, 3) and in sampled frames (S, P, 3).

    z only where the frames or the rest pose say so and neither says y: y is the custom.
    """
    feet = np.array([bool(_FOOT.search(n)) for n in names])
    votes = {_vote(posed, feet), _vote(rest[None], feet)}
    return "z" if "z" in votes and "y" not in votes else "y"


def _vote(points: Array, feet: Array) -> str:
    """ "y", "z" or "" (undecided) for one set of frames (S, P, 3)."""
    if feet.any() and not feet.all():
        rise = np.median(points.mean(axis=1) - points[:, feet].mean(axis=1), axis=0)
        y, z = float(rise[1]), float(rise[2])
    else:
        y, z = (float(e) for e in np.median(np.ptp(points, axis=1), axis=0)[1:])
    if z > 1.5 * abs(y):
        return "z"
    return "y" if y > 1.5 * abs(z) else ""


def standing_height(rest: Array, posed: Array, up: str) -> float:
    """Height of the figure in file units: the larger of the rest pose and the median frame."""
    axis = "xyz".index(up)
    return float(max(np.ptp(rest[:, axis]), np.median(np.ptp(posed[:, :, axis], axis=1))))


def guess_unit(height: float, names: Sequence[str]) -> tuple[str, float]:
    """Name and length [m] of the unit in which a figure of this height is most likely measured."""
    if len(_CMU_NAMES.intersection(n.lower() for n in names)) >= 3 and 10 < height < 50:
        return "CMU unit", CMU_UNIT
    if not height > 0:
        return "metre", 1.0

    def unlikely(item: tuple[str, float]) -> tuple[bool, float]:
        name, unit = item
        stature = height * unit
        outside = not _PLAUSIBLE[0] <= stature <= _PLAUSIBLE[1]
        off = abs(math.log(height) + math.log(unit / STATURE))  # the product may be too small for a number
        return outside, off + (0.0 if outside else _RARITY.get(name, 0.0))

    return min(UNITS.items(), key=unlikely)
