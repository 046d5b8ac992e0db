"""All meshes of a character as one skin.

glTF places a skinned vertex v at Σ w_j G_j I_j v (G: world transform of joint j, I: its inverse bind
matrix); with G_j = (R_j K_j | p_j) our binding B_j x̄ = K_j I_j v must hold for every joint. One matrix M
per mesh takes v to the character's rest frame, x̄ = M v, chosen so that the topmost joint is bound
where it rests; then B_j = K_j I_j M⁻¹ exactly. Meshes whose bindings disagree with one already
made are re-expressed so that they agree in the rest pose. A mesh without skin on a node is bound to
the body that carries the node with weight 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import MorphTarget, Skin
from poise.formats.gltf.accessor import read_floats
from poise.formats.gltf.axes import matrix_from_gltf
from poise.formats.gltf.container import Document
from poise.formats.gltf.looks import COLOURS, KEY, Looks, Piece, face_colours, read_palette
from poise.formats.gltf.mesh import MeshContent, Primitive, read_mesh, rest_weights
from poise.formats.gltf.nodes import Frame, NodeTree
from poise.formats.gltf.rig import Rig, attachment, unique_names
from poise.manifold import so3

AGREES = 1e-4
"""Bindings of one joint in two meshes are the same if they differ by less, relative to their size."""


@dataclass(frozen=True)
class MorphChannel:
    """Where the morph targets of one mesh node lie in the skin's list."""

    node: int
    first: int
    rest: Array
    """Weights at rest, (m,)."""


@dataclass
class _Mixture:
    """The skin while it grows."""

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


def build_skin(
    document: Document, tree: NodeTree, rig: Rig, notes: list[str]
) -> tuple[Skin | None, tuple[MorphChannel, ...]]:
    """The skin of the rig's bodies and where its morph weights come from; None if nothing is drawn."""
    nodes = document.items("nodes")
    scene = [n for n in tree.depth_first(tree.roots) if "mesh" in nodes[n]]
    skinned = [n for n in scene if nodes[n].get("skin") in rig.skins and "skin" in nodes[n]]
    binds: dict[int, Array] = {}
    mixture = _Mixture()
    for node in skinned:
        content = read_mesh(document, nodes[node]["mesh"], f"node {node}", notes)
        _add_skinned(document, rig, binds, mixture, content, node, notes)
    _bind_the_rest(rig, binds)
    left: list[str] = []
    for node in scene:
        place = None if "skin" in nodes[node] else attachment(tree, rig, node)
        if node in skinned or place is None:
            if node not in skinned:
                left.append(tree.names[node] or f"node {node}")
            continue
        content = read_mesh(document, nodes[node]["mesh"], f"node {node}", notes)
        _add_rigid(document, binds, mixture, content, node, *place)
    if left:
        notes.append(f"meshes that are not on the skeleton were left out: {', '.join(left[:6])}")
    return _finished(document, rig, binds, mixture, notes), tuple(mixture.channels)


def _inverse_binds(document: Document, skin: int, joints: int) -> Array:
    """(joints, 4, 4) in our axes."""
    content = document.items("skins")[skin]
    if "inverseBindMatrices" not in content:
        return np.tile(np.eye(4), (joints, 1, 1))
    user = f"inverse bind matrices of skin {skin}"
    matrices = matrix_from_gltf(read_floats(document, content["inverseBindMatrices"], user, "MAT4"))
    if len(matrices) < joints:
        raise document.error(f"skin {skin} has {joints} joints but {len(matrices)} inverse bind matrices")
    matrices = matrices[:joints].copy()
    matrices[:, 3] = [0.0, 0.0, 0.0, 1.0]
    return matrices


