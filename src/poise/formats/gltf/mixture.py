"""Meshes put together into one skin: vertices in the rest frame, influences, pieces, morph targets."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import MorphTarget, Skin
from poise.formats.gltf.container import Document
from poise.formats.gltf.materials import COLOURS, KEY, Looks, Piece, face_colours, read_palette
from poise.formats.gltf.mesh import MeshContent, Primitive, rest_weights
from poise.formats.gltf.rig import unique_names


@dataclass(frozen=True)
class MorphChannel:
    """Where the morph targets of one mesh node lie in the skin's list."""

    node: int
    first: int
    rest: Array
    """Weights at rest, (m,)."""


@dataclass
class Mixture:
    """A skin while it grows."""

    vertices: list[Array] = field(default_factory=list)
    normals: list[Array | None] = field(default_factory=list)
    faces: list[IntArray] = field(default_factory=list)
    bodies: list[IntArray] = field(default_factory=list)
    weights: list[Array] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    meshes: list[str] = field(default_factory=list)
    morphs: list[tuple[str, int, list[tuple[IntArray, Array, Array | None]]]] = field(default_factory=list)
    channels: list[MorphChannel] = field(default_factory=list)
    count: int = 0
    triangles: int = 0


def add_mesh(
    document: Document,
    mixture: Mixture,
    content: MeshContent,
    node: int,
    parts: list[tuple[IntArray, Array, Array]],
) -> None:
    """Add a mesh; ``parts`` has bodies (V, k), weights (V, k) and the transform into the rest frame.

    That transform is one (4, 4) or one per vertex (V, 4, 4), for each of the mesh's primitives.
    """
    mesh = len(mixture.meshes)
    mixture.meshes.append(content.name)
    first = len(mixture.morphs)
    mixture.morphs += [(name, mesh, []) for name in content.target_names]
    for primitive, (bodies, weights, to_rest) in zip(content.primitives, parts):
        _add_primitive(mixture, primitive, mesh, first, bodies, weights, to_rest)
    if content.target_names:
        holder = document.items("nodes")[node]
        rest = content.target_weights
        if "weights" in holder:
            rest = rest_weights(document, holder, len(content.target_names), f"node {node}")
        mixture.channels.append(MorphChannel(node, first, rest))


def _add_primitive(
    mixture: Mixture,
    primitive: Primitive,
    mesh: int,
    first_morph: int,
    bodies: IntArray,
    weights: Array,
    to_rest: Array,
) -> None:
    linear = to_rest[..., :3, :3]
    cofactor = np.swapaxes(np.linalg.inv(linear), -1, -2)  # how normals transform
    mirrored = np.linalg.det(linear) < 0
    faces = primitive.faces
    if np.mean(mirrored) > 0.5:
        faces = faces[:, ::-1]
    start, end = mixture.count, mixture.count + len(primitive.positions)
    for k, (delta, normal_delta) in enumerate(primitive.targets):
        moved = np.flatnonzero(np.any(delta != 0, axis=1))
        if normal_delta is not None:
            moved = np.flatnonzero(np.any(delta != 0, axis=1) | np.any(normal_delta != 0, axis=1))
        here = linear if linear.ndim == 2 else linear[moved]
        turn = cofactor if cofactor.ndim == 2 else cofactor[moved]
        change = None
        if normal_delta is not None:
            size = np.abs(np.linalg.det(here)) ** (1 / 3)  # keeps unit normals unit under uniform scale
            change = _applied(turn, normal_delta[moved]) * np.asarray(size)[..., None]
        mixture.morphs[first_morph + k][2].append((start + moved, _applied(here, delta[moved]), change))
    mixture.vertices.append(_applied(linear, primitive.positions) + to_rest[..., :3, 3])
    mixture.normals.append(
        None if primitive.normals is None else _unit(_applied(cofactor, primitive.normals))
    )
    mixture.faces.append(faces + start)
    mixture.bodies.append(bodies)
    mixture.weights.append(weights)
    mixture.pieces.append(
        Piece(
            mesh,
            (start, end),
            (mixture.triangles, mixture.triangles + len(faces)),
            primitive.material,
            primitive.texcoords,
            primitive.colours,
        )
    )
    mixture.count, mixture.triangles = end, mixture.triangles + len(faces)


def finished(document: Document, inverse_bind: Array, mixture: Mixture, notes: list[str]) -> Skin | None:
    """The whole as a skin bound by ``inverse_bind`` (n, 4, 4); None if there is no vertex."""
    if not mixture.count:
        return None
    palette = read_palette(document)
    notes += palette.notes
    widest = max(w.shape[1] for w in mixture.weights)
    many = f"{widest} joints for each of {mixture.count:,} vertices"
    document.budget.spend(2 * widest * mixture.count, many)
    bodies = np.zeros((mixture.count, widest), dtype=np.int64)
    weights = np.zeros((mixture.count, widest))
    for piece, b, w in zip(mixture.pieces, mixture.bodies, mixture.weights):
        bodies[slice(*piece.vertices), : b.shape[1]] = np.where(w > 0, b, 0)
        weights[slice(*piece.vertices), : w.shape[1]] = w
    used = weights.any(axis=0)
    vertices, faces = np.concatenate(mixture.vertices), np.concatenate(mixture.faces)
    normals = None
    if any(n is not None for n in mixture.normals):
        from poise.pictures.mesh import vertex_normals

        guessed = vertex_normals(vertices, faces)
        normals = np.concatenate(
            [guessed[slice(*p.vertices)] if n is None else n for p, n in zip(mixture.pieces, mixture.normals)]
        )
    morphs, morph_normals = [], {}
    names = unique_names([name for name, _, _ in mixture.morphs])
    for k, (name, (_, _, parts)) in enumerate(zip(names, mixture.morphs)):
        index = np.concatenate([i for i, _, _ in parts]) if parts else np.zeros(0, dtype=np.int64)
        deltas = np.concatenate([d for _, d, _ in parts]) if parts else np.zeros((0, 3))
        morphs.append(MorphTarget(name, index, deltas))
        if parts and all(n is not None for _, _, n in parts):
            morph_normals[k] = np.concatenate([n for _, _, n in parts if n is not None])
    looks = Looks(
        meshes=tuple(mixture.meshes),
        pieces=tuple(mixture.pieces),
        materials=palette.materials,
        textures=palette.textures,
        samplers=palette.samplers,
        images=palette.images,
        morph_mesh=tuple(mesh for _, mesh, _ in mixture.morphs),
        morph_normals=morph_normals,
    )
    return Skin(
        vertices,
        faces,
        bodies[:, used],
        weights[:, used],
        inverse_bind,
        tuple(morphs),
        normals,
        {KEY: looks, COLOURS: face_colours(looks.pieces, looks.materials, len(faces))},
    )


def _applied(linear: Array, vectors: Array) -> Array:
    return vectors @ linear.T if linear.ndim == 2 else np.einsum("vij,vj->vi", linear, vectors)


def _unit(v: Array) -> Array:
    length = np.linalg.norm(v, axis=1, keepdims=True)
    return np.where(length > 1e-12, v / np.where(length > 1e-12, length, 1.0), [0.0, 0.0, 1.0])
