"""Textures for the browser: what triangles wear, decoded and encoded anew; no others."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from poise import clips
from poise.character import Skin
from poise.formats.gltf.materials import Image as Picture
from poise.formats.gltf.materials import Looks as Materials
from poise.formats.gltf.materials import Piece
from poise.studio.textures import LARGEST, textures_of

SHARED = Path(__file__).parents[3] / "shared" / "data" / "khronos_gltf"


def picture(size: tuple[int, int] = (8, 4), *, clear: bool = False, kind: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGBA" if clear else "RGB", size, (200, 40, 10, 90)[: 4 if clear else 3]).save(out, format=kind)
    return out.getvalue()


def skin(*images: bytes) -> Skin:
    """Two triangles, each a piece with a material of its own; the first wears a picture."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]], dtype=float)
    uv = np.array([[0, 0], [1, 0], [0, 1]], dtype=float)
    turned = {"index": 0, "extensions": {"KHR_texture_transform": {"scale": [2, 2]}}}
    materials = (
        {"pbrMetallicRoughness": {"baseColorTexture": turned, "roughnessFactor": 0.4}, "doubleSided": True},
        {"pbrMetallicRoughness": {"baseColorFactor": [1.0, 0.0, 0.0, 1.0]}},
    )
    looks = Materials(
        meshes=("one",),
        pieces=(Piece(0, (0, 3), (0, 1), 0, (uv,)), Piece(0, (3, 6), (1, 2), 1)),
        materials=materials,
        textures=tuple({"source": k} for k in range(len(images))),
        images=tuple(Picture(data, "image/png") for data in images),
    )
    return Skin(
        vertices, [[0, 1, 2], [3, 4, 5]], np.zeros((6, 1), int), np.ones((6, 1)), [np.eye(4)],
        extras={"gltf": looks},
    )  # fmt: skip


def test_pieces_wear_their_materials():
    found = textures_of(skin(picture()))
    assert found is not None
    assert [(g["start"], g["count"], g["image"]) for g in found.groups] == [(0, 3, 0), (3, 3, -1)]
    assert found.groups[0]["both"]
    assert found.groups[0]["roughness"] == 0.4
    assert np.array_equal(found.places[:3], [[0, 0], [2, 0], [0, 2]])
    assert found.colours[0].tolist() == [255, 255, 255]
    assert found.colours[4].tolist() == [255, 0, 0]


def test_pictures_are_encoded_anew_and_no_larger_than_need_be():
    found = textures_of(skin(picture((4 * LARGEST, LARGEST))))
    assert found is not None
    with Image.open(io.BytesIO(found.pictures[0])) as made:
        assert (made.format, made.size) == ("JPEG", (LARGEST, LARGEST // 4))
    clear = textures_of(skin(picture(clear=True)))
    assert clear is not None
    with Image.open(io.BytesIO(clear.pictures[0])) as made:
        assert (made.format, made.mode) == ("PNG", "RGBA")


@pytest.mark.parametrize("data", [b"", b"<svg onload='alert(1)'/>", picture()[:30], picture(kind="GIF")])
def test_what_is_no_picture_is_left_out(data):
    assert textures_of(skin(data)) is None


def test_who_has_none_has_none():
    who = clips.get("walk").character
    assert who.skin is None or textures_of(who.skin) is None


@pytest.mark.skipif(not SHARED.exists(), reason="the models of shared/data are not here")
@pytest.mark.parametrize("name", ["CesiumMan.glb", "Fox.glb"])
def test_models_of_others(name):
    import poise

    body = poise.load(str(next(SHARED.glob(f"**/{name}")))).character.skin
    found = textures_of(body)
    assert found is not None
    assert len(found.faces) == len(body.faces)
    assert sum(g["count"] for g in found.groups) == 3 * len(body.faces)
    assert np.ptp(found.places, axis=0).min() > 0.1
