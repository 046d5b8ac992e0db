"""Poses changed by hand: keys are as set, the rest as it was, and what lies between is what is said."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import poise
from poise import clips
from poise.errors import InputError
from poise.manifold import so3
from poise.motion import Clip, Travel
from poise.project import Project
from poise.repair.rounds import unrolled

HINGE, BALL = "RightForeArm", "RightArm"


@pytest.fixture(scope="module")
def punch() -> Clip:
    clip = clips.get("punch")
    assert not clip.loop
    return clip


def of(clip: Clip, joint: str) -> np.ndarray:
    return np.asarray(clip.q[:, clip.character.coordinates(joint)])


def degrees(clip: Clip, frame: int, other: Clip, joint: str) -> float:
    """By how much a ball differs from another clip's, in a frame."""
    a, b = of(clip, joint)[frame], of(other, joint)[frame]
    return float(np.degrees(2.0 * np.arccos(min(1.0, abs(float(a @ b))))))


def test_a_forearm_is_turned_by_what_was_asked_and_nothing_beyond_the_fade(punch):
    at, fade = 40, 0.2
    value = (of(punch, HINGE)[at] + np.radians(30.0)).tolist()
    made = poise.retouch(punch, [{"time": float(punch.times[at]), "joints": {HINGE: value}}], fade=fade)
    turned = np.degrees(of(made.clip, HINGE) - of(punch, HINGE))[:, 0]
    assert turned[at] == pytest.approx(30.0, abs=1e-9)
    far = np.abs(punch.times - punch.times[at]) >= fade
    assert np.array_equal(made.clip.q[far], punch.q[far])
    others = np.delete(made.clip.q, np.r_[punch.character.coordinates(HINGE)], axis=1)
    assert np.array_equal(others, np.delete(punch.q, np.r_[punch.character.coordinates(HINGE)], axis=1))
    assert made.met
    assert (np.diff(turned[: at + 1]) >= 0).all()  # it comes and goes without swinging over
    assert (np.diff(turned[at:]) <= 0).all()


def test_between_keys_the_motion_below_goes_on_or_does_not(punch):
    first, last = 20, 60
    keys = [
        {"time": float(punch.times[k]), "joints": {BALL: of(punch, BALL)[k].tolist()}} for k in (first, last)
    ]
    added = poise.retouch(punch, keys).clip
    assert np.allclose(of(added, BALL), of(punch, BALL), atol=1e-12)  # nothing was changed at keys
    held = poise.retouch(punch, keys, mode="override").clip
    middle = (first + last) // 2
    ends = of(punch, BALL)[[first, last]]
    assert degrees(held, middle, punch, BALL) > 1.0
    way = so3.log(so3.multiply(so3.conjugate(ends[0]), ends[1]))
    gone = so3.log(so3.multiply(so3.conjugate(ends[0]), of(held, BALL)[middle]))
    assert np.linalg.norm(np.cross(way, gone)) < 1e-9  # straight from one to the other
    assert np.allclose(of(held, BALL)[[first, last]], ends, atol=1e-12)


def test_a_breakdown_keeps_its_share_wherever_its_neighbours_go(punch):
    def share(first: int) -> float:
        values = [so3.exp(np.array([0.0, 0.0, angle])) for angle in (0.2, 1.3)]
        edits = [
            {"time": float(punch.times[first]), "joints": {BALL: values[0].tolist()}},
            {"time": float(punch.times[40]), "joints": {BALL: []}, "kind": "breakdown", "share": 0.38},
            {"time": float(punch.times[60]), "joints": {BALL: values[1].tolist()}},
        ]
        at = of(poise.retouch(punch, edits).clip, BALL)[40]
        angle = float(so3.log(at)[2])
        return (angle - 0.2) / 1.1

    assert share(20) == pytest.approx(0.38, abs=1e-9)
    assert share(30) == pytest.approx(0.38, abs=1e-9)


def test_a_flat_key_has_no_rate_and_nothing_passes_beyond_it(punch):
    times = [float(punch.times[k]) for k in (20, 40, 60)]
    edits = [{"time": t, "joints": {HINGE: [v]}} for t, v in zip(times, (0.2, 0.9, 1.5))]
    edits[1] |= {"arrive": 0.0, "leave": 0.0}
    fine = poise.resample(punch, fps=6000)
    made = of(poise.retouch(fine, edits, mode="override").clip, HINGE)[:, 0]
    k = round(times[1] * 6000)
    assert abs(made[k + 1] - made[k - 1]) * 3000 <= 1e-2  # a parabola's rate a sixth of a millisecond away
    steep = poise.retouch(fine, [{**e, "arrive": None, "leave": None} for e in edits], mode="override").clip
    assert abs(of(steep, HINGE)[k + 1, 0] - of(steep, HINGE)[k - 1, 0]) * 3000 > 1.0
    part = made[round(times[0] * 6000) : round(times[2] * 6000)]
    assert (np.diff(part) >= -1e-12).all()


