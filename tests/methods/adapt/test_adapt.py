"""Whole clips adapted: what constraints ask is met, nothing else moves more than it must."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise import constraints as c
from poise.constraints import FootPlant
from poise.errors import CancelledError, InputError
from poise.handles import BodyOrientation, CentreOfMass, JointValue
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.adapt.plants.detect import detect
from poise.motion import Clip, edit
from poise.operations.values.displacement import Displacement
from poise.workers import on_threads


@pytest.fixture(scope="module")
def jump() -> Clip:
    return clips.get("jump")


def point(clip: Clip, name: str) -> np.ndarray:
    return Kinematics(clip.character, clip.q).point(name)


def touch(clip: Clip, frame: int = 70, by=(0.1, -0.05, 0.12), name: str = "RightHandCentre") -> c.Constraint:
    return c.pin(name, point(clip, name)[frame] + by, float(clip.times[frame]), name="touch")


@pytest.mark.parametrize("basis", ["bspline", "cubic", "linear"])
def test_a_jump_touches_a_point(jump, basis):
    wanted = touch(jump)
    result = poise.adapt(jump, [wanted], basis=basis, plants=False)
    assert result.report.met, str(result.report)
    assert c.report_on([wanted], result.clip).met
    moved = np.linalg.norm(point(result.clip, "RightHandCentre") - point(jump, "RightHandCentre"), axis=1)
    assert moved[70] == pytest.approx(np.linalg.norm([0.1, -0.05, 0.12]), abs=1e-4)
    assert moved[:40].max() < 0.02  # long before, and long after, nothing happens
    assert moved[110:].max() < 0.02
    turned = np.abs(sum(d.evaluate(jump.times) for d in result.displacement)).max()
    assert turned < 1.0
    assert np.array_equal(edit.apply(result.displacement[0], jump).q, result.clip.q)


def test_keys_decide_how_local_a_change_is(jump):
    """Fig. 4: wide keys change much of the motion, narrow keys little of it."""
    spans = []
    for keys in (0.4, 0.1):
        moved = poise.adapt(jump, [touch(jump)], key_spacing=keys, plants=False).clip
        away = np.linalg.norm(point(moved, "RightHandCentre") - point(jump, "RightHandCentre"), axis=1)
        spans.append((away > 0.02).sum())
    assert spans[0] > 1.5 * spans[1]


def test_every_parametrisation_of_the_same_curves_gives_the_same_motion(jump):
    splines, cubics = (
        poise.adapt(jump, [touch(jump)], basis=b, plants=False).clip.q for b in ("bspline", "cubic")
    )
    np.testing.assert_allclose(splines, cubics, atol=1e-9)


@pytest.mark.parametrize("basis", ["bspline", "cubic", "linear"])
def test_locked_keys_stay_while_others_reach(jump, basis):
    time = float(jump.times[70])
    wanted = c.pin(
        "RightHandCentre", point(jump, "RightHandCentre")[70] + [0.05, 0, -0.1], time, name="touch"
    )
    result = poise.adapt(
        jump, [wanted], basis=basis, locked={"Spine": [(0.0, 9.0)], "Chest": [70 / 60]}, plants=False
    )
    assert result.report.met, str(result.report)
    curve = result.displacement[0]
    character = jump.character
    assert np.abs(curve.evaluate(jump.times)[:, character.dofs("Spine")]).max() == 0.0
    chest = curve.evaluate(jump.times)[:, character.dofs("Chest")]
    keys = np.linspace(0, jump.duration, curve.coefficients.shape[0] - (2 if basis == "bspline" else 0))
    if basis != "bspline":  # there a key is a value: the one nearest to the touch stays at zero
        nearest = keys[np.argmin(np.abs(keys - 70 / 60))]
        assert np.abs(curve.evaluate([nearest])[:, character.dofs("Chest")]).max() < 1e-12
    assert np.abs(chest).max() > 1e-4


def test_only_joints_that_may_move_do(jump):
    held = c.pin("LeftHandCentre", point(jump, "LeftHandCentre")[60] + [0.02, 0, 0.02], (1.0, 1.1))
    result = poise.adapt(jump, [held], joints=["*arm*"], plants=False)
    assert len(result.displacement) == 2  # the fine layer keeps to them too
    arms = np.isin(jump.character.dof_body, jump.character.select("*arm*"))
    others = np.ones(jump.character.nq, dtype=bool)
    for body in jump.character.select("*arm*"):
        others[jump.character.coordinates(body)] = False
    assert np.array_equal(result.clip.q[:, others], jump.q[:, others])
    assert np.abs(jump.character.manifold.minus(result.clip.q, jump.q))[:, arms].max() > 0.01


def test_nothing_asked_is_nothing_changed(jump):
    assert np.array_equal(poise.adapt(jump, [], joint_limits=False, plants=False).clip.q, jump.q)


def test_a_hand_follows_a_path_over_an_interval(jump):
    frames = np.arange(40, 80)
    path = point(jump, "LeftHandCentre")[frames] + [0.05, 0.02, 0.08]
    wanted = c.pin(
        "LeftHandCentre", c.Path(jump.times[frames], path), (float(jump.times[40]), float(jump.times[79]))
    )
    result = poise.adapt(jump, [wanted], exact=True, plants=False)
    off = np.linalg.norm(point(result.clip, "LeftHandCentre")[frames] - path, axis=1)
    assert off.max() < 1e-3
    assert len(result.displacement) == 2  # a fine layer holds what lasts
    loose = poise.adapt(jump, [wanted], displacements=[Displacement(0.1)], plants=False)
    assert off.max() < np.linalg.norm(point(loose.clip, "LeftHandCentre")[frames] - path, axis=1).max()


def test_inequalities_act_only_where_they_must(jump):
    height = float(point(jump, "HeadTop")[:, 2].max()) - 0.05
    ceiling = c.above("HeadTop", c.Always(), height=-height, normal=(0, 0, -1), name="ceiling")
    result = poise.adapt(jump, [ceiling], plants=False)
    after = point(result.clip, "HeadTop")[:, 2]
    assert after.max() < height + 1e-3
    low = point(jump, "HeadTop")[:, 2] < height - 0.25
    assert np.abs(after - point(jump, "HeadTop")[:, 2])[low].max() < 0.01
    nothing = poise.adapt(jump, [c.above("HeadTop", c.Always(), height=0.2)], plants=False)
    # Already met: nothing changes, but for the rounding of joints that lie on their limits.
    np.testing.assert_allclose(nothing.clip.q, jump.q, rtol=0, atol=1e-14)


def test_many_kinds_at_once(jump):
    kin = Kinematics(jump.character, jump.q)
    at = [float(t) for t in jump.times[[20, 60, 80, 100]]]
    com = kin.com[60] + [0.05, 0, 0.03]
    elbow = jump.character.coordinates("LeftForeArm").start
    wanted = [
        c.constrain(CentreOfMass(), com, at[1], name="balance"),
        c.constrain(BodyOrientation("Head"), [np.cos(0.2), 0, 0, np.sin(0.2)], at[1], name="head"),
        c.constrain(JointValue("LeftForeArm"), float(jump.q[100, elbow]) + 0.3, at[3], name="elbow"),
        c.moving("RightHandCentre", (0.5, 0.0, 1.0), at[2], name="speed"),
        c.joined("LeftHandCentre", "RightHandCentre", at[0], name="clap"),
    ]
    result = poise.adapt(jump, wanted, iterations=40, plants=False)
    assert result.report.met, str(result.report)


def test_loops_stay_loops():
    walk = clips.get("walk")
    frame = 10
    place = point(walk, "LeftHandCentre")[frame] + [0.05, 0.02, 0.1]
    result = poise.adapt(walk, [c.pin("LeftHandCentre", place, float(walk.times[frame]))], plants=False)
    assert result.report.met, str(result.report)
    assert result.displacement[0].basis.period == pytest.approx(walk.duration)
    seam = result.clip
    assert seam.loop
    ends = seam.character.manifold.minus(seam.travel.apply(seam.character, seam.q[0], 1), seam.q[-1])
    before = walk.character.manifold.minus(walk.travel.apply(walk.character, walk.q[0], 1), walk.q[-1])
    assert np.abs(ends - before).max() < 0.02
    # A time in the second cycle asks the same of the curve as in the first, moved on by the travel.
    later = point(Clip(walk.character, walk.at([walk.times[frame] + walk.duration]), 30), "LeftHandCentre")[0]
    moved = c.pin("LeftHandCentre", later + [0.05, 0.02, 0.1], float(walk.times[frame]) + walk.duration)
    again = poise.adapt(walk, [moved], plants=False)
    np.testing.assert_allclose(again.clip.q, result.clip.q, atol=1e-6)


def test_limits_hold_where_a_target_is_far(jump):
    far = c.pin("RightHandCentre", (3.0, 0.0, 3.0), float(jump.times[70]), name="far")
    result = poise.adapt(jump, [far], plants=False)
    assert not result.report.met
    assert "far" in result.report.message
    for limit in c.joint_limits(jump.character):
        before = c.measure(limit, jump).error
        assert c.measure(limit, result.clip).error < before + 0.12, limit.name
    assert np.abs(result.displacement[0].evaluate(jump.times)).max() < np.pi


def test_smoothness_and_prices_and_prior_shape_the_change(jump):
    wanted = [touch(jump)]
    plain = poise.adapt(jump, wanted, plants=False)
    smooth = poise.adapt(jump, wanted, smoothness=10.0, plants=False)
    bend = [np.abs(r.displacement[0].evaluate(jump.times, 2)).max() for r in (plain, smooth)]
    assert bend[1] < 0.7 * bend[0]
    still = poise.adapt(jump, wanted, prices={"Hips": 1e3}, plants=False)
    hips = [np.abs(r.clip.q[:, :3] - jump.q[:, :3]).max() for r in (plain, still)]
    assert hips[1] < 0.1 * hips[0]
    pose = jump.q[0]
    drawn = poise.adapt(jump, [], prior=pose, prior_weight=2.0, plants=False)
    minus = jump.character.manifold.minus
    away = [np.abs(minus(r.q, pose)[:, 6:]).mean() for r in (jump, drawn.clip)]
    assert away[1] < 0.6 * away[0]


def test_a_warm_start_ends_where_a_cold_one_does(jump):
    cold = poise.adapt(jump, [touch(jump, by=(0.1, 0.0, 0.12))], iterations=60, plants=False)
    near = poise.adapt(jump, [touch(jump, by=(0.08, 0.02, 0.1))], plants=False)
    warm = near.continued([touch(jump, by=(0.1, 0.0, 0.12))], iterations=60)
    assert sum(d.steps for d in warm.descents) <= sum(d.steps for d in cold.descents)
    moved = np.abs(jump.character.manifold.minus(cold.clip.q, jump.q)).max()
    assert np.abs(jump.character.manifold.minus(warm.clip.q, cold.clip.q)).max() < 0.05 * moved
    assert warm.descents[0].cost == pytest.approx(cold.descents[0].cost, rel=2e-3)


def test_bits_do_not_depend_on_threads(jump):
    plants = detect(jump)
    found = []
    for threads in (1, 3):
        with on_threads(threads):
            found.append(
                poise.adapt(jump, [*plants, touch(jump)], floor=0.0, iterations=4, plants=False).clip.q
            )
    assert np.array_equal(*found)


def test_progress_is_told_and_cancelling_ends(jump):
    told: list[float] = []
    poise.adapt(jump, [touch(jump)], progress=told.append, plants=False)
    assert told
    assert told == sorted(told)
    assert 0 < told[-1] <= 1
    with pytest.raises(CancelledError):
        poise.adapt(jump, [touch(jump)], cancel=lambda: len(told) > 0, plants=False)


def test_errors_name_the_culprit(jump):
    with pytest.raises(InputError, match=r"constraints\[0\].*expected a mapping"):
        poise.adapt(jump, ["RightHand"], plants=False)
    with pytest.raises(InputError, match="RightHandd"):
        poise.adapt(jump, [c.pin("RightHandd", (0, 0, 0), 0.5)], plants=False)
    with pytest.raises(InputError, match="outside the clip"):
        poise.adapt(jump, [c.pin("RightHand", (0, 0, 0), 99.0)], plants=False)
    with pytest.raises(InputError, match=r"objective.*length, mass or joints"):
        poise.adapt(jump, [touch(jump)], objective="beauty", plants=False)
    with pytest.raises(InputError, match="window"):
        poise.adapt(jump, [touch(jump)], within=(0.5, 0.55), plants=False)
    with pytest.raises(InputError, match="single frame"):
        poise.adapt(jump.with_frames(jump.q[:1], None), [], plants=False)
    with pytest.raises(InputError, match="at least one is needed"):
        poise.adapt(jump, [touch(jump)], displacements=[], plants=False)
    with pytest.raises(InputError, match="at least one point"):
        FootPlant({})


def beyond_limits(clip) -> float:
    """How far any joint with limits is beyond them, by its exponential coordinates [rad]."""
    character, worst = clip.character, 0.0
    for i, body in enumerate(character.bodies[1:], 1):
        own = clip.q[:, character.coordinates(i)]
        value = so3.log(own) if body.joint.nv == 3 else own
        span = character.dofs(i)
        over = np.maximum(value - character.upper[span], character.lower[span] - value)
        worst = max(worst, float(over.max(initial=0.0)))
    return worst


@pytest.mark.parametrize("way", [(0, 0, 3), (1.5, 0, 0.5), (-2, 0, 0), (0, -2, 0), (0, 2, -1)], ids=str)
def test_limits_hold_whatever_is_asked(way):
    """Far targets may be missed; joints do not break, and where they give a little the report says so."""
    reach = clips.get("reach")
    assert beyond_limits(reach) < 1e-9
    at = reach.frames // 2
    place = Kinematics(reach.character, reach.q).point("RightHandCentre")[at] + way
    result = poise.adapt(reach, [c.pin("right hand", place, float(reach.times[at]))])
    over = beyond_limits(result.clip)
    assert over < 0.025
    told = result.report.details["limits"]
    assert bool(told) == (over > 0.01)
    assert ("beyond its limits" in result.report.message) == bool(told)
    if told:
        assert max(told.values()) == pytest.approx(over, abs=1e-9)
