"""All meshes of a character as one skin.

glTF places a skinned vertex v at Σ w_j G_j I_j v (G: world transform of joint j, I: its inverse bind
matrix); with G_j = (R_j K_j | p_j) our binding B_j x̄ = K_j I_j v must hold for every joint. One matrix M
per mesh takes v to the character's rest frame, x̄ = M v, chosen so that the topmost joint is bound
where it rests; then B_j = K_j I_j M⁻¹ exactly. Meshes whose bindings disagree with one already
made are re-expressed so that they agree in the rest pose. A mesh without skin on a node is bound to
the body that carries the node with weight 1.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Skin
from poise.formats.gltf.accessor import read_floats
from poise.formats.gltf.axes import matrix_from_gltf
from poise.formats.gltf.container import Document
from poise.formats.gltf.mesh import MeshContent, read_mesh
from poise.formats.gltf.mixture import Mixture, MorphChannel, add_mesh, finished
from poise.formats.gltf.nodes import Frame, NodeTree
from poise.formats.gltf.packed import packing_of, packing_of_mesh
from poise.formats.gltf.rig import Rig, attachment
from poise.manifold import so3
from poise.motion.source import listed

AGREES = 1e-4
"""Bindings of one joint in two meshes are the same if they differ by less, relative to their size."""


def build_skin(
    document: Document, tree: NodeTree, rig: Rig, notes: list[str]
) -> tuple[Skin | None, tuple[MorphChannel, ...]]:
    """The skin of the rig's bodies and where its morph weights come from; None if nothing is drawn."""
    nodes = document.items("nodes")
    scene = [n for n in tree.depth_first(tree.roots) if "mesh" in nodes[n]]
    skinned = [n for n in scene if nodes[n].get("skin") in rig.skins and "skin" in nodes[n]]
    binds: dict[int, Array] = {}
    mixture = Mixture()
    packed: dict[str, str] = {}
    for node in skinned:
        packing = _packing(document, node)
        if packing is not None:
            packed[tree.names[node] or f"node {node}"] = packing
            continue
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
        packing = _packing(document, node)
        if packing is not None:
            packed[tree.names[node] or f"node {node}"] = packing
            continue
        content = read_mesh(document, nodes[node]["mesh"], f"node {node}", notes)
        _add_rigid(document, binds, mixture, content, node, *place)
    if packed:
        how = " and ".join(sorted(set(packed.values())))
        notes.append(
            f"packed with {how} and not shown: {listed(list(packed))}; written back as they are, but masses "
            "cannot come from them"
        )
    if left:
        notes.append(f"meshes that are not on the skeleton, so not in the clip: {listed(left)}")
    return finished(document, np.array([binds[i] for i in range(len(rig.nodes))]), mixture, notes), tuple(
        mixture.channels
    )


def _packing(document: Document, node: int) -> str | None:
    """What the mesh of a node, or its binding, is packed with, if that keeps it from being read."""
    content, user = document.items("nodes")[node], f"node {node}"
    if "skin" in content:
        skin = document.item("skins", content["skin"], user)
        bound = skin.get("inverseBindMatrices")
        if bound is not None and (found := packing_of(document, bound, user)) is not None:
            return found
    return packing_of_mesh(document, content["mesh"], user)


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
    mixture: Mixture,
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
            raise document.error(
                f"mesh {content.name!r} has a skin but a primitive without joints and weights"
            )
        weights = np.maximum(primitive.weights, 0.0)
        index = np.where(weights > 0, primitive.joints, 0)
        if index.max(initial=0) >= len(joints):
            raise document.error(f"mesh {content.name!r} names joint {index.max()} of {len(joints)}")
        empty = weights.sum(axis=1) <= 0
        if empty.any():
            notes.append(
                f"{int(empty.sum())} vertices of mesh {content.name!r} had no weight: "
                f"bound to {rig.names[body_of[0]]}"
            )
            weights[empty, 0] = 1.0
        influences.append((index, weights))
    used = sorted(
        {int(j) for index, w in influences for j in np.unique(index[w > 0])}, key=lambda j: body_of[j]
    )
    flat = [rig.names[body_of[j]] for j in used if abs(np.linalg.det(local[j, :3, :3])) < 1e-30]
    if flat:
        raise document.error(f"the inverse bind matrix of {flat[0]!r} is singular")
    if not used:
        return
    anchor = next((j for j in used if int(body_of[j]) in binds), used[0])
    if int(body_of[anchor]) not in binds:
        binds[int(body_of[anchor])] = _inverse(_rigid(rig.rest[body_of[anchor]]))
    to_rest = _inverse(binds[int(body_of[anchor])]) @ local[anchor]  # M
    agrees = True
    for j in used:
        wanted = local[j] @ _inverse(to_rest)
        known = binds.setdefault(int(body_of[j]), wanted)
        agrees &= bool(np.abs(known - wanted).max() < AGREES * (1 + np.abs(known).max()))
    if not agrees:
        notes.append(f"mesh {content.name!r} is bound in another pose: its binding was matched at rest")
    parts = []
    for index, weights in influences:
        bodies = body_of[index]
        parts.append(
            (bodies, weights, to_rest if agrees else _matched(rig, binds, local, index, bodies, weights))
        )
    add_mesh(document, mixture, content, node, parts)


def _matched(
    rig: Rig, binds: dict[int, Array], local: Array, index: IntArray, bodies: IntArray, weights: Array
) -> Array:
    """Per vertex the transform under which both bindings give one rest pose, (V, 4, 4)."""
    share = (weights / weights.sum(axis=1, keepdims=True))[..., None, None]
    world = np.array([_rigid(f) for f in rig.rest])
    ours = np.array([world[b] @ binds[b] if b in binds else np.eye(4) for b in range(len(world))])
    wanted = (share * (world[bodies] @ local[index])).sum(axis=1)
    return np.asarray(np.linalg.solve((share * ours[bodies]).sum(axis=1), wanted))


def _add_rigid(
    document: Document,
    binds: dict[int, Array],
    mixture: Mixture,
    content: MeshContent,
    node: int,
    body: int,
    frame: Frame,
) -> None:
    to_rest = _inverse(binds[body]) @ frame.matrix()
    parts = [
        (np.full((len(p.positions), 1), body), np.ones((len(p.positions), 1)), to_rest)
        for p in content.primitives
    ]
    add_mesh(document, mixture, content, node, parts)


def _bind_the_rest(rig: Rig, binds: dict[int, Array]) -> None:
    """Bodies no mesh is bound to: where their parent is bound, else where they rest."""
    for body, parent in enumerate(rig.parents):
        if body in binds:
            continue
        world = _rigid(rig.rest[body])
        if parent >= 0:
            relative = _inverse(_rigid(rig.rest[parent])) @ world
            binds[body] = _inverse(relative) @ binds[parent]
        else:
            binds[body] = _inverse(world)


def _rigid(frame: Frame) -> Array:
    out = np.eye(4)
    out[:3, :3] = so3.to_matrix(frame.turn)
    out[:3, 3] = frame.position
    return out


def _inverse(matrix: Array) -> Array:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
