"""Meshes of an FBX file: polygons, what binds them to bones, and their blend shapes.

A cluster says of one bone which vertices follow it, how strongly, and how the mesh stood towards the bone
when it was bound (``Transform``: from the model's frame to the bone's). Of blend shapes in between only the
last is read.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
from poise.formats.fbx.objects import FbxObject, FbxObjects
from poise.formats.fbx.pictures import Pictures
from poise.formats.fbx.seams import Seams
from poise.formats.fbx.transforms import geometric
from poise.formats.gltf.scene import Scene, SceneMaterial, SceneMesh, triangles
from poise.motion.source import listed

Channels = dict[int, list[tuple[FbxObject, float]]]
"""By node: the channels of its mesh's blend shapes, with their percents at rest."""


def add_meshes(
    objects: FbxObjects, scene: Scene, number: dict[int, int], notes: list[str], *, outside: bool
) -> Channels:
    """All meshes of models, into the scene; ``number``: the node of each model.

    ``outside``: pictures that lie beside the file are read too.
    """
    materials: dict[int, int] = {}
    pictures = Pictures(objects, outside=outside)
    channels: Channels = {}
    between: list[str] = []
    for model_id, node in number.items():
        geometry = next(iter(objects.below(model_id, "Geometry", "Mesh")), None)
        if geometry is None:
            continue
        places = geometry.record.array("Vertices").reshape(-1, 3)
        corners, sizes = _corners(geometry.record.array("PolygonVertexIndex", "i"))
        fans, polygon = triangles(np.arange(len(corners)), sizes, len(corners))
        if not len(fans):
            continue
        if not 0 <= corners.min() <= corners.max() < len(places):
            raise ValueError(f"a polygon of {geometry.name!r} names vertex {corners.max()} of {len(places)}")
        model = objects.every[model_id]
        within = geometric(model)
        own = [_material(pictures, m, materials, scene) for m in objects.below(model_id, "Material")]
        joints, bind, influences = _binding(objects, geometry, number, len(places))
        places = places @ within[:3, :3].T + within[:3, 3]
        seams = Seams.of(geometry, places, corners, fans)
        parts = _by_material(geometry, seams.numbers[fans], polygon, own)
        shapes = []
        for channel, name, where, way in _shapes(objects, geometry, len(places), between):
            shapes.append((name, *seams.spread(where, way @ within[:3, :3].T)))
            channels.setdefault(node, []).append((channel, channel.number("DeformPercent")))
        scene.meshes.append(
            SceneMesh(
                model.name or geometry.name,
                node,
                places[seams.vertices],
                parts,
                normals=seams.normals,
                texcoords=seams.texcoords,
                joints=joints,
                inverse_bind=bind,
                influences=None if influences is None else seams.of_vertices(*influences),
                morphs=shapes,
                weights=[p / 100.0 for _, p in channels.get(node, [])],
            )
        )
    if between:
        notes.append(f"blend shapes in between are not read: {listed(between)}")
    if pictures.left_out and outside:
        notes.append(f"pictures that are left out: {listed(pictures.left_out)}")
    return channels


def _corners(written: IntArray) -> tuple[IntArray, IntArray]:
    """Vertices of all corners of polygons whose last corner k is written as −k − 1, and their counts."""
    ends = np.flatnonzero(written < 0)
    sizes = np.diff(ends, prepend=-1)
    return np.where(written < 0, -written - 1, written)[: int(sizes.sum())], sizes


def _material(pictures: Pictures, material: FbxObject, known: dict[int, int], scene: Scene) -> int:
    if material.identity not in known:
        known[material.identity] = len(scene.materials)
        colour = np.clip(
            material.vector("DiffuseColor", 0.8) * material.number("DiffuseFactor", 1.0), 0.0, 1.0
        )
        picture, number = pictures.of(material), None
        if picture is not None:  # it takes the place of the colour
            colour, number = np.ones(3), len(scene.pictures)
            scene.pictures.append(picture)
        opacity = material.number("Opacity", 1.0)
        red, green, blue = (float(c) for c in colour)
        scene.materials.append(
            SceneMaterial(material.name, (red, green, blue, float(np.clip(opacity, 0, 1))), number)
        )
    return known[material.identity]


