"""``solve``: constraints in, a pose and a report out."""

from __future__ import annotations

import numpy as np
import pytest

from poise import constraints as c
from poise.character.presets.humanoid import humanoid
from poise.errors import InputError
from poise.handles import AngularMomentum, CentreOfMass, LinearMomentum, PointPosition, RotationalInertia
from poise.kinematics import Kinematics
from poise.methods.key.pose.solve import solve
from poise.operations.pose import Pose


@pytest.fixture
def figure():
    character = humanoid()
    q = character.rest_pose()
    return character, q, Kinematics(character, q)


def test_priorities_are_levels_and_the_rest_is_soft(figure):
    character, _, kin = figure
    centre, foot = kin.com[0] + [0.05, 0.0, -0.1], kin.point("LeftFoot")[0]
    far = kin.point("RightHand")[0] + [2.0, 0.0, 0.0]
    asked = [
        c.balanced(centre, 0.0),
        c.pin("LeftFoot", foot, 0.0, priority=1),
        c.pin("RightHand", far, 0.0, priority=2, weight=3.0),
    ]
    result = solve(character, asked, Pose(strict=2))
    report = result.report
    assert [o.met for o in report.outcomes] == [True, True, False]
    assert report.outcomes[2].reason.startswith("soft")
    assert report.outcomes[0].error < 1e-9
    levels = report.details["levels"]
    assert [x["level"] for x in levels] == [0, 1, "soft"]
    assert [x["met"] for x in levels] == [True, True, False]
    assert report.details["settled"]
    assert report.message == "settled"
    there = Kinematics(character, result.q)
    np.testing.assert_allclose(there.com[0], centre, atol=1e-9)
    np.testing.assert_allclose(there.point("LeftFoot")[0], foot, atol=1e-9)
    assert '"met": false' in report.to_json()
    with pytest.raises(ValueError, match="read-only"):
        result.q[0] = 1.0


def test_impossible_strict_constraints_say_what_they_miss(figure):
    character, _, kin = figure
    k = RotationalInertia("gyration")
    asked = [c.constrain(k, 3.0 * k.value(kin)[0], 0.0), c.balanced(kin.com[0], 0.0)]
    report = solve(character, asked, Pose()).report
    assert not report.outcomes[0].met
    assert report.outcomes[1].met
    assert "as near as joint limits" in report.outcomes[0].reason
    assert report.details["settled"]


def test_only_what_holds_at_the_time_counts(figure):
    character, _, kin = figure
    asked = [
        c.pin("LeftHand", kin.point("LeftHand")[0] + 0.05, (0.0, 1.0)),
        c.pin("RightHand", [0, 0, 0], 2.0),
    ]
    report = solve(character, asked, Pose(at=0.5)).report
    assert len(report.outcomes) == 1
    assert "does not hold at 0.5 s" in report.warnings[0]


def test_targets_on_a_path_are_read_at_the_time(figure):
    character, _, kin = figure
    here = kin.point("LeftHand")[0]
    path = c.Path([0.0, 1.0], [here, here + [0.1, 0.0, 0.1]])
    result = solve(character, [c.pin("LeftHand", path, (0.0, 1.0))], Pose(at=0.25))
    got = Kinematics(character, result.q).point("LeftHand")[0]
    np.testing.assert_allclose(got, here + [0.025, 0.0, 0.025], atol=1e-9)


def test_momentum_of_one_step(figure):
    """From a previous pose, with a wanted momentum: A(previous) (q ⊖ previous) / dt is what was asked."""
    character, q, _ = figure
    dt = 1 / 30
    asked = [
        c.constrain(AngularMomentum(), [0.0, 2.0, 0.5], 0.0),
        c.constrain(LinearMomentum(), [20.0, 0.0, -5.0], 0.0),
    ]
    result = solve(character, asked, Pose(), previous=q, dt=dt)
    assert result.report.met
    v = character.manifold.minus(result.q, q) / dt
    got = Kinematics(character, q, v).momentum[0]
    np.testing.assert_allclose(got, [20.0, 0.0, -5.0, 0.0, 2.0, 0.5], atol=1e-7)
    with pytest.raises(InputError, match="one pose alone has none"):
        solve(character, asked, Pose())
    with pytest.raises(InputError, match="needs the previous pose and the time since then"):
        solve(character, asked, Pose(), previous=q)


def test_ranges_rates_and_distances_are_refused(figure):
    character, _, _ = figure
    for bad in (
        c.constrain(CentreOfMass(), [0, 0, 1], 0.0, lower=-0.1, upper=0.1),
        c.constrain(PointPosition("LeftHand"), [0, 0, 0], 0.0, rate=True),
        c.keep_distance("LeftHand", [0, 0, 0], 0.0, least=1.0),
    ):
        with pytest.raises(InputError, match="met exactly"):
            solve(character, [bad], Pose())


def test_nothing_asked_gives_the_desired_pose(figure):
    character, q, _ = figure
    result = solve(character, [], Pose())
    np.testing.assert_allclose(result.q, q, atol=1e-12)
    assert result.report.met
