"""A skin as FBX has it: a mesh, a cluster per bone, blend shapes, colours, the pose in which it was bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array
from poise.character import Character, Skin
from poise.formats.fbx.records import Record, Wide
from poise.formats.fbx.take_records import property_record
from poise.formats.fbx.texture_records import picture_of, picture_records, texcoord_record, texcoords
from poise.formats.gltf.axes import matrix_to_gltf, vector_to_gltf
from poise.formats.gltf.materials import Image
from poise.formats.gltf.mesh_writer import looks_of

if TYPE_CHECKING:
    from poise.formats.fbx.writer import _Writer

CENTIMETRES = 100.0
"""In a metre: the unit of files."""
PLAIN = (0.8, 0.8, 0.8)
"""The colour of skins that have none: other programs' usual grey."""


class SkinRecords:
    """Puts a skin into a file that is being written."""

    def __init__(self, file: _Writer, character: Character, skin: Skin, bones: list[Wide]) -> None:
        self.file, self.character, self.skin, self.bones = file, character, skin, bones
        self.channels: list[Wide] = []
        """Of the morph targets, in their order."""

    def write(self) -> None:
        """All of it."""
        file, name = self.file, f"{self.character.name or 'character'} skin"
        model, geometry = file.new(), file.new()
        shown = (Record("Version", (232,)), Record("Shading", (True,)), Record("Culling", ("CullingOff",)))
        file.objects.append(Record("Model", (model, f"{name}\0\1Model", "Mesh"), shown))
        file.link(model, 0)
        file.objects.append(Record("Geometry", (geometry, f"{name}\0\1Geometry", "Mesh"), self._mesh()))
        file.link(geometry, model)
        self._materials(model)
        self._clusters(geometry)
        self._shapes(geometry)
        self._bind_pose(model)

    def _mesh(self) -> tuple[Record, ...]:
        skin = self.skin
        corners = np.array(skin.faces, dtype=np.int32)
        corners[:, 2] = -corners[:, 2] - 1
        kinds = np.zeros(len(corners), dtype=np.int32)
        for piece in looks_of(skin).pieces:
            kinds[piece.faces[0] : piece.faces[1]] = piece.material if piece.material is not None else 0
        layer = [
            Record(
                "LayerElement", (), (Record("Type", ("LayerElementMaterial",)), Record("TypedIndex", (0,)))
            )
        ]
        parts = [
            Record("GeometryVersion", (124,)),
            Record("Vertices", (CENTIMETRES * vector_to_gltf(np.asarray(skin.vertices)).ravel(),)),
            Record("PolygonVertexIndex", (corners.ravel(),)),
        ]
        if skin.normals is not None:
            each = vector_to_gltf(np.asarray(skin.normals))[np.asarray(skin.faces).ravel()]
            rows = (
                Record("Version", (101,)),
                Record("Name", ("",)),
                Record("MappingInformationType", ("ByPolygonVertex",)),
                Record("ReferenceInformationType", ("Direct",)),
                Record("Normals", (np.ascontiguousarray(each).ravel(),)),
            )
            parts.append(Record("LayerElementNormal", (0,), rows))
            layer.insert(
                0,
                Record(
                    "LayerElement", (), (Record("Type", ("LayerElementNormal",)), Record("TypedIndex", (0,)))
                ),
            )
        rows = (
            Record("Version", (101,)),
            Record("Name", ("",)),
            Record("MappingInformationType", ("ByPolygon",)),
            Record("ReferenceInformationType", ("IndexToDirect",)),
            Record("Materials", (kinds,)),
        )
        parts.append(Record("LayerElementMaterial", (0,), rows))
        places = texcoords(looks_of(skin), len(skin.vertices))
        if places is not None:
            parts.append(texcoord_record(places, np.asarray(skin.faces)))
            named = (Record("Type", ("LayerElementUV",)), Record("TypedIndex", (0,)))
            layer.append(Record("LayerElement", (), named))
        parts.append(Record("Layer", (0,), (Record("Version", (100,)), *layer)))
        return tuple(parts)

    def _materials(self, model: Wide) -> None:
        looks, textures = looks_of(self.skin), dict[int, Wide]()
        for k, material in enumerate(looks.materials or ({},)):
            shading = material.get("pbrMetallicRoughness", {})
            colour = shading.get("baseColorFactor", PLAIN)
            identity = self.file.new()
            rows = (property_record("DiffuseColor", "Color", "", "A", *(float(c) for c in colour[:3])),)
            name = str(material.get("name") or f"material {k + 1}")
            inside = (
                Record("Version", (102,)),
                Record("ShadingModel", ("lambert",)),
                Record("Properties70", (), rows),
            )
            self.file.objects.append(Record("Material", (identity, f"{name}\0\1Material", ""), inside))
            self.file.link(identity, model)
            source = picture_of(looks, material)
            if source is not None:
                if source not in textures:
                    textures[source] = self._texture(looks.images[source], source)
                self.file.link(textures[source], identity, "DiffuseColor")

    def _texture(self, image: Image, number: int) -> Wide:
        texture, video = self.file.new(), self.file.new()
        self.file.objects += picture_records(image, number, texture, video)
        self.file.link(video, texture)
        return texture

    def _bound(self) -> tuple[Array, Array]:
        """Bones from the mesh, and bones in the world, when they were bound (n, 4, 4), in the file's unit."""
        inverse = matrix_to_gltf(np.array(self.skin.inverse_bind))
        inverse[:, :3, 3] *= CENTIMETRES
        return inverse, np.linalg.inv(inverse)

    def _clusters(self, geometry: Wide) -> None:
        file, skin = self.file, self.skin
        deformer = file.new()
        inside = (Record("Version", (101,)), Record("Link_DeformAcuracy", (50.0,)))
        file.objects.append(Record("Deformer", (deformer, "\0\1Deformer", "Skin"), inside))
        file.link(deformer, geometry)
        inverse, bound = self._bound()
        bodies, weights = np.asarray(skin.bodies), np.asarray(skin.weights)
        for k, bone in enumerate(self.bones):
            share = np.where(bodies == k, weights, 0.0).sum(axis=1)
            where = np.flatnonzero(share > 0)
            if not len(where):
                continue
            cluster = file.new()
            rows = (
                Record("Version", (100,)),
                Record("UserData", ("", "")),
                Record("Indexes", (where.astype(np.int32),)),
                Record("Weights", (share[where],)),
                Record("Transform", (np.ascontiguousarray(inverse[k].T).ravel(),)),
                Record("TransformLink", (np.ascontiguousarray(bound[k].T).ravel(),)),
            )
            file.objects.append(Record("Deformer", (cluster, "\0\1SubDeformer", "Cluster"), rows))
            file.link(cluster, deformer)
            file.link(bone, cluster)

    def _shapes(self, geometry: Wide) -> None:
        file = self.file
        if not self.skin.morphs:
            return
        blend = file.new()
        file.objects.append(
            Record("Deformer", (blend, "\0\1Deformer", "BlendShape"), (Record("Version", (100,)),))
        )
        file.link(blend, geometry)
        for target in self.skin.morphs:
            channel, shape = file.new(), file.new()
            percent = property_record("DeformPercent", "Number", "", "A", 0.0)
            rows = (
                Record("Version", (100,)),
                Record("Properties70", (), (percent,)),
                Record("FullWeights", (np.array([100.0]),)),
            )
            file.objects.append(
                Record("Deformer", (channel, f"{target.name}\0\1SubDeformer", "BlendShapeChannel"), rows)
            )
            ways = CENTIMETRES * vector_to_gltf(np.asarray(target.deltas))
            rows = (
                Record("Version", (100,)),
                Record("Indexes", (np.asarray(target.indices).astype(np.int32),)),
                Record("Vertices", (np.ascontiguousarray(ways).ravel(),)),
            )
            file.objects.append(Record("Geometry", (shape, f"{target.name}\0\1Geometry", "Shape"), rows))
            file.link(channel, blend)
            file.link(shape, channel)
            self.channels.append(channel)

    def _bind_pose(self, model: Wide) -> None:
        _, bound = self._bound()
        stood = [(model, np.eye(4)), *zip(self.bones, bound, strict=True)]
        nodes = [
            Record(
                "PoseNode",
                (),
                (Record("Node", (node,)), Record("Matrix", (np.ascontiguousarray(m.T).ravel(),))),
            )
            for node, m in stood
        ]
        rows = (
            Record("Type", ("BindPose",)),
            Record("Version", (100,)),
            Record("NbPoseNodes", (len(nodes),)),
            *nodes,
        )
        self.file.objects.append(Record("Pose", (self.file.new(), "BindPose\0\1Pose", "BindPose"), rows))
