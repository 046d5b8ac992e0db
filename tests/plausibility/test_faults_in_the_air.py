"""A flight that is too slow is a flight, not feet that hover; a spin that comes from nowhere is told."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.kinematics import Kinematics
from poise.manifold import so3


@pytest.fixture(scope="module")
def jump():
    return poise.clips.get("jump")


@pytest.fixture(scope="module")
def flight(jump):
    (found,) = poise.check(jump, floor=0.0).report.flights
    return found


@pytest.mark.parametrize(("speed", "gravity"), [(0.8, 0.64 * 9.81), (1.3, 1.69 * 9.81)])
def test_a_flight_at_another_speed_has_another_gravity(jump, flight, speed, gravity):
    inner = np.arange(flight.start, flight.end, speed)
    frames = np.concatenate([np.arange(flight.start), inner, np.arange(flight.end, jump.frames)])
    wrong = jump.with_frames(jump.at(frames / jump.fps), None)
    report = poise.check(wrong, floor=0.0).report
    (finding,) = report.of("gravity")
    assert finding.amount == pytest.approx(gravity, rel=0.05)
    assert not report.of("hover"), "nothing carries it there"


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_spin_about_the_vertical_from_nowhere_is_told(jump, flight, sign):
    assert not [f for f in poise.check(jump, floor=0.0).report.of("impact") if "spin" in f.words]
    a, b = flight.start, flight.end
    angle = sign * 3.0 * np.clip(np.arange(jump.frames) - a, 0, b - a) * jump.dt
    com = np.asarray(Kinematics(jump.character, jump.q).com)
    turn = so3.exp(np.outer(angle, [0.0, 0.0, 1.0]))
    pivot = np.where((np.arange(jump.frames) <= b)[:, None], com, com[b])
    q = np.array(jump.q)
    q[:, :3] = pivot + so3.rotate(turn, q[:, :3] - pivot)
    q[:, 3:7] = so3.multiply(turn, q[:, 3:7])
    found = [f for f in poise.check(jump.with_q(q), floor=0.0).report.of("impact") if "spin jumps" in f.words]
    assert found
    for finding in found:
        at = a if "take-off" in finding.words else b
        assert finding.start <= at <= finding.end
        assert finding.unit == "kg·m²/s"
