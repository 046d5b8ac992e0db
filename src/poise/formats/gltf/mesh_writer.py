"""Writing a skin: one mesh per mesh of its source, one primitive per piece, morph targets sparse."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Skin
from poise.formats.gltf.axes import matrix_to_gltf, vector_to_gltf
from poise.formats.gltf.container import Json
from poise.formats.gltf.materials import KEY, Looks, Piece
from poise.formats.gltf.packer import INDICES, VERTICES, Packer
from poise.motion.mesh_clip import TEXCOORDS, VERTEX_COLOURS


@dataclass(frozen=True)
class WrittenSkin:
    """What the document needs to show a skin."""

    meshes: list[Json]
    names: list[str]
    """Of the meshes."""
    morphs: list[list[int]]
    """Indices of the skin's morph targets in each mesh."""
    inverse_bind: int
    """Accessor."""
    looks: Json
    """The document's lists of materials, textures, samplers and images, those that are not empty."""
    extensions: list[str]


def write_skin(packer: Packer, skin: Skin) -> WrittenSkin:
    """Pack a skin; its joints are all bodies in order."""
    looks = looks_of(skin)
    order = np.argsort(-np.asarray(skin.weights), axis=1, kind="stable")
    weights = np.take_along_axis(np.asarray(skin.weights), order, axis=1)
    bodies = np.take_along_axis(np.asarray(skin.bodies), order, axis=1)
    bodies, weights = _without_repeats(bodies, weights)
    morphs: list[list[int]] = [
        [k for k, m in enumerate(looks.morph_mesh) if m == i] for i in range(len(looks.meshes))
    ]
    meshes: list[Json] = []
    for i, name in enumerate(looks.meshes):
        primitives = [
            _primitive(packer, skin, looks, piece, morphs[i], bodies, weights)
            for piece in looks.pieces
            if piece.mesh == i
        ]
        mesh: Json = {"name": name, "primitives": primitives}
        if morphs[i]:
            mesh["extras"] = {"targetNames": [skin.morphs[k].name for k in morphs[i]]}
            mesh["weights"] = [0.0] * len(morphs[i])
        meshes.append(mesh)
    inverse = matrix_to_gltf(np.asarray(skin.inverse_bind))
    columns = np.swapaxes(inverse, 1, 2).astype(np.float32).reshape(-1, 16)
    columns[:, [3, 7, 11]], columns[:, 15] = 0.0, 1.0
    return WrittenSkin(
        meshes,
        list(looks.meshes),
        morphs,
        packer.add(columns, "MAT4"),
        _shared(packer, looks),
        looks.extensions(),
    )


def looks_of(skin: Skin) -> Looks:
    """The skin's looks, if it has any that still describe it; else one plain piece."""
    looks = skin.extras.get(KEY)
    if isinstance(looks, Looks):
        covers = sum(b - a for a, b in (p.faces for p in looks.pieces)) == len(skin.faces)
        if covers and len(looks.morph_mesh) == len(skin.morphs):
            return looks
        if covers and looks.pieces[-1].vertices[1] == len(skin.vertices):
            # Other targets than the file's, which may reach over all its meshes: they become one.
            pieces = tuple(replace(piece, mesh=0) for piece in looks.pieces)
            one = (0,) * len(skin.morphs)
            return replace(looks, meshes=looks.meshes[:1], pieces=pieces, morph_mesh=one, morph_normals={})
    uv, colours = skin.extras.get(TEXCOORDS), skin.extras.get(VERTEX_COLOURS)
    whole = Piece(
        0,
        (0, len(skin.vertices)),
        (0, len(skin.faces)),
        texcoords=() if uv is None else (np.asarray(uv),),
        colours=colours,
    )
    return Looks(("skin",), (whole,), morph_mesh=(0,) * len(skin.morphs))


