"""Constraints on real poses: errors, Jacobians, bounds, rates, plants and reports."""

from __future__ import annotations

import json

import numpy as np
import pytest

from poise import clips
from poise import constraints as c
from poise.character import Body, Character, Joint, Mass, presets
from poise.errors import InputError, UnknownNameError
from poise.handles import AngularMomentum, JointValue, LinearMomentum, On, PointPosition
from poise.kinematics import Kinematics
from poise.motion import Clip, operators


def solid(mass: float) -> Mass:
    return Mass(mass, (0.0, 0.02, 0.1), (0.02, 0.03, 0.015))


@pytest.fixture
def figure() -> Character:
    return Character(
        "figure",
        [
            Body("hips", None, Joint.free(), (0, 0, 1), mass=solid(3)),
            Body("arm", "hips", Joint.ball((-1, -1, -1), (1, 1, 1)), (0, 0.2, 0.4), mass=solid(1)),
            Body(
                "hand",
                "arm",
                Joint.hinge((0, 0, 1), -0.2, 2),
                (0, 0.3, 0),
                mass=solid(0.5),
                points={"tip": (0, 0.2, 0)},
            ),
            Body(
                "foot",
                "hips",
                Joint.ball(),
                (0, 0, -0.9),
                mass=solid(1),
                points={"heel": (-0.05, 0, -0.1), "ball": (0.15, 0, -0.1), "rim": (0.1, 0.05, -0.1)},
            ),
        ],
    )


@pytest.fixture
def clip(figure, rng) -> Clip:
    t = np.arange(31) / 30
    v = 0.4 * np.stack([np.sin(3 * t + k) for k in range(figure.nv)], axis=-1)
    return Clip(figure, figure.manifold.plus(figure.rest_pose(), v), 30)


def cases(figure: Character, clip: Clip) -> list[c.Constraint]:
    path = c.Path([0.0, 1.0], [[0, 0, 1], [1, 1, 1]])
    return [
        c.pin("tip", (0.3, 0.2, 1.0), 0.5),
        c.pin("tip", path, (0.2, 0.8)),
        c.joined("hips", "tip", 0.4, offset=(0, 0.5, 0.3)),
        c.keep_distance("tip", path, (0.1, 0.9), least=0.2, most=0.4),
        c.above("heel", c.Always(), height=0.02),
        c.on_plane("heel", 0.3, normal=(0, 0.6, 0.8), height=0.1),
        c.within(JointValue("hand"), 0.3, least=0.5, most=1.0),
        *c.joint_limits(figure),
        c.pose(figure, figure.rest_pose(), 0.7),
        c.pose(figure, figure.rest_pose(), 0.7, joints=["arm"]),
        c.oriented("hand", (1, 0, 0, 0), 0.2),
        c.balanced((0, 0, 1), 0.5),
        c.moving("tip", (1, 0, 0), 0.5),
        c.at_rest("heel", (0.2, 0.4)),
    ]


def check_jacobians(
    constraint: c.Constraint, character: Character, q: np.ndarray, v: np.ndarray, times
) -> None:
    """∂e/∂q and ∂e/∂v against central differences."""
    step = 1e-5
    kin = Kinematics(character, q, v)
    by_q, by_v = constraint.jacobian(kin, times), constraint.velocity_jacobian(kin, times)
    assert by_q.shape == by_v.shape == (len(times), constraint.dim(character), character.nv)
    for k in range(character.nv):
        e = step * np.eye(character.nv)[k]
        turned = [Kinematics(character, character.manifold.plus(q, s * e), v) for s in (1, -1)]
        faster = [Kinematics(character, q, v + s * e) for s in (1, -1)]
        for jacobian, (plus, minus) in ((by_q, turned), (by_v, faster)):
            numeric = (constraint.error(plus, times) - constraint.error(minus, times)) / (2 * step)
            scale = max(1.0, np.abs(numeric).max())
            np.testing.assert_allclose(jacobian[:, :, k], numeric, atol=3e-6 * scale, err_msg=constraint.name)


def test_every_kind_has_the_jacobians_of_its_error(figure, clip):
    for constraint in cases(figure, clip):
        times = constraint.when.times(clip)
        check_jacobians(constraint, figure, clip.at(times), clip.sampler.velocity(times), times)


