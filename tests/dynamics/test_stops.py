"""Limits push back softly: in a zone of 6° their stiffness grows from nothing, then it is what was asked."""

from __future__ import annotations

import numpy as np
import pytest

from poise.dynamics.stops import MARGIN, _beyond, _depth


def test_the_zone_is_six_degrees_wide():
    assert np.degrees(MARGIN) == pytest.approx(6.0, abs=0.05)


@pytest.mark.parametrize("edge", [0.0, -0.4, 1.2])
def test_stiffness_grows_over_the_zone_and_the_way_is_its_integral(edge):
    y = np.linspace(-0.1, 3 * MARGIN, 400)
    way, stiffness = np.array([_depth(float(edge + each), edge) for each in y]).T
    assert stiffness == pytest.approx(np.clip(y / MARGIN, 0, 1), abs=1e-12)
    step = y[1] - y[0]
    assert np.diff(way) / step == pytest.approx(0.5 * (stiffness[1:] + stiffness[:-1]), abs=2e-3)
    assert way[y < 0].max() == 0.0
    assert way[-1] == pytest.approx(3 * MARGIN - MARGIN / 2)


def test_both_limits_push_inwards_and_no_zone_begins_before_the_reference():
    def over(x: float, v: float = 0.0, r: float = 0.0) -> tuple[float, ...]:
        return tuple(float(each) for each in _beyond(x, v, r, -0.5, 0.8, 0.01))

    assert over(0.8 - MARGIN - 1e-9) == over(0.0) == over(-0.5 + MARGIN + 1e-9) == (0.0, 0.0, 0.0)
    assert over(0.8)[:2] == pytest.approx((MARGIN / 2, 1.0)), "stiff at the limit"
    assert over(-0.5)[:2] == pytest.approx((-MARGIN / 2, 1.0))
    _, now, soon = over(0.7, v=5.0)
    assert now == pytest.approx((0.7 - 0.8 + MARGIN) / MARGIN)
    assert soon == pytest.approx((0.75 - 0.8 + MARGIN) / MARGIN), "where it will be a step ahead"
    assert over(0.7, v=-5.0)[2] == now
    assert over(0.75, r=0.75)[:2] == (0.0, 0.0), "an animation that is there is not pushed away"
    assert over(-0.45, r=-0.45)[:2] == (0.0, 0.0)
