"""Hinges that meet in a point are one limb joint: of MuJoCo's figures, of robots whose motors stand apart."""

from __future__ import annotations

import numpy as np
import pytest

from poise import characters, load
from poise.character import Body, Character, Joint
from poise.character.labels import labelled, roles
from poise.character.limbs import centres, limb_joints
from robots import motor_humanoid


def groups(character: Character) -> list[tuple[str, ...]]:
    chains = dict.fromkeys(j.bodies for j in limb_joints(character) if len(j.bodies) > 1)
    return [tuple(character.names[i] for i in chain) for chain in chains]


def arm(*joints: tuple[str, tuple, tuple]) -> Character:
    """A chain of hinges below a free root: names, axes, offsets."""
    bodies, parent = [Body("root", None, Joint.free())], "root"
    for name, axis, offset in joints:
        bodies.append(Body(name, parent, Joint.hinge(axis), offset))
        parent = name
    return Character("arm", [*bodies, Body("tip", parent, Joint.fixed(), (0, 0, -0.5))])


def test_three_hinges_in_a_point():
    made = arm(("a", (0, 1, 0), (0, 0, 1)), ("b", (1, 0, 0), (0, 0, 0)), ("c", (0, 0, 1), (0, 0, 0)))
    assert groups(made) == [("a", "b", "c")]
    assert limb_joints(made)[made.index("b")].body == made.index("c")


def test_axes_that_meet_though_motors_stand_apart():
    made = arm(("a", (0, 1, 0), (0, 0, 1)), ("b", (1, 0, 0), (0, 0.05, 0)), ("c", (0, 0, 1), (0, 0, -0.12)))
    (chain,) = groups(made)
    assert chain == ("a", "b", "c")
    joint = limb_joints(made)[made.index("a")]
    places, turns = made.rest_placement()
    centre = places[joint.body] + turns[joint.body] @ joint.centre
    np.testing.assert_allclose(centre, [0, 0.05, 1], atol=1e-3)
    assert made.names[joint.at] == "b"
    # It stays where it is, whatever the hinges do.
    q = made.manifold.plus(made.rest_pose(), np.r_[np.zeros(6), 0.7, -0.9, 1.1])[None]
    np.testing.assert_allclose(centres(made, *made.placement(q))[0, 1], [0, 0.05, 1], atol=1e-3)


def test_an_elbow_and_a_knee_are_joints_of_their_own():
    elbow = ("elbow", (0, 1, 0), (0, 0, -0.3))
    made = arm(("a", (0, 1, 0), (0, 0, 1)), ("b", (1, 0, 0), (0, 0, 0)), elbow)
    assert groups(made) == [("a", "b")]
    turning = arm(("elbow", (0, 1, 0), (0, 0, 1)), ("wrist", (0, 0, 1), (0, 0, -0.25)))
    assert groups(turning) == []


def test_presets_keep_their_joints():
    assert groups(characters.humanoid()) == [("LeftAnkle", "LeftFoot"), ("RightAnkle", "RightFoot")]


def test_a_robot_of_motors_has_the_roles_of_a_human():
    robot = motor_humanoid()
    found = {role: robot.names[i] for role, i in roles(robot).items()}
    assert found["hips"] == "pelvis"
    assert found["chest"] == "torso_link"
    for side in ("left", "right"):
        assert found[f"{side} thigh"] == f"{side}_hip_roll_link"
        assert found[f"{side} shin"] == f"{side}_knee_link"
        assert found[f"{side} foot"] == f"{side}_ankle_roll_link"
        assert found[f"{side} upper_arm"] == f"{side}_shoulder_roll_link"
        assert found[f"{side} forearm"] == f"{side}_elbow_link"
        assert found[f"{side} hand"] == f"{side}_wrist_yaw_link"
    limbs = {b.name: f"{b.side} {b.limb}" for b in labelled(robot).bodies}
    assert limbs["left_shoulder_pitch_link"] == limbs["left_shoulder_yaw_link"] == "left arm"
    assert limbs["right_hip_pitch_link"] == "right leg"
    assert limbs["right_ankle_pitch_link"] == "right foot"


@pytest.mark.parametrize(
    ("path", "shoulder"),
    [
        ("mjcf_mujoco/humanoid.xml", ("shoulder1_left", "upper_arm_left")),
        ("mjcf_dm_control/humanoid_CMU.xml", ("lhumerusrz", "lhumerusry", "lhumerus")),
    ],
)
def test_mujoco_humanoids(shared_data, path, shoulder):
    figure = load(shared_data / path).character
    assert shoulder in groups(figure)
    assert figure.names[roles(figure)["left upper_arm"]] == shoulder[-1]
    assert "left clavicle" not in roles(figure) or roles(figure)["left clavicle"] not in [
        figure.index(n) for n in shoulder
    ]