@pytest.mark.parametrize("name", ["humanoid", "planar_humanoid", "lamp", "face_hugger"])
def test_jacobians_on_presets(name, rng):
    character = presets.get(name)
    tip = character.names[-1]
    q = character.manifold.plus(character.rest_pose(), 0.3 * rng.normal(size=(2, character.nv)))
    v, times = rng.normal(size=(2, character.nv)), np.array([0.0, 0.1])
    for constraint in (
        c.pin(tip, (0.3, 0.2, 1.0), 0.0),
        c.keep_distance(tip, (0.1, 0.0, 0.5), 0.0, least=0.2),
        c.above(tip, 0.0),
        c.pose(character, character.rest_pose(), 0.0),
        c.oriented(tip, (1, 0, 0, 0), 0.0),
        c.balanced((0, 0, 1), 0.0),
        c.moving(tip, (1, 0, 0), 0.0),
        c.constrain(AngularMomentum(), (0, 0, 0), 0.0),
        c.constrain(LinearMomentum(), (0, 0, 0), 0.0, norm=True),
    ):
        check_jacobians(constraint, character, q, v, times)


def test_every_kind_round_trips_through_json(figure, clip):
    for constraint in cases(figure, clip):
        again = c.Constraint.from_dict(json.loads(json.dumps(constraint.to_dict())))
        assert again.to_dict() == constraint.to_dict()
        first, second = c.measure(constraint, clip), c.measure(again, clip)
        assert first == second


def test_a_report_tells_met_from_missed(figure, clip):
    at = clip.times[15]
    reached = Kinematics(figure, clip.q[15]).point("tip")[0]
    report = c.report_on([c.pin("tip", reached, at), c.pin("tip", reached + [0, 0.03, 0.04], at)], clip)
    good, bad = report.outcomes
    assert good.met
    assert good.error < 1e-12
    assert not bad.met
    assert bad.error == pytest.approx(0.05, abs=1e-12)
    assert bad.unit == "m"
    assert not report.met
    assert report.missed == (bad,)
    assert "✗" in str(report)
    assert "1 of 2 constraints met" in str(report)
    assert json.loads(report.to_json())["outcomes"][1]["met"] is False


def test_rates_are_the_clips_own_velocity(figure, clip):
    step, at = 1e-5, 0.417
    tip = Kinematics(figure, clip.at([at - step, at + step])).point("tip")
    velocity = (tip[1] - tip[0]) / (2 * step)
    assert c.measure(c.moving("tip", velocity, at), clip).error < 1e-8


def test_inequalities_are_silent_inside_and_signed_outside(figure, clip):
    heel = Kinematics(figure, clip.q).point("heel")[:, 2]
    assert c.measure(c.above("heel", c.Always(), height=heel.min() - 0.01), clip).error == 0
    off = c.measure(c.above("heel", c.Always(), height=heel.min() + 0.01), clip)
    assert off.error == pytest.approx(0.01, abs=1e-12)
    assert off.worst_time == clip.times[np.argmin(heel)]


def test_violations_above_the_upper_bound_count_too(figure, clip):
    value = Kinematics(figure, clip.at([0.3])).q[0, -4 - 1]  # the hinge stands before the foot's ball
    over = c.within(JointValue("hand"), 0.3, least=value - 1.0, most=value - 0.25)
    fate = c.measure(over, clip)
    assert fate.error == pytest.approx(0.25, abs=1e-9)
    assert fate.wanted[0] == pytest.approx(value - 0.25, abs=1e-9)
    assert fate.got[0] == pytest.approx(value, abs=1e-9)


def test_a_nan_is_never_met_and_is_the_worst(figure, clip):
    kin = Kinematics(figure, clip.q[:3], clip.velocity[:3])

    class Broken(PointPosition):
        kind = ""

        def value(self, kin):
            values = np.array(super().value(kin))
            values[1] = np.nan
            return values

    fate = c.outcome(c.constrain(Broken("tip"), (0, 0, 0), (0.0, 0.1)), kin, clip.times[:3])
    assert not fate.met
    assert np.isnan(fate.error)
    assert fate.worst_time == clip.times[1]
    assert json.loads(c.Report((fate,)).to_json())["outcomes"][0]["error"] is None


