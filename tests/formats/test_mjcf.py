"""MJCF: our bodies against MuJoCo's own kinematics, keyframes, round trips, broken files."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pytest

from poise.character import Body, Character, Joint, JointKind, Mass, Shape, presets
from poise.errors import FileFormatError, MissingDependencyError, UnknownNameError
from poise.formats import mjcf
from poise.kinematics import Kinematics, forward
from poise.motion import Clip
from random_trees import ALL_KINDS, random_character, random_state

mujoco = pytest.importorskip("mujoco")

ODD = """
<mujoco model="odd">
  <compiler angle="radian" autolimits="true"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="pebble" pos="2 0 0"><freejoint/><geom size=".1"/></body>
    <body name="base" pos=".1 .2 .3" quat="1 .2 .3 .4">
      <freejoint name="root"/>
      <geom type="box" size=".1 .2 .3" euler=".3 .2 .1" pos=".1 0 0"/>
      <site name="tip" pos=".3 .1 0"/>
      <site name="base" pos="0 0 .5"/>
      <body name="upper" pos="0 .1 .4" quat=".9 .1 .4 0">
        <joint name="yaw" axis="0 1 1" pos=".05 .02 .1" ref=".4" range="-1 2"
               stiffness="3" damping=".2" armature=".01"/>
        <joint name="reach" type="slide" axis="1 0 1" pos=".3 0 .1" ref="-.2" range="-.5 .5"/>
        <joint name="roll" axis="1 0 0" pos="-.05 .1 0"/>
        <geom type="capsule" fromto="0 0 0 .1 .2 .3" size=".05"/>
        <body name="socket" pos=".1 0 .2">
          <joint name="ball" type="ball" pos=".02 .03 .04" range="0 1.2"/>
          <geom type="ellipsoid" size=".1 .2 .05" pos="0 .1 0" quat=".5 .5 .1 .2"/>
          <body name="welded" pos="0 .3 0" euler="0 0 1">
            <geom type="cylinder" size=".05 .1"/>
            <body name="last" pos=".1 0 0">
              <joint axis="0 0 1" pos="0 0 .1"/>
              <joint axis="0 1 0"/>
              <geom size=".07"/>
              <site pos="0 0 .07"/>
            </body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="yaw"/></actuator>
</mujoco>
"""


def worst_difference(path, count=25) -> float:
    """Between MuJoCo's frames, centres and inertias and ours, over random configurations."""
    from poise.formats.mjcf.bodies import read_bodies
    from poise.formats.mjcf.reader import compile_model

    clip = mjcf.load(path)
    model, _ = compile_model(path)
    data = mujoco.MjData(model)
    root = mujoco.mj_name2id(model, 1, clip.character.names[0])
    reading = read_bodies(model, lambda kind, i: mujoco.mj_id2name(model, kind, i) or None, root)
    rng = np.random.default_rng(5)
    worst = 0.0
    bodies = [b for b in range(1, model.nbody) if model.body_rootid[b] == root]
    for _ in range(count):
        data.qpos[:] = model.qpos0 + rng.normal(size=model.nq)
        mujoco.mj_normalizeQuat(model, data.qpos)
        mujoco.mj_kinematics(model, data)
        q = reading.configurations(np.array(data.qpos)[None])
        places = forward(clip.character, q)
        for b in bodies:
            name = mujoco.mj_id2name(model, 1, b)
            i = clip.character.index(name)
            mass, turn = clip.character.bodies[i].mass, places.rotations[0, i]
            at = places.positions[0, i]
            axes = data.ximat[b].reshape(3, 3)
            pairs = [
                (at + turn @ clip.source.payload.origins[name], data.xpos[b]),
                (turn, data.xmat[b].reshape(3, 3)),
                (at + turn @ np.asarray(mass.centre), data.xipos[b]),
                (turn @ np.asarray(mass.inertia) @ turn.T, axes @ np.diag(model.body_inertia[b]) @ axes.T),
                (mass.mass, model.body_mass[b]),
            ]
            worst = max(worst, *(float(np.abs(np.asarray(x) - y).max()) for x, y in pairs))
        for s in range(model.nsite):
            name = mujoco.mj_id2name(model, 6, s)
            if name in clip.character.points and name not in clip.character.names:
                point = clip.character.points[name]
                got = places.positions[0, point.body] + places.rotations[0, point.body] @ point.position
                worst = max(worst, float(np.abs(got - data.site_xpos[s]).max()))
    return worst