def _add_skinned(
    document: Document,
    rig: Rig,
    binds: dict[int, Array],
    mixture: _Mixture,
    content: MeshContent,
    node: int,
    notes: list[str],
) -> None:
    skin = document.items("nodes")[node]["skin"]
    joints = document.items("skins")[skin]["joints"]
    body_of = np.array([rig.nodes.index(j) for j in joints])  # (joints,)
    local = _inverse_binds(document, skin, len(joints))
    for j, body in enumerate(body_of):
        local[j, :3] = rig.rest[body].stretch @ local[j, :3]  # K I: mesh vertex → body frame
    influences = []
    for primitive in content.primitives:
        if primitive.joints is None or primitive.weights is None:
            raise document.error(f"mesh {content.name!r} has a skin but a primitive without joints and weights")
        weights = np.maximum(primitive.weights, 0.0)
        index = np.where(weights > 0, primitive.joints, 0)
        if index.max(initial=0) >= len(joints):
            raise document.error(f"mesh {content.name!r} names joint {index.max()} of {len(joints)}")
        empty = weights.sum(axis=1) <= 0
        if empty.any():
            notes.append(f"{int(empty.sum())} vertices of mesh {content.name!r} had no weight: bound to {rig.names[body_of[0]]}")
            weights[empty, 0] = 1.0
        influences.append((index, weights))
    used = sorted({int(j) for index, w in influences for j in np.unique(index[w > 0])}, key=lambda j: body_of[j])
    flat = [rig.names[body_of[j]] for j in used if abs(np.linalg.det(local[j, :3, :3])) < 1e-30]
    if flat:
        raise document.error(f"the inverse bind matrix of {flat[0]!r} is singular")
    if not used:
        return
    anchor = next((j for j in used if int(body_of[j]) in binds), used[0])
    if int(body_of[anchor]) not in binds:
        binds[int(body_of[anchor])] = np.linalg.inv(_rigid(rig.rest[body_of[anchor]]))
    to_rest = np.linalg.solve(binds[int(body_of[anchor])], local[anchor])  # M
    agrees = True
    for j in used:
        wanted = local[j] @ np.linalg.inv(to_rest)
        known = binds.setdefault(int(body_of[j]), wanted)
        agrees &= bool(np.abs(known - wanted).max() < AGREES * (1 + np.abs(known).max()))
    if not agrees:
        notes.append(f"mesh {content.name!r} is bound in another pose: its binding was matched at rest")
    parts = []
    for index, weights in influences:
        bodies = body_of[index]
        parts.append((bodies, weights, to_rest if agrees else _matched(rig, binds, local, index, bodies, weights)))
    _add_mesh(document, mixture, content, node, parts)


def _matched(
    rig: Rig, binds: dict[int, Array], local: Array, index: IntArray, bodies: IntArray, weights: Array
) -> Array:
    """Per vertex the transform into the rest frame under which both bindings give one rest pose, (V, 4, 4)."""
    share = (weights / weights.sum(axis=1, keepdims=True))[..., None, None]
    world = np.array([_rigid(f) for f in rig.rest])
    ours = np.array([world[b] @ binds[b] if b in binds else np.eye(4) for b in range(len(world))])
    wanted = (share * (world[bodies] @ local[index])).sum(axis=1)
    return np.asarray(np.linalg.solve((share * ours[bodies]).sum(axis=1), wanted))


def _add_rigid(
    document: Document,
    binds: dict[int, Array],
    mixture: _Mixture,
    content: MeshContent,
    node: int,
    body: int,
    frame: Frame,
) -> None:
    to_rest = np.linalg.solve(binds[body], frame.matrix())
    parts = [
        (np.full((len(p.positions), 1), body), np.ones((len(p.positions), 1)), to_rest)
        for p in content.primitives
    ]
    _add_mesh(document, mixture, content, node, parts)


def _bind_the_rest(rig: Rig, binds: dict[int, Array]) -> None:
    """Bodies no mesh is bound to: where their parent is bound, else where they rest."""
    for body, parent in enumerate(rig.parents):
        if body in binds:
            continue
        world = _rigid(rig.rest[body])
        if parent >= 0:
            relative = np.linalg.solve(_rigid(rig.rest[parent]), world)
            binds[body] = np.linalg.solve(relative, binds[parent])
        else:
            binds[body] = np.linalg.inv(world)


def _add_mesh(
    document: Document,
    mixture: _Mixture,
    content: MeshContent,
    node: int,
    parts: list[tuple[IntArray, Array, Array]],
) -> None:
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
    mixture: _Mixture,
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
    mixture.normals.append(None if primitive.normals is None else _unit(_applied(cofactor, primitive.normals)))
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


def _finished(
    document: Document, rig: Rig, binds: dict[int, Array], mixture: _Mixture, notes: list[str]
) -> Skin | None:
    if not mixture.count:
        return None
    palette = read_palette(document)
    notes += palette.notes
    widest = max(w.shape[1] for w in mixture.weights)
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
        np.array([binds[i] for i in range(len(rig.nodes))]),
        tuple(morphs),
        normals,
        {KEY: looks, COLOURS: face_colours(looks.pieces, looks.materials, len(faces))},
    )


def _rigid(frame: Frame) -> Array:
    out = np.eye(4)
    out[:3, :3] = so3.to_matrix(frame.turn)
    out[:3, 3] = frame.position
    return out


def _applied(linear: Array, vectors: Array) -> Array:
    return vectors @ linear.T if linear.ndim == 2 else np.einsum("vij,vj->vi", linear, vectors)


def _unit(v: Array) -> Array:
    length = np.linalg.norm(v, axis=1, keepdims=True)
    return np.where(length > 1e-12, v / np.where(length > 1e-12, length, 1.0), [0.0, 0.0, 1.0])
