"""Where a document folds its bake goes over: no joint jumps, limits hold, the same bits in any company."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from jumps import hop
from sweeps import KeySweep

import poise
from poise import characters, load
from poise.arrays import Array
from poise.character import Character
from poise.kinematics import Kinematics
from poise.methods.key.frames.bake import at_frames
from poise.methods.key.frames.evaluate import Evaluation
from poise.methods.key.frames.smoothed import over_folds
from poise.methods.key.sheet.keyframes import Keyframes

SPACE, PLANE = characters.humanoid(), characters.planar_humanoid()
TRUNK, OTHER = ("Hips", "Chest"), "RightHeel"


def swept(
    figure: Character,
    tip: str,
    root: str,
    way: tuple[float, float, float],
    gain: float,
    pins: tuple[str, ...],
) -> Keyframes:
    """A tip led in two seconds from its place in the key pose to 1.4 of the limb's reach; pins hold."""
    sweep = KeySweep(figure, tip, root, np.array(way), pins)
    there, key = sweep.key.point(tip)[0], sweep.key.q[0]
    far = sweep.key.point(root)[0] + 1.4 * sweep.reach * sweep.way
    far[1] = there[1] if figure is PLANE else far[1]
    tracks = Keyframes(figure, {0.0: key, 2.0: key}).pin(tip, to={0.0: there, 2.0: far}, gain=gain)
    for point in pins:
        tracks = tracks.pin(point, to=sweep.key.point(point)[0], gain=gain)
    return tracks


@lru_cache(maxsize=8)
def document(name: str) -> Keyframes:
    """Targets that leave the range of a joint."""
    if name == "foot":
        return swept(SPACE, "LeftFoot", "LeftUpLeg", (0.457, -0.872, -0.177), 0.99, (*TRUNK, OTHER))
    if name == "firm foot":
        return swept(SPACE, "LeftFoot", "LeftUpLeg", (0.231, -0.971, -0.068), 1.0, (*TRUNK, OTHER))
    if name == "round":  # the shorter way from pose to pose leads through no pose of a shoulder
        return swept(SPACE, "LeftHand", "LeftArm", (-0.641, -0.763, -0.083), 0.9, ("Hips", OTHER))
    if name == "hand":
        return swept(SPACE, "LeftHand", "LeftArm", (-0.206, -0.976, -0.072), 0.9, (*TRUNK, OTHER))
    return swept(PLANE, "LeftHand", "LeftArm", (-0.482, 0.0, 0.876), 1.0, ("Hips", OTHER))


NAMES = ["foot", "firm foot", "hand", "round", "plane"]


@lru_cache(maxsize=8)
def passing(name: str) -> Evaluation:
    """The document with its passages, found from two frames."""
    tracks = document(name)
    return over_folds(tracks, tracks.evaluation.poses, np.array([0.8, 1.8]))


def change(figure: Character, q: Array) -> float:
    """The largest of a degree of freedom from pose to pose [rad, m]."""
    return float(np.abs(figure.manifold.minus(q[1:], q[:-1])).max())


@pytest.mark.parametrize("name", NAMES)
def test_a_document_that_pops_is_baked_without(name):
    """However fine the frames, the document jumps; the bake moves half as far in half the time."""
    tracks, over = document(name), passing(name)
    figure = tracks.character
    assert over.passages
    fold = max((fold for p in over.passages for fold in p.folds), key=lambda fold: fold.turn)
    assert change(figure, tracks.at(fold.time + np.array([-1e-5, 1e-5])).q) > 0.5, "the document pops"
    for passage in over.passages:
        spans = [np.linspace(passage.start - 0.01, passage.end + 0.01, n) for n in (161, 321, 641)]
        steps = [change(figure, over.poses(times)) for times in spans]
        assert steps[0] < 12.0 * (spans[0][1] - spans[0][0]), "no faster than people move [rad/s]"
        assert steps[1] < 0.55 * steps[0]
        assert steps[2] < 0.55 * steps[1]


