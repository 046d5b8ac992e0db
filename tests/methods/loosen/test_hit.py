"""Inverse kinodynamics: targets met on the dynamic motion, misses told with their reason."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise import constraints as c
from poise.errors import InputError, UnknownNameError
from poise.handles import BodyOrientation
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hit import hit as search
from poise.motion import Clip, operators
from poise.operations.hit import Hit
from poise.operations.values.bell import Bell

WINDOW = 0.3


@pytest.fixture(scope="module")
def punch() -> Clip:
    return clips.get("punch")


@pytest.fixture(scope="module")
def contact(punch) -> tuple[float, np.ndarray]:
    frame = 51
    return float(punch.times[frame]), Kinematics(punch.character, punch.q).point("RightHandCentre")[frame]


def hand_at(clip: Clip, time: float) -> np.ndarray:
    return Kinematics(clip.character, clip.at(time)).point("RightHandCentre")[0]


def test_a_loose_punch_misses_and_is_made_to_hit(punch, contact):
    time, place = contact
    loose = poise.loosen(punch, "relaxed", WINDOW).clip
    assert np.linalg.norm(hand_at(loose, time) - place) > 0.10
    result = poise.hit(punch, [c.pin("RightHandCentre", place, time)], "relaxed", WINDOW)
    assert result.report.met
    assert result.report.outcomes[0].error < 1e-8
    assert result.report.iterations <= 6
    # The report speaks of the clip that is returned.
    assert np.linalg.norm(hand_at(result.clip, time) - place) < 1e-8
    assert c.report_on([c.pin("RightHandCentre", place, time)], result.clip).met


def test_the_correction_stays_local(punch, contact):
    time, place = contact
    loose = poise.loosen(punch, "relaxed", WINDOW).clip
    result = poise.hit(punch, [c.pin("RightHandCentre", place, time)], "relaxed", WINDOW, width=0.5)
    before, after = (Kinematics(k.character, k.q) for k in (loose, result.clip))
    moved = lambda point: np.linalg.norm(after.point(point) - before.point(point), axis=1)  # noqa: E731
    assert max(moved(p).max() for p in ("LeftHeel", "RightHeel", "LeftToe", "RightToe")) < 0.005
    assert moved("HeadTop").max() < 0.03
    lead = result.problem.layout.basis.supports
    outside = (punch.times < lead[0, 0]) | (punch.times > lead[0, 1] + 2 * WINDOW)
    assert moved("RightHandCentre")[outside].max() < 1e-3


def test_width_and_shape_are_the_animators(punch, contact):
    time, place = contact
    target = [c.pin("RightHandCentre", place, time)]
    spans = {}
    for name, shape in {
        "wide": Bell(width=1.0),
        "narrow": Bell(width=0.4),
        "compact": Bell(width=0.6, kind="compact"),
        "ease": Bell(width=0.3, kind="ease", fall=0.6),
    }.items():
        result = poise.hit(punch, target, "relaxed", WINDOW, width=shape)
        assert result.report.met, name
        size = np.abs(result.correction.evaluate(punch.times)).max(axis=1)
        spans[name] = (size > 0.01 * size.max()).sum() * punch.dt
    assert spans["narrow"] < 0.6 * spans["wide"]
    by_name = {"here": Bell(width=0.4)}
    named = poise.hit(
        punch, [c.pin("RightHandCentre", place, time, name="here")], "relaxed", WINDOW, widths=by_name
    )
    assert named.report.met
    with pytest.raises(InputError, match="no constraint is named 'heer'"):
        poise.hit(punch, target, "relaxed", WINDOW, widths={"heer": Bell()})


def test_a_whole_and_a_partial_pose(punch, contact):
    time, _ = contact
    character = punch.character
    whole = c.pose(character, punch.at(time), time)
    result = poise.hit(punch, [whole], "relaxed", WINDOW)
    assert result.report.met
    assert result.report.iterations <= 6
    np.testing.assert_allclose(character.manifold.minus(result.clip.at(time), punch.at(time)), 0, atol=1e-8)
    part = c.pose(character, punch.at(time), time, joints=["right arm", "Head"])
    result = poise.hit(punch, [part], "relaxed", WINDOW)
    assert result.report.met
    off = character.manifold.minus(result.clip.at(time), punch.at(time))
    assert np.abs(off[character.dofs("RightArm")]).max() < 1e-8
    assert np.abs(off[character.dofs("Spine")]).max() > 1e-3  # nobody asked


def test_arriving_at_rest(punch, contact):
    time, place = contact
    wanted = [c.pin("RightHandCentre", place, time), c.at_rest("RightHandCentre", time)]
    result = poise.hit(punch, wanted, "relaxed", WINDOW)
    assert result.report.met
    assert result.report.iterations <= 10
    position, velocity = result.report.outcomes
    assert position.error < 1e-6
    assert velocity.error < 1e-4
    # The velocity is that of the motion one sees: differences of the clip's own frames.
    hand = Kinematics(punch.character, result.clip.q).point("RightHandCentre")
    frame = round(time * punch.fps)
    seen = (hand[frame + 1] - hand[frame - 1]) * punch.fps / 2
    assert (
        np.linalg.norm(seen) < 0.15
    )  # a chord of two frames, not the tangent; the animation passes at 4 m/s


def test_several_effectors_and_orientations_at_once(punch, contact):
    time, place = contact
    kin = Kinematics(punch.character, punch.at(time))
    left = kin.point("LeftHandCentre")[0]
    head = BodyOrientation("Head").value(kin)[0]
    wanted = [
        c.pin("RightHandCentre", place, time),
        c.pin("LeftHandCentre", left + [0.05, 0, 0.05], time),
        c.oriented("Head", head, time),
    ]
    result = poise.hit(punch, wanted, "relaxed", WINDOW)
    assert result.report.met, str(result.report)


def test_a_sequence_of_coupled_targets():
    reach = clips.get("reach")
    hand = Kinematics(reach.character, reach.q).point("RightHandCentre")
    frames = [60, 75, 90, 105]
    wanted = []
    for k, f in enumerate(frames):
        time = float(reach.times[f])
        wanted.append(c.pin("RightHandCentre", hand[f] + [0, 0.03 * (-1) ** k, 0], time, name=f"button {k}"))
        wanted.append(c.at_rest("RightHandCentre", time, name=f"stop {k}"))
    result = poise.hit(reach, wanted, "relaxed", WINDOW, width=0.5)
    assert result.report.met, str(result.report)
    assert result.report.iterations <= 12


def test_dragging_goes_on_from_the_last_answer(punch, contact):
    time, place = contact
    result = poise.hit(punch, [c.pin("RightHandCentre", place, time)], "relaxed", WINDOW)
    simulations = []
    for k in range(1, 4):
        moved = [c.pin("RightHandCentre", place + [0, 0, 0.01 * k], time)]
        result = search(punch, moved, Hit(constraints=(), window=WINDOW), start=result)
        assert result.report.met
        simulations.append(result.report.simulations)
    assert max(simulations) <= 24
    cold = poise.hit(punch, moved, "relaxed", WINDOW)
    assert np.linalg.norm(hand_at(cold.clip, time) - hand_at(result.clip, time)) < 1e-7


def test_out_of_reach_is_said_and_ends_near(punch, contact):
    time, _ = contact
    result = poise.hit(punch, [c.pin("RightHandCentre", (3.0, 0.0, 1.0), time)], "relaxed", WINDOW)
    outcome = result.report.outcomes[0]
    assert not outcome.met
    assert "out of reach" in outcome.reason
    assert np.isfinite(result.clip.q).all()
    # As far as the arm goes: the hand points at the target.
    kin = Kinematics(punch.character, result.clip.at(time))
    shoulder, hand = kin.point("RightArm")[0], kin.point("RightHandCentre")[0]
    along = (np.array([3.0, 0, 1.0]) - shoulder) / np.linalg.norm(np.array([3.0, 0, 1.0]) - shoulder)
    assert (hand - shoulder) @ along > 0.58  # of 0.64 m


def test_contradictions_are_named_and_priorities_decide(punch, contact):
    time, place = contact
    other = place + [0, 0, 0.2]
    both = [
        c.pin("RightHandCentre", place, time, name="low"),
        c.pin("RightHandCentre", other, time, name="high"),
    ]
    result = poise.hit(punch, both, "relaxed", WINDOW)
    assert not result.report.met
    for outcome in result.report.outcomes:
        assert outcome.error == pytest.approx(0.1, abs=1e-3)
        assert "in conflict with" in outcome.reason
    ranked = [both[0], both[1].replaced(priority=1)]
    low, high = poise.hit(punch, ranked, "relaxed", WINDOW).report.outcomes
    assert low.met
    assert high.error == pytest.approx(0.2, abs=1e-3)
    assert "low" in high.reason


def test_only_the_joints_one_names_change(punch, contact):
    time, place = contact
    near = hand_at(poise.loosen(punch, "relaxed", WINDOW).clip, time) + 0.3 * (
        place - hand_at(poise.loosen(punch, "relaxed", WINDOW).clip, time)
    )
    result = poise.hit(punch, [c.pin("RightHandCentre", near, time)], "relaxed", WINDOW, joints=["right arm"])
    assert result.report.met
    used = np.abs(result.correction.coefficients).max(axis=0) > 0
    assert set(np.flatnonzero(used)) <= set(range(*punch.character.dofs("RightArm").indices(99))) | set(
        range(*punch.character.dofs("RightForeArm").indices(99))
    )


def test_a_target_in_a_loop_may_lie_near_the_seam():
    walk = clips.get("walk")
    time = float(walk.times[1])
    place = hand_at(walk, time) + [0.05, 0, 0.05]
    result = poise.hit(walk, [c.pin("RightHandCentre", place, time)], "relaxed", WINDOW, width=0.4)
    assert result.report.met
    assert result.clip.loop
    assert np.linalg.norm(hand_at(result.clip, time) - place) < 1e-6
    # The correction comes round the seam: the last frames are changed as well, without a jump.
    q = result.clip.at(np.arange(-4, 5) / walk.fps)
    steps = walk.character.manifold.minus(q[1:], q[:-1]) * walk.fps
    inner = walk.character.manifold.minus(result.clip.q[1:], result.clip.q[:-1]) * walk.fps
    assert np.abs(np.diff(steps, axis=0)).max() <= 1.1 * np.abs(np.diff(inner, axis=0)).max()


def test_an_interval_is_held():
    wave = clips.get("wave")
    place = Kinematics(wave.character, wave.at(1.2)).point("LeftHandCentre")[0] + [0.05, 0.05, 0.05]
    hold = c.pin("LeftHandCentre", place, (1.0, 1.3), tolerance=0.005)
    result = poise.hit(wave, [hold], "firm", WINDOW, width=0.4)
    assert result.report.outcomes[0].error < 0.005, str(result.report)


def test_planar_characters_too():
    jump = clips.get("planar_jump")
    time = float(jump.times[60])
    place = Kinematics(jump.character, jump.at(time)).point("RightHandCentre")[0]
    result = poise.hit(
        jump, [c.constrain(c.pin("RightHandCentre", place, time).handle, place, time)], "loose", WINDOW
    )
    assert result.report.outcomes[0].error < 1e-6, str(result.report)


@pytest.mark.parametrize(
    ("wanted", "options", "message"),
    [
        ([], {}, "nothing to hit"),
        ([c.pin("RightHandCentre", (1, 0, 1), 9.0)], {}, "outside the clip"),
        ([c.pin("RightPaw", (1, 0, 1), 0.5)], {}, "RightPaw"),
        ([c.pin("RightHandCentre", (1, 0, 1), 0.5)], {"method": "magic"}, "magic"),
        ([c.pin("RightHandCentre", (1, 0, 1), 0.5)], {"width": -1.0}, "'width'.* > 0"),
        ([c.pin("RightHandCentre", (1, 0, 1), 0.5)], {"joints": ["wing"]}, "wing"),
    ],
)
def test_bad_input_is_named(punch, wanted, options, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        poise.hit(punch, wanted, "relaxed", WINDOW, **options)


def test_resampled_clips_are_hit_at_times_between_frames(punch, contact):
    _, place = contact
    coarse = operators.resample(punch, 25)
    result = poise.hit(coarse, [c.pin("RightHandCentre", place, 0.853)], "relaxed", WINDOW)
    assert result.report.met
    hand = Kinematics(coarse.character, result.clip.at([0.853])).point("RightHandCentre")[0]
    assert np.linalg.norm(hand - place) < 1e-8


def test_joints_that_cannot_help_are_told(punch, contact):
    time, place = contact
    result = poise.hit(punch, [c.pin("RightHandCentre", place, time)], "relaxed", WINDOW, joints=["left leg"])
    assert not result.report.met
    assert "out of reach" in result.report.outcomes[0].reason
    assert np.isfinite(result.clip.q).all()


@pytest.mark.parametrize("tension", [0.3, 0.1])
def test_very_soft_limbs_end_in_a_report(punch, contact, tension):
    time, place = contact
    result = poise.hit(punch, [c.pin("RightHandCentre", place, time)], tension, WINDOW)
    assert np.isfinite(result.clip.q).all()
    assert result.report.met or result.report.outcomes[0].reason


def test_a_loop_may_be_hit_in_any_cycle():
    walk = clips.get("walk")
    for time in (5.1, -2.0):
        frame = round(time * walk.fps) / walk.fps
        place = hand_at(walk, frame) + [0, 0, 0.05]
        result = poise.hit(walk, [c.pin("RightHandCentre", place, frame)], "relaxed", WINDOW)
        assert result.report.met
        assert np.linalg.norm(hand_at(result.clip, frame) - place) < 1e-6


def test_dragging_with_other_settings_starts_afresh(punch, contact):
    time, place = contact
    target = [c.pin("RightHandCentre", place, time)]
    first = poise.hit(punch, target, "relaxed", WINDOW)
    firm = Hit(constraints=(), tension="firm", window=0.4, width=0.5)
    other = search(punch, target, firm, start=first)
    cold = poise.hit(punch, target, "firm", 0.4, width=0.5)
    np.testing.assert_array_equal(other.correction.coefficients, cold.correction.coefficients)


def test_dragging_out_of_reach_and_back_leaves_no_trace(punch, contact):
    time, place = contact
    cold = poise.hit(punch, [c.pin("RightHandCentre", place, time)], "relaxed", WINDOW)
    result = cold
    for there in ((3.0, 0.0, 1.0), place, (0.5, -2.0, 1.0), place):
        target = [c.pin("RightHandCentre", there, time)]
        result = search(punch, target, Hit(constraints=(), window=WINDOW), start=result)
        assert result.report.details["largest"] < 2.5
    assert result.report.met
    assert np.abs(result.correction.coefficients - cold.correction.coefficients).max() < 0.2


def test_contradictions_do_not_spin_the_limbs(punch, contact):
    time, place = contact
    both = [
        c.pose(punch.character, punch.at(time), time),
        c.pin("RightHandCentre", place + [0, 0, 0.1], time),
    ]
    result = poise.hit(punch, both, "relaxed", WINDOW)
    assert not result.report.met
    assert result.report.message != "all met"
    assert result.report.details["largest"] < 2.5


def test_a_lone_constraint_is_met_whatever_its_priority_or_weight(punch, contact):
    time, place = contact
    for options in ({"priority": 4}, {"weight": 1e-10}):
        result = poise.hit(punch, [c.pin("RightHandCentre", place, time, **options)], "relaxed", WINDOW)
        assert result.report.met
        assert result.report.message == "all met"


def test_momentum_at_a_time(punch, contact):
    from poise.handles import AngularMomentum

    time, _ = contact
    loose = poise.loosen(punch, "relaxed", WINDOW).clip
    frame = round(time * punch.fps)
    now = Kinematics(punch.character, loose.q, loose.velocity).momentum[frame, 3:]
    wanted = c.constrain(AngularMomentum(), now * 0.8, time, tolerance=0.01)
    result = poise.hit(punch, [wanted], "relaxed", WINDOW)
    assert result.report.met, str(result.report)


def test_a_time_between_frames_is_met_on_the_curve_that_is_handed_out(punch, contact):
    _, place = contact
    result = poise.hit(punch, [c.pin("RightHandCentre", place, 0.853)], "relaxed", WINDOW)
    assert result.report.met
    assert not result.report.warnings
    hand = Kinematics(punch.character, result.clip.at([0.853])).point("RightHandCentre")[0]
    assert np.linalg.norm(hand - place) < 1e-8


def test_the_strongest_priority_holds_exactly_beside_an_impossible_weaker_one(punch, contact):
    time, _ = contact
    near = c.pin("LeftHandCentre", hand_of(punch, "LeftHandCentre", time) + [0.05, 0, 0.05], time)
    far = c.pin("RightHandCentre", (5.0, 0.0, 1.0), time, priority=1)
    first, second = poise.hit(punch, [near, far], "relaxed", WINDOW).report.outcomes
    assert first.error < 1e-6
    assert not second.met


def hand_of(clip: Clip, point: str, time: float) -> np.ndarray:
    return Kinematics(clip.character, clip.at(time)).point(point)[0]
