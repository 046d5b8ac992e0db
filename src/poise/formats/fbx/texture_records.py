"""A skin's pictures as FBX has them: embedded, with places on them by the corners of triangles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.formats.fbx.records import Record, Wide
from poise.formats.fbx.take_records import property_record
from poise.formats.gltf.materials import Image, Looks

_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg"}


def texcoords(looks: Looks, vertices: int) -> Array | None:
    """Places of all vertices on their pictures (V, 2); None where no piece has any."""
    out, some = np.zeros((vertices, 2)), False
    for piece in looks.pieces:
        if piece.texcoords:
            out[slice(*piece.vertices)], some = piece.texcoords[0], True
    return out if some else None


def texcoord_record(places: Array, faces: IntArray) -> Record:
    """Places (V, 2) by the corners of triangles (T, 3); v runs upwards there."""
    upright = np.stack([places[:, 0], 1.0 - places[:, 1]], axis=1)
    rows = (
        Record("Version", (101,)),
        Record("Name", ("UVMap",)),
        Record("MappingInformationType", ("ByPolygonVertex",)),
        Record("ReferenceInformationType", ("IndexToDirect",)),
        Record("UV", (np.ascontiguousarray(upright).ravel(),)),
        Record("UVIndex", (np.ascontiguousarray(faces, dtype=np.int32).ravel(),)),
    )
    return Record("LayerElementUV", (0,), rows)


def picture_of(looks: Looks, material: Mapping[str, Any]) -> int | None:
    """The number of the picture of a material's colour; None where it has none."""
    try:
        wanted = material["pbrMetallicRoughness"]["baseColorTexture"]
        source = int(looks.textures[wanted["index"]]["source"])
    except (KeyError, IndexError, TypeError, ValueError):
        return None
    return source if 0 <= source < len(looks.images) and not wanted.get("texCoord", 0) else None


def picture_records(image: Image, number: int, texture: Wide, video: Wide) -> list[Record]:
    """A texture, and the picture that it shows."""
    bare = image.name.replace("\\", "/").rpartition("/")[2] or f"picture {number + 1}"
    ending = _ENDINGS.get(image.mime, ".png")
    file = bare if bare.lower().endswith((".png", ".jpg", ".jpeg")) else f"{bare}{ending}"
    named = (Record("FileName", (file,)), Record("RelativeFilename", (file,)))
    shown = (
        Record("Type", ("TextureVideoClip",)),
        Record("Version", (202,)),
        Record("TextureName", (f"{bare}\0\1Texture",)),
        Record("Properties70", (), (property_record("UseMaterial", "bool", "", "", 1),)),
        Record("Media", (f"{bare}\0\1Video",)),
        *named,
        Record("ModelUVTranslation", (0.0, 0.0)),
        Record("ModelUVScaling", (1.0, 1.0)),
        Record("Texture_Alpha_Source", ("None",)),
        Record("Cropping", (0, 0, 0, 0)),
    )
    kept = (
        Record("Type", ("Clip",)),
        Record("Properties70", (), (property_record("Path", "KString", "XRefUrl", "", file),)),
        Record("UseMipMap", (0,)),
        Record("Filename", (file,)),
        Record("RelativeFilename", (file,)),
        Record("Content", (image.data,)),
    )
    return [
        Record("Texture", (texture, f"{bare}\0\1Texture", ""), shown),
        Record("Video", (video, f"{bare}\0\1Video", "Clip"), kept),
    ]
