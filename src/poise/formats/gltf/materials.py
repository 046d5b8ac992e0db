"""What a mesh looks like beyond its shape: pieces with materials, texture coordinates and images.

Kept in ``Skin.extras["gltf"]`` from reading to writing. Materials, textures and samplers are the
file's own JSON; images are their bytes. ``Skin.extras["colours"]`` (T, 4) has each triangle's base
colour, linear RGBA, for whoever draws without textures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poise.arrays import Array, frozen
from poise.errors import FileFormatError
from poise.formats.gltf.container import Document, Json

KEY = "gltf"
"""Where a skin's extras hold its :class:`Looks`."""
COLOURS = "colours"

# One opaque white pixel, in place of an image that is not there.
BLANK_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
)


@dataclass(frozen=True)
class Image:
    """An encoded picture."""

    data: bytes
    mime: str
    name: str = ""


@dataclass(frozen=True)
class Piece:
    """A run of vertices and triangles of the skin with one material."""

    mesh: int
    """Index into ``Looks.meshes``."""
    vertices: tuple[int, int]
    """First vertex and the one after the last."""
    faces: tuple[int, int]
    """First triangle and the one after the last."""
    material: int | None = None
    texcoords: tuple[Array, ...] = ()
    """Each (V, 2)."""
    colours: Array | None = None
    """Per vertex, (V, 4)."""


@dataclass(frozen=True)
class Looks:
    """Pieces of a skin, and the materials they use."""

    meshes: tuple[str, ...]
    """Names; a mesh has its own morph weights."""
    pieces: tuple[Piece, ...]
    materials: tuple[Mapping[str, Any], ...] = ()
    textures: tuple[Mapping[str, Any], ...] = ()
    samplers: tuple[Mapping[str, Any], ...] = ()
    images: tuple[Image, ...] = ()
    morph_mesh: tuple[int, ...] = ()
    """The mesh each morph target of the skin belongs to."""
    morph_normals: Mapping[int, Array] = field(default_factory=dict)
    """Changes of normals (k, 3) at the vertices of some morph targets."""

    def extensions(self) -> list[str]:
        """Names of glTF extensions that materials and textures use."""
        found: set[str] = set()
        for item in (*self.materials, *self.textures):
            _collect_extensions(item, found)
        return sorted(found)


def _collect_extensions(value: Any, found: set[str]) -> None:
    if isinstance(value, Mapping):
        found.update(value.get("extensions", {}))
        for inner in value.values():
            _collect_extensions(inner, found)
    elif isinstance(value, list):
        for inner in value:
            _collect_extensions(inner, found)


@dataclass(frozen=True)
class Palette:
    """Materials and what they need, as read."""

    materials: tuple[Json, ...]
    textures: tuple[Json, ...]
    samplers: tuple[Json, ...]
    images: tuple[Image, ...]
    notes: tuple[str, ...]


def read_palette(document: Document) -> Palette:
    """Materials, textures and images of a document; a missing image becomes one white pixel."""
    images: list[Image] = []
    notes: list[str] = []
    for i, image in enumerate(document.items("images")):
        name = str(image.get("name") or "")
        try:
            if "bufferView" in image:
                data, start, length, _ = document.view(image["bufferView"], f"image {i}")
                data = data[start : start + length]
            else:
                data = document.resource(image.get("uri"), f"image {i}")
            images.append(Image(data, _mime(data, image.get("mimeType")), name))
        except FileFormatError as problem:
            notes.append(f"an image was left out: {problem.problem}")
            images.append(Image(BLANK_PNG, "image/png", name))
    # A private copy: what is kept must not change with the document.
    copies = {k: json.loads(json.dumps(document.items(k))) for k in ("materials", "textures", "samplers")}
    return Palette(
        tuple(copies["materials"]),
        tuple(copies["textures"]),
        tuple(copies["samplers"]),
        tuple(images),
        tuple(notes),
    )


def _mime(data: bytes, said: Any) -> str:
    if data.startswith(b"\x89PNG"):
        return "image/png"
    if data.startswith(b"\xff\xd8"):
        return "image/jpeg"
    return str(said) if isinstance(said, str) else "image/png"


def base_colour(material: Mapping[str, Any] | None) -> Array:
    """A material's base colour, linear RGBA (4,); white where it says nothing."""
    shading = (material or {}).get("pbrMetallicRoughness")
    factor = shading.get("baseColorFactor") if isinstance(shading, Mapping) else None
    try:
        colour = np.array(factor, dtype=np.float64)
    except (TypeError, ValueError):
        return np.ones(4)
    return colour if colour.shape == (4,) and np.isfinite(colour).all() else np.ones(4)


def face_colours(pieces: tuple[Piece, ...], materials: tuple[Mapping[str, Any], ...], faces: int) -> Array:
    """Base colour of every triangle, (T, 4)."""
    out = np.ones((faces, 4))
    for piece in pieces:
        out[slice(*piece.faces)] = base_colour(None if piece.material is None else materials[piece.material])
    return np.asarray(frozen(out))