@pytest.mark.parametrize("name", NAMES)
def test_limits_hold_on_the_way_over(name):
    tracks, over = document(name), passing(name)
    figure, passage = tracks.character, over.passages[0]
    q = over.poses(np.linspace(passage.start, passage.end, 61))
    x = figure.manifold.minus(q, figure.manifold.neutral())
    assert (x > figure.lower - 1e-9).all()
    assert (x < figure.upper + 1e-9).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_passage_begins_and_ends_as_the_document_moves(name):
    """Pose to the bit; velocity as that of the document, unless this is faster than a passage takes over."""
    tracks, over, h = document(name), passing(name), 5e-4
    minus = tracks.character.manifold.minus
    for passage in over.passages:
        ends = np.array([passage.start, passage.end])
        assert np.array_equal(over.poses(ends), tracks.at(ends).q)
        for end, side in zip(ends, (-1.0, 1.0)):
            at, outside, inside = over.poses(end + side * h * np.array([0.0, 1.0, -1.0]))
            turning = minus(outside, at) / h
            assert np.abs(minus(inside, at) / h + turning).max() < 0.2 + 0.05 * np.abs(turning).max()


def test_bits_depend_neither_on_the_first_frame_nor_on_the_part():
    """A passage is the document's: any frames of it, alone or in any company, from a document made anew."""
    tracks = document("foot")
    whole = poise.key(tracks, fps=30).clip
    passage = passing("foot").passages[0]
    first = int(passage.start * 30) + 2
    for part in (slice(first, first + 5), slice(first - 20, first + 1)):
        assert np.array_equal(at_frames(tracks.replaced(), whole.times[part]).q, whole.q[part])
    half = poise.key(tracks.replaced(), fps=30, start=1.0, end=1.5).clip  # from the midst of the passage
    assert np.array_equal(half.q, at_frames(tracks, 1.0 + np.arange(16) / 30).q)
    assert np.array_equal(at_frames(tracks.replaced(), whole.times[[first]]).q, whole.q[[first]])
    order = [first + 4, 0, 60, first]
    assert np.array_equal(at_frames(tracks.replaced(), whole.times[order]).q, whole.q[order])


