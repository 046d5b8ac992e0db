"""Images of a mesh go through Poise as they came: their kind, and their names where they have any."""

from __future__ import annotations

import json
import struct

from gltf_made import chain, load

from poise.formats.gltf.materials import BLANK_PNG


def images_of(path) -> list[dict]:
    """The images in the JSON of a GLB."""
    data = path.read_bytes()
    length = struct.unpack("<I", data[12:16])[0]
    return json.loads(data[20 : 20 + length])["images"]


def test_names_of_images_survive_and_none_are_made_up(tmp_path):
    maker = chain({"mesh": 0})
    view = maker.view(BLANK_PNG)
    maker.content["images"] = [
        {"bufferView": view, "mimeType": "image/png", "name": "cheek"},
        {"bufferView": view, "mimeType": "image/png"},
    ]
    maker.content["textures"] = [{"source": 0}, {"source": 1}]
    maker.content["materials"] = [
        {
            "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
            "emissiveTexture": {"index": 1},
        }
    ]
    position = maker.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "VEC3")
    maker.content["meshes"] = [{"primitives": [{"attributes": {"POSITION": position}, "material": 0}]}]
    clip = load(maker, tmp_path)
    assert [i.name for i in clip.character.skin.extras["gltf"].images] == ["cheek", ""]
    clip.save(tmp_path / "again.glb")
    written = images_of(tmp_path / "again.glb")
    assert [i.get("name") for i in written] == ["cheek", None]
    assert [i["mimeType"] for i in written] == ["image/png"] * 2
