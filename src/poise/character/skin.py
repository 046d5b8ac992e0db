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

from poise.arrays import Array, checked, frozen
from poise.errors import InputError


@dataclass(frozen=True, eq=False)
class MorphTarget:
    """Displacements of some vertices: ``deltas`` (k, 3) at the vertex ``indices`` (k,) [m]."""

    name: str
    indices: Any
    deltas: Any

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "indices", frozen(self.indices, dtype=np.int64))
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
        put(self, "faces", frozen(self.faces, dtype=np.int64))
        put(self, "bodies", frozen(self.bodies, dtype=np.int64))
        weights = checked(self.weights, "skin weights", (count, None))
        total = weights.sum(axis=1)
        if (count and (weights < 0).any()) or (total <= 0).any():
            raise InputError(f"vertex {int(np.argmin(total))} of the skin has no weight on any body")
        put(self, "weights", frozen(weights / total[:, None]))
        if self.bodies.shape != self.weights.shape:
            raise InputError(f"skin has {self.bodies.shape} influences but {self.weights.shape} weights")
        if self.faces.size and not (self.faces.min() >= 0 and self.faces.max() < count):
            raise InputError(f"a skin triangle names vertex {int(self.faces.max())} of {count}")
        put(self, "inverse_bind", frozen(checked(self.inverse_bind, "inverse bind matrices", (None, 4, 4))))
        if self.normals is not None:
            put(self, "normals", frozen(checked(self.normals, "skin normals", (count, 3))))

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
        rest = self.shape(morph_weights)
        linear = rotations @ self.inverse_bind[:, :3, :3]  # (n, 3, 3)
        shift = np.einsum("nij,nj->ni", rotations, self.inverse_bind[:, :3, 3]) + positions
        out = np.zeros_like(rest)
        for k in range(self.weights.shape[1]):
            index, weight = self.bodies[:, k], self.weights[:, k, None]
            out += weight * (np.einsum("vij,vj->vi", linear[index], rest) + shift[index])
        return out
