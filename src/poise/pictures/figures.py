"""A character's looks: one mesh per solid in its body's frame, or a skin that follows the bodies.

What is drawn is the character's skin if it has one, else its shapes, else a mannequin guessed from
its bones (see ``mannequin``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.character.shape import Shape, ShapeKind
from poise.character.skin import Skin
from poise.character.stance import Pose
from poise.manifold import so3
from poise.pictures import mesh as solids
from poise.pictures.mannequin import guessed_parts
from poise.pictures.material import PALETTE, Material
from poise.pictures.mesh import Mesh
from poise.pictures.paint import Coat, coats

if TYPE_CHECKING:
    from poise.pictures.scene import Layer

PROXY_DETAIL = 14
"""Segments around a limb for the sake of its shadow."""


@dataclass(frozen=True)
class Part:
    """A mesh in the frame of a body."""

    body: int
    mesh: Mesh
    material: str


@dataclass(frozen=True, eq=False)
class Figure:
    """All parts of a character.

    Examples:
        >>> lamp = poise.pictures.figure(poise.characters.lamp())
        >>> print(len(lamp.parts))
    """

    character: Character
    """Who."""
    parts: tuple[Part, ...]
    """Meshes with their materials, each on a body."""
    proxies: Callable[[], tuple[Part, ...]]
    """Makes the same parts coarser: enough for their shadows."""

    @property
    def skinned(self) -> bool:
        """Whether the character's skin is drawn instead of parts."""
        return not self.parts and self.character.skin is not None

    def put(
        self,
        layer: Layer,
        positions: Array,
        rotations: Array,
        *,
        morphs: Array | None = None,
        whiten: float = 0.0,
    ) -> None:
        """Add the figure to a layer in one pose: body positions (n, 3), rotations (n, 3, 3).

        ``morphs`` (m,): weights of the skin's morph targets.
        """

        def look(name: str) -> Material:
            found = PALETTE.get(name, PALETTE["default"])
            return found.mixed("#ffffff", whiten) if whiten else found

        if self.skinned:
            mesh = self.skin_mesh(positions, rotations, morphs)
            if not self._coats:
                layer.add(mesh, look("skin"))
            for coat in self._coats:
                own = coat.vertices
                painted = Mesh(mesh.vertices[own], coat.faces, mesh.normals[own], closed=False)
                layer.add(painted, coat.material.mixed("#ffffff", whiten) if whiten else coat.material)
        for part, proxy in zip(self.parts, self._proxies):
            layer.add(
                part.mesh,
                look(part.material),
                position=positions[part.body],
                rotation=rotations[part.body],
                proxy=proxy.mesh,
            )

    def skin_mesh(self, positions: Array, rotations: Array, morphs: Array | None = None) -> Mesh:
        """The skin in one pose. Vertices doubled along texture seams share their normal."""
        skin = self.character.skin
        assert skin is not None  # skinned says so
        vertices = skin.deformed(positions, rotations, morphs)
        group, corner = self._seams
        normals = solids.vertex_normals(vertices[corner], group[skin.faces])[group]
        return Mesh(vertices, skin.faces, normals, closed=False)

    @cached_property
    def _proxies(self) -> tuple[Part, ...]:
        return self.proxies()

    @cached_property
    def _coats(self) -> tuple[Coat, ...]:
        """The skin's triangles by colour."""
        return coats(self.character.skin) if self.character.skin is not None else ()

    @cached_property
    def _seams(self) -> tuple[IntArray, IntArray]:
        skin = self.character.skin
        assert skin is not None
        return solids.seams(np.asarray(skin.vertices))

    @cached_property
    def outline(self) -> tuple[IntArray, Array]:
        """Points that bound the figure, body by body: body (K,) and position in its frame (K, 3)."""
        if self.skinned:
            skin, some = self.character.skin, self._some_vertices
            assert skin is not None
            lead = _leading(skin, some)
            bind = skin.inverse_bind[lead]
            return lead, np.einsum("kij,kj->ki", bind[:, :3, :3], skin.vertices[some]) + bind[:, :3, 3]
        parts = sorted(self.parts, key=lambda part: part.body)
        body = np.concatenate([np.full(len(p.mesh.vertices), p.body) for p in parts])
        place = np.concatenate([p.mesh.vertices for p in parts])
        some = np.arange(0, len(body), max(1, len(body) // 4000))
        return body[some], place[some]

    @cached_property
    def _some_vertices(self) -> IntArray:
        """Vertices of the skin that stand for all in ``outline``, in its order, (K,)."""
        skin = self.character.skin
        assert skin is not None
        some = np.arange(0, len(skin.vertices), max(1, len(skin.vertices) // 2000))
        return some[np.argsort(_leading(skin, some), kind="stable")]

    @cached_property
    def _outline_morphs(self) -> Array:
        """What each morph target adds to the outline's points, in the frames of their bodies, (m, K, 3)."""
        skin = self.character.skin
        assert skin is not None
        bind = skin.inverse_bind[self.outline[0]][:, :3, :3]  # (K, 3, 3)
        out = np.zeros((len(skin.morphs), len(bind), 3))
        for k, target in enumerate(skin.morphs):
            delta = np.zeros_like(skin.vertices)
            np.add.at(delta, target.indices, target.deltas)
            out[k] = np.einsum("kij,kj->ki", bind, delta[self._some_vertices])
        return out

    def cloud(self, positions: Array, rotations: Array, morphs: Array | None = None) -> Array:
        """Points (F, K, 3) that bound the figure in poses (F, n, 3), (F, n, 3, 3), with weights (F, m)."""
        body, place = self.outline
        if self.skinned and morphs is not None:
            place = place + np.einsum("fm,mki->fki", morphs, self._outline_morphs, optimize=True)
        out = np.empty((len(positions), 3, len(body)))  # coordinates apart: extremes are quickly found
        starts = np.searchsorted(body, np.arange(len(self.character.bodies) + 1)).tolist()
        for i, (first, last) in enumerate(pairwise(starts)):
            if last > first:
                own = np.swapaxes(place[..., first:last, :], -1, -2)
                out[:, :, first:last] = rotations[:, i] @ own + positions[:, i, :, None]
        return np.swapaxes(out, 1, 2)


def figure(character: Character, *, detail: int = solids.DETAIL, pose: Pose | None = None) -> Figure:
    """The drawable parts of a character.

    Args:
        character: Who.
        detail: Segments around a limb [≥ 3].
        pose: In which a bare skeleton stands. Default: at rest.

    Returns:
        Figure: Parts, to be placed frame by frame.

    Examples:
        >>> parts = poise.pictures.figure(poise.characters.lamp()).parts
    """
    if character.skin is not None:
        return Figure(character, (), tuple)
    coarse = min(detail, PROXY_DETAIL)
    return Figure(character, _parts(character, detail, pose), lambda: _parts(character, coarse, pose))


def _parts(character: Character, detail: int, pose: Pose | None) -> tuple[Part, ...]:
    shapes = [(i, shape) for i, body in enumerate(character.bodies) for shape in body.shapes]
    if shapes:
        return tuple(Part(i, shape_mesh(shape, detail=detail), shape.material) for i, shape in shapes)
    return tuple(Part(*guessed) for guessed in guessed_parts(character, detail=detail, pose=pose))


def _leading(skin: Skin, vertices: IntArray) -> IntArray:
    """The body that moves each vertex most."""
    return np.asarray(skin.bodies[vertices, np.argmax(skin.weights[vertices], axis=1)])


def shape_mesh(shape: Shape, *, detail: int = solids.DETAIL) -> Mesh:
    """A shape's mesh in its body's frame."""
    a, b, c = (float(x) for x in np.asarray(shape.size))
    match shape.kind:
        case ShapeKind.SPHERE:
            mesh = solids.sphere(a, detail=detail)
        case ShapeKind.CAPSULE:
            mesh = solids.capsule((0, 0, -b), (0, 0, b), a, detail=detail)
        case ShapeKind.CYLINDER:
            mesh = solids.cylinder(a, b, detail=detail)
        case ShapeKind.ELLIPSOID:
            mesh = solids.ellipsoid((a, b, c), detail=detail)
        case ShapeKind.BOX:
            mesh = solids.box((a, b, c), detail=detail)
    return mesh.placed(np.asarray(shape.position), so3.to_matrix(shape.rotation))