def _without_repeats(bodies: IntArray, weights: Array) -> tuple[IntArray, Array]:
    """Influences, strongest first, with a body that is named twice counted once; unused ones name body 0."""
    weights = np.array(weights)
    for k in range(1, weights.shape[1]):
        for earlier in range(k):
            same = (bodies[:, k] == bodies[:, earlier]) & (weights[:, k] > 0)
            weights[same, earlier] += weights[same, k]
            weights[same, k] = 0.0
    return np.where(weights > 0, bodies, 0), weights


def _primitive(
    packer: Packer,
    skin: Skin,
    looks: Looks,
    piece: Piece,
    morphs: list[int],
    bodies: IntArray,
    weights: Array,
) -> Json:
    span = slice(*piece.vertices)
    first, count = piece.vertices[0], piece.vertices[1] - piece.vertices[0]
    attributes = {
        "POSITION": packer.add(_single(skin.vertices[span]), "VEC3", target=VERTICES, bounds=True),
    }
    if skin.normals is not None:
        attributes["NORMAL"] = packer.add(_single(skin.normals[span]), "VEC3", target=VERTICES)
    for k, uv in enumerate(piece.texcoords):
        attributes[f"TEXCOORD_{k}"] = packer.add(uv.astype(np.float32), "VEC2", target=VERTICES)
    if piece.colours is not None:
        attributes["COLOR_0"] = packer.add(piece.colours.astype(np.float32), "VEC4", target=VERTICES)
    own_bodies, own_weights = bodies[span], weights[span]
    widest = max(1, int(np.count_nonzero(own_weights.any(axis=0))))
    small = np.uint8 if own_bodies.max(initial=0) < 256 else np.uint16
    for k in range(-(-widest // 4)):
        index, weight = np.zeros((count, 4), dtype=small), np.zeros((count, 4), dtype=np.float32)
        part = slice(4 * k, min(4 * k + 4, own_weights.shape[1]))
        index[:, : part.stop - part.start] = own_bodies[:, part]
        weight[:, : part.stop - part.start] = own_weights[:, part]
        attributes[f"JOINTS_{k}"] = packer.add(
            np.where(weight > 0, index, 0).astype(small), "VEC4", target=VERTICES
        )
        attributes[f"WEIGHTS_{k}"] = packer.add(weight, "VEC4", target=VERTICES)
    faces = np.asarray(skin.faces)[slice(*piece.faces)] - first
    wide = np.uint16 if count < 1 << 16 else np.uint32
    out: Json = {
        "attributes": attributes,
        "indices": packer.add(faces.ravel().astype(wide), "SCALAR", target=INDICES),
        "mode": 4,
    }
    if piece.material is not None:
        out["material"] = piece.material
    if morphs:
        out["targets"] = [_target(packer, skin, looks, k, first, count, morphs) for k in morphs]
    return out


def _target(
    packer: Packer, skin: Skin, looks: Looks, k: int, first: int, count: int, siblings: list[int]
) -> Json:
    morph = skin.morphs[k]
    order = np.argsort(morph.indices, kind="stable")
    indices = morph.indices[order]
    here = (indices >= first) & (indices < first + count)
    target = {"POSITION": packer.add_sparse(count, indices[here] - first, _single(morph.deltas[order][here]))}
    if skin.normals is not None and all(s in looks.morph_normals for s in siblings):
        change = looks.morph_normals[k][order][here]
        target["NORMAL"] = packer.add_sparse(count, indices[here] - first, _single(change))
    return target


def _shared(packer: Packer, looks: Looks) -> Json:
    out: Json = {}
    for name, listed in (
        ("materials", looks.materials),
        ("textures", looks.textures),
        ("samplers", looks.samplers),
    ):
        if listed:
            out[name] = [dict(item) for item in listed]
    if looks.images:
        out["images"] = [
            {"bufferView": packer.view(i.data), "mimeType": i.mime, **({"name": i.name} if i.name else {})}
            for i in looks.images
        ]
    return out


def _single(v: Any) -> Any:
    """Vectors in glTF's axes and precision."""
    return vector_to_gltf(np.asarray(v)).astype(np.float32)
