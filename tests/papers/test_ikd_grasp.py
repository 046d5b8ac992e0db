"""Fig. 7e: a grasp, both hands at their places and one palm turned as it should be."""

from __future__ import annotations

import pytest
from scenes import example


@pytest.fixture(scope="module")
def grasp():
    return example("06_grasp").scene()


def test_the_loose_hands_miss(grasp):
    assert min(grasp.miss(grasp.loose).values()) > 0.05


def test_both_hands_and_the_palm_arrive(grasp):
    assert grasp.result.report.met
    assert max(grasp.miss(grasp.result.clip).values()) < 1e-6
    assert grasp.turned(grasp.result.clip) < 1e-6
    assert grasp.result.report.iterations <= 6


def test_without_the_third_constraint_the_palm_turns(grasp):
    """The orientation is not met by chance."""
    assert grasp.turned(grasp.loose) > 0.05


def test_the_published_iteration_grasps_too():
    grasp = example("06_grasp").scene("paper")
    assert grasp.result.report.met
