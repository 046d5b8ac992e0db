"""Motors have limits of torque: adapting measures them, eases what can be eased, and names the rest."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.character import Body, Character, Joint, Mass
from poise.motion import Clip
from poise.motion.operators import smooth
from robots import motor_humanoid

LENGTH, WEIGHS, ABOUT = 0.5, 2.0, 0.02
"""Of the arm: where its mass is [m], its mass [kg], its inertia about its middle [kg·m²]."""


def arm(effort: float) -> Character:
    """One link on a hinge that is bolted to the world a metre up, and hangs from it."""
    rows = [
        Body("base", None, Joint.fixed(), (0, 0, 1.0), mass=Mass(5.0, (0, 0, 0), (0.01,) * 3)),
        Body(
            "arm",
            "base",
            Joint.hinge((0, 1, 0), -3.0, 3.0, effort=effort),
            (0, 0, 0),
            mass=Mass(WEIGHS, (0, 0, -LENGTH), (ABOUT,) * 3),
            points={"tip": (0, 0, -1.0)},
        ),
    ]
    return Character("arm", rows)


def needed(clip: Clip) -> np.ndarray:
    """Torque of the one hinge [N·m] in every frame but the ends: τ = (I + m l²) α + m g l sin θ."""
    angle = np.asarray(clip.q)[:, 0]
    turning = (angle[2:] - 2 * angle[1:-1] + angle[:-2]) * clip.fps**2
    return (ABOUT + WEIGHS * LENGTH**2) * turning + WEIGHS * 9.81 * LENGTH * np.sin(angle[1:-1])


def calm(clip: Clip) -> Clip:
    """As ``check`` measures it."""
    return smooth(clip, cutoff=10.0)


def hanging(effort: float) -> Clip:
    return Clip(arm(effort), np.zeros((91, 1)), 60)


def reaching(clip: Clip, angle: float, **options):
    """With its tip where it is at an angle, after 0.7 s."""
    tip = poise.constraints.pin("tip", (-np.sin(angle), 0.0, 1.0 - np.cos(angle)), 0.7)
    return poise.adapt(clip, [tip], plants=False, floor=False, **options)


def told(result):
    return next((o for o in result.report.outcomes if o.name == "torque of motors"), None)


def test_check_knows_the_torques_of_a_robot_that_is_bolted_to_the_world():
    """Its base carries it: nothing is asked of contacts, and no torque is unknown."""
    angle = 1.2 * np.sin(2.0 * np.arange(121) / 60)[:, None]
    clip = Clip(arm(5.0), angle, 60)
    checked = poise.check(clip, filter="off")
    (found, *_) = [f for f in checked.report.findings if f.kind == "torque"]
    torque = checked.report.physics.torques.tau[1:-1, 0]
    np.testing.assert_allclose(torque, needed(clip), atol=1e-9)
    assert found.where == "arm"
    assert found.amount == pytest.approx(np.abs(needed(clip)).max(), rel=1e-6)
    assert {f.kind for f in checked.report.findings} == {"torque"}
    assert not checked.report.questions


def test_a_reach_is_slowed_where_its_motor_is_too_weak():
    """The mark is met all the same, on time, by the same arm."""
    free = reaching(hanging(np.inf), 0.3)
    most = 0.5 * np.abs(needed(free.clip)).max()
    kept = reaching(hanging(most), 0.3)
    assert np.abs(needed(calm(kept.clip))).max() < 1.06 * most
    assert np.abs(needed(kept.clip)).max() < 1.2 * most
    assert kept.met
    assert told(kept).met
    assert not [o.name for o in kept.report.outcomes if "eased" in o.name]


def test_a_motor_that_cannot_even_hold_its_arm_is_named():
    """Slower would not help: nothing is changed for it, and it is not called met."""
    free, weak = reaching(hanging(np.inf), 1.2), reaching(hanging(4.0), 1.2)
    np.testing.assert_allclose(weak.clip.q, free.clip.q, atol=1e-9)
    fate = told(weak)
    assert not weak.met
    assert not fate.met
    assert "arm needs" in fate.reason
    assert "frames" in fate.reason
    assert fate.got[0] == pytest.approx(np.abs(needed(calm(weak.clip))).max(), rel=1e-3)
    assert weak.missed[0].startswith("torque of motors: arm needs")
    assert weak.report.details["torques"][0]["where"] == "arm"


def test_without_limits_nothing_is_said_of_torques():
    assert told(reaching(hanging(4.0), 1.2, joint_limits=False)) is None
    assert told(reaching(hanging(np.inf), 0.3)) is None


def test_retargeting_names_the_motors_that_a_performance_is_too_much_for():
    walk = poise.clips.get("walk")
    strong, weak = (poise.retarget(walk, motor_humanoid(effort=e)) for e in (1000.0, 25.0))
    assert told(strong).met
    fate = told(weak)
    assert not fate.met
    assert not weak.met
    assert "N·m" in fate.reason
    # A walk is not given up for motors that could not stand either.
    for outcome, other in zip(strong.report.outcomes, weak.report.outcomes, strict=True):
        assert outcome.name == other.name
        assert outcome.met <= other.met or other is fate


def test_a_rest_pose_in_front_of_a_motion_is_no_motors_speed():
    """Captures begin with one, and jump out of it within a frame: no motor is to follow that."""
    robot = motor_humanoid(speed=4.0)
    q = np.tile(robot.rest_pose(), (121, 1))
    angles = robot.coordinates("left_elbow_link")
    q[1:, angles] = 1.0 + 0.2 * np.sin(2.0 * np.arange(120) / 60)[:, None]
    clip = Clip(robot, q, 60)
    result = poise.adapt(clip, plants=False, floor=False)
    np.testing.assert_allclose(result.clip.q, q, atol=1e-9)
    assert result.met


def test_a_motor_that_the_change_may_not_touch_is_named_too():
    robot = motor_humanoid(speed=4.0)
    q = np.tile(robot.rest_pose(), (61, 1))
    q[:, robot.coordinates("left_elbow_link")] = 0.5 + np.sin(6.0 * np.arange(61) / 30)[:, None]
    result = poise.adapt(Clip(robot, q, 30), plants=False, floor=False, joints=("right_elbow_link",))
    assert [o.name for o in result.report.missed] == ["speed of left_elbow_link"]


def test_torques_that_nobody_knows_are_said_to_be_unknown():
    """Who stands on nothing has no known torques: that is said, not passed over."""
    robot = motor_humanoid(effort=60.0)
    q = np.tile(robot.rest_pose(), (121, 1))
    standing = poise.adapt(Clip(robot, q, 60), plants=False, floor=False)
    assert told(standing).met
    assert not standing.report.warnings
    q[:, 2] += 0.2 * np.sin(np.arange(121) / 60)
    (said,) = poise.adapt(Clip(robot, q, 60), plants=False, floor=False).report.warnings
    assert "torques of motors are unknown" in said
