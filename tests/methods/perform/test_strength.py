"""Torque limits: nothing explodes, from ample to absurd, and the report says who lacked what."""

from __future__ import annotations

import numpy as np
import pytest
from performers import pendulum, worst

import poise
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.timed_pose import TimedPose

SWEEP = (400.0, 150.0, 100.0, 80.0, 60.0, 40.0, 20.0, 10.0, 3.0, 1.0, 0.1, 0.001)


@pytest.fixture(scope="module")
def sweep():
    script = Script.bundled("ymca")
    return {limit: poise.perform(script=script, strength=limit) for limit in SWEEP}


def joint_torques(result):
    character = result.clip.character
    return np.stack([np.linalg.norm(result.torques.of(n), axis=1) for n in character.names[1:]], axis=1)


@pytest.mark.parametrize("limit", SWEEP)
def test_no_joint_exceeds_its_strength(sweep, limit):
    assert joint_torques(sweep[limit]).max() <= limit * (1 + 1e-6)


@pytest.mark.parametrize("limit", SWEEP)
def test_nothing_explodes(sweep, limit):
    assert np.abs(sweep[limit].trace.v).max() < 30  # a rag doll's hands swing, no more


@pytest.mark.parametrize("limit", [60.0, 10.0, 0.1])
def test_nor_does_the_composite_controller(limit):
    script = Script.bundled("ymca")
    result = poise.perform(script=script, control="composite", strength=limit)
    assert np.abs(result.trace.v).max() < 30
    assert joint_torques(result).max() <= limit * (1 + 1e-6)


def test_it_degrades_gracefully(sweep):
    """Ample strength changes nothing; less makes late; each step down is hardly ever better."""
    errors = [worst(sweep[limit]) for limit in SWEEP]
    assert errors[0] < 0.01
    assert errors[1] < 0.01
    assert errors[2] < 0.1
    first_missed = next(k for k, e in enumerate(errors) if e > 0.1)
    assert 2 < first_missed < 6
    assert all(e > 10 for e in errors[first_missed + 2 :])


def test_the_report_says_which_key_which_joint_and_how_much(sweep):
    result = sweep[60.0]
    missed = [a for a in result.arrivals if a.error > 0.1]
    assert missed
    for arrival, outcome in zip(result.arrivals, result.report.outcomes):
        assert arrival.key == outcome.name
        if arrival.error > 0.1:
            assert arrival.shortfalls
            worst_of = arrival.shortfalls[0]
            assert worst_of.needed >= worst_of.sustained > worst_of.has == 60.0
            assert 0 < worst_of.seconds <= arrival.time
            assert worst_of.joint in outcome.reason
            assert "N·m" in outcome.reason
    assert any("not strong enough" in w for w in result.report.warnings)


def test_limits_by_limb():
    script = Script.bundled("ymca")
    result = poise.perform(script=script, strength={"*": 1000.0, "* arm": 25.0})
    short = {s.joint for a in result.arrivals for s in a.shortfalls}
    assert short
    assert short <= {"LeftArm", "RightArm", "LeftForeArm", "RightForeArm"}
    assert result.torques.peak("RightArm") <= 25.0 * (1 + 1e-6)


def test_a_joint_that_cannot_hold_gives_what_it_has():
    """A rod that should go up to the horizontal with less torque than its weight has there."""
    character = pendulum()
    weight = 2.0 * 9.81 * 0.3
    result = poise.perform(
        character=character,
        script=[TimedPose(np.array([np.pi / 2]), 1.0)],
        strength=0.6 * weight,
        duration=3.0,
    )
    q, tau = result.trace.q[:, 0], np.abs(result.torques.values[:, 0])
    assert not result.report.met
    assert tau.max() <= 0.6 * weight * (1 + 1e-9)
    assert abs(np.sin(q[-1])) == pytest.approx(0.6, abs=0.05)  # where its strength is the weight's moment
    assert abs(result.trace.v[-1, 0]) < 0.3


def test_enough_strength_is_no_limit():
    character = pendulum()
    free = poise.perform(character=character, script=[TimedPose(np.array([1.0]), 0.6)])
    strong = poise.perform(
        character=character,
        script=[TimedPose(np.array([1.0]), 0.6)],
        strength=1.01 * free.torques.peak("rod0") + 5.0,
    )
    assert strong.report.met
    assert strong.trace.stretch.max() == 1.0