def test_anchors_refs_and_several_joints(tmp_path):
    path = tmp_path / "odd.xml"
    path.write_text(ODD)
    assert worst_difference(path) < 1e-10
    clip = mjcf.load(path)
    character = clip.character
    assert character.names == ("base", "yaw", "reach", "upper", "socket", "welded", "last:1", "last")
    assert [b.joint.kind.name for b in character.bodies] == [
        "FREE",
        "HINGE",
        "SLIDE",
        "HINGE",
        "BALL",
        "FIXED",
        "HINGE",
        "HINGE",
    ]
    assert any("pebble" in n for n in clip.source.notes)
    assert any("1 actuators" in n for n in clip.source.notes)
    yaw = character.bodies[1]
    assert np.allclose([yaw.joint.lower[0], yaw.joint.upper[0]], [-1.4, 1.6])  # counted from ref
    assert (yaw.joint.stiffness[0], yaw.joint.damping[0], yaw.joint.armature[0]) == (3, 0.2, 0.01)
    assert yaw.mass.mass == 0
    assert character.bodies[0].shapes[0].kind.value == "box"
    assert {"tip", "base site"} <= set(character.points)
    assert np.allclose(clip.q[0], character.rest_pose())
    assert mjcf.load(path, root="pebble").character.names == ("pebble",)
    with pytest.raises(UnknownNameError, match="base"):
        mjcf.load(path, root="bse")


@pytest.mark.parametrize("file", ["mjcf_mujoco/humanoid.xml", "mjcf_dm_control/humanoid_CMU.xml"])
def test_humanoids_agree_with_mujoco(shared_data, tmp_path, file):
    path = shared_data / file
    assert worst_difference(path) < 1e-10
    clip = mjcf.load(path)
    assert clip.character.mass_source == "given"
    mjcf.save(clip, tmp_path / "again.xml")
    again = mjcf.load(tmp_path / "again.xml")
    assert again.character.names == clip.character.names
    assert np.allclose(again.q, clip.q)
    assert again.character.total_mass == pytest.approx(clip.character.total_mass)
    a, b = forward(clip.character, clip.q), forward(again.character, again.q)
    assert np.abs(a.positions - b.positions).max() < 1e-12
    assert np.allclose(again.character.lower, clip.character.lower)
    assert np.allclose(again.character.stiffness, clip.character.stiffness)


def test_humanoid_keyframes_are_frames(shared_data):
    clip = mjcf.load(shared_data / "mjcf_mujoco/humanoid.xml")
    model = mujoco.MjModel.from_xml_path(str(shared_data / "mjcf_mujoco/humanoid.xml"))
    assert clip.frames == model.nkey == 4
    assert clip.source.payload.key_names[0] == "squat"
    assert np.allclose(clip.q[:, :3], model.key_qpos[:, :3])
    cmu = mjcf.load(shared_data / "mjcf_dm_control/humanoid_CMU.xml")
    assert any("materials.xml" in n for n in cmu.source.notes)
    assert cmu.frames == 1


@pytest.mark.parametrize("root", [JointKind.FREE, JointKind.PLANAR, JointKind.HINGE, JointKind.FIXED])
def test_any_tree_and_its_frames_come_back(tmp_path, rng, root):
    character = random_character(rng, 9, kinds=ALL_KINDS, root=root)
    q, _, _ = random_state(rng, character, 12, spread=0.5)
    clip = Clip(character, q, Fraction(24000, 1001))
    mjcf.save(clip, tmp_path / "tree.xml")
    again = mjcf.load(tmp_path / "tree.xml")
    assert again.rate == clip.rate
    assert again.frames == clip.frames
    a, b = Kinematics(character, clip.q), Kinematics(again.character, again.q)
    for i, name in enumerate(character.names):
        j = again.character.index(name)
        assert np.abs(a.placement.positions[:, i] - b.placement.positions[:, j]).max() < 1e-10
        assert np.abs(a.placement.rotations[:, i] - b.placement.rotations[:, j]).max() < 1e-10
        assert np.allclose(
            character.bodies[i].mass.inertia, again.character.bodies[j].mass.inertia, atol=1e-12
        )


@pytest.mark.parametrize("preset", presets.names())
def test_presets_come_back(tmp_path, preset):
    character = presets.get(preset)
    clip = Clip(character, character.rest_pose()[None], 30)
    mjcf.save(clip, tmp_path / "preset.xml")
    again = mjcf.load(tmp_path / "preset.xml")
    assert again.character.nv == character.nv
    assert again.character.total_mass == pytest.approx(character.total_mass, rel=1e-9)


