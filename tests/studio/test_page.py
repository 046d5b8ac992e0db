"""What the browser is told of a clip: packets, looks and places agree with the clip itself."""

from __future__ import annotations

import base64
import gzip
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import poise
from poise import characters, clips
from poise.cli.app import app
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.motion import Clip
from poise.pictures.figures import figure
from poise.pictures.performance import Performance
from poise.studio.looks import DETAIL, looks
from poise.studio.packet import pack, unpack
from poise.studio.page import built, encoded, frame, page, share, static
from poise.studio.poses import placed

needs_build = pytest.mark.skipif(not built(), reason="the studio's pages have not been built")


def drawn(header, arrays, places):
    """Vertices as the browser computes them, from places (n, 7)."""
    rest = np.concatenate([arrays["position"], np.ones((len(arrays["position"]), 1))], axis=1)
    turns = so3.to_matrix(np.concatenate([places[:, 6:], places[:, 3:6]], axis=1))
    out = np.zeros((len(rest), 3))
    for k in range(4):
        body = arrays["joints"][:, k].astype(int)
        local = np.einsum("vij,vj->vi", arrays["bind"][body][:, :3], rest)
        moved = np.einsum("vij,vj->vi", turns[body], local) + places[body, :3]
        out += arrays["weights"][:, k, None] * moved
    return out


def test_packets_come_back_as_they_went():
    arrays = {
        "floats": np.linspace(0, 1, 7).reshape(7, 1),
        "bytes": np.arange(5, dtype=np.uint8),
        "pairs": np.arange(6, dtype=np.uint16).reshape(3, 2),
        "whole": np.array([0, 70000]),
        "none": np.zeros((0, 3)),
    }
    header, back = unpack(pack({"title": "Ärger ✓"}, arrays))
    assert header == {"title": "Ärger ✓"}
    for name, values in arrays.items():
        np.testing.assert_array_equal(back[name], values.astype(back[name].dtype))
        assert back[name].shape == values.shape
    with pytest.raises(InputError, match="cut short"):
        unpack(pack({"title": "x"}, arrays)[:6])


@pytest.mark.parametrize("name", ["humanoid", "lamp", "camel", "planar_humanoid"])
def test_solids_are_drawn_where_pictures_draw_them(name):
    character = getattr(characters, name)()
    q = character.rest_pose()[None]
    shown = Performance(Clip(character, q, 30.0), detail=DETAIL, ground=False)
    look = looks(shown.figure)
    here = drawn(look.header, look.arrays, placed(shown.positions, shown.rotations)[0])
    put = [p.mesh.placed(shown.positions[0, p.body], shown.rotations[0, p.body]) for p in shown.figure.parts]
    there = np.concatenate([mesh.vertices for mesh in put])
    np.testing.assert_allclose(here, there, atol=1e-9)


def test_a_skin_with_morphs_is_drawn_where_it_is(shared_data):
    clip = poise.load(shared_data / "khronos_gltf" / "CesiumMan.glb")
    skin = clip.character.skin
    look = looks(figure(clip.character))
    body = Kinematics(clip.character, clip.q[3:4])
    here = drawn(look.header, look.arrays, placed(body.positions, body.rotations)[0])
    there = skin.deformed(body.positions[0], body.rotations[0])
    # Vertices are doubled where colours meet: the triangles are the same ones.
    mine = here[look.arrays["index"].reshape(-1, 3)].mean(axis=1)
    theirs = there[skin.faces].mean(axis=1)
    np.testing.assert_allclose(np.sort(mine, axis=0), np.sort(theirs, axis=0), atol=2e-4)


@needs_build
def test_a_page_holds_everything_it_needs():
    clip = clips.get("punch")
    text = page(clip, title="<b>punch</b>")
    assert "<title>&lt;b&gt;punch&lt;/b&gt;</title>" in text
    assert not re.search(r"""(src|href)\s*=\s*["']""", text)
    packed = re.search(r'<script id="packed" type="text/plain">([^<]*)</script>', text)
    assert gzip.decompress(base64.b64decode(packed.group(1))).decode() == static("viewer.js")
    header, arrays = unpack(gzip.decompress(base64.b64decode(encoded(clip))))
    assert header["fps"] == clip.fps
    assert arrays["poses"].shape == (clip.frames, len(clip.character.bodies), 7)
    assert "&lt;script" in frame(clip)
    assert clip._repr_html_() == frame(clip)


@needs_build
def test_pages_can_share_one_viewer(tmp_path):
    clip = clips.get("punch")
    text = page(clip, viewer="live/")
    assert re.findall(r"""(?:src|href)="([^"]*)""", text) == ["live/look.css", "live/viewer.js"]
    assert encoded(clip) in text
    share(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["look.css", "viewer.js"]
    assert (tmp_path / "viewer.js").read_text() == static("viewer.js")
    assert len(text) < len(page(clip)) < len(static("viewer.js"))


@needs_build
def test_the_verb_writes_a_page_and_refuses_what_a_page_cannot_use(tmp_path):
    from poise.cli import main

    run = CliRunner()
    done = run.invoke(app, ["render", "punch", "-o", str(tmp_path / "punch.html")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "punch.html").stat().st_size > 200_000
    with pytest.raises(SystemExit) as wrong:
        main(["render", "punch", "-o", str(tmp_path / "b.html"), "--fps", "30"])
    assert wrong.value.code == 2
