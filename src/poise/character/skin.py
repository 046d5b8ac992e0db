"""A skin: a mesh that follows the bodies by linear blending, with optional morph targets.

    x_v = Σ_j w_vj (R_j (B_j x̄_v) + p_j),   x̄_v = rest + Σ_m weight_m · delta_m

``B_j`` (inverse bind) takes a rest vertex into the frame of body j.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.errors import InputError


def _indices(values: Any, name: str, shape: tuple[int | None, ...], count: int | None = None) -> IntArray:
    """Whole numbers from 0 to ``count`` − 1, frozen; anything else is refused under its ``name``."""
    numbers = np.asarray(values)
    if numbers.size == 0 and numbers.ndim < len(shape):
        numbers = numbers.reshape(*(n or 0 for n in shape))
    exact = checked(numbers, name, shape)
    if (exact != np.floor(exact)).any():
        raise InputError(f"{name} must be whole numbers, not {exact[exact != np.floor(exact)][0]}")
    wrong = exact[(exact < 0) | (exact >= (np.inf if count is None else count))]
    if wrong.size:
        known = "" if count is None else f" (there are {count}, from 0)"
        raise InputError(f"{name}: there is no number {int(wrong[0])}{known}")
    return np.asarray(frozen(exact, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class MorphTarget:
    """Displacements of some vertices: ``deltas`` (k, 3) at the vertex ``indices`` (k,) [m]."""

    name: str
    indices: Any
    deltas: Any

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "indices", _indices(self.indices, f"vertices of morph target {self.name!r}", (None,)))
        put(
            self,
            "deltas",
            frozen(checked(self.deltas, f"morph target {self.name!r}", (len(self.indices), 3))),
        )


@dataclass(frozen=True, eq=False)
class Skin:
    """Mesh bound to bodies. Vertices are in the character's rest frame (z up) [m]."""

    vertices: Any
    """(V, 3)"""
    faces: Any
    """Triangles (T, 3), counter-clockwise from outside."""
    bodies: Any
    """Body index of each influence (V, k)."""
    weights: Any
    """Weight of each influence (V, k), rows sum to 1."""
    inverse_bind: Any
    """Body-from-rest transform per body (n, 4, 4)."""
    morphs: tuple[MorphTarget, ...] = ()
    normals: Any = None
    """(V, 3) or None."""
    extras: Mapping[str, Any] = field(default_factory=dict)
    """What the file said beyond this (materials, texture coordinates), kept for writing back."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        vertices = frozen(checked(self.vertices, "skin vertices", (None, 3)))
        count = len(vertices)
        put(self, "vertices", vertices)
        put(self, "faces", _indices(self.faces, "vertices of skin triangles", (None, 3), count))
        put(self, "inverse_bind", frozen(checked(self.inverse_bind, "inverse bind matrices", (None, 4, 4))))
        bound = len(self.inverse_bind)
        put(self, "bodies", _indices(self.bodies, "bodies of skin influences", (count, None), bound))
        weights = checked(self.weights, "skin weights", (count, None))
        total = weights.sum(axis=1)
        if (count and (weights < 0).any()) or (total <= 0).any():
            raise InputError(f"vertex {int(np.argmin(total))} of the skin has no weight on any body")
        # Weights that sum to 1 but for rounding keep their bits, however often a skin is made anew.
        put(self, "weights", frozen(weights / np.where(np.abs(total - 1.0) < 1e-14, 1.0, total)[:, None]))
        if self.bodies.shape != self.weights.shape:
            raise InputError(f"skin has {self.bodies.shape} influences but {self.weights.shape} weights")
        if self.normals is not None:
            put(self, "normals", frozen(checked(self.normals, "skin normals", (count, 3))))
        put(self, "morphs", tuple(self.morphs))
        for morph in self.morphs:
            _indices(morph.indices, f"vertices of morph target {morph.name!r}", (None,), count)

    def shape(self, morph_weights: ArrayLike | None = None) -> Array:
        """Rest vertices with morph targets mixed in, (V, 3)."""
        if morph_weights is None or not self.morphs:
            return np.asarray(self.vertices)
        amounts = checked(morph_weights, "morph weights", (len(self.morphs),))
        out = np.array(self.vertices)
        for amount, morph in zip(amounts, self.morphs):
            if amount:
                np.add.at(out, morph.indices, amount * morph.deltas)
        return out

    def deformed(self, positions: Array, rotations: Array, morph_weights: ArrayLike | None = None) -> Array:
        """Vertices for one pose given body positions (n, 3) and rotations (n, 3, 3), (V, 3)."""
        return self.placed(self.shape(morph_weights), positions, rotations)

    def placed(self, rest: Array, positions: Array, rotations: Array) -> Array:
        """Any shape of the rest vertices (V, 3) in one pose, (V, 3)."""
        linear = rotations @ self.inverse_bind[:, :3, :3]  # (n, 3, 3)
        shift = np.einsum("nij,nj->ni", rotations, self.inverse_bind[:, :3, 3]) + positions
        out = np.zeros_like(rest)
        for k in range(self.weights.shape[1]):
            index, weight = self.bodies[:, k], self.weights[:, k, None]
            out += weight * (np.einsum("vij,vj->vi", linear[index], rest) + shift[index])
        return out
