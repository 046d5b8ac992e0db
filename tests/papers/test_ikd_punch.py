"""Fig. 4: a relaxed punch misses; inverse kinodynamics hits, with a style that the width decides."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

WIDE, NARROW = 1.0, 0.3


@pytest.fixture(scope="module")
def punch():
    return example("02_hit").scene((WIDE, NARROW))


def test_relaxed_punches_miss_more_the_looser_they_are():
    miss = example("01_loosen").scene().miss
    order = [miss[t] for t in ("tense", "firm", "relaxed", "loose", "drunk")]
    assert order == sorted(order)
    assert miss["tense"] > 0.02  # even a tense arm lags
    assert miss["relaxed"] > 0.10


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_corrected_punch_hits(punch, width):
    assert punch.miss(punch.relaxed) > 0.10
    result = punch.results[width]
    assert punch.miss(result.clip) < 1e-6  # the paper: 0.01 cm
    assert result.report.met
    assert result.report.iterations <= 6
    assert not result.report.warnings


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_correction_stays_local(punch, width):
    for foot in ("LeftToe", "RightToe", "LeftHeel", "RightHeel"):
        assert punch.moved(width, foot) < 0.005
    assert punch.moved(width, "HeadTop") < 0.03


def test_widths_differ_visibly(punch):
    fist = {w: punch.path(punch.results[w].clip) for w in (WIDE, NARROW)}
    apart = np.linalg.norm(fist[WIDE] - fist[NARROW], axis=1)
    assert apart.max() > 0.05
    assert apart[example("02_hit").CONTACT] < 1e-6

    def busy(width: float) -> float:
        """Seconds in which the fist is more than a centimetre from the relaxed motion."""
        away = np.linalg.norm(fist[width] - punch.path(punch.relaxed), axis=1)
        return float((away > 0.01).sum() * punch.clip.dt)

    assert busy(NARROW) < 0.75 * busy(WIDE)


def test_it_stays_relaxed(punch):
    """The fist follows through like the relaxed one; it is not the stiff animation again."""
    corrected = punch.path(punch.results[WIDE].clip)
    after = slice(example("02_hit").CONTACT, None)
    to_relaxed = np.linalg.norm(corrected[after] - punch.path(punch.relaxed)[after], axis=1).mean()
    to_animated = np.linalg.norm(corrected[after] - punch.path(punch.clip)[after], axis=1).mean()
    assert to_relaxed < 0.7 * to_animated


def test_the_published_iteration_hits_too():
    punch = example("02_hit").scene((WIDE,), method="paper")
    assert punch.miss(punch.results[WIDE].clip) < 1e-4
    assert punch.results[WIDE].report.met