def test_loops_are_closed(tmp_path):
    character = Character(
        "ball",
        [
            Body(
                "ball",
                None,
                Joint.free(),
                mass=Mass(1, (0, 0, 0), (1, 1, 1)),
                shapes=(Shape.sphere((0, 0, 0), 0.1),),
            )
        ],
    )
    q = np.tile(character.rest_pose(), (4, 1))
    q[:, 0] = np.arange(4)
    from poise.motion import Travel

    mjcf.save(Clip(character, q, 10, loop=True, travel=Travel((4, 0, 0))), tmp_path / "loop.xml")
    again = mjcf.load(tmp_path / "loop.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "loop.xml"))
    assert np.allclose(model.key_qpos[:, 0], np.arange(5)), "any program sees the cycle close"
    assert np.allclose(again.q[:, 0], np.arange(4)), "Poise knows that it is a loop"
    assert again.loop
    assert again.rate == 10


def test_geoms_whose_class_names_a_missing_mesh_are_left_out(tmp_path):
    """By their own class, by one within it, or by that of their body; what they say themselves counts."""
    path = tmp_path / "lean.xml"
    path.write_text(
        """<mujoco>
  <default><default class="looks"><geom type="mesh" mesh="hull" density="500"/>
    <default class="within"><geom rgba="1 0 0 1"/></default></default></default>
  <asset><mesh name="hull" file="hull.obj"/>
    <mesh name="own" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset>
  <worldbody><body name="b"><freejoint/><geom size=".1" density="1000"/>
    <geom class="looks"/><geom class="within"/>
    <body name="c" childclass="looks"><joint axis="1 0 0"/><geom/><geom class="main" size=".1"/>
      <geom mesh="own"/></body>
    </body></worldbody>
</mujoco>"""
    )
    clip = mjcf.load(path)
    assert any("hull.obj" in n for n in clip.source.notes)
    ball = 4 / 3 * np.pi * 0.1**3 * 1000
    assert clip.character.bodies[0].mass.mass == pytest.approx(ball)
    assert clip.character.bodies[1].mass.mass == pytest.approx(ball + 500 / 6)


def test_missing_assets_are_left_out(tmp_path):
    path = tmp_path / "lean.xml"
    (tmp_path / "part.xml").write_text('<mujoco><default><geom density="500"/></default></mujoco>')
    path.write_text(
        """<mujoco>
  <include file="part.xml"/><include file="looks.xml"/>
  <asset><mesh name="hull" file="hull.obj"/><texture name="t" type="2d" file="t.png"/>
    <material name="m" texture="t"/></asset>
  <worldbody><body name="b"><freejoint/>
    <geom size=".1" material="unknown"/><geom type="mesh" mesh="hull"/></body></worldbody>
</mujoco>"""
    )
    clip = mjcf.load(path)
    note = next(n for n in clip.source.notes if "not there" in n)
    assert all(name in note for name in ("looks.xml", "hull.obj"))
    assert "t.png" not in note, "textures are looks: nothing depends on them"
    assert clip.character.total_mass == pytest.approx(500 * 4 / 3 * np.pi * 0.1**3)  # part.xml was read


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<mujoco><worldbody>", "broken XML"),
        ("", "broken XML|empty"),
        ("<robot/>", "robot"),
        ("<mujoco><worldbody/></mujoco>", "no bodies"),
        ("<mujoco>\n<nonsense/>\n</mujoco>", "broken.xml:2"),
        ("<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>", "mass"),
        ('<mujoco><worldbody><body pos="a b c"><geom size="1"/></body></worldbody></mujoco>', "MuJoCo"),
        (
            '<mujoco><worldbody><geom size="1" class="x"/></worldbody><include file="x.xml"/></mujoco>',
            "x.xml",
        ),
        ('<mujoco><include file="broken.xml"/><include file="y.xml"/></mujoco>', "circle|include"),
    ],
)
def test_broken_files(tmp_path, text, words):
    import re

    path = tmp_path / "broken.xml"
    path.write_text(text)
    with pytest.raises(FileFormatError) as caught:
        mjcf.load(path)
    assert re.search(words, str(caught.value)), caught.value
    assert "\n" not in str(caught.value)


def test_without_mujoco_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    path = tmp_path / "odd.xml"
    path.write_text(ODD)
    with pytest.raises(MissingDependencyError, match=r"poise\[contact\]"):
        mjcf.load(path)
