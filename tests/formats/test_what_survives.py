"""What only Poise knows (masses, exact rates, loops) survives its own files, and what cannot is said."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.util import find_spec

import numpy as np
import pytest
from gltf_oracle import Maker

from poise import clips, formats
from poise.character import presets
from poise.errors import FileFormatError
from poise.formats import gltf
from poise.motion import Clip

XML = pytest.param(".xml", marks=pytest.mark.skipif(find_spec("mujoco") is None, reason="needs MuJoCo"))


def at_rest(name: str, rate) -> Clip:
    character = presets.get(name)
    return Clip(character, [character.rest_pose()], rate, name=name)


@pytest.mark.parametrize("name", presets.names())
def test_masses_and_passive_joints_survive_glb_to_the_bit(name, tmp_path):
    clip = at_rest(name, 30)
    again = formats.load(clip.save(tmp_path / "x.glb")).character
    assert again.mass_source == clip.character.mass_source
    assert again.total_mass == clip.character.total_mass
    for a, b in zip(again.bodies, clip.character.bodies):
        assert a.mass.mass == b.mass.mass
        np.testing.assert_array_equal(a.mass.centre, b.mass.centre)
        np.testing.assert_array_equal(a.mass.inertia, b.mass.inertia)
        for field in ("stiffness", "damping", "armature", "lower", "upper"):
            np.testing.assert_array_equal(getattr(a.joint, field), getattr(b.joint, field))
    assert formats.load(tmp_path / "x.glb", mass=False).character.total_mass == 0
    assert formats.load(tmp_path / "x.glb", mass=12.5).character.total_mass == pytest.approx(12.5)


def test_masses_other_hands_have_touched_are_guessed_anew(tmp_path):
    path = at_rest("camel", 30).save(tmp_path / "x.gltf")
    content = json.loads(path.read_text())
    del content["nodes"][3]["extras"]["poise"]["mass"]["inertia"]
    path.write_text(json.dumps(content))
    assert formats.load(path).character.mass_source != "given"
    content["nodes"][3]["extras"]["poise"]["mass"]["inertia"] = [[1, 0, 0], [0, -1, 0], [0, 0, 1]]
    path.write_text(json.dumps(content))
    assert formats.load(path).character.mass_source != "given"
    again = at_rest("camel", 30).save(tmp_path / "y.glb")
    assert formats.load(again, scale=2.0).character.mass_source != "given", "twice as large is not as heavy"


@pytest.mark.parametrize("suffix", [".glb", ".gltf", XML, ".npz"])
@pytest.mark.parametrize("rate", [30, Fraction(24000, 1001), Fraction(7, 3)])
def test_one_frame_keeps_its_rate(suffix, rate, tmp_path):
    lamp = at_rest("lamp", rate)
    assert formats.load(lamp.save(tmp_path / f"rest{suffix}")).rate == rate
    q = lamp.character.manifold.plus(lamp.q, np.full((1, lamp.character.nv), 0.01))
    assert formats.load(lamp.with_q(q).save(tmp_path / f"pose{suffix}")).rate == rate


@pytest.mark.parametrize("suffix", [".glb", XML, ".npz"])
@pytest.mark.parametrize("name", ["walk", "run"])
def test_loops_come_back(suffix, name, tmp_path):
    cycle = clips.get(name)
    again = formats.load(cycle.save(tmp_path / f"x{suffix}"))
    assert (again.loop, again.frames, again.rate) == (True, cycle.frames, cycle.rate)
    np.testing.assert_array_equal(again.travel.translation, cycle.travel.translation)
    assert again.travel.yaw == cycle.travel.yaw
    assert np.abs(cycle.character.manifold.minus(again.q, cycle.q)).max() < 1e-6


def test_a_closing_frame_that_no_longer_closes_makes_a_plain_clip(tmp_path):
    pytest.importorskip("mujoco")
    path = clips.get("walk").save(tmp_path / "x.xml")
    lines = path.read_text().splitlines()
    last = max(i for i, line in enumerate(lines) if "<key " in line)
    lines[last] = lines[last].replace('qpos="', 'qpos="9')
    path.write_text("\n".join(lines))
    again = formats.load(path)
    assert not again.loop
    assert again.frames == clips.get("walk").frames + 1
    path.write_text("\n".join(lines).replace("&quot;rate&quot;", "&quot;rat&quot;"))
    assert formats.load(path).rate == 60


def test_what_a_format_cannot_hold_is_said():
    walk = clips.get("walk")
    assert "no loops" in formats.losses(walk, "x.bvh")[0]
    assert "solids" in formats.losses(walk, "x.bvh")[1]
    assert formats.losses(walk, "x.glb") == formats.losses(walk, "x.npz") == ()
    assert "masses" in formats.losses(at_rest("camel", 30), "x.bvh")[0]


def test_warnings_of_mujoco_become_notes(tmp_path, capfd, monkeypatch):
    pytest.importorskip("mujoco")
    monkeypatch.chdir(tmp_path)
    hinge = '<joint type="hinge" axis="0 1 0"/>'  # twice the same: neither has an inertia of its own
    heavy = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
    text = f"<mujoco><worldbody><body>{hinge}{hinge}{heavy}</body></worldbody></mujoco>"
    (tmp_path / "x.xml").write_text(text)
    clip = formats.load(tmp_path / "x.xml")
    assert any("MuJoCo warns: Inertia matrix" in n for n in clip.source.notes)
    assert capfd.readouterr() == ("", "")
    assert [p.name for p in tmp_path.iterdir()] == ["x.xml"]


class TestHiddenNodes:
    def made(self, tmp_path, scale):
        maker = Maker()
        maker.content["nodes"] = [
            {"name": "root", "children": [1]},
            {"name": "prop", "translation": [0, 1, 0], "scale": scale, "children": [2], "mesh": 0},
            {"name": "tip", "translation": [0, 1, 0]},
        ]
        maker.content["scenes"] = [{"nodes": [0]}]
        corners = maker.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "VEC3")
        maker.content["meshes"] = [{"primitives": [{"attributes": {"POSITION": corners}}]}]
        maker.animate("x", (1, "rotation", [0, 0.5], [[0, 0, 0, 1], [1, 0, 0, 0]], "LINEAR"))
        return maker.write(tmp_path / "x.gltf")

    @pytest.mark.parametrize("scale", [[0, 0, 0], [1, 0, 1], [0, 0, 1e-9]])
    def test_scale_zero_is_read_as_too_small_to_see(self, tmp_path, scale):
        clip = gltf.load(self.made(tmp_path, scale))
        assert any("'prop' has the scale 0" in n for n in clip.source.notes)
        assert np.isfinite(clip.character.skin.vertices).all()
        if not any(scale):
            assert np.ptp(clip.character.skin.vertices, axis=0).max() < 1e-5
        again = gltf.load(clip.save(tmp_path / "y.glb"))
        assert np.abs(again.character.manifold.minus(again.q, clip.q)).max() < 1e-6

    def test_a_singular_matrix_is_refused_by_name(self, tmp_path):
        path = self.made(tmp_path, [1, 1, 1])
        content = json.loads(path.read_text())
        del content["nodes"][1]["scale"], content["nodes"][1]["translation"]
        content["nodes"][1]["matrix"] = [0.0] * 15 + [1.0]
        path.write_text(json.dumps(content))
        with pytest.raises(FileFormatError, match="'prop'"):
            gltf.load(path)
