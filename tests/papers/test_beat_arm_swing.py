"""Fig. 1 and 2: a straight and a bent arm swing in the same times; the gains follow from the inertia."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

import poise


@pytest.fixture(scope="module")
def swing():
    return example("20_beat_arm_swing")


@pytest.mark.parametrize("control", ["composite", "full"])
def test_both_arms_arrive(swing, control):
    for result in swing.scene(control).values():
        assert [a.key for a in result.arrivals] == ["B", "C"]
        assert max(a.error for a in result.arrivals) < (0.1 if control == "composite" else 0.01)


def test_the_straight_arm_gets_stiffer_springs(swing):
    """k_s is the inertia over λ²: at equal times its ratio is that of the inertias."""
    found = swing.scene()
    straight, bent = (found[how].gains for how in ("straight", "bent"))
    np.testing.assert_array_equal(straight.times, bent.times)
    during = (straight.times > 0.15) & (straight.times < 0.9)
    ratio = straight.of("RightArm")[during, 0] / bent.of("RightArm")[during, 0]
    assert (ratio > 1.5).all()
    assert swing.shoulder_inertia("straight") > 2 * swing.shoulder_inertia("bent")


def test_gains_grow_as_time_runs_out_and_start_anew(swing):
    result = swing.scene()["straight"]
    t, k = result.gains.times, result.gains.of("RightArm")[:, 0]

    def at(x):
        return k[np.argmin(np.abs(t - x))]

    assert at(0.9) > 10 * at(0.3)
    assert at(1.05) < 0.1 * at(0.95)
    # The second swing takes half the time: four times the stiffness at the same part of the way.
    assert at(1.25) / at(0.5) == pytest.approx(4.0, rel=0.35)


def test_no_single_pair_of_gains_would_do(swing):
    from poise.methods.perform.script.timed_pose import TimedPose

    keys = [TimedPose(swing.pose(swing.LIFT[x], 6.0, x), t) for x, t in swing.TIMES.items()]
    from poise.character import presets

    result = poise.perform(
        character=presets.get("humanoid"),
        script=keys,
        control="manual",
        from_pose=swing.pose(swing.LIFT["A"], 6.0),
    )
    assert result.arrivals[1].error > 5
