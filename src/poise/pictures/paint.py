"""The colours of a skin: every triangle gets one, from its material and the texture under it.

A skin keeps in ``extras["colours"]`` (T, 4) the linear base colour of each triangle and in
``extras["gltf"]`` its pieces, materials and images, as its reader left them. Textures are sampled at a few
points of each triangle; like colours are then drawn together, as few coats of paint.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.skin import Skin
from poise.pictures.material import Material, linear_from_srgb, srgb_from_linear

MOST_COATS = 64
"""Colours are rounded until there are no more than this many."""
_SAMPLES = np.array([[1, 1, 1], [4, 1, 1], [1, 4, 1], [1, 1, 4]]) / [[3], [6], [6], [6]]
"""Barycentric places in a triangle at which a texture is read."""
_LARGEST = 512  # [px] textures are shrunk to this before they are read


@dataclass(frozen=True)
class Coat:
    """Triangles of one colour: their own vertices (V,) among the skin's, and faces (T, 3) among those."""

    material: Material
    vertices: IntArray
    faces: IntArray


def coats(skin: Skin) -> tuple[Coat, ...]:
    """The skin's triangles by colour; none where nothing is known of its colours."""
    colours = triangle_colours(skin)
    if colours is None:
        return ()
    srgb = srgb_from_linear(colours)
    for levels in (31, 15, 7, 4):
        rounded, group = np.unique(np.round(srgb * levels), axis=0, return_inverse=True)
        if len(rounded) <= MOST_COATS:
            break
    group = group.reshape(-1)
    out = []
    for k in range(len(rounded)):
        own = np.asarray(skin.faces)[group == k]
        vertices, faces = np.unique(own, return_inverse=True)
        mean = srgb[group == k].mean(axis=0)
        red, green, blue = (float(c) for c in np.clip(mean, 0.0, 1.0))
        look = Material((red, green, blue), roughness=0.5, specular=0.4)
        out.append(Coat(look, vertices.astype(np.int64), faces.reshape(-1, 3).astype(np.int64)))
    return tuple(out)


def triangle_colours(skin: Skin) -> Array | None:
    """Linear RGB of every triangle (T, 3), or None."""
    base, looks = skin.extras.get("colours"), skin.extras.get("gltf")
    if base is None or np.shape(base) != (len(skin.faces), 4):
        return None
    pieces: Sequence[Any] = getattr(looks, "pieces", ())
    if pieces and all(piece.material is None and piece.colours is None for piece in pieces):
        return None
    out = np.array(np.asarray(base)[:, :3], dtype=np.float64)
    for piece in pieces:
        span = slice(*piece.faces)
        corners = np.asarray(skin.faces)[span] - piece.vertices[0]  # (t, 3)
        if piece.colours is not None:
            out[span] *= np.asarray(piece.colours)[corners, :3].mean(axis=1)
        found = _texture(looks, piece)
        if found is not None:
            image, uv = found
            places = np.einsum("sc,tci->tsi", _SAMPLES, uv[corners])  # (t, samples, 2)
            out[span] *= _read(image, places).mean(axis=1)
    return np.asarray(np.clip(out, 0.0, 1.0))


def _texture(looks: Any, piece: Any) -> tuple[Array, Array] | None:
    """The linear image (h, w, 3) and coordinates (V, 2) of a piece's base colour."""
    try:
        wanted = looks.materials[piece.material]["pbrMetallicRoughness"]["baseColorTexture"]
        source = looks.textures[wanted["index"]]["source"]
        image, uv = looks.images[source], piece.texcoords[int(wanted.get("texCoord", 0))]
    except (KeyError, IndexError, TypeError, ValueError):
        return None
    pixels = _decoded(image.data)
    if pixels is None:
        return None
    moved = (wanted.get("extensions") or {}).get("KHR_texture_transform")
    return pixels, transformed(np.asarray(uv), moved if isinstance(moved, Mapping) else {})


def transformed(uv: Array, moved: Mapping[str, Any]) -> Array:
    """Texture coordinates (V, 2) as ``KHR_texture_transform`` moves them."""
    scale, turn = np.array(moved.get("scale", (1.0, 1.0))), float(moved.get("rotation", 0.0))
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray((uv * scale) @ np.array([[c, -s], [s, c]]) + np.array(moved.get("offset", (0.0, 0.0))))


def _decoded(data: bytes) -> Array | None:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            image.draft("RGB", (_LARGEST, _LARGEST))
            picture = image.convert("RGB")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError):
        return None  # a picture of a kind that is not known here: the base colour has to do
    picture.thumbnail((_LARGEST, _LARGEST))
    return linear_from_srgb(np.asarray(picture) / 255.0)


def _read(image: Array, uv: Array) -> Array:
    """Pixels (…, 3) at texture coordinates (…, 2), repeated beyond 0 … 1; v runs downwards."""
    height, width = image.shape[:2]
    column = np.floor((uv[..., 0] % 1.0) * width).astype(np.int64).clip(0, width - 1)
    row = np.floor((uv[..., 1] % 1.0) * height).astype(np.int64).clip(0, height - 1)
    return np.asarray(image[row, column])
