"""Places held over intervals: met on the clip that is handed out, or told why not."""

import re

import numpy as np
import pytest

import poise
from poise import clips
from poise.constraints import moving, pin
from poise.handles import On
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hold import between, hold_of, stretched
from poise.methods.loosen.simulate.reference import Reference

TOLERANCE = 1e-4


def places(clip, point):
    """By plain kinematics, which no solver uses, (F, 3)."""
    where = clip.character.point(point)
    at, turns = clip.character.placement(clip.q)
    return at[:, where.body] + turns[:, where.body] @ where.position


def near(clip, point, frame, seed, turn=0.2):
    """Where a point is in a random pose near the animated one."""
    character, rng = clip.character, np.random.default_rng(seed)
    v = rng.normal(scale=turn, size=character.nv)
    v[character.dofs(0)] = 0.0
    pose = clip.with_q(character.manifold.plus(clip.q[frame], v)[None].repeat(3, axis=0))
    return places(pose, point)[0]


@pytest.mark.parametrize(
    ("name", "point", "tension", "first", "last"),
    [
        ("punch", "RightHand", "relaxed", 45, 57),
        ("punch", "RightFingertips", "drunk", 20, 32),
        ("punch", "LeftFoot", "loose", 30, 90),
        ("reach", "LeftHandCentre", "firm", 40, 100),
        ("wave", "HeadTop", "relaxed", 10, 22),
    ],
)
def test_a_place_is_held(name, point, tension, first, last):
    clip = clips.get(name)
    goal = near(clip, point, (first + last) // 2, seed=3, turn=0.1)
    result = poise.hit(clip, pin(point, goal, (first * clip.dt, last * clip.dt)), tension)
    off = np.linalg.norm(places(result.clip, point) - goal, axis=1)
    assert result.met
    assert off[first : last + 1].max() <= TOLERANCE
    # Long before and after nobody feels it.
    loose = poise.loosen(clip, tension, joint_limits=False).clip
    assert np.abs(result.clip.q[: max(first - 30, 0)] - loose.q[: max(first - 30, 0)]).max(initial=0.0) < 1e-9


def test_a_path_is_followed():
    clip = clips.get("reach")
    start = near(clip, "RightHand", 60, seed=1, turn=0.1)
    times = np.array([1.0, 1.2, 1.4])
    way = start + np.array([[0.0, 0.0, 0.0], [0.03, 0.0, 0.02], [0.03, 0.04, 0.0]])
    from poise.constraints.target import Path

    result = poise.hit(clip, pin("RightHand", Path(times, way), (1.0, 1.4)), "relaxed")
    frames = np.arange(60, 85)
    wanted = np.stack([np.interp(frames / clip.fps, times, way[:, k]) for k in range(3)], axis=1)
    assert np.linalg.norm(places(result.clip, "RightHand")[frames] - wanted, axis=1).max() <= TOLERANCE


def test_what_is_out_of_reach_is_told_by_how_much():
    clip = clips.get("punch")
    hip = places(clip, "RightUpLeg")[50]
    result = poise.hit(clip, pin("RightFoot", hip + [0.95, 0.0, -0.1], (0.7, 0.9)), "relaxed")
    fate = result.report.outcomes[0]
    legs = [np.linalg.norm(clip.character.bodies[clip.character.names.index(n)].offset) for n in
            ("RightLeg", "RightAnkle", "RightFoot")]  # fmt: skip
    far = np.linalg.norm(hip + [0.95, 0.0, -0.1] - places(clip, "RightUpLeg")[42:55], axis=1).max()
    told = float(re.search(r"out of reach by ([\d.]+) mm", fate.reason)[1])
    assert not fate.met
    assert "RightUpLeg" in fate.reason
    assert told == pytest.approx(1e3 * (far - sum(legs)), abs=1.0)
    assert 1e3 * fate.error == pytest.approx(told, abs=3.0)  # it is as near as it gets


def test_holds_beside_instants():
    clip = clips.get("punch")
    held, aim = near(clip, "LeftHand", 50, seed=5), near(clip, "RightHandCentre", 50, seed=6, turn=0.1)
    wishes = [
        pin("LeftHand", held, (0.7, 0.95)),
        pin("RightHandCentre", aim, 0.85),
        moving("RightHandCentre", (1.0, 0.0, 0.0), 0.85),
    ]
    result = poise.hit(clip, wishes, "relaxed")
    assert result.met, result.report
    assert [o.name for o in result.report.outcomes] == [w.name for w in wishes]
    assert np.linalg.norm(places(result.clip, "LeftHand") - held, axis=1)[42:58].max() <= TOLERANCE
    assert np.linalg.norm(places(result.clip, "RightHandCentre")[51] - aim) <= TOLERANCE


def test_a_planted_foot_gives_way_to_its_hold():
    clip = clips.get("punch")
    where = places(clip, "LeftToe")[50] + [0.0, 0.0, 0.12]
    result = poise.hit(clip, pin("LeftToe", where, (0.7, 0.9)), "relaxed")
    off = np.linalg.norm(places(result.clip, "LeftToe") - where, axis=1)
    assert result.met
    assert off[42:55].max() <= TOLERANCE
    still = np.linalg.norm(places(result.clip, "RightToe") - places(clip, "RightToe"), axis=1)
    assert still.max() < 2e-3  # the other one stands


def test_a_hold_crosses_the_seam_of_a_loop():
    clip = clips.get("walk")
    goal = near(clip, "RightHand", clip.frames - 1, seed=2, turn=0.1)
    span = ((clip.frames - 4) * clip.dt, (clip.frames + 4) * clip.dt)
    result = poise.hit(clip, pin("RightHand", goal, span), "relaxed")
    at = result.clip.sampler.configuration(np.arange(clip.frames - 4, clip.frames + 5) * clip.dt)
    off = np.linalg.norm(Kinematics(clip.character, at).point("RightHand") - goal, axis=1)
    assert result.met
    assert off.max() <= TOLERANCE


@pytest.mark.parametrize(
    "wishes",
    [
        [pin("RightHand", (1e4, 0.0, 0.0), (0.5, 0.9))],
        [pin("Hips", (0.0, 0.0, 1.2), (0.5, 0.7))],
        [pin("RightHand", (0.4, 0.0, 1.3), (0.5, 0.7), name="a"),
         pin("RightHand", (0.4, 0.3, 1.3), (0.6, 0.8), name="b")],
        [pin("RightHand", (0.4, 0.0, 1.3), (0.5, 0.7), name="a", priority=1),
         pin("RightHand", (0.4, 0.3, 1.3), 0.6, name="b")],
    ],
    ids=["far", "root", "two places", "a stronger instant"],
)  # fmt: skip
def test_what_cannot_be_held_is_reported(wishes):
    result = poise.hit(clips.get("punch"), wishes, "relaxed")
    assert np.isfinite(result.clip.q).all()
    assert not result.met
    assert all(o.met or o.reason for o in result.report.outcomes)
    for wish, fate in zip(wishes, result.report.outcomes):
        point = wish.handle.point
        times = wish.when.times(result.clip)
        at = places(result.clip, point)[np.rint(times * 60).astype(int)]
        assert np.linalg.norm(at - wish.target.at(times), axis=1).max() == pytest.approx(fate.error, abs=1e-9)


def test_a_stronger_instant_wins():
    weak = pin("RightHand", (0.4, 0.0, 1.3), (0.5, 0.7), priority=1)
    strong = pin("RightHand", (0.4, 0.3, 1.3), 0.6)
    report = poise.hit(clips.get("punch"), [weak, strong], "relaxed").report
    assert report.outcomes[1].met
    assert not report.outcomes[0].met


def test_keyed_joints_cannot_reach():
    report = poise.hit(clips.get("punch"), pin("RightHand", (0.4, 0.0, 1.3), (0.5, 0.7)), "keyed").report
    assert "no joint" in report.outcomes[0].reason


def test_dragged_holds_go_along():
    clip = clips.get("punch")
    goal = near(clip, "LeftHand", 50, seed=4, turn=0.1)
    first = poise.hit(clip, pin("LeftHand", goal, (0.7, 0.9), name="a"), "relaxed")
    moved = first.drag([pin("LeftHand", goal + [0.01, 0.0, 0.02], (0.7, 0.9), name="a")])
    off = np.linalg.norm(places(moved.clip, "LeftHand") - goal - [0.01, 0.0, 0.02], axis=1)[42:55]
    assert moved.met
    assert off.max() <= TOLERANCE


def test_the_path_of_an_anchor():
    """Its velocity is its slope; it is the aim while held and the animation elsewhere."""
    clip = clips.get("walk")
    hold = hold_of(pin(On("RightHand", (0.0, 0.05, 0.0)), (0.3, -0.2, 1.2), (0.3, 0.5)), clip, poise.Bell())
    hold = hold.aimed(hold.aim + 0.02 * np.random.default_rng(0).normal(size=hold.aim.shape))
    reference = Reference(clip)

    def at(times):
        return hold.path(times, Kinematics(clip.character, *reference.table(times)))

    times, soon = np.linspace(-0.3, 1.5, 181) + 1e-3, 1e-6
    place, pace = at(times)
    slope = (at(times + soon)[0] - at(times - soon)[0]) / (2 * soon)
    assert np.abs(pace - slope).max() < 1e-3
    assert np.abs(at(hold.times)[0] - hold.aim).max() < 1e-9
    free = hold.weight(times) == 0.0
    point = Kinematics(clip.character, *reference.table(times)).point(hold.point)
    assert free.any()
    assert np.abs(place[free] - point[free]).max() < 1e-9


def test_ways_never_leave_what_both_ends_span():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(200, 3)), rng.normal(size=(200, 3))
    far = np.linalg.norm(between(a, b, rng.uniform(size=(200, 1))), axis=1)
    ends = np.linalg.norm([a, b], axis=2)
    assert (far <= ends.max(axis=0) + 1e-9).all()
    assert np.allclose(between(a, b, np.zeros((200, 1))), a)
    assert np.allclose(between(a, b, np.ones((200, 1))), b)
    assert np.isfinite(between(a, -a, np.full((200, 1), 0.5))).all()


def test_windows_do_not_start_within_a_hold():
    clip = clips.get("punch")
    hold = hold_of(pin("RightHand", (0.4, 0.0, 1.3), (0.8, 1.2)), clip, poise.Bell())
    long = stretched(np.full(clip.frames, 0.3), [hold])
    start = clip.times - long
    assert (hold.weight(start) < 1e-9).all()
    assert (long >= 0.3).all()
    assert long[0] == 0.3


def test_a_hold_that_comes_nearer_slowly_is_brought_in(shared_data):
    """A foot that is nearly straight where the hold begins: each pass by itself leaves four fifths."""
    capture = poise.load(shared_data / "cmu_cgspeed_bvh" / "16_01.bvh")
    capture = capture.with_q(capture.q[30:])
    goal = (-1.0545781638799612, -0.13057181417526667, 0.1247216803326491)
    held = poise.hit(capture, pin("RightFoot", goal, (146 / 120, 266 / 120)), "relaxed")
    off = np.linalg.norm(places(held.clip, "RightFoot")[146:267] - goal, axis=1)
    assert off.max() < TOLERANCE
    assert held.report.met
