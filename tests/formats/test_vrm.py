"""VRM files: what their extension says stays, and nothing else becomes one."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import formats
from poise.errors import InputError
from poise.formats.gltf.container import glb_bytes, parsed
from poise.manifold import so3


def said(path):
    return parsed(path, path.read_bytes())[0]


@pytest.fixture
def model(tmp_path):
    """An avatar without a motion, as VRM: its bones, its makers' terms, a spring."""
    poise.clips.get("walk").save(tmp_path / "walk.glb")
    path = tmp_path / "walk.glb"
    content, binary = parsed(path, path.read_bytes())
    content.pop("animations")
    names = [n["name"] for n in content["nodes"]]
    content["extensionsUsed"] = ["VRMC_vrm", "VRMC_springBone"]
    content["extensions"] = {
        "VRMC_vrm": {
            "specVersion": "1.0",
            "meta": {"name": "Ada", "authors": ["me"], "licenseUrl": "https://vrm.dev/licenses/1.0/"},
            "humanoid": {"humanBones": {"hips": {"node": names.index("Hips")}}},
        },
        "VRMC_springBone": {"specVersion": "1.0", "springs": []},
    }
    made = tmp_path / "Ada.vrm"
    made.write_bytes(glb_bytes(content, binary))
    return made


def turned(clip):
    q = np.array(clip.q)
    own = clip.character.coordinates(clip.character.index("Head"))
    q[:, own.stop - 4 : own.stop] = so3.multiply(
        q[:, own.stop - 4 : own.stop], so3.exp(np.array([0.0, 0, 0.4]))
    )
    return clip.replaced(q=q)


def test_it_is_read_and_written_back_as_it_is(model, tmp_path):
    clip = poise.load(model)
    assert clip.save(tmp_path / "same.vrm").read_bytes() == model.read_bytes()
    new = turned(clip).save(tmp_path / "new.vrm")
    before, after = said(model), said(new)
    assert after["extensions"] == before["extensions"]
    assert after["extensionsUsed"] == before["extensionsUsed"]
    assert after["nodes"] == before["nodes"]
    assert len(after["animations"]) == 1
    assert formats.losses(turned(clip), new) == ()


def test_an_avatar_takes_on_a_motion(model, tmp_path):
    """The avatar's own file gets an animation; its terms, materials and springs stay."""
    walk = poise.clips.get("walk")
    done = poise.retarget(walk, onto=poise.load(model))
    new = done.save(tmp_path / "walks.vrm")
    assert said(new)["extensions"] == said(model)["extensions"]
    again = poise.load(new)
    assert again.frames >= walk.frames
    assert np.abs(np.diff(again.q, axis=0)).max() > 0.01


@pytest.mark.parametrize("name", ["x.vrm", "x.vrma"])
def test_what_is_no_avatar_is_not_made_one(model, tmp_path, name):
    with pytest.raises(InputError, match=r"write \.glb"):
        poise.clips.get("walk").save(tmp_path / name)
    clip = poise.load(model)
    with pytest.raises(InputError, match=r"write \.glb"):
        clip.save(tmp_path / name, fresh=True)
    assert not (tmp_path / name).exists()
    assert ".vrm" in formats.extensions()
    assert ".vrm" not in formats.extensions(writing=True)
