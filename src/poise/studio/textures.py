"""Textures of a skin for the browser: pictures, where on them each vertex is, and which triangles wear which.

Pictures come from strangers' files. They are decoded here, made no larger than a screen shows, and encoded
anew: what the browser gets is ours.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.character.skin import Skin
from poise.pictures.material import srgb_from_linear
from poise.pictures.paint import transformed

LARGEST = 1024
"""Pixels along the longer side."""
PIXELS = 8192 * 8192
"""Of a picture as it is in the file, at most: a larger one is left out before it is decoded."""
MOST = 24
"""Pictures of one figure; what is left has plain colours."""


@dataclass(frozen=True, eq=False)
class Textures:
    """A skin's pieces with their materials."""

    pictures: list[bytes]
    """PNG or JPEG."""
    places: Array
    """On its picture, of each vertex (V, 2)."""
    colours: NDArray[np.uint8]
    """sRGB of each vertex (V, 3), which the picture is multiplied by."""
    faces: IntArray
    """Triangles (T, 3), group after group."""
    groups: list[dict[str, Any]]
    """``start`` and ``count`` of indices, the ``image`` (-1: none), ``roughness``, ``metalness``, whether
    ``both`` sides are drawn, and whether what is clear is ``cut`` out."""


def textures_of(skin: Skin) -> Textures | None:
    """A skin's textures; None where it has none that can be drawn."""
    looks = skin.extras.get("gltf")
    pieces = getattr(looks, "pieces", ())
    faces = np.asarray(skin.faces)
    places, colours = np.zeros((len(skin.vertices), 2)), np.ones((len(skin.vertices), 3))
    known: dict[int, int] = {}
    pictures: list[bytes] = []
    groups: list[dict[str, Any]] = []
    order: list[IntArray] = []
    for piece in pieces:
        material = _material(looks, piece.material)
        shine = material.get("pbrMetallicRoughness")
        shine = shine if isinstance(shine, Mapping) else {}
        span, own = slice(*piece.vertices), faces[slice(*piece.faces)]
        factor = np.asarray(shine.get("baseColorFactor", (1.0, 1.0, 1.0, 1.0)), dtype=np.float64)[:3]
        colours[span] = factor if piece.colours is None else factor * np.asarray(piece.colours)[:, :3]
        image = _image(looks, piece, shine, known, pictures, places)
        start = 3 * sum(len(each) for each in order)
        order.append(own)
        groups.append(
            {
                "start": start,
                "count": 3 * len(own),
                "image": image,
                "roughness": _number(shine, "roughnessFactor"),
                "metalness": _number(shine, "metallicFactor") if image < 0 else 0.0,
                "both": bool(material.get("doubleSided", False)),
                "cut": material.get("alphaMode") in ("MASK", "BLEND"),
            }
        )
    if not pictures:
        return None
    bytes_ = np.round(255 * np.clip(srgb_from_linear(np.clip(colours, 0.0, 1.0)), 0.0, 1.0)).astype(np.uint8)
    return Textures(pictures, places, bytes_, np.concatenate(order), groups)


def _material(looks: Any, number: int | None) -> Mapping[str, Any]:
    try:
        found = looks.materials[number] if number is not None else {}
    except (IndexError, TypeError):
        return {}
    return found if isinstance(found, Mapping) else {}


def _image(
    looks: Any,
    piece: Any,
    shine: Mapping[str, Any],
    known: dict[int, int],
    pictures: list[bytes],
    places: Array,
) -> int:
    """The number of a piece's picture, with the places of its vertices put down; -1 where it has none."""
    try:
        wanted = shine["baseColorTexture"]
        source = int(looks.textures[wanted["index"]]["source"])
        data, uv = looks.images[source].data, piece.texcoords[int(wanted.get("texCoord", 0))]
    except (KeyError, IndexError, TypeError, ValueError):
        return -1
    if source not in known:
        made = _encoded(data) if len(pictures) < MOST else None
        if made is None:
            known[source] = -1
        else:
            known[source] = len(pictures)
            pictures.append(made)
    if known[source] >= 0:
        moved = (wanted.get("extensions") or {}).get("KHR_texture_transform")
        places[slice(*piece.vertices)] = transformed(
            np.asarray(uv), moved if isinstance(moved, Mapping) else {}
        )
    return known[source]


def _encoded(data: bytes) -> bytes | None:
    """A picture decoded, made smaller where it is large, and encoded anew; None where it is none."""
    from PIL import Image, UnidentifiedImageError

    out = io.BytesIO()
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as image:
            if image.width * image.height > PIXELS:
                return None
            image.draft("RGB", (LARGEST, LARGEST))
            clear = "A" in image.getbands() or "transparency" in image.info
            picture = image.convert("RGBA" if clear else "RGB")
        picture.thumbnail((LARGEST, LARGEST))
        if clear and np.asarray(picture)[..., -1].min() < 255:
            picture.save(out, format="PNG")
        else:
            picture.convert("RGB").save(out, format="JPEG", quality=90)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError):
        return None
    return out.getvalue()


def _number(shine: Mapping[str, Any], name: str) -> float:
    """A factor of a material; 1 where there is none that can be used."""
    value = shine.get(name, 1.0)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 1.0
