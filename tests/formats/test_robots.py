"""Robots: URDF in, limits of motors kept, motions out as tools for robots want them."""

from __future__ import annotations

import numpy as np
import pytest
from urdf_robot import urdf

import poise
from poise.character import Joint, JointKind
from poise.character.serial import from_dict, to_dict
from poise.errors import FileFormatError, InputError
from poise.formats import load, save
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.motion import Clip
from robots import motor_humanoid

mujoco = pytest.importorskip("mujoco")


@pytest.fixture
def walker(tmp_path):
    path = tmp_path / "walker.urdf"
    path.write_text(urdf())
    return load(path)


def test_urdf_keeps_names_places_and_limits(walker):
    body = walker.character
    assert body.names[0] == "pelvis"
    assert body.bodies[0].joint.kind is JointKind.FREE
    assert "camera" in body.names  # what is fixed keeps its name
    knee = body.index("left_shin_link")
    assert body.lower[body.dofs(knee)] == 0.0
    assert body.upper[body.dofs(knee)] == 2.4
    assert body.speed[body.dofs(knee)] == 15.0
    assert body.effort[body.dofs(knee)] == 90.0
    ankle = body.dofs("left_foot_link")
    assert np.isinf(body.speed[ankle]).all()  # zero says nothing
    assert body.effort[ankle] == 40.0
    places = body.rest_placement().positions
    np.testing.assert_allclose(places[body.index("left_foot_link")], [0, 0.1, -0.7], atol=1e-12)
    assert body.total_mass == pytest.approx(9 * 1.2, abs=1e-4)
    assert any("meshes are not drawn" in note for note in walker.source.notes)
    roles = poise.character.labels.roles(body)
    assert body.names[roles["left shin"]] == "left_shin_link"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<robot", "<machine", "not"),
        ('velocity="9"', 'velocity="fast"', "'fast' is not a number"),
        ('<parent link="pelvis"/>', '<parent link="nobody"/>', "MuJoCo"),
        ("</robot>", "", "broken XML"),
    ],
)
def test_broken_urdf_is_refused_in_a_line(tmp_path, old, new, message):
    path = tmp_path / "broken.urdf"
    path.write_text(
        urdf().replace(old, new).replace("</robot>", "</machine>" if "machine" in new else "</robot>")
    )
    if old == "</robot>":
        path.write_text(urdf().replace("</robot>", ""))
    with pytest.raises(FileFormatError, match=message) as told:
        load(path)
    assert "\n" not in str(told.value)


def moving(character, frames: int = 20, rate: int = 50) -> Clip:
    rng = np.random.default_rng(3)
    swing = np.sin(np.linspace(0, 6, frames))[:, None] * rng.normal(size=character.nv) * 0.3
    swing[:, :3] *= 0.2
    return Clip(character, character.manifold.plus(character.rest_pose(), swing), rate)


def test_limits_of_motors_survive_files(tmp_path):
    robot = motor_humanoid(speed=20.0, effort=80.0)
    again = from_dict(to_dict(robot))
    np.testing.assert_array_equal(again.speed, robot.speed)
    np.testing.assert_array_equal(again.effort, robot.effort)
    clip = moving(robot)
    for name in ("robot.xml", "robot.npz"):
        save(clip, tmp_path / name)
        read = load(tmp_path / name).character
        span = read.dofs("left_knee_link")
        assert read.speed[span] == 20.0
        assert read.effort[span] == 80.0
    assert "speed" not in str(to_dict(motor_humanoid()))  # files of others stay as they were


def test_actuators_of_mjcf_say_what_they_give(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><worldbody><body name="arm"><joint name="j" axis="0 1 0"/><geom size=".1"/>'
        '<body name="hand" pos="0 0 1"><joint name="k" axis="0 1 0" actuatorfrcrange="-7 7"/>'
        '<geom size=".1"/></body></body></worldbody>'
        '<actuator><motor joint="j" gear="50" ctrlrange="-1 1" ctrllimited="true"/></actuator></mujoco>'
    )
    body = load(path).character
    assert body.effort.tolist() == [50.0, 7.0]


def test_negative_limits_are_refused():
    with pytest.raises(InputError, match="speed must be positive"):
        Joint.hinge((0, 1, 0), speed=-1.0)


def test_a_table_of_lafan(tmp_path):
    clip = moving(motor_humanoid())
    path = tmp_path / "walk.csv"
    save(clip, path)
    rows = np.loadtxt(path, delimiter=",")
    assert rows.shape == (20, 7 + 29)
    np.testing.assert_array_equal(rows[:, :3], clip.q[:, :3])
    np.testing.assert_array_equal(rows[:, [6, 3, 4, 5]], clip.q[:, 3:7])
    np.testing.assert_array_equal(rows[:, 7:], clip.q[:, 7:])
    names = path.read_text().splitlines()[0].split(": ")[1].split(",")
    assert names[:7] == ["x", "y", "z", "qx", "qy", "qz", "qw"]
    assert names[7:10] == ["waist_yaw_link", "waist_roll_link", "torso_link"]


