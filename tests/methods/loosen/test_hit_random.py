"""Random tasks: nearly all are solved, none is NaN, every miss is told. Benchmarks run the full suites."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

PATH = Path(__file__).resolve().parents[3] / "benchmarks" / "hit_suites.py"


@pytest.fixture(scope="module")
def suites():
    spec = importlib.util.spec_from_file_location("hit_suites", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hit_suites"] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def test_random_positions(suites):
    met = []
    for case in suites.cases(40, velocity=False, seed=1):
        result = case.solve()
        assert suites.honest(result)
        met.append(result.report.met)
    assert np.mean(met) >= 0.99


def test_random_positions_and_velocities(suites):
    met = []
    for case in suites.cases(35, velocity=True, seed=2):
        result = case.solve()
        assert suites.honest(result)
        met.append(result.report.met)
    assert np.mean(met) >= 0.97


def test_targets_are_tasks(suites):
    """The suite is not trivial: loosened motions are far from their targets, and those differ."""
    cases = list(suites.cases(14, velocity=True, seed=2))
    assert len({c.clip.name for c in cases}) == len(suites.CLIPS)
    first = [np.linalg.norm(c.problem().residual(np.zeros(c.problem().unknowns))) for c in cases]
    assert np.median(first) > 0.1


def test_unreachable_targets_are_told(suites):
    for case in suites.unreachable(4, seed=3):
        result = case.solve()
        assert suites.honest(result)
        (missed,) = result.report.missed
        assert missed.error > 0.05


def test_the_published_iteration_is_honest_too(suites):
    """It solves fewer, and velocities far fewer; it never ends in NaN."""
    for velocity in (False, True):
        for case in suites.cases(10, velocity=velocity, seed=4):
            assert suites.honest(case.solve(method="paper", iterations=15))


@pytest.mark.parametrize("name", ["punch", "kick", "run", "pick-up"])
def test_real_capture(suites, shared_data, name):
    for case in suites.captured(shared_data, name, 5, seed=5, seconds=3.0):
        result = case.solve()
        assert suites.honest(result)
        assert result.report.met, str(result.report)