@pytest.mark.parametrize(("name", "rates"), [("foot", (60, 120)), ("plane", (60,))])
def test_frame_rates_agree_where_they_meet(name, rates):
    tracks = document(name)
    slow = poise.key(tracks, fps=30).clip
    for rate in rates:
        assert np.array_equal(poise.key(tracks.replaced(), fps=rate).clip.q[:: rate // 30], slow.q)
    film = poise.key(
        tracks.replaced(), fps=24
    ).clip.q  # whole seconds; the first lies in the passage of the foot
    assert np.array_equal(film[::24], slow.q[::30])


def test_pins_on_other_limbs_hold():
    tracks, over = document("firm foot"), passing("firm foot")
    (passage,) = over.passages
    assert passage.released == {"LeftFoot"}
    at = np.linspace(passage.start, passage.end, 41)
    kin, alone = (Kinematics(SPACE, q) for q in (over.poses(at), tracks.at(at).q))
    for point in (*TRUNK, OTHER):
        off, own = (
            np.linalg.norm(k.point(point) - tracks.pin_named(point).targets.at(at), axis=1).max()
            for k in (kin, alone)
        )
        assert off < own + 1e-4


def test_a_pin_that_is_absent_at_an_end_does_not_move_while_it_holds():
    """What a pin misses where its gain is 0 is nobody's business: it must not lead its target astray."""
    base = document("firm foot")
    (way,) = passing("firm foot").passages
    middle = 0.5 * (way.start + way.end)
    rest = base.at(np.array([0.0])).q
    to = Kinematics(SPACE, rest).point("RightHand")[0] + [0.1, -0.1, 0.12]
    tracks = base.pin("RightHand", to=to, at=(0.2, middle), fade=0.05)
    over = over_folds(tracks, tracks.evaluation.poses, np.array([0.8, 1.8]))
    (passage,) = over.passages
    assert passage.start < middle < passage.end
    times = np.linspace(passage.start, middle, 7)
    off, own = (
        np.linalg.norm(Kinematics(SPACE, q).point("RightHand") - to, axis=1).max()
        for q in (over.poses(times), tracks.at(times).q)
    )
    assert off < own + 0.01


def test_the_report_says_what_happened_in_words_and_numbers():
    tracks, over = document("foot"), passing("foot")
    (passage,) = over.passages
    baked = poise.key(tracks, fps=30)
    (said,) = baked.report.warnings
    before, after = tracks.at(passage.folds[0].time + np.array([-2e-5, 2e-5])).q
    leg = SPACE.manifold.minus(after, before)[SPACE.dofs("LeftUpLeg")]
    assert said.startswith(
        f"LeftUpLeg would jump by {np.degrees(np.linalg.norm(leg)):.0f}° at {passage.folds[0].time:.3f} s"
    )
    assert f"it goes over from {passage.start:.3f} to {passage.end:.3f} s" in said
    at = np.linspace(passage.start, passage.end, 41)
    foot = Kinematics(SPACE, over.poses(at)).point("LeftFoot")
    off = np.linalg.norm(foot - tracks.pin_named("LeftFoot").targets.at(at), axis=1)
    assert said.endswith(f"LeftFoot is off by up to {off.max():.2g} m")
    firm = document("firm foot")
    (missed,) = [o for o in poise.key(firm, fps=120).report.outcomes if o.name == "LeftFoot"]
    assert not missed.met
    assert not [o for o in poise.key(firm, fps=30, start=0.0, end=0.5).report.warnings if "would jump" in o]


def test_a_document_without_folds_is_itself():
    for figure in (SPACE, PLANE):
        tracks = hop(figure)
        times = np.arange(55) / 30
        assert over_folds(tracks, tracks.evaluation.poses, times) is tracks.evaluation
        found = at_frames(tracks, times)
        assert np.array_equal(found.q, tracks.at(times).q)
        assert found.report.warnings == tracks.at(times).report.warnings


def test_in_a_spin_the_way_over_comes_before_the_turning():
    """Momentum is that of the motion as it is played: constant through the passage too."""
    spun = document("foot").with_spin(0.5, 1.6, turns=1)
    over = over_folds(spun, spun.evaluation.poses, np.array([0.0, 2.0]))
    (passage,) = over.passages
    momentum = over.flight(0).rotation.momentum
    inside, h = np.linspace(passage.start + 0.02, passage.end - 0.02, 5), 1e-3
    near = [over.poses(inside + k * h) for k in (-2, -1, 0, 1, 2)]
    d = [SPACE.manifold.minus(q, near[2]) for q in near]
    v = (d[0] - 8 * d[1] + 8 * d[3] - d[4]) / (12 * h)
    measured = Kinematics(SPACE, near[2], v).momentum[:, 3:]
    assert np.abs(measured - momentum).max() < 2e-3 * np.linalg.norm(momentum)
    times = np.linspace(passage.start, passage.end, 81)
    assert change(SPACE, over.poses(times)) < 0.6 * change(SPACE, over.poses(times[::2]))


def test_a_hand_up_behind_the_head_of_a_captured_skeleton(shared_data):
    figure = load(shared_data / "cmu_asfamc" / "02_01.amc").character
    tracks = swept(figure, "lhand", "lhumerus", (-0.449, -0.713, 0.539), 0.99, ("root", "rfoot"))
    times = np.arange(241) / 120
    over = over_folds(tracks, tracks.evaluation.poses, times)
    assert over.passages
    assert change(figure, tracks.at(times).q) > 0.5
    assert change(figure, over.poses(times)) < 0.1
