"""A file whose contents stand up along another axis than it says is read, edited and written all the same."""

from __future__ import annotations

import importlib.util
import json
import struct

import numpy as np
import pytest

import poise
from poise.errors import PoiseError
from poise.formats import losses
from poise.kinematics import Kinematics
from poise.motion import Clip

USD = pytest.mark.skipif(importlib.util.find_spec("pxr") is None, reason="needs usd-core")
FILES = ["glb", "fbx", pytest.param("usda", marks=USD)]


def places(clip: Clip) -> np.ndarray:
    return Kinematics(clip.character, clip.q).positions


def walk() -> Clip:
    """Twelve frames of a walk, no loop."""
    whole = poise.clips.get("walk")
    return Clip(whole.character, whole.q[:12], whole.rate, name=whole.name)


def lying(path) -> None:
    """Contents of a GLB file with z up, as exporters leave them that forget to turn them."""
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    content, rest = json.loads(data[20 : 20 + size]), data[20 + size :]
    top = {
        "name": "as it was",
        "children": content["scenes"][0]["nodes"],
        "rotation": [0.5**0.5, 0, 0, 0.5**0.5],
    }
    content["nodes"].append(top)
    content["scenes"][0]["nodes"] = [len(content["nodes"]) - 1]
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(rest))
    path.write_bytes(head + struct.pack("<I4s", len(text), b"JSON") + text + rest)


def test_a_glb_file_with_z_up_stands_up(tmp_path):
    walk().save(tmp_path / "right.glb")
    walk().save(tmp_path / "wrong.glb")
    lying(tmp_path / "wrong.glb")
    right, wrong = places(poise.load(tmp_path / "right.glb")), poise.load(tmp_path / "wrong.glb")
    assert np.abs(places(wrong) - right).max() > 0.5
    stood = poise.load(tmp_path / "wrong.glb", up="z")
    np.testing.assert_allclose(places(stood), right, atol=1e-12)
    stood.save(tmp_path / "cured.glb", fresh=True)
    np.testing.assert_allclose(places(poise.load(tmp_path / "cured.glb")), right, atol=1e-6)


@pytest.mark.parametrize("kind", FILES)
def test_a_file_read_with_another_axis_up_keeps_its_own_when_it_is_edited(kind, tmp_path):
    path = tmp_path / f"walk.{kind}"
    walk().save(path)
    given = poise.load(path)
    other = poise.load(path, up="z" if given.source.up == "y" else "y")
    assert np.ptp(places(given)[0], axis=0)[2] > 1.0 > np.ptp(places(other)[0], axis=0)[2]
    np.testing.assert_allclose(places(poise.load(path, up=given.source.up)), places(given), atol=1e-12)

    again = tmp_path / f"again.{kind}"
    other.save(again)
    assert again.read_bytes() == path.read_bytes()
    q = np.array(other.q)
    q[:, 2] += 0.1
    raised = other.with_q(q)
    assert any("axes stay" in said for said in losses(raised, again))
    raised.save(again)
    np.testing.assert_allclose(places(poise.load(again, up=other.source.up)), places(raised), atol=1e-6)
    assert np.abs(places(poise.load(again)) - places(given)).max() > 0.05


@pytest.mark.parametrize("kind", FILES)
def test_an_axis_that_cannot_be_up_is_refused(kind, tmp_path):
    path = tmp_path / f"walk.{kind}"
    walk().save(path)
    with pytest.raises(PoiseError, match="no up axis named 'x'"):
        poise.load(path, up="x")
