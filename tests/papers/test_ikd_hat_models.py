"""Small models of soft bodies against full dynamics: within 0.3 % where they move by 6 % or less."""

from __future__ import annotations

from dataclasses import replace

from scenes import benchmark

CELLS = 60
"""A coarse body: full dynamics of it is quick. ``python -m benchmarks.soft_models`` has the real ones."""


def test_models_follow_full_dynamics_on_a_walk():
    models = benchmark("soft_models")
    case = replace(models.CASES[2], seconds=0.4)
    body = models.worn(case, CELLS)
    found = models.errors(case, models.truth(case, body), body)
    assert 0.02 < found["motion"] <= 0.06
    assert found["quick"] <= 0.003
    assert found["quick mean"] <= 0.0005
    assert found["large"] <= 0.002


def test_a_tail_on_the_hips_too():
    models = benchmark("soft_models")
    case = replace(models.CASES[6], seconds=0.5)
    body = models.worn(case, CELLS)
    found = models.errors(case, models.truth(case, body), body)
    assert 0.02 < found["motion"] <= 0.06
    assert found["quick"] <= 0.0015
    assert found["large"] <= 0.0002
