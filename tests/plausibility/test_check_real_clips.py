"""Captures that nobody here made: what is known about each must come out, and no nonsense."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.motion import operators


@pytest.fixture(scope="module")
def capture(shared_data):
    known: dict[str, poise.Clip] = {}

    def load(name: str) -> poise.Clip:
        if name not in known:
            known[name] = poise.load(shared_data / "cmu_cgspeed_bvh" / f"{name}.bvh", drop_tpose="auto")
        return known[name]

    return load


def test_the_jump_is_one_flight_on_earth(capture):
    report = poise.check(capture("16_01")).report
    (flight,) = report.flights
    assert flight.seconds == pytest.approx(0.38, abs=0.02)
    assert flight.parabola.gravity == pytest.approx(9.81, rel=0.05)
    assert report.plausible
    assert not report.of("gravity")


@pytest.mark.parametrize(("factor", "words"), [(1.3, "1.3× too fast"), (1 / 1.3, "1.3× too slow")])
def test_the_jump_at_another_speed_names_the_ratio(capture, factor, words):
    report = poise.check(operators.speed(capture("16_01"), factor)).report
    assert len(report.flights) == 1
    assert report.pace.ratio == pytest.approx(factor, rel=0.04)
    assert f"plays about {words}" in report.verdict


@pytest.mark.parametrize(("name", "flights"), [("88_01", 2), ("143_01", 5)])
def test_clips_with_a_wrong_frame_rate_are_told_so(capture, name, flights):
    """Their files say 120 frames per second; they were recorded at 60."""
    report = poise.check(capture(name)).report
    assert len(report.flights) == flights
    assert report.pace.gravity == pytest.approx(4 * 9.81, rel=0.15)
    assert "plays about 2× too fast" in report.verdict
    assert "recorded at 60 frames per second, not 120" in str(report)
    assert not report.plausible
    right = poise.check(capture(name).replaced(rate=60)).report
    assert right.pace.words == "plays at the right speed"
    assert not right.of("gravity")


def test_a_cartwheel_is_no_flight(capture):
    """It stands on its hands, with a gap: the rig's arms are too short. That is told, not condemned."""
    report = poise.check(capture("49_06")).report
    assert not report.flights
    hands = [c for c in report.contacts if c.part.endswith("hand")]
    assert max(c.load for c in hands) > 0.3
    assert all("hand" in f.where for f in report.of("hover"))
    assert report.of("hover")
    assert report.plausible


@pytest.mark.parametrize("name", ["02_01", "143_23", "143_24", "80_08"])
def test_everyday_captures_are_plausible_and_stay_on_the_floor(capture, name):
    report = poise.check(capture(name)).report
    assert report.plausible, str(report)
    assert not [f for f in report.flights if f.seconds > 0.1]
    assert all(p.kind == "support" for p in report.phases if p.seconds > 0.1)


def test_a_walk_alternates_its_feet_on_a_tilted_floor(capture):
    report = poise.check(capture("02_01")).report
    assert 0.5 < np.degrees(np.hypot(*report.world.floor.shape.slope)) < 1.5
    steps = [p.parts for p in report.phases if len(p.parts) == 1 and p.seconds > 0.2]
    assert steps == [("left foot",), ("right foot",)] * 2 + [("left foot",)]


def test_the_pose_before_the_motion_is_left_out(shared_data):
    report = poise.check(poise.load(shared_data / "cmu_cgspeed_bvh" / "16_01.bvh")).report
    assert len(report.flights) == 1
    assert any("frame 0" in note for note in report.notes)
    assert report.plausible
