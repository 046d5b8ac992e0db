"""Constraints on real poses: errors, Jacobians, bounds, rates, plants and reports."""

from __future__ import annotations

import json

import numpy as np
import pytest

from poise import constraints as c
from poise.character import Body, Character, Joint, Mass
from poise.errors import InputError, UnknownNameError
from poise.handles import JointValue, LinearMomentum, PointPosition
from poise.kinematics import Kinematics
from poise.motion import Clip


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


def test_every_kind_has_the_jacobian_of_its_error(figure, clip):
    step = 1e-6
    for constraint in cases(figure, clip):
        times = constraint.when.times(clip)
        q, v = clip.at(times), clip.sampler.velocity(times)
        jacobian = constraint.jacobian(Kinematics(figure, q, v), times)
        assert jacobian.shape == (len(times), constraint.dim(figure), figure.nv)
        for k in range(figure.nv):
            e = step * np.eye(figure.nv)[k]
            if constraint.rate:
                plus, minus = Kinematics(figure, q, v + e), Kinematics(figure, q, v - e)
            else:
                plus = Kinematics(figure, figure.manifold.plus(q, e), v)
                minus = Kinematics(figure, figure.manifold.plus(q, -e), v)
            numeric = (constraint.error(plus, times) - constraint.error(minus, times)) / (2 * step)
            np.testing.assert_allclose(jacobian[:, :, k], numeric, atol=2e-7, err_msg=constraint.name)


def test_every_kind_round_trips_through_json(figure, clip):
    for constraint in cases(figure, clip):
        again = c.Constraint.from_dict(json.loads(json.dumps(constraint.to_dict())))
        assert again.to_dict() == constraint.to_dict()
        first, second = c.measure(constraint, clip), c.measure(again, clip)
        assert first == second


def test_a_report_tells_met_from_missed(figure, clip):
    at = clip.times[15]
    reached = Kinematics(figure, clip.q[15]).point("tip")[0]
    report = c.measured([c.pin("tip", reached, at), c.pin("tip", reached + [0, 0.03, 0.04], at)], clip)
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


def test_a_nan_is_never_met(figure, clip):
    bad = c.Outcome("x", "", (), (), float("nan"), "m", 1e-4, bool(float("nan") <= 1e-4), 0.0)
    assert not bad.met


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
    assert c.measured([p.replaced(tolerance=1e-9) for p in pins], still).met
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
        ({"priority": -1}, "count from 0"),
        ({"tolerance": -1.0}, "tolerance must be positive"),
        ({"lower": float("nan")}, "not a number"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        c.pin("tip", (0, 0, 0), 0.5, **options)


def test_a_rate_has_no_rate():
    with pytest.raises(InputError, match="rate already"):
        c.constrain(LinearMomentum(), (0, 0, 0), 0.5, rate=True)
