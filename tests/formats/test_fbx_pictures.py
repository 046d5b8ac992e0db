"""Pictures on FBX materials: in the file, beside it, kept in the user's own and written into new ones."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pytest
from fbx_made import painted
from PIL import Image

import poise
from poise.formats.fbx.pictures import KNOWN, Pictures
from poise.formats.fbx.records import read_records
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.pictures.paint import triangle_colours


def picture(kind="PNG"):
    """Red, green / blue, white quarters."""
    pixels = np.zeros((64, 64, 3), dtype=np.uint8)
    pixels[:32, :32, 0] = pixels[:32, 32:, 1] = pixels[32:, :32, 2] = 255
    pixels[32:, 32:] = 255
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, kind)
    return out.getvalue()


def colours(clip):
    return np.round(triangle_colours(clip.character.skin), 3)


RED, WHITE, GREY = [1.0, 0, 0], [1.0, 1, 1], [0.2, 0.3, 0.4]


@pytest.mark.parametrize("layered", [False, True])
def test_embedded_pictures_are_drawn(tmp_path, layered):
    clip = poise.load(painted(tmp_path / "x.fbx", content=picture(), layered=layered), mass=False)
    skin = clip.character.skin
    assert colours(clip).tolist() == [RED, RED, WHITE, WHITE]
    assert len(skin.vertices) == 8, "the two vertices of the seam are two each"
    assert len(skin.morphs[0].indices) == 4, "and go along in blend shapes"
    assert skin.extras["gltf"].images[0].data == picture()


def test_places_by_vertex_need_no_seam(tmp_path):
    clip = poise.load(painted(tmp_path / "x.fbx", content=picture(), by="ByVertice"), mass=False)
    assert len(clip.character.skin.vertices) == 6
    assert colours(clip)[0].tolist() == RED


@pytest.mark.parametrize("where", ["skin.png", "art/skin.png", "x.fbm/skin.png"])
def test_pictures_beside_the_file(tmp_path, where):
    (tmp_path / where).parent.mkdir(exist_ok=True)
    (tmp_path / where).write_bytes(picture("JPEG"))
    name = "art\\skin.png" if where.startswith("art") else "C:\\art\\skin.png"
    clip = poise.load(painted(tmp_path / "x.fbx", name=name), mass=False)
    assert np.abs(colours(clip) - [RED, RED, WHITE, WHITE]).max() < 0.05
    assert not any("left out" in note for note in clip.source.notes)


def test_pictures_elsewhere_or_of_other_kinds_are_named(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.png").write_bytes(picture())
    clip = poise.load(painted(tmp_path / "in" / "x.fbx", name="..\\secret.png"), mass=False)
    assert any("secret.png (not found)" in note for note in clip.source.notes)
    assert colours(clip)[0].tolist() == GREY
    clip = poise.load(painted(tmp_path / "y.fbx", content=b"II*\0 a TIFF"), mass=False)
    assert any("skin.png (neither PNG nor JPEG)" in note for note in clip.source.notes)


def test_the_users_own_file_keeps_its_pictures(tmp_path):
    (tmp_path / "skin.png").write_bytes(picture())
    path = painted(tmp_path / "x.fbx")
    clip = poise.load(path, mass=False, front="kept")
    (tmp_path / "skin.png").unlink()
    clip.save(tmp_path / "same.fbx")
    assert (tmp_path / "same.fbx").read_bytes() == path.read_bytes()
    q = np.array(clip.q)
    own = clip.character.coordinates(clip.character.index("Head"))
    q[:, own.stop - 4 : own.stop] = so3.multiply(
        q[:, own.stop - 4 : own.stop], so3.exp(np.array([0, 0.2, 0]))
    )
    clip.replaced(q=q).save(tmp_path / "new.fbx")
    was, now = (read_records(p).top.get("Objects").inside for p in (path, tmp_path / "new.fbx"))
    for kind in ("Geometry", "Material", "Texture", "Video", "Model"):
        assert [repr(r) for r in was if r.name == kind] == [repr(r) for r in now if r.name == kind]


@pytest.mark.parametrize("ending", ["fbx", "glb"])
def test_new_files_hold_them_too(tmp_path, ending):
    clip = poise.load(painted(tmp_path / "x.fbx", content=picture()), mass=False)
    clip.save(tmp_path / f"new.{ending}", fresh=True)
    back = poise.load(tmp_path / f"new.{ending}", mass=False)
    assert colours(back).tolist() == [RED, RED, WHITE, WHITE]
    assert back.character.skin.extras["gltf"].images[0].data == picture()
    ours, theirs = (
        np.sort(c.character.skin.extras["gltf"].pieces[0].texcoords[0], axis=0) for c in (clip, back)
    )
    assert np.abs(ours - theirs).max() < 1e-6
    places = [Kinematics(c.character, c.q).positions for c in (clip, back)]
    assert np.abs(places[0] - places[1]).max() < 1e-6


@pytest.mark.parametrize("damage", ["short", "far", "none"])
def test_places_that_make_no_sense_are_not_used(tmp_path, damage):
    path = painted(tmp_path / "x.fbx", content=picture())
    file = read_records(path)
    geometry = next(r for r in file.top.get("Objects").inside if r.values[1].startswith("Card\0\1Geometry"))
    index = geometry.get("LayerElementUV").get("UVIndex").values[0]
    table = {"short": index[:3], "far": index + 100, "none": index[:0]}[damage]
    from dataclasses import replace

    from poise.formats.fbx.records import file_bytes

    def changed(record):
        if record.name == "UVIndex":
            return replace(record, values=(np.ascontiguousarray(table),))
        return replace(record, inside=tuple(map(changed, record.inside)))

    path.write_bytes(file_bytes([changed(r) for r in file.top.inside], file.version))
    clip = poise.load(path, mass=False)
    assert len(clip.character.skin.vertices) == 6


def test_a_picture_is_called_as_its_file_is_beside_the_document():
    """Not as its maker's disk had it, which comes second."""
    said = {
        "RelativeFilename": "maps\\coat.png",
        "FileName": "/old/draft.png",
        "Content": KNOWN[0] + b"rest",
    }
    texture = SimpleNamespace(identity=2, name="t", record=SimpleNamespace(value=said.get))
    objects = SimpleNamespace(
        of_property=lambda identity, kind: [(texture, "DiffuseColor")] if kind == "Texture" else [],
        below=lambda identity, kind: [],
    )
    found = Pictures(objects, outside=False).of(SimpleNamespace(identity=1))
    assert (found.name, found.data) == ("coat.png", KNOWN[0] + b"rest")