def test_the_worst_miss_comes_first(figure, clip):
    at = clip.times[15]
    reached = Kinematics(figure, clip.q[15]).point("tip")[0]
    near = c.pin("tip", reached + [0, 0, 0.01], at, name="near")
    far = c.pin("tip", reached + [0, 0, 0.20], at, name="far")
    report = c.report_on([near, far], clip, reasons={"far": "too far"})
    assert [o.name for o in report.missed] == ["far", "near"]
    assert report.missed[0].reason == "too far"
    assert c.measure(c.moving("tip", (0, 0, 0), at), clip).unit == "m/s"


def test_distances_are_reported_as_lengths(figure, clip):
    fate = c.measure(c.keep_distance("tip", (5, 0, 0), 0.5, most=1.0), clip)
    assert len(fate.got) == len(fate.wanted) == 1
    assert fate.wanted[0] == pytest.approx(1.0)
    assert fate.got[0] == pytest.approx(1.0 + fate.error)


def test_paths_of_rotations_take_the_shorter_way(figure, clip):
    turned = [np.cos(0.5), 0, 0, np.sin(0.5)]
    path = c.Path([0.0, 1.0], [[1, 0, 0, 0], turned])
    still = clip.with_q(np.tile(figure.rest_pose(), (31, 1)))
    halfway = c.measure(c.oriented("hips", path, 0.5), still)
    assert halfway.error == pytest.approx(0.5, abs=1e-12)
    q0, q1 = clip.q[0], clip.q[20]
    poses = c.constrain(c.pose(figure, q0, 0.5).handle, c.Path([0.0, 1.0], [q0, q1]), 0.5)
    middle = clip.with_q(np.tile(figure.manifold.interpolate(q0, q1, 0.5), (31, 1)))
    assert c.measure(poses, middle).error < 1e-12
    with pytest.raises(InputError, match="unit quaternion"):
        c.measure(c.pose(figure, np.zeros(figure.nq), 0.5), clip)


def test_plants_and_paths_go_along_with_a_loop():
    walk = clips.get("walk")
    long = operators.unroll(walk, 3)
    across = c.FootPlant({"LeftHeel": (1.08, 1.25), "LeftBall": (1.15, 1.5)})
    np.testing.assert_allclose(across.estimate(walk), across.estimate(long), atol=1e-9)
    followed = c.path_of(walk, "LeftHeel", until=2.0)
    truth = Kinematics(walk.character, walk.at([1.5])).point("LeftHeel")
    np.testing.assert_allclose(followed.at(np.array([1.5])), truth, atol=1e-9)


def test_plants_round_trip(figure):
    plant = c.FootPlant({"heel": c.During(0.1, 0.2), "ball": (0.1, 0.3)}, c.FootPlace(1.0, 2.0, 0.3), 0.05)
    again = c.FootPlant.from_dict(json.loads(json.dumps(plant.to_dict())))
    assert again.to_dict() == plant.to_dict()
    with pytest.raises(InputError, match="not a foot plant"):
        c.FootPlant.from_dict({"intervals": 3})


GOOD = c.pin("tip", (0, 0, 0), 0.5).to_dict()


@pytest.mark.parametrize(
    "change",
    [
        {"handle": None},
        {"handle": {"kind": "pont"}},
        {"handle": {"kind": "point_position", "point": 3}},
        {"target": "x"},
        {"target": {"value": "x"}},
        {"target": {"times": [0, 1], "values": [[0], [1, 2]]}},
        {"when": None},
        {"when": {"at": "x"}},
        {"when": {"from": 0.5}},
        {"lower": "low"},
        {"lower": [0, 0], "upper": [0, 0, 0]},
        {"priority": "high"},
        {"weight": "heavy"},
        {"tolerance": []},
        {"colour": "red"},
    ],
    ids=str,
)
def test_broken_data_is_refused_with_a_reason(change):
    with pytest.raises(InputError):
        c.Constraint.from_dict({**GOOD, **change})
    for field in ("handle", "target", "when"):
        with pytest.raises(InputError, match=field):
            c.Constraint.from_dict({k: v for k, v in GOOD.items() if k != field})
    with pytest.raises(InputError):
        c.Constraint.from_dict([1, 2])


def test_times_may_be_lists_or_pairs_only_of_two():
    assert c.pin("tip", (0, 0, 0), [0.1, 0.5]).when == c.During(0.1, 0.5)
    with pytest.raises(InputError, match="pair"):
        c.pin("tip", (0, 0, 0), (0.1, 0.2, 0.3))


