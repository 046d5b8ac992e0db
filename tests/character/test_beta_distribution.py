"""The incomplete beta function against SciPy's and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betainc

from poise.character.anthropometry import TABLES
from poise.character.beta_distribution import share_below


def test_it_is_scipys():
    rng = np.random.default_rng(5)
    shapes = 10 ** rng.uniform(-1.3, 1.3, size=(4000, 2))
    cuts = rng.uniform(size=len(shapes))
    ours = [share_below(x, a, b) for x, (a, b) in zip(cuts, shapes)]
    np.testing.assert_allclose(ours, betainc(*shapes.T, cuts), atol=2e-14)


def test_it_is_scipys_for_every_segment_of_a_body():
    for table in TABLES.values():
        for segment in table.values():
            weight = segment.centre * (1 - segment.centre) / segment.spread[2] - 1
            a, b = segment.centre * weight, (1 - segment.centre) * weight
            for x in (1e-9, 0.01, 0.2, 0.5, 0.77, 0.99, 1 - 1e-9):
                for more in range(3):
                    assert share_below(x, a + more, b) == pytest.approx(betainc(a + more, b, x), abs=4e-15)


@pytest.mark.parametrize("x", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_closed_forms(x):
    assert share_below(x, 1.0, 1.0) == pytest.approx(x, abs=1e-15)
    assert share_below(x, 3.0, 1.0) == pytest.approx(x**3, abs=1e-15)
    assert share_below(x, 1.0, 2.5) == pytest.approx(1 - (1 - x) ** 2.5, abs=1e-15)
    assert share_below(x, 0.5, 0.5) == pytest.approx(2 / np.pi * np.arcsin(np.sqrt(x)), abs=1e-15)


def test_beyond_its_ends_there_is_nothing_more():
    assert (share_below(-0.5, 2.0, 3.0), share_below(1.5, 2.0, 3.0)) == (0.0, 1.0)


def test_where_both_ways_to_compute_it_meet():
    """In floats x and 1 − x may both lie on the far side of the switch."""
    a, b = 0.19795397159028702, 0.05389525449975727
    x = 0.5319867590204215
    assert share_below(x, a, b) == pytest.approx(betainc(a, b, x), abs=1e-14)
    for a, b in 10 ** np.random.default_rng(3).uniform(-1.3, 1.3, size=(500, 2)):
        switch = (a + 1) / (a + b + 2)
        for x in (np.nextafter(switch, 0), switch, np.nextafter(switch, 1)):
            assert share_below(float(x), a, b) == pytest.approx(betainc(a, b, x), abs=2e-14)
