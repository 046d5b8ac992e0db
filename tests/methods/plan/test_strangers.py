"""Characters the method was not tuned for: at ease, sprung by a preset, they jump aside."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from poise import load
from poise.character import Character, presets
from poise.character.labels import roles
from poise.character.presets.stiffness import carried_tensor
from poise.errors import InputError, UnknownNameError
from poise.kinematics import Kinematics
from poise.methods.plan.plan import plan_segments
from poise.methods.plan.result import PlanResult
from poise.methods.plan.scene.hold import Hold
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.reference_pose import ease_pose, ready_pose, turned_pose
from poise.methods.plan.scene.segment import Flight, Stance
from poise.methods.plan.scene.settings import carriers, limbs
from poise.methods.plan.scene.springs import FREE, SHARE, released, stiffness
from poise.operations.plan import Planning


def side_jump(character: Character) -> PlanResult:
    """The same recipe for anyone, scaled with the body's height."""
    part = roles(character)
    feet = [character.names[part[f"{side} foot"]] for side in ("left", "right")]
    reference = ease_pose(character, knees=0.9)
    size = Kinematics(character, reference).positions[0, :, 2].max() / 1.7
    pace = float(np.sqrt(size))
    take_off = PartialKey(
        "com", velocity=(0.0, 0.8 * pace, 2.2 * pace), position=(None, None, 0.03 * size), relative=True
    )
    segments = [
        Stance(
            0.9 * pace,
            feet,
            [take_off, PartialKey("com", angular_momentum=(0, 0, 0))],
            nodes=2,
            name="prepare",
        ),
        Flight(feet, name="air"),
        Stance(1.1, feet, nodes=2, rest=True, name="land"),
    ]
    return plan_segments(
        character,
        segments,
        Planning(springs="standing", rayleigh=(1.5, 0.005), judge=False),
        reference=reference,
    )


@pytest.mark.parametrize("file", ["khronos_gltf/CesiumMan.glb", "cmu_asfamc/02_01.amc"])
def test_strangers_jump_aside(shared_data, file):
    character = load(shared_data / file).character
    result = side_jump(character)
    assert result.report.met, result.report
    went = result.clip.q[-1, :3] - result.clip.q[0, :3]
    assert went[1] > 0.2
    assert abs(went[2]) < 0.01
    turns = [np.linalg.norm(p.angles(np.linspace(0, p.duration, 20)), axis=2).max() for p in result.pieces]
    assert max(turns) < np.pi


def test_nonsense_from_straight_legs_is_refused_with_the_segment_and_the_key():
    """Straight knees cannot push to first order, and a planar figure has no other way off the ground."""
    character = presets.planar_humanoid()
    feet = ["LeftFoot", "RightFoot"]
    take_off = PartialKey("com", velocity=(0.8, None, 2.2), position=(None, None, 0.03), relative=True)
    segments = [
        Stance(
            0.8,
            feet,
            [take_off, PartialKey("com", angular_momentum=(None, 0.0, None))],
            nodes=2,
            name="prepare",
        ),
        Flight(feet, name="air"),
        Stance(1.0, feet, nodes=2, rest=True, name="land"),
    ]
    with pytest.raises(InputError, match=r"'air' cannot be solved: (position|orientation) of \w+Foot"):
        plan_segments(character, segments, Planning(springs="standing", rayleigh=(1.5, 0.005)))


def test_at_ease_arms_hang_and_feet_are_on_the_ground():
    character = presets.humanoid()
    q = ease_pose(character)
    kin, part = Kinematics(character, q), roles(character)

    def at(role: str) -> np.ndarray:
        return kin.positions[0, part[role]]

    for side in ("left", "right"):
        assert at(f"{side} hand")[2] < at(f"{side} upper_arm")[2] - 0.3
        assert at(f"{side} shin")[0] > at(f"{side} foot")[0] + 0.03  # knees bent forwards
    lowest = min(kin.positions[0, :, 2].min(), *(kin.point(n)[0, 2] for n in character.points))
    assert abs(lowest) < 0.03


def test_a_lamp_cannot_stand_at_ease():
    with pytest.raises(InputError, match="left thigh"):
        ease_pose(presets.lamp())


