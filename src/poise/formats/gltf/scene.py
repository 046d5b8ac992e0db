"""A scene in memory as a glTF document, so that other formats are understood by the same reader as glTF.

A format describes nodes (parent, transform), meshes on them with their bindings and morph targets, and
sampled animations, all in glTF's axes (y up, z ahead). Which nodes are bodies, what joins them, what one
animation does and what the skin is follows as for any glTF file (:mod:`poise.formats.gltf.interpretation`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from poise.arrays import Array, IntArray
from poise.formats.gltf.container import Document, Json
from poise.formats.gltf.packer import Packer
from poise.manifold import so3

Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""z up, −y ahead → y up, z ahead."""
UNSCALED = 1e-7
"""A scale that is off 1 by less, the precision of files, is none."""


@dataclass(frozen=True)
class SceneNode:
    """A node: place, turn (w, x, y, z) and scale in its parent's frame."""

    name: str
    parent: int
    position: Array
    turn: Array
    scale: Array


@dataclass(frozen=True)
class ScenePicture:
    """A picture, PNG or JPEG."""

    name: str
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class SceneMaterial:
    """A colour to draw with (red, green, blue, opacity), times a picture."""

    name: str
    colour: tuple[float, float, float, float] = (0.8, 0.8, 0.8, 1.0)
    picture: int | None = None


@dataclass(frozen=True)
class SceneMesh:
    """Triangles on a node, rigid or bound to joints."""

    name: str
    node: int
    positions: Array  # (V, 3)
    parts: Sequence[tuple[IntArray, int | None]]
    """Triangles (T, 3), each with the number of its material."""
    normals: Array | None = None  # (V, 3)
    texcoords: Array | None = None
    """Places on pictures (V, 2), from their upper left corner on."""
    joints: Sequence[int] = ()
    """Nodes that it is bound to."""
    inverse_bind: Array | None = None  # (joints, 4, 4), acting on columns
    influences: tuple[IntArray, Array] | None = None
    """Numbers of joints and weights, (V, k) each."""
    morphs: Sequence[tuple[str, IntArray, Array]] = ()
    """Morph targets: name, vertices (m,), how far they go (m, 3)."""
    weights: Sequence[float] = ()
    """Of the morph targets, at rest."""


@dataclass(frozen=True)
class SceneAnimation:
    """Samples at common times."""

    name: str
    times: Array  # (F,)
    tracks: Mapping[tuple[int, str], Array]
    """(node, "translation" | "rotation" (w, x, y, z) | "scale" | "weights") → (F, d)."""
    rate: str = ""
    """Frames per second, exactly, where it is known."""


@dataclass
class Scene:
    """What a file holds."""

    nodes: list[SceneNode] = field(default_factory=list)
    """The first is the file's axes and unit."""
    meshes: list[SceneMesh] = field(default_factory=list)
    materials: list[SceneMaterial] = field(default_factory=list)
    pictures: list[ScenePicture] = field(default_factory=list)
    skeletons: list[tuple[str, list[int]]] = field(default_factory=list)
    """Nodes that are bones, whether or not a mesh is bound to them, by the name of their root."""
    animations: list[SceneAnimation] = field(default_factory=list)

    def document(self, path: Path, data: bytes) -> Document:
        """As a document; complaints name ``path``, whose bytes are ``data``."""
        packer = Packer()
        nodes = [_node(each) for each in self.nodes]
        for number, node in enumerate(self.nodes):
            if node.parent >= 0:
                nodes[node.parent].setdefault("children", []).append(number)
        skins: list[Json] = [{"name": name, "joints": list(joints)} for name, joints in self.skeletons]
        meshes: list[Json] = []
        for mesh in self.meshes:
            nodes[mesh.node]["mesh"] = len(meshes)
            if mesh.influences is not None:
                nodes[mesh.node]["skin"] = len(skins)
                skins.append(_skin(mesh, packer))
            meshes.append(_mesh(mesh, packer))
        content: Json = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [k for k, n in enumerate(self.nodes) if n.parent < 0]}],
            "nodes": nodes,
            "meshes": meshes,
            "skins": skins,
            "materials": [_material(m) for m in self.materials],
            "textures": [{"source": k} for k in range(len(self.pictures))],
            "images": [_picture(each, packer) for each in self.pictures],
            "animations": [_animation(a, packer) for a in self.animations],
            "accessors": packer.accessors,
            "bufferViews": packer.views,
        }
        binary = packer.binary()
        content["buffers"] = [{"byteLength": len(binary)}] if binary else []
        document = Document(path, {k: v for k, v in content.items() if v != []}, binary, data)
        document.axes = frozenset({0})
        document.budget.grow(len(data) + len(binary))
        return document


def _node(node: SceneNode) -> Json:
    out: Json = {"name": node.name, "translation": node.position.tolist()}
    out["rotation"] = np.roll(so3.normalise(node.turn), -1).tolist()
    if np.abs(node.scale - 1.0).max() > UNSCALED:
        out["scale"] = node.scale.tolist()
    return out


def _skin(mesh: SceneMesh, packer: Packer) -> Json:
    assert mesh.inverse_bind is not None
    columns = np.swapaxes(mesh.inverse_bind, 1, 2).reshape(-1, 16).astype(np.float32)
    return {
        "name": mesh.name,
        "joints": list(mesh.joints),
        "inverseBindMatrices": packer.add(columns, "MAT4"),
    }


