"""Fig. 8: error against iteration for two widths; published, scaled by 0.8, and ours."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

MARK = 1e-4
"""The paper's threshold, 0.01 cm [m]."""


@pytest.fixture(scope="module")
def curves():
    return example("07_convergence").scene()


def test_the_published_iteration_meets_its_threshold_in_six(curves):
    for width in (1.0, 0.5):
        assert curves.needed("paper", width, MARK) <= 6
        assert curves.needed("scaled", width, MARK) <= 7


def test_narrow_bells_converge_more_slowly(curves):
    for error in (1e-6, 1e-8):
        assert curves.needed("paper", 0.5, error) > curves.needed("paper", 1.0, error)


def test_scaling_is_steady_but_slower(curves):
    """0.8 leaves a fifth of the error at each step: it tames overshoot and caps the speed."""
    for width in (1.0, 0.5):
        errors = np.array(curves.history["scaled", width][3:12])
        ratio = errors[1:] / errors[:-1]
        np.testing.assert_allclose(ratio, 0.2, atol=0.06)
        assert curves.needed("scaled", width, 1e-6) > curves.needed("paper", width, 1e-6)


def test_ours_is_superlinear_and_fastest(curves):
    for width in (1.0, 0.5):
        assert curves.needed("newton", width, MARK) <= 3
        assert curves.needed("newton", width, 1e-8) <= 6
        for other in ("paper", "scaled"):
            assert curves.needed("newton", width, 1e-8) < curves.needed(other, width, 1e-8)
        errors = np.array([e for e in curves.history["newton", width] if e > 1e-11])
        ratio = errors[1:] / errors[:-1]
        assert ratio[-1] < 0.05 * ratio[0]


def test_there_is_no_floor_at_a_hundredth_of_a_centimetre(curves):
    """The paper's engine could not go below 0.01 cm; a simulator that repeats itself to the bit can."""
    for history in curves.history.values():
        assert min(history) < 1e-10
