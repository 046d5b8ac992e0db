"""Where a clip changes its speed: by what factor the centre of mass goes faster from step to step."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Body, Character, Joint, Mass
from poise.contacts.flight_times import AHEAD, _jumps
from poise.motion import Clip

BALL = Character("ball", [Body("ball", None, Joint.free(), mass=Mass(1.0, (0, 0, 0), np.eye(3)))])


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_a_change_of_speed_is_found_where_it_is_and_as_large_as_it_is(factor):
    speed = np.where(np.arange(59) < 30, 0.01, 0.01 * factor)
    q = np.zeros((60, 7))
    q[1:, 0], q[:, 3] = np.cumsum(speed), 1.0
    jumps = _jumps(Clip(BALL, q, 60))
    assert jumps[30] == pytest.approx(factor, rel=1e-6) or jumps[29] == pytest.approx(factor, rel=1e-6)
    assert jumps[10] == pytest.approx(1.0)
    assert jumps[50] == pytest.approx(1.0)
    assert np.isnan(jumps[: AHEAD - 1]).all()
    assert np.isnan(jumps[-AHEAD + 1 :]).all()
