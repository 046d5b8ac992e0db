"""How far a foot slides and when: closed forms of ways that a velocity leads."""

from __future__ import annotations

import numpy as np
import pytest

from poise.plausibility.skate import extent

DT = 0.01
DIRECTIONS = 24
"""So many are looked along in half a turn: a way between two of them seems shorter by this at most."""
WORST = np.cos(np.pi / 2 / DIRECTIONS)


def along(angle: float, speed: np.ndarray) -> np.ndarray:
    return speed[:, None] * np.array([np.cos(angle), np.sin(angle)])


@pytest.mark.parametrize("angle", np.linspace(0.0, 2 * np.pi, 13))
def test_a_straight_way_is_as_long_as_it_is(angle):
    """∫ v dt by trapezoids, whatever the direction; nothing is left of it before or after."""
    speed = np.full(76, 0.4)
    long, first, last = extent(along(angle, speed), DT)
    assert WORST * 0.4 * 75 * DT <= long <= 0.4 * 75 * DT * (1 + 1e-12)
    # What is as good as nothing, a fiftieth at either end, does not count.
    assert (first, last) == (1, 74)


def test_rests_before_and_after_are_no_part_of_it():
    speed = np.zeros(100)
    speed[30:50] = 1.0
    long, first, last = extent(along(0.0, speed), DT)
    assert long == pytest.approx(20 * DT)
    assert 29 <= first <= 30
    assert 49 <= last <= 50


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_there_and_back_counts_the_widest_place(sign):
    speed = sign * np.concatenate([np.full(40, 0.5), np.full(40, -0.5)])
    long, first, last = extent(along(0.0, speed), DT)
    assert long == pytest.approx(0.5 * 39.5 * DT + 0.5 * 0.25 * DT, abs=0.5 * DT)
    assert first <= 1
    assert 38 <= last <= 40


def test_a_circle_is_as_wide_as_its_diameter():
    turn = np.linspace(0.0, 2 * np.pi, 401)
    radius, rate = 0.05, 2 * np.pi / (400 * DT)
    velocity = radius * rate * np.stack([-np.sin(turn), np.cos(turn)], axis=1)
    assert extent(velocity, DT)[0] == pytest.approx(2 * radius, rel=1e-3)


def test_what_does_not_move_does_not_slide():
    assert extent(np.zeros((20, 2)), DT)[0] == 0.0


def test_it_scales_with_speed_and_time(rng):
    velocity = rng.normal(size=(60, 2))
    long, first, last = extent(velocity, DT)
    assert extent(3.0 * velocity, DT) == (pytest.approx(3.0 * long), first, last)
    assert extent(velocity, 2 * DT) == (pytest.approx(2.0 * long), first, last)
    assert extent(-velocity, DT) == (pytest.approx(long), first, last)