def _by_material(
    geometry: FbxObject, faces: IntArray, polygon: IntArray, own: list[int]
) -> list[tuple[IntArray, int | None]]:
    layer = geometry.record.get("LayerElementMaterial")
    chosen = layer.array("Materials", "i") if layer is not None else np.zeros(0, int)
    split = layer is not None and layer.value("MappingInformationType") == "ByPolygon"
    if not own:
        return [(faces, None)]
    if not split or len(chosen) <= polygon.max(initial=0):
        first = int(chosen[0]) if len(chosen) and 0 <= chosen[0] < len(own) else 0
        return [(faces, own[first])]
    which = np.clip(chosen[polygon], 0, len(own) - 1)
    return [(faces[which == k], own[int(k)]) for k in np.unique(which)]


def _binding(
    objects: FbxObjects, geometry: FbxObject, number: dict[int, int], count: int
) -> tuple[list[int], Array | None, tuple[IntArray, Array] | None]:
    """Joints, inverse bind matrices (joints, 4, 4) and influences of a mesh; nothing where it is rigid."""
    joints: list[int] = []
    binds: list[Array] = []
    rows: list[tuple[IntArray, Array]] = []
    for skin in objects.below(geometry.identity, "Deformer", "Skin"):
        for cluster in objects.below(skin.identity, "Deformer", "Cluster"):
            bone = next((b for b in objects.below(cluster.identity, "Model") if b.identity in number), None)
            transform = cluster.record.array("Transform")
            where, weight = cluster.record.array("Indexes", "i"), cluster.record.array("Weights")
            if bone is None or len(transform) != 16:
                continue
            size = min(len(where), len(weight))
            where, weight = where[:size], weight[:size]
            inside = (where >= 0) & (where < count)
            joints.append(number[bone.identity])
            binds.append(transform.reshape(4, 4).T)  # rows act there
            rows.append((where[inside], weight[inside]))
    if not joints:
        return [], None, None
    vertex = np.concatenate([w for w, _ in rows])
    joint = np.repeat(np.arange(len(rows)), [len(w) for w, _ in rows])
    share = np.concatenate([s for _, s in rows])
    order = np.lexsort((joint, vertex))
    vertex, joint, share = vertex[order], joint[order], share[order]
    counts = np.bincount(vertex, minlength=count)
    slot = np.arange(len(vertex)) - np.repeat(np.cumsum(counts) - counts, counts)
    most = max(int(counts.max(initial=1)), 1)
    index, weights = np.zeros((count, most), dtype=np.int64), np.zeros((count, most))
    index[vertex, slot], weights[vertex, slot] = joint, share
    return joints, np.array(binds), (index, weights)


def _shapes(
    objects: FbxObjects, geometry: FbxObject, count: int, between: list[str]
) -> list[tuple[FbxObject, str, IntArray, Array]]:
    found = []
    for blend in objects.below(geometry.identity, "Deformer", "BlendShape"):
        for channel in objects.below(blend.identity, "Deformer", "BlendShapeChannel"):
            targets = objects.below(channel.identity, "Geometry", "Shape")
            if not targets:
                continue
            if len(targets) > 1:
                between.append(channel.name)
            shape = targets[-1].record
            where, way = shape.array("Indexes", "i"), shape.array("Vertices").reshape(-1, 3)
            size = min(len(where), len(way))
            inside = (where[:size] >= 0) & (where[:size] < count)
            found.append(
                (channel, channel.name or targets[-1].name, where[:size][inside], way[:size][inside])
            )
    return found