def test_keys_of_a_loop_act_over_its_seam():
    walk = clips.get("walk")
    assert walk.loop
    value = (of(walk, HINGE)[1] + 0.5).tolist()
    made = poise.retouch(walk, [{"time": float(walk.times[1]), "joints": {HINGE: value}}], fade=0.1)
    change = (of(made.clip, HINGE) - of(walk, HINGE))[:, 0]
    assert change[1] == pytest.approx(0.5)
    assert change[-1] > 0.1  # just before the seam
    assert change[walk.frames // 2] == 0.0


@pytest.mark.parametrize("yaw", [0.0, 0.7])
@pytest.mark.parametrize("mode", ["override", "add"])
def test_a_root_that_travels_is_keyed_over_the_seam_where_it_is(mode, yaw):
    walk = clips.get("walk")
    walk = walk.replaced(travel=Travel(walk.travel.translation, yaw))
    root, at = walk.character.names[0], walk.frames - 3
    keys = [{"time": float(walk.times[at]), "joints": {root: of(walk, root)[at].tolist()}}]
    made = poise.retouch(walk, keys, mode=mode, fade=0.2)
    assert made.met
    # What is held there for a moment goes nowhere: a walk makes 0.3 m in the fade.
    went = np.linalg.norm(made.clip.q[:, :3] - walk.q[:, :3], axis=1).max()
    assert went < (0.3 if mode == "override" else 1e-9)
    # The same keys, put into the middle of three rounds that are no loop.
    long = unrolled(walk)
    keys[0]["time"] += walk.duration
    flat = poise.retouch(long, keys, mode=mode, fade=0.2).clip
    later = walk.travel.apply(walk.character, np.asarray(flat.q[2 * walk.frames : 2 * walk.frames + 6]), -1)
    np.testing.assert_allclose(of(made.clip, root)[:6], later[:, :7], atol=1e-9)


@pytest.mark.parametrize("mode", ["override", "add"])
def test_keys_at_both_ends_of_a_loop_are_both_met(mode):
    walk = clips.get("walk")
    frames = (1, walk.frames - 3)
    values = [(of(walk, HINGE)[k] + by) for k, by in zip(frames, (0.5, 0.2))]
    keys = [{"time": float(walk.times[k]), "joints": {HINGE: v.tolist()}} for k, v in zip(frames, values)]
    made = poise.retouch(walk, keys, mode=mode, fade=0.3)
    assert made.met
    np.testing.assert_allclose(of(made.clip, HINGE)[list(frames)], values, atol=1e-9)


@pytest.mark.parametrize("joint", ["Spine", "Head", "LeftArm"])
def test_a_joint_called_as_a_limb_is_judged_alone(punch, joint):
    """``Spine`` is a body of the trunk, which is the limb "spine": the key asks nothing of the hips."""
    part = punch.character.coordinates(joint)
    turn = so3.exp(np.array([0.0, 0.3, 0.0]))
    value = so3.multiply(punch.q[30][part], turn)
    made = poise.retouch(punch, [{"time": float(punch.times[30]), "joints": {joint: value.tolist()}}])
    assert np.abs(made.clip.q[30][part] - value).max() < 1e-12
    (outcome,) = made.report.outcomes
    assert outcome.met
    assert len(outcome.wanted) == len(value)


def test_some_frames_alone_have_the_same_bits(punch):
    value = (of(punch, HINGE)[40] + 0.3).tolist()
    project = Project().add_clip("punch", "punch").add("load", "punch", clip="punch")
    project.add("retouch", "poses", edits=[{"time": float(punch.times[40]), "joints": {HINGE: value}}])
    some = project.evaluator.frames(project.document, [30, 40, 41])
    assert np.array_equal(some, project.made().clip.q[[30, 40, 41]])


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ([{"time": 0.1, "joints": {"Nose": [1.0]}}], "Nose"),
        ([{"time": 0.1, "joints": {HINGE: [1.0, 2.0]}}], "1 numbers are expected, not 2"),
        ([{"time": 0.1, "joints": {BALL: [1.0, 1.0, 0.0, 0.0]}}], "quaternion"),
        ([{"time": 0.1, "joints": {HINGE: []}}], "no value"),
        ([{"time": 0.1, "joints": {HINGE: [1.0]}}] * 2, "another key at 0.1 s"),
        ([{"time": 0.1, "joints": {HINGE: []}, "kind": "breakdown"}], "'share'"),
    ],
)
def test_what_is_wrong_is_said_by_joint_and_time(punch, edits, words):
    with pytest.raises(InputError, match=words):
        poise.retouch(punch, edits)