def test_distance_to_another_character(figure, clip):
    other = clip.with_q(figure.manifold.plus(clip.q, [1.0] + [0.0] * (figure.nv - 1)))
    apart = c.keep_distance("tip", c.path_of(other, "tip"), c.Always(), least=1.0, most=1.0)
    assert c.measure(apart, clip).error < 1e-12


def test_a_plant_keeps_the_foot_rigid(figure, clip):
    when = c.During(0.2, 0.5)
    plant = c.FootPlant({"heel": when, "rim": when, "ball": c.During(0.2, 0.7)})
    footprint = plant.footprint(figure)
    np.testing.assert_allclose(footprint, [[0, 0], [0.15, 0.05], [0.2, 0]], atol=1e-12)
    # A clip whose foot really stands flat at a known place: the estimate finds it, the pins are met.
    q = np.tile(figure.rest_pose(), (31, 1))
    yaw = 0.3
    q[:, 0:3] = [0.4, -0.2, 1.0]
    q[:, 3:7] = [np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
    still = clip.with_q(q)
    place = plant.estimate(still)
    heel = Kinematics(figure, q[:1]).point("heel")[0]
    assert (place.x, place.y) == pytest.approx(tuple(heel[:2]), abs=1e-12)
    assert place.yaw == pytest.approx(yaw, abs=1e-12)
    pins = plant.pins(figure, place)
    assert c.report_on([p.replaced(tolerance=1e-9) for p in pins], still).met
    with pytest.raises(InputError, match="no place yet"):
        plant.pins(figure)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda f: c.pin("tip", (1, 2), 0.5), "target has 2 numbers, it needs 3"),
        (lambda f: c.pin("nose", (1, 2, 3), 0.5), "no joint or point named 'nose'"),
        (lambda f: c.pin("tip", (1, 2, 3), 9.0), "outside the clip"),
        (lambda f: c.constrain(PointPosition("tip"), (0, 0, 0), 0.5, lower=[0, 0]), "2 bounds for 3 rows"),
    ],
)
def test_what_does_not_fit_the_character_is_named(figure, clip, make, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        c.measure(make(figure), clip)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lower": 1.0, "upper": 0.0}, "exceeds"),
        ({"weight": 0.0}, "weight must be positive"),
        ({"weight": 1e300}, r"weight must be positive, from 1e-12 to 1e\+12"),
        ({"weight": float("nan")}, "weight must be positive"),
        ({"weight": "heavy"}, "weight must be a number"),
        ({"priority": -1}, "priority is 0"),
        ({"priority": float("nan")}, "priority is 0"),
        ({"priority": 1e300}, "priority is 0"),
        ({"priority": 0.5}, "priority is 0"),
        ({"tolerance": -1.0}, "tolerance must be positive"),
        ({"tolerance": float("inf")}, "tolerance must be positive"),
        ({"lower": 1e300, "upper": float("inf")}, "a lower bound must be at most"),
        ({"lower": float("nan")}, "not a number"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        c.pin("tip", (0, 0, 0), 0.5, **options)


@pytest.mark.parametrize("far", [1e300, -1e10])
def test_what_nobody_means_is_refused_at_the_door(far):
    for make in (
        lambda: c.pin("tip", (far, 0, 0), 0.5),
        lambda: c.pin("tip", c.Path([0.0, 1.0], [(0, 0, 0), (0, far, 0)]), 0.5),
        lambda: c.pin(On("tip", (0, 0, far)), (0, 0, 0), 0.5),
        lambda: c.moving("tip", (far, 0, 0), 0.5),
        lambda: c.pin("tip", (0, 0, 0), far),
        lambda: c.pin("tip", (0, 0, 0), (-abs(far), 0.5)),
    ):
        with pytest.raises(InputError, match=r"1e\+09"):
            make()
    c.keep_distance("tip", (0, 0, 0), 0.5, most=1e300)  # as good as none


def test_a_priority_may_come_as_any_whole_number():
    assert [c.pin("tip", (0, 0, 0), 0.5, priority=p).priority for p in (2, 2.0, np.int64(2))] == [2, 2, 2]


def test_a_rate_has_no_rate():
    with pytest.raises(InputError, match="rate already"):
        c.constrain(LinearMomentum(), (0, 0, 0), 0.5, rate=True)