def test_arrays_of_tools_for_robots(tmp_path):
    robot = motor_humanoid()
    clip = moving(robot, 200, 500)
    kin = Kinematics(robot, clip.q)
    found = {}
    for tool in ("gmr", "beyondmimic", "protomotions"):
        path = tmp_path / f"walk.{tool}.npz"
        save(clip, path)
        found[tool] = dict(np.load(path, allow_pickle=False))
    one = found["gmr"]
    np.testing.assert_array_equal(one["root_rot"][:, [3, 0, 1, 2]], clip.q[:, 3:7])
    assert one["dof_pos"].shape == (200, 29)
    assert one["dof_names"][0] == "waist_yaw_link"
    two = found["beyondmimic"]
    np.testing.assert_allclose(two["body_pos_w"], kin.positions)
    np.testing.assert_allclose(so3.to_matrix(two["body_quat_w"]), kin.rotations, atol=1e-12)
    # Velocities against differences of what is written, in the middle of the clip.
    for place, speed in (("body_pos_w", "body_lin_vel_w"), ("joint_pos", "joint_vel")):
        way = np.gradient(two[place], 1 / 500, axis=0)
        np.testing.assert_allclose(way[3:-3], two[speed][3:-3], atol=5e-3)
    three = found["protomotions"]
    np.testing.assert_array_equal(three["gts"], two["body_pos_w"])
    np.testing.assert_array_equal(three["grs"][..., 3], two["body_quat_w"][..., 0])
    np.testing.assert_array_equal(three["dps"], two["joint_pos"])


def test_velocities_of_bodies_are_those_of_their_places_and_turns(tmp_path):
    clip = moving(motor_humanoid(), 200, 500)
    save(clip, tmp_path / "walk.beyondmimic.npz")
    with np.load(tmp_path / "walk.beyondmimic.npz") as arrays:
        linear, angular = arrays["body_lin_vel_w"], arrays["body_ang_vel_w"]
    assert linear.shape == angular.shape == (200, len(clip.character.bodies), 3)
    rotations, dt = Kinematics(clip.character, clip.q).rotations, clip.dt
    step = rotations[2:] @ np.swapaxes(rotations[:-2], -1, -2)  # over two frames, in the world
    turned = np.stack([step[..., 2, 1], step[..., 0, 2], step[..., 1, 0]], axis=-1)
    turned -= np.stack([step[..., 1, 2], step[..., 2, 0], step[..., 0, 1]], axis=-1)
    np.testing.assert_allclose(angular[1:-1], 0.5 * turned / (2 * dt), atol=2e-2 * np.abs(angular).max())


def test_a_robot_that_is_bolted_to_the_world_stays_there(tmp_path):
    """Its root link has the name that URDF gives to the world: nothing carries it about."""
    path = tmp_path / "arm.urdf"
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    path.write_text(
        f'<robot name="arm"><link name="world"/><link name="base">{mass}</link>'
        '<joint name="turntable" type="revolute"><parent link="world"/><child link="base"/>'
        '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="2"/></joint></robot>'
    )
    robot = load(path).character
    assert robot.nv == 1
    assert robot.upper.tolist() == [1.0]


def hung(base: str, joint: str, *, more: str = "") -> str:
    """An upper arm on a shoulder that hangs from a base by a joint."""
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    return (
        f'<robot name="arm"><link name="{base}">{more}</link><link name="shoulder">{mass}</link>'
        f'<link name="upper">{mass}</link>'
        f'<joint name="base" type="{joint}"><parent link="{base}"/><child link="shoulder"/>'
        '<origin xyz="0 0 0.7"/></joint>'
        '<joint name="turn" type="continuous"><parent link="shoulder"/><child link="upper"/>'
        '<origin xyz="0 0 0.1"/><axis xyz="0 0 1"/><limit effort="12" velocity="2.5"/></joint></robot>'
    )


def test_a_robot_whose_base_is_fixed_to_the_world_is_bolted_down(tmp_path):
    """As arms are: nothing but their motors moves them."""
    path = tmp_path / "arm.urdf"
    path.write_text(hung("world", "fixed"))
    robot = load(path).character
    assert robot.nv == 1
    assert robot.rest_placement().positions[robot.index("upper")][2] == pytest.approx(0.8)
    assert (robot.speed.tolist(), robot.effort.tolist()) == ([2.5], [12.0])
    path.write_text(hung("base_link", "fixed"))
    assert load(path).character.nv == 7, "a base of any other name walks"


@pytest.mark.parametrize("base", ["world", "base_link"])
def test_a_robot_that_floats_from_an_empty_base_is_free(tmp_path, base):
    path = tmp_path / "floats.urdf"
    path.write_text(hung(base, "floating"))
    robot = load(path).character
    assert robot.bodies[0].name == "shoulder"
    assert robot.bodies[0].joint.kind is JointKind.FREE
    assert robot.nv == 7


def test_a_body_of_balls_is_no_robot(tmp_path):
    with pytest.raises(InputError, match="retarget the motion"):
        save(poise.clips.get("walk"), tmp_path / "walk.csv")


def test_joints_keep_names_of_their_own(walker, tmp_path):
    """What a controller looks joints up by are their names, not those of links."""
    save(walker, tmp_path / "walker.xml")
    save(walker, tmp_path / "walker.npz")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "walker.xml"))
    own = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j) for j in range(1, model.njnt)]
    assert "left_knee" in own
    for read in (walker, load(tmp_path / "walker.xml"), load(tmp_path / "walker.npz")):
        assert read.character.bodies[read.character.index("left_shin_link")].joint.name == "left_knee"
        assert read.character.speed[read.character.dofs("left_shin_link")] == 15.0
        save(read, tmp_path / "still.csv")
        head = (tmp_path / "still.csv").read_text().splitlines()[0].split(": ")[1].split(",")
        assert head[7:] == own
        for tool, key in (("gmr", "dof_names"), ("beyondmimic", "joint_names")):
            save(read, tmp_path / f"still.{tool}.npz")
            with np.load(tmp_path / f"still.{tool}.npz") as arrays:
                assert arrays[key].tolist() == own
                assert tool == "gmr" or "left_shin_link" in arrays["body_names"].tolist()
