"""What holds beside springs: keyed joints, amplitudes, limits, planted feet; judged by plain kinematics."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import poise
from poise import clips
from poise.character.anatomy import assumed_limits
from poise.contacts.patches import patches
from poise.errors import InputError
from poise.methods.loosen.simulate.plants import plants_of
from poise.methods.loosen.simulate.simulator import Simulator
from poise.motion import Clip, operators
from poise.operations.loosen import Loosen

WINDOW = 0.3
FREE = {"contacts": False, "joint_limits": False}


@pytest.fixture(scope="module")
def punch() -> Clip:
    return operators.trim(clips.get("punch"), 0.4, 1.1)


def columns(clip: Clip, *patterns: str) -> np.ndarray:
    """Coordinates of joints or limbs, as a mask (nq,)."""
    out = np.zeros(clip.character.nq, dtype=bool)
    for pattern in patterns:
        for body in clip.character.select(pattern):
            out[clip.character.coordinates(body)] = True
    return out


# Keyed joints --------------------------------------------------------------------------------


def test_keyed_joints_are_the_animation_to_the_bit_and_others_feel_them(punch):
    tension = {"*": "keyed", "right arm": "loose"}
    loose = poise.loosen(punch, tension, window=WINDOW, **FREE).clip
    arm = columns(punch, "right arm")
    assert_array_equal(loose.q[:, ~arm], punch.q[:, ~arm])
    assert np.abs(loose.q[:, arm] - punch.q[:, arm]).max() > 0.05
    # The arm feels the keyed chest: on a body that stands still it would hang otherwise.
    still = punch.with_q(np.where(arm, punch.q, punch.q[:1]))
    other = poise.loosen(still, tension, window=WINDOW, **FREE).clip
    assert np.abs(other.q[:, arm] - loose.q[:, arm]).max() > 0.05


def test_a_keyed_joint_is_the_limit_of_a_stiff_one(punch):
    keyed = poise.loosen(punch, {"*": "loose", "spine": "keyed"}, window=WINDOW, step=0.002, **FREE).clip
    stiff = {"*": "loose", "spine": poise.Spring(400.0, 1.0)}
    near = poise.loosen(punch, stiff, window=WINDOW, step=0.002, **FREE).clip
    apart = punch.character.manifold.minus(near.q, keyed.q)
    assert np.abs(apart).max() < 0.03


def test_all_keyed_is_the_animation(punch):
    assert_array_equal(poise.loosen(punch, "keyed", window=WINDOW).clip.q, punch.q)


def test_keyed_at_some_times_only(punch):
    t = punch.times
    tension = [(float(t[0]), "keyed"), (float(t[10]), "keyed"), (float(t[20]), "loose")]
    found = poise.loosen(punch, tension, window=WINDOW, **FREE).clip
    assert_array_equal(found.q[:11], punch.q[:11])
    loose = poise.loosen(punch, [(0.0, poise.Spring(20.0, 1.0)), *tension[1:]], window=WINDOW, **FREE).clip
    assert np.abs(found.q[20:] - punch.q[20:]).max() > 0.05
    assert loose.frames == found.frames


# Amplitudes ----------------------------------------------------------------------------------


def test_amplitudes_zero_half_and_one(punch):
    whole = poise.loosen(punch, "loose", window=WINDOW, **FREE).clip
    amplitude = {"*": 1.0, "spine": 0.0, "left arm": 0.5}
    part = poise.loosen(punch, "loose", window=WINDOW, amplitude=amplitude, **FREE).clip
    spine, left = columns(punch, "spine"), columns(punch, "left arm")
    assert_array_equal(part.q[:, spine], punch.q[:, spine])
    assert_array_equal(part.q[:, ~(spine | left)], whole.q[:, ~(spine | left)])
    minus = punch.character.manifold.minus
    dofs = np.concatenate(
        [np.arange(punch.character.nv)[punch.character.dofs(b)] for b in punch.character.select("left arm")]
    )
    assert_allclose(minus(part.q, punch.q)[:, dofs], 0.5 * minus(whole.q, punch.q)[:, dofs], atol=1e-12)


def test_amplitudes_are_keyed_over_time(punch):
    t = punch.times
    keys = [(float(t[5]), 0.0), (float(t[25]), 1.0)]
    whole = poise.loosen(punch, "loose", window=WINDOW, **FREE).clip
    part = poise.loosen(punch, "loose", window=WINDOW, amplitude=keys, **FREE).clip
    assert_array_equal(part.q[:6], punch.q[:6])
    assert_array_equal(part.q[25:], whole.q[25:])
    between = np.linalg.norm(punch.character.manifold.minus(part.q, punch.q)[6:25], axis=1)
    assert (between > 0).all()


def test_amplitudes_beyond_one_are_refused(punch):
    with pytest.raises(InputError):
        poise.loosen(punch, amplitude={"spine": 1.5})


# Limits --------------------------------------------------------------------------------------


def past(clip: Clip, source: Clip, lower, upper) -> float:
    """Farthest beyond limits, and beyond the source [deg]."""
    manifold, rest = clip.character.manifold, clip.character.dofs(0).stop
    x, r = (manifold.minus(c.q, manifold.neutral())[:, rest:] for c in (clip, source))
    low, high = lower[rest:], upper[rest:]
    return float(np.degrees(np.maximum(x - np.maximum(high, r), np.minimum(low, r) - x).max()))


@pytest.mark.parametrize("name", ["run", "jump"])
@pytest.mark.parametrize("step", [0.01, 0.0025])
def test_joints_keep_to_their_limits(name, step):
    clip = clips.get(name)
    ends = clip.character.lower, clip.character.upper
    free = poise.loosen(clip, "drunk", window=WINDOW, contacts=False, joint_limits=False, step=step).clip
    held = poise.loosen(clip, "drunk", window=WINDOW, contacts=False, step=step).clip
    assert past(free, clip, *ends) > 10
    assert past(held, clip, *ends) < 2


def test_a_clip_beyond_its_limits_is_not_fought(punch):
    far = punch.character.manifold.plus(punch.q, np.zeros(punch.character.nv))
    elbow = punch.character.dofs("RightForeArm")
    far[:, punch.character.coordinates("RightForeArm")] = float(punch.character.upper[elbow][0]) + 0.5
    clip = punch.with_q(far)
    loose = poise.loosen(clip, "firm", window=WINDOW, contacts=False, gravity="off").clip
    assert (
        np.abs(
            loose.q[:, punch.character.coordinates("RightForeArm")]
            - far[0, punch.character.coordinates("RightForeArm")]
        ).max()
        < 0.5
    )


def test_a_person_without_limits_gets_those_of_a_person():
    character = clips.get("walk").character
    bare = character.with_bodies(
        [b.replaced(joint=type(b.joint)(b.joint.kind, b.joint.axis)) for b in character.bodies]
    )
    found = assumed_limits(bare)
    for name in ("LeftForeArm", "RightForeArm", "LeftLeg", "RightLeg"):
        assert name in found.joints
        span = character.dofs(name)
        # The humanoid's own hinges bend the same way round.
        own = character.lower[span][0], character.upper[span][0]
        assumed = found.lower[span][0], found.upper[span][0]
        assert abs(own[0]) < abs(own[1])
        assert abs(assumed[0]) < abs(assumed[1])
        assert np.sign(own[1]) == np.sign(assumed[1])


# Planted feet --------------------------------------------------------------------------------


def soles(clip: Clip) -> np.ndarray:
    own = patches(clip.character)
    at, turns = clip.character.placement(clip.q)
    return at[:, own.body] + np.einsum("fkij,kj->fki", turns[:, own.body], own.place)


def standing(clip: Clip) -> np.ndarray:
    """Which patches are on the floor and do not move, by the clip alone, (F, K)."""
    x, own = soles(clip), patches(clip.character)
    feet = np.array(["foot" in part for part in own.part])
    low = x[..., 2] - own.radius < 1e-3
    still = np.linalg.norm(np.gradient(x, axis=0), axis=2) * clip.fps < 0.02
    return low & still & feet


@pytest.mark.parametrize("name", ["jump", "punch"])
@pytest.mark.parametrize("root", ["prescribed", "driven"])
def test_planted_feet_stay_planted(name, root):
    clip = clips.get(name)
    stands = standing(clip)
    assert stands.sum() > 100
    for tension in ("relaxed", "drunk"):
        plain = poise.loosen(clip, tension, window=WINDOW, root=root, contacts=False).clip
        result = poise.loosen(clip, tension, window=WINDOW, root=root)
        off, before = (
            np.linalg.norm(soles(c) - soles(clip), axis=2)[stands].max() for c in (result.clip, plain)
        )
        assert before > 0.01
        assert off < (1e-9 if root == "prescribed" else 2e-3)
        assert soles(result.clip)[..., 2].min() > soles(clip)[..., 2].min() - 0.015
        # And the report says what the clip shows.
        told = {s.part: s for s in result.standing}
        assert set(told) == {"left foot", "right foot"}
        assert all(s.off < 2e-3 and s.fine for s in told.values())


def jolt(clip: Clip) -> float:
    """The 99th percentile of third differences of places, over frames and bodies [m/s³]."""
    at = clip.character.placement(clip.q).positions
    return float(np.percentile(np.linalg.norm(np.diff(at, 3, axis=0), axis=2) * clip.fps**3, 99))


@pytest.mark.parametrize(("name", "tension", "most"), [("run", "relaxed", 1.1), ("jump", "drunk", 1.5)])
def test_feet_come_to_stand_and_joints_meet_their_limits_without_a_jolt(name, tension, most):
    """Beside the source and the same without contacts and limits, whichever is rougher."""
    clip = clips.get(name)
    plain = poise.loosen(clip, tension, window=0.5, **FREE).clip
    assert jolt(poise.loosen(clip, tension, window=0.5).clip) < most * max(jolt(clip), jolt(plain))


def test_reports_say_what_slid_and_sank(punch):
    from poise.methods.loosen.standing import stood

    plain = poise.loosen(punch, "drunk", window=WINDOW, **FREE).clip
    found = stood(punch, plain, plants_of(punch))
    assert max(s.off for s in found) > 0.01
    assert any("mm off where it stands" in str(s) for s in found if not s.fine)


def test_arms_and_head_are_as_loose_as_without_contacts():
    clip = clips.get("walk")
    plain, ours = (
        poise.loosen(clip, window=WINDOW, joint_limits=False, contacts=c).clip for c in (None, True)
    )
    upper = columns(clip, "* arm", "head", "spine")
    assert_array_equal(ours.q[:, upper], plain.q[:, upper])


def test_anchored_states_do_not_depend_on_company_or_order(punch):
    simulator = Simulator(punch, "relaxed", Loosen(root="driven"))
    assert simulator.held.anchors
    times = punch.times[[3, 30, 11, 40, 22]]
    whole = simulator.states(times, WINDOW)[0]
    alone = np.concatenate([simulator.states([t], WINDOW)[0] for t in times[::-1]])[::-1]
    assert_array_equal(whole, alone)


def test_anchors_and_limits_are_of_second_order(punch):
    at = [float(punch.times[30])]
    fine = Simulator(punch, "loose", Loosen(root="driven", step=0.0005)).states(at, WINDOW)[0]
    minus = punch.character.manifold.minus
    errors = [
        np.linalg.norm(
            minus(Simulator(punch, "loose", Loosen(root="driven", step=h)).states(at, WINDOW)[0], fine)
        )
        for h in (0.008, 0.004, 0.002)
    ]
    assert errors[0] / errors[2] > 6  # 16 where nothing comes into the zone of a limit meanwhile


def test_first_and_second_order_agree_in_the_limit(punch):
    at = [float(punch.times[30])]
    one, two = (
        Simulator(punch, "loose", Loosen(root="driven", order=order, step=h)).states(at, WINDOW)[0]
        for order, h in ((1, 0.0002), (2, 0.002))
    )
    assert np.abs(punch.character.manifold.minus(one, two)).max() < 0.01