def test_presets_scale_and_single_joints_can_be_told():
    character = presets.humanoid()
    q = character.rest_pose()
    standing, stiff = (stiffness(character, q, name) for name in ("standing", "stiff"))
    moving = np.diag(standing) > 0
    np.testing.assert_allclose(np.diag(stiff)[moving] / np.diag(standing)[moving], 1.4**2)
    assert np.linalg.eigvalsh(standing)[0] > -1e-9
    arm = character.dofs(character.select("left arm")[0])
    axes = stiffness(
        character, q, "standing", {character.names[character.select("left arm")[0]]: (1.0, 4.0, 9.0)}
    )
    np.testing.assert_allclose(np.diag(axes)[arm], np.diag(standing)[arm] * (1.0, 4.0, 9.0))
    with pytest.raises(InputError, match="3 axes"):
        stiffness(character, q, "standing", {"left arm": (1.0, 2.0)})
    one = stiffness(character, q, "standing", {"left arm": 4.0})
    arm = character.dofs(character.select("left arm")[0])
    np.testing.assert_allclose(one[arm, arm], 4 * standing[arm, arm])


def test_a_leg_that_carries_nothing_is_sprung_for_itself():
    """In series with a spring for what hangs below: never stiffer than either, and only where it is idle."""
    character = presets.camel()
    q = character.rest_pose()
    feet = [Hold(f"{side}{end}Pastern") for side in ("Left", "Right") for end in ("Fore", "Hind")]
    legs = limbs(character, feet)
    assert legs < carriers(character, feet)  # the spine bears both forelegs
    assert not any(character.names[i].startswith("Spine") for i in legs)
    standing = stiffness(character, q)
    free = released(character, q, standing, legs - carriers(character, feet[::2]))
    assert_allclose(free, free.T, rtol=1e-9)
    for body, name in enumerate(character.names[1:], start=1):
        span = character.dofs(body)
        idle = name.endswith(("HindPastern", "Thigh")) and body in legs - carriers(character, feet[::2])
        ratio = np.linalg.eigvalsh(free[span, span]) / np.linalg.eigvalsh(standing[span, span])
        if idle:
            assert (ratio < 1).all()
        elif body not in legs:
            assert_allclose(ratio, 1.0)
    # All legs free: the stiffest joint of the limbs swings what hangs from it no faster than asked.
    air = released(character, q, standing, legs)
    foot = character.names.index("LeftHindPastern")
    span, inertia = character.dofs(foot), carried_tensor(character, character.names.index("LeftThigh"))
    most = np.linalg.eigvalsh(air[span, span]).max()
    assert most < SHARE * np.trace(inertia) / 3 * (2 * np.pi * max(FREE)) ** 2
    assert 10 * most < np.linalg.eigvalsh(standing[span, span]).max()


def test_turned_joints_carry_what_hangs_from_them_and_feet_may_stand_apart():
    character = presets.biped180()
    feet = ["LeftFoot", "RightFoot"]
    turned = turned_pose(character, {"LeftUpperArm": (0.0, -np.pi / 2, 0.0)})
    q = ready_pose(character, feet, lower=0.05, apart={"LeftFoot": (0.1, 0.02)}, pose=turned)
    rest, now = (Kinematics(character, pose) for pose in (character.rest_pose(), turned))
    arm = rest.point("LeftHandCentre")[0] - rest.point("LeftUpperArm")[0]
    lifted = now.point("LeftHandCentre")[0] - now.point("LeftUpperArm")[0]
    np.testing.assert_allclose(lifted, (-arm[2], arm[1], arm[0]), atol=1e-9)  # a quarter turn about y
    np.testing.assert_allclose(now.point("RightHandCentre"), rest.point("RightHandCentre"), atol=1e-9)
    moved = Kinematics(character, q)
    went = moved.point("LeftFoot")[0] - rest.point("LeftFoot")[0]
    np.testing.assert_allclose(went, (0.1, 0.02, 0.0), atol=1e-8)
    with pytest.raises(UnknownNameError, match="LeftHand"):
        ready_pose(character, feet, lower=0.05, apart={"LeftHand": (0.1, 0.0)})
