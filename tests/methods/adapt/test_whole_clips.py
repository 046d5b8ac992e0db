"""What a whole clip is promised: feet, hand and floor held, drags that keep up, conflicts that are named.

Each promise on a bundled walk, and on the captured one where it is here.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from poise import clips, load
from poise import constraints as c
from poise.constraints import FootPlace
from poise.kinematics import Kinematics
from poise.methods.adapt.adapt import around
from poise.methods.adapt.plants.detect import detect
from poise.methods.adapt.problem.requirements import floor_points
from poise.methods.adapt.result import AdaptResult
from poise.methods.adapt.solve.gauss_newton import Descent
from poise.motion import Clip, operators
from poise.operations.values.displacement import Displacement

HAND = "RightHand"


def bundled() -> Clip:
    return operators.unroll(clips.get("walk"), 3)


@pytest.fixture(scope="module", params=["bundled", "captured"])
def walk(request) -> Clip:
    if request.param == "bundled":
        return bundled()
    folder = request.getfixturevalue("shared_data")
    return load(folder / "cmu_cgspeed_bvh" / "02_01.bvh", drop_tpose=True)


@pytest.fixture(scope="module")
def plants(walk):
    return detect(walk)


def pin(clip: Clip, by: tuple[float, float, float], frame: int) -> c.Constraint:
    place = Kinematics(clip.character, clip.q[frame : frame + 1]).point(HAND)[0] + by
    return c.pin(HAND, place, float(clip.times[frame]), name="hand")


def repeated(clip: Clip, times: int) -> Clip:
    """The walk walked several times on."""
    way = np.array(clip.q[-1, :3] - clip.q[0, :3]) * [1, 1, 0]
    parts = [np.array(clip.q) for _ in range(times)]
    for k, part in enumerate(parts):
        part[:, :3] += k * way
    return Clip(clip.character, np.concatenate(parts), clip.rate)


def plants_off(clip: Clip, plants) -> np.ndarray:
    """How far planted points are from their places at every frame of their intervals [m]."""
    off = []
    for plant in plants:
        for each in plant.pins(clip.character, plant.place or plant.estimate(clip)):
            times = each.when.times(clip)
            error = each.error(Kinematics(clip.character, clip.at(times)), times)
            off.append(np.linalg.norm(error, axis=1))
    return np.concatenate(off)


def below_floor(result: AdaptResult) -> float:
    """How deep feet are under the floor, measured by their heights alone [m]."""
    kin = Kinematics(result.clip.character, result.clip.q)
    deep = 0.0
    for block in result.setup.requirements.floor:
        point, height = block.constraint.handle.point, float(block.target[0, 0])
        deep = max(deep, height - float(kin.point(point)[:, 2].min()))
    return deep


@pytest.mark.parametrize("exact", [False, True])
def test_feet_hand_and_floor_are_held(walk, plants, exact):
    frame = walk.frames // 2
    wanted = pin(walk, (0.35, 0.0, 0.15), frame)
    result = poise.adapt(walk, [*plants, wanted], floor=True, exact=exact, plants=False)
    off = plants_off(result.clip, result.plants)
    assert np.sqrt(np.mean(off**2)) < 0.25e-3
    assert off.max() < (0.2e-3 if exact else 1.5e-3)
    hand = Kinematics(walk.character, result.clip.q[frame : frame + 1]).point(HAND)[0]
    assert np.linalg.norm(hand - wanted.target.at(np.array([walk.times[frame]]))[0]) < 1e-3
    assert below_floor(result) < 0.5e-3
    told = result.report.details["manner"]
    assert told["slide"][1] < 0.035
    assert all(part in result.report.message for part in ("feet slide", "knees", "jerk"))


@pytest.mark.parametrize("times", [1, 4])
def test_the_hand_keeps_up_with_a_drag_at_any_length(times):
    dragged(repeated(bundled(), times))


def test_the_hand_keeps_up_with_a_drag_of_a_capture(shared_data):
    dragged(load(shared_data / "cmu_cgspeed_bvh" / "02_01.bvh", drop_tpose=True))


def dragged(clip: Clip) -> None:
    frame = clip.frames // 2
    standing = detect(clip)
    result = poise.adapt(
        clip, [*standing, pin(clip, (0.1, 0.0, 0.1), frame)], floor=True, iterations=1, plants=False
    )
    window = around(clip, [float(clip.times[frame])])
    before = result.clip.q
    for k in range(1, 6):
        wanted = pin(clip, (0.1, 0.0, 0.1 + 0.01 * k), frame)
        result = result.drag([*standing, wanted], window)
        hand = Kinematics(clip.character, result.poses(frame, frame + 1)).point(HAND)[0]
        off = np.linalg.norm(hand - wanted.target.at(np.array([clip.times[frame]]))[0])
        assert k < 3 or off < 1e-3
    outside = (clip.times < window[0] - 1e-9) | (clip.times > window[1] + 1e-9)
    assert outside.any()
    np.testing.assert_array_equal(result.clip.q[outside], before[outside])


def test_a_hand_out_of_reach_is_named_and_feet_stay(walk, plants):
    result = poise.adapt(
        walk, [*plants, pin(walk, (0.0, 0.0, 3.0), walk.frames // 2)], floor=True, plants=False
    )
    assert plants_off(result.clip, result.plants).max() < 20e-3
    assert not result.report.met
    assert result.report.message.startswith("hand ")
    assert result.report.details["shares"][0]["name"] == "hand"
    assert sum(d.factorisations for d in result.descents) < 60  # it ends


def test_contradictions_end_between_and_are_named(walk, plants):
    frame = walk.frames // 2
    up, down = (pin(walk, (0.2, 0.0, z), frame) for z in (0.1, -0.1))
    result = poise.adapt(walk, [*plants, up, down], floor=True, plants=False)
    hand = Kinematics(walk.character, result.clip.q[frame : frame + 1]).point(HAND)[0]
    middle = sum(each.target.at(np.array([walk.times[frame]]))[0] for each in (up, down)) / 2
    assert np.linalg.norm(hand - middle) < 5e-3
    assert "least squares" in result.report.message
    assert plants_off(result.clip, result.plants).max() < 1.5e-3


def contradictions(clip: Clip, plants) -> dict[str, tuple[list, set[str]]]:
    """Sets that cannot be met, and a name that must be said of each."""
    frame = clip.frames // 2
    t = float(clip.times[frame])
    kin = Kinematics(clip.character, clip.q[frame : frame + 1])
    toe = next(p for p in floor_points(clip.character) if "Right" in p)
    right, left, sole = (kin.point(p)[0] for p in (HAND, "LeftHand", toe))
    apart = [
        replace(p, place=FootPlace(e.x, e.y + 3.0 * any("Left" in at for at in p.intervals), e.yaw))
        for p in plants
        for e in [p.place or p.estimate(clip)]
    ]
    while_, side = (t - 0.1, t + 0.1), np.array([0.0, 2.0, 0.0])
    return {
        "hands pulled apart": (
            [
                *plants,
                c.pin(HAND, right - side, t, name="one"),
                c.pin("LeftHand", left + side, t, name="two"),
            ],
            {"one", "two"},
        ),
        "a hand in two places": (
            [
                *plants,
                c.pin(HAND, right + [0, 0, 0.4], while_, name="one"),
                c.pin(HAND, right + [0.8, 0, 0.4], while_, name="two"),
            ],
            {"one", "two"},
        ),
        "a hand far below the floor": ([*plants, c.pin(HAND, right - [0, 0, 3.0], t, name="one")], {"one"}),
        "a hand held far away": ([*plants, c.pin(HAND, right + [3.0, 0, 0], while_, name="one")], {"one"}),
        "a toe below the floor": (
            [*plants, c.pin(toe, sole * [1, 1, 0] - [0, 0, 0.3], while_, name="one")],
            {"one", f"floor under {toe}"},
        ),
        "feet three metres apart": (apart, {"plant"}),
    }


@pytest.mark.parametrize(
    "what",
    [
        "hands pulled apart",
        "a hand in two places",
        "a hand far below the floor",
        "a hand held far away",
        "a toe below the floor",
        "feet three metres apart",
    ],
)
def test_contradictions_take_no_longer_and_are_named(walk, plants, what):
    items, names = contradictions(walk, plants)[what]
    report = poise.adapt(walk, items, floor=True, plants=False).report
    assert not report.met
    assert all(name in report.message for name in names), report.message
    assert report.message.count("least squares") == 1
    assert np.isfinite([o.error for o in report.outcomes]).all()
    if what != "feet three metres apart":
        assert max(o.error for o in report.outcomes if o.name.startswith("plant")) < 20e-3
        assert max(report.details["limits"].values(), default=0.0) < 0.05
    # As many as an ordinary solve may take; what each costs hardly depends on the rows.
    assert report.details["factorisations"] <= 30


def test_in_a_long_clip_an_instant_is_aimed_at_from_nearby(monkeypatch):
    """Steps for the sake of the hand alone leave the far ends of the clip as they were, bit by bit."""
    from poise.methods.adapt.problem import problem

    clip = repeated(bundled(), 4)
    frame = clip.frames // 2
    descend, sizes, found = problem.descend, [], []

    def watched(system, band, *arguments, **options) -> Descent:
        state = descend(system, band, *arguments, **options)
        sizes.append(len(band))
        found.append(state.coefficients)
        return state

    monkeypatch.setattr(problem, "descend", watched)
    layer = Displacement(0.1)
    wanted = pin(clip, (0.3, 0.0, 0.1), frame)
    standing = detect(clip)
    result = poise.adapt(clip, [*standing, wanted], floor=True, displacements=[layer], plants=False)
    later = np.array(sizes[1:])
    assert len(later)
    assert (later < 0.5 * sizes[0]).all()
    for each in found[1:]:
        np.testing.assert_array_equal(each[[0, -1]], found[0][[0, -1]])
    assert next(o for o in result.report.outcomes if o.name == "hand").error < 1e-3
