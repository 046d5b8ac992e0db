"""A mesh clip: a mesh whose vertices move on their own, sampled at an exact, constant rate.

    x_v(t) = (1 − s) x_v,k + s x_v,k+1 ,   s = t · rate − k

Linear between frames, as every player of baked vertices has it. Loops wrap; others hold their ends. It is
what simulated faces, hats and cloth are when they are done: no bones, no weights, one shape per frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked, frozen
from poise.character import Body, Character, Joint, MorphTarget, Skin
from poise.errors import InputError
from poise.motion.clip import Clip
from poise.motion.frame_times import FrameTimes, exact_rate
from poise.motion.principal_shapes import TOLERANCE, Shapes, principal_shapes
from poise.motion.rigid_part import rigid_part

if TYPE_CHECKING:
    from poise.formats.options import WriteOptions

VERTEX_COLOURS, TEXCOORDS = "vertex_colours", "texcoords"
"""Where a skin's extras hold what a mesh clip knows of its looks."""


class Baked(NamedTuple):
    """A mesh clip made into a clip."""

    clip: Clip
    local: MeshClip
    """The mesh as its body sees it: what morph targets are for."""
    error: float
    """The largest distance of a vertex from its place [m]."""


@dataclass(frozen=True, eq=False)
class MeshClip(FrameTimes):
    """Vertices (F, N, 3) + triangles + exact rate. Immutable."""

    vertices: Any
    """[m], world axes (z up), (F, N, 3)."""
    faces: Any
    """Triangles (T, 3), counter-clockwise from outside."""
    rate: Any
    """Frames per second, exactly."""
    name: str = ""
    loop: bool = False
    colours: Any = None
    """Linear RGBA of each vertex (N, 4), or one colour (3,) or (4,) for all; None: not known."""
    texcoords: Any = None
    """(N, 2), or None."""
    extras: Mapping[str, Any] = field(default_factory=dict)
    """What a file said of the skin these vertices come from (``Skin.extras``), for writing back."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        vertices = checked(self.vertices, "vertices of a mesh clip", (None, None, 3))
        if not vertices.size:
            raise InputError(f"a mesh clip needs a frame and a vertex, not the shape {vertices.shape}")
        put(self, "vertices", frozen(vertices))
        count = vertices.shape[1]
        # The skin checks triangles; it is what the clip becomes in files and pictures.
        put(self, "faces", _still_skin(vertices[0], self.faces).faces)
        put(self, "rate", exact_rate(self.rate))
        put(self, "loop", bool(self.loop))
        if self.colours is not None:
            given = np.asarray(self.colours, dtype=np.float64)
            if given.ndim == 1:
                given = np.tile(np.append(given, 1.0) if len(given) == 3 else given, (count, 1))
            put(self, "colours", frozen(checked(given, "colours of a mesh clip", (count, 4))))
        if self.texcoords is not None:
            put(self, "texcoords", frozen(checked(self.texcoords, "texcoords of a mesh clip", (count, 2))))

    def __repr__(self) -> str:
        kind = "loop" if self.loop else "clip"
        count = self.vertices.shape[1]
        return f"MeshClip({self.name!r}, {count} vertices, {self.frames} frames at {self.fps:g} fps, {kind})"

    def __len__(self) -> int:
        return len(self.vertices)

    @cached_property
    def size(self) -> float:
        """The largest side of the first frame's box [m]."""
        return float(np.ptp(self.vertices[0], axis=0).max())

    def at(self, time: ArrayLike) -> Array:
        """Vertices at a time [s], (N, 3), or at many, (T, N, 3)."""
        x = checked(np.atleast_1d(time), "time", (None,)) * self.fps
        nearest = np.rint(x)
        x = np.where(np.abs(x - nearest) < 1e-9 * np.maximum(1.0, np.abs(x)), nearest, x)
        x = x % self.frames if self.loop else np.clip(x, 0.0, self.frames - 1.0)
        first = np.floor(x).astype(np.int64) % self.frames
        after = (first + 1) % self.frames if self.loop else np.minimum(first + 1, self.frames - 1)
        s = (x - np.floor(x))[:, None, None]
        out = np.where(
            s == 0, self.vertices[first], (1 - s) * self.vertices[first] + s * self.vertices[after]
        )
        return np.asarray(out[0] if np.ndim(time) == 0 else out)

    def with_vertices(self, vertices: ArrayLike) -> MeshClip:
        """The same mesh moving otherwise."""
        return replace(self, vertices=vertices)

    def shapes(self, tolerance: float | None = None) -> Shapes:
        """Few shapes that all frames are mixtures of, to ``tolerance`` [m] (10⁻⁴ of the size; 0: exact)."""
        return principal_shapes(self.vertices, TOLERANCE * self.size if tolerance is None else tolerance)

    def as_clip(self, tolerance: float | None = None) -> Clip:
        """A clip whose character is this mesh and whose morph weights move it, to ``tolerance`` [m].

        Whatever draws, writes or edits clips then takes it. A rigid part of the motion, where there is one,
        becomes the motion of its body. Zero (one target per frame, the body at rest) loses nothing.
        """
        return self.baked(tolerance).clip

    def baked(self, tolerance: float | None = None) -> Baked:
        """The clip of ``as_clip`` with what it was made of and what was lost."""
        rigid = rigid_part(self.vertices) if tolerance != 0 else None
        local = self if rigid is None else self.with_vertices(rigid.local)
        shapes = local.shapes(tolerance)
        return Baked(self._mixed(shapes, None if rigid is None else rigid.q), local, shapes.error)

    def _mixed(self, shapes: Shapes, q: Array | None) -> Clip:
        targets = []
        for k, delta in enumerate(shapes.deltas):
            moved = np.flatnonzero(np.any(delta != 0, axis=1))
            targets.append(MorphTarget(f"shape {k}", moved, delta[moved]))
        extras = dict(self.extras)
        if self.colours is not None:
            corners = self.colours[self.faces]  # (T, 3, 4)
            extras |= {"colours": frozen(corners.mean(axis=1)), VERTEX_COLOURS: self.colours}
        if self.texcoords is not None:
            extras[TEXCOORDS] = self.texcoords
        skin = replace(_still_skin(shapes.rest, self.faces), morphs=tuple(targets), extras=extras)
        body = Body(self.name or "mesh", None, Joint.fixed() if q is None else Joint.free())
        character = Character(self.name or "mesh", [body], skin=skin, mass_source="none")
        q = np.tile(character.rest_pose(), (self.frames, 1)) if q is None else q
        weights = shapes.weights if targets else None
        return Clip(character, q, self.rate, loop=self.loop, name=self.name, morphs=weights)

    def save(self, path: str | Path, **options: Unpack[WriteOptions]) -> Path:
        """Write to a .glb, .gltf or .npz file."""
        from poise.formats import save

        return save(self, path, **options)


def _still_skin(vertices: Array, faces: Any) -> Skin:
    """A skin on a single body at the origin."""
    count = len(vertices)
    one = np.ones((count, 1))
    return Skin(vertices, faces, np.zeros((count, 1), dtype=np.int64), one, np.eye(4)[None])
