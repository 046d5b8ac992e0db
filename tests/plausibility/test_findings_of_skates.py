"""A foot that slides is told with how far it does, of which none was expected."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips


def test_no_sliding_is_expected():
    jump = clips.get("jump")
    q = np.array(jump.q)
    q[:60, 0] += np.linspace(0, 0.3, 60)  # it stands, and is carried along
    found = poise.check(jump.with_q(q)).report.of("skate")
    assert found
    for each in found:
        assert each.expected == 0.0
        assert each.unit == "m"
        assert 0.05 < each.amount < 0.31
        assert each.score < 0.5
        assert each.words.endswith("cm/s)")
    assert max(f.amount for f in found) == pytest.approx(0.3, abs=0.1)