def _mesh(mesh: SceneMesh, packer: Packer) -> Json:
    primitives: list[Json] = []
    for triangles, material in mesh.parts:
        used, faces = np.unique(triangles, return_inverse=True)
        attributes: Json = {"POSITION": packer.add(mesh.positions[used].astype(np.float32), "VEC3")}
        if mesh.normals is not None:
            attributes["NORMAL"] = packer.add(mesh.normals[used].astype(np.float32), "VEC3")
        if mesh.texcoords is not None:
            attributes["TEXCOORD_0"] = packer.add(mesh.texcoords[used].astype(np.float32), "VEC2")
        if mesh.influences is not None:
            joints, weights = (part[used] for part in mesh.influences)
            for at in range(0, joints.shape[1], 4):
                four = np.zeros((2, len(used), 4))
                four[0, :, : joints[:, at : at + 4].shape[1]] = joints[:, at : at + 4]
                four[1, :, : weights[:, at : at + 4].shape[1]] = weights[:, at : at + 4]
                attributes[f"JOINTS_{at // 4}"] = packer.add(four[0].astype(np.uint16), "VEC4")
                attributes[f"WEIGHTS_{at // 4}"] = packer.add(four[1].astype(np.float32), "VEC4")
        targets = []
        for _, vertices, ways in mesh.morphs:
            dense = np.zeros(mesh.positions.shape)
            dense[vertices] = ways
            moved = dense[used]
            where = np.flatnonzero(np.abs(moved).max(axis=1) > 0)
            targets.append({"POSITION": packer.add_sparse(len(used), where, moved[where])})
        primitive: Json = {"attributes": attributes}
        primitive["indices"] = packer.add(faces.reshape(-1).astype(np.uint32), "SCALAR")
        primitive |= {"targets": targets} if targets else {}
        primitive |= {"material": material} if material is not None else {}
        primitives.append(primitive)
    out: Json = {"name": mesh.name, "primitives": primitives}
    if mesh.morphs:
        out["extras"] = {"targetNames": [name for name, _, _ in mesh.morphs]}
        out["weights"] = list(mesh.weights) or [0.0] * len(mesh.morphs)
    return out


def _material(material: SceneMaterial) -> Json:
    shading: Json = {"baseColorFactor": list(material.colour)}
    if material.picture is not None:
        shading["baseColorTexture"] = {"index": material.picture}
    return {"name": material.name, "pbrMetallicRoughness": shading}


def _picture(picture: ScenePicture, packer: Packer) -> Json:
    kind = "image/png" if picture.data.startswith(b"\x89PNG") else "image/jpeg"
    return {"name": picture.name, "mimeType": kind, "bufferView": packer.view(picture.data)}


def _animation(animation: SceneAnimation, packer: Packer) -> Json:
    times = packer.add(animation.times.astype(np.float32), "SCALAR", bounds=True)
    channels: list[Json] = []
    samplers: list[Json] = []
    for (node, path), values in animation.tracks.items():
        kind = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3", "weights": "SCALAR"}[path]
        if path == "rotation":
            values = np.roll(so3.continuous(so3.normalise(values)), -1, axis=1)
        flat = values.reshape(-1) if path == "weights" else values
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        samplers.append({"input": times, "output": packer.add(flat.astype(np.float32), kind)})
    out: Json = {"name": animation.name, "channels": channels, "samplers": samplers}
    if animation.rate:
        out["extras"] = {"poise": {"rate": animation.rate}}
    return out


def triangles(corners: IntArray, sizes: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """Fans (T, 3) of polygons of so many corners each, and the polygon of each triangle (T,).

    Corners are numbers of vertices, of which there are ``count``.
    """
    if sizes.min(initial=0) < 0 or int(sizes.sum()) > len(corners):
        raise ValueError(f"polygons have {int(sizes.sum())} corners, and {len(corners)} are listed")
    if len(corners) and not 0 <= corners.min() <= corners.max() < count:
        raise ValueError(f"a polygon names vertex {corners.max()} of {count}")
    starts = np.cumsum(sizes) - sizes
    fans = np.maximum(sizes - 2, 0)
    polygon = np.repeat(np.arange(len(sizes)), fans)
    step = np.arange(len(polygon)) - np.repeat(np.cumsum(fans) - fans, fans)
    first = starts[polygon]
    return np.stack([corners[first], corners[first + step + 1], corners[first + step + 2]], axis=1), polygon


def taken_apart(matrices: Array) -> tuple[Array, Array, Array]:
    """Places (F, 3), turns (F, 4) and scales (F, 3) of transforms (F, 4, 4); mirrors scale x by −1."""
    linear = matrices[:, :3, :3]
    scale = np.linalg.norm(linear, axis=1)
    scale[:, 0] *= np.where(np.linalg.det(linear) < 0, -1.0, 1.0)
    safe = np.where(np.abs(scale) < 1e-12, 1.0, scale)
    turns = so3.from_matrix(linear / safe[:, None, :])
    return matrices[:, :3, 3], so3.continuous(turns), scale