def test_faces_are_keyed_as_joints_are():
    """Weights are the keys' at keys, the motion's further away than the fade, and nothing else changes."""
    from poise.clips import faces

    smile = faces.get("smile")
    jaw, brow = (smile.morph_names.index(n) for n in ("jawOpen", "browUpLeft"))
    one, two = (round(t * smile.fps) for t in (0.52, 1.0))
    keys = [
        {"time": one / smile.fps, "weights": {"jawOpen": 0.8}},
        {"time": two / smile.fps, "weights": {"jawOpen": 0.1, "browUpLeft": 1.0}, "ease": "linear"},
    ]
    for mode in ("add", "override"):
        found = poise.retouch(smile, morphs=keys, mode=mode, fade=0.2).clip
        np.testing.assert_array_equal(found.q, smile.q)
        assert found.morphs[one, jaw] == pytest.approx(0.8, abs=1e-12)
        assert found.morphs[two, jaw] == pytest.approx(0.1, abs=1e-12)
        assert found.morphs[two, brow] == pytest.approx(1.0, abs=1e-12)
        far = np.abs(smile.times - 0.76) > 0.24 + 0.2 + 1e-9
        np.testing.assert_array_equal(found.morphs[far], smile.morphs[far])
        others = [k for k in range(len(smile.morph_names)) if k not in (jaw, brow)]
        np.testing.assert_array_equal(found.morphs[:, others], smile.morphs[:, others])
    with pytest.raises(InputError, match="jawOpn"):
        poise.retouch(smile, morphs=[{"time": 0.5, "weights": {"jawOpn": 1.0}}])
    with pytest.raises(InputError, match="no morph targets"):
        poise.retouch(clips.get("walk"), morphs=[{"time": 0.5, "weights": {"jawOpen": 1.0}}])
    with pytest.raises(InputError, match="another key"):
        poise.retouch(smile, morphs=[keys[0], keys[0]])


def test_keys_that_no_frame_shows_are_named(punch):
    end = float(punch.times[-1])
    edits = [{"time": t, "joints": {HINGE: [0.3]}} for t in (0.5 * end, end, end + 5.0)]
    (said,) = poise.retouch(punch, edits).report.warnings
    assert f"{HINGE} at {end + 5.0:g} s" in said
    assert said.count(HINGE) == 1
    assert not poise.retouch(punch, edits[:2]).report.warnings
    loop = punch.replaced(loop=True)  # a loop's keys come again
    assert not poise.retouch(loop, edits).report.warnings


@pytest.mark.parametrize("mode", ["add", "override"])
@pytest.mark.parametrize("time", [0.0, 0.5, 100.0, 1e300, -1e300])
@pytest.mark.parametrize("fade", [1e-300, 1e-12, 1e300])
def test_fades_that_doubles_do_not_tell_apart_from_their_key_are_sudden(mode, time, fade):
    clip = poise.clips.get("walk")
    head = {"time": time, "joints": {"Head": [1.0, 0.0, 0.0, 0.0]}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = poise.retouch(clip, [head], mode=mode, fade=fade).clip
    assert np.isfinite(found.q).all()
    own = found.q[:, clip.character.coordinates("Head")]
    changed = np.abs(own - clip.q[:, clip.character.coordinates("Head")]).max(axis=1) > 1e-9
    if fade < 1:
        at = np.flatnonzero(np.abs(clip.times - time % clip.duration) < 1e-9) if abs(time) < 1 else []
        assert set(np.flatnonzero(changed)) <= set(np.asarray(at).tolist()), "at the key alone"


@pytest.mark.parametrize("value", [[1e300, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, -2e9]])
def test_numbers_that_nobody_means_are_refused_before_they_are_reckoned_with(value):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match=r"field 'edits': 'Head' at 0 s holds"):
            poise.retouch(poise.clips.get("walk"), [{"time": 0.0, "joints": {"Head": value}}])
