"""Regions of a face: named by morph targets, or given as vertices.

The region of a morph target is where it moves the face, each vertex by its share of the largest displacement.
A pattern ("mouth*") is all targets it matches together; "*" is the whole face.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked
from poise.character import Skin
from poise.errors import InputError, UnknownNameError
from poise.operations.values.face_target import WHOLE

Region = str | Sequence[str] | ArrayLike
"""A name or pattern of morph targets, several of them, vertex numbers, or a share (N,) for each vertex."""
INSIDE = 0.4
"""Vertices with a larger share than this belong to the region of a target."""


def share(skin: Skin, region: Region) -> Array:
    """How much each vertex belongs to a region, 0 … 1, (N,)."""
    count = len(skin.vertices)
    names = [region] if isinstance(region, str) else region
    if isinstance(names, Sequence) and len(names) and all(isinstance(n, str) for n in names):
        if WHOLE in names:
            return np.ones(count)
        out = np.zeros(count)
        for name in names:
            out = np.maximum(out, _of_targets(skin, str(name)))
        return out
    values = np.asarray(region)
    if values.dtype == bool or (values.dtype.kind == "f" and values.shape == (count,)):
        given = checked(values, "region", (count,))
        if given.min() < 0 or given.max() > 1 or given.max() == 0:
            raise InputError("a region's shares must lie between 0 and 1, and not all be 0")
        return given
    if values.ndim != 1 or values.dtype.kind not in "iu" or not values.size:
        raise InputError(f"a region is a pattern of morph targets, vertex numbers or shares, not {region!r}")
    if values.min() < 0 or values.max() >= count:
        raise InputError(f"a region names vertex {int(values.max())}; there are {count}, from 0")
    out = np.zeros(count)
    out[values] = 1.0
    return out


def _of_targets(skin: Skin, pattern: str) -> Array:
    known = [m.name for m in skin.morphs]
    found = [m for m in skin.morphs if fnmatchcase(m.name.lower(), pattern.lower())]
    if not found:
        raise UnknownNameError("region", pattern, [WHOLE, *known])
    out = np.zeros(len(skin.vertices))
    for target in found:
        moved = np.linalg.norm(displacement(skin, target.indices, target.deltas), axis=1)
        out = np.maximum(out, moved / (moved.max() or 1.0))
    return out


def displacement(skin: Skin, indices: IntArray, deltas: Array) -> Array:
    """A morph target's displacement of every vertex, (N, 3)."""
    out = np.zeros((len(skin.vertices), 3))
    np.add.at(out, indices, deltas)
    return out


def softness(skin: Skin, neighbours: Any, smoothing: int) -> Array:
    """How far each vertex takes part, 0 (bone) … 1, (N,): flesh is what morph targets move."""
    moved = np.zeros(len(skin.vertices))
    for target in skin.morphs:
        size = np.linalg.norm(displacement(skin, target.indices, target.deltas), axis=1)
        moved = np.maximum(moved, size)
    s = np.clip(moved / (0.35 * np.percentile(moved[moved > 0], 90)), 0, 1) if moved.any() else moved
    for _ in range(smoothing):
        s = neighbours @ s
    return np.asarray(s * s * (3 - 2 * s))
