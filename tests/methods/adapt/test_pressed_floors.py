"""Floors are blamed for a miss only where something is pressed into them."""

from __future__ import annotations

import numpy as np

from poise import clips
from poise import constraints as c
from poise.methods.adapt.problem.requirements import requirements
from poise.methods.adapt.report import _deep

JUMP = clips.get("jump")


def test_only_floors_that_are_pierced_are_named():
    asked = requirements(
        JUMP, [c.pin("Head", (0, 0, 9), 0.5)], floor=0.0, limits=False, free=[0], tolerance=2e-3
    )
    assert len(asked.floor) > 1
    assert _deep(asked, JUMP) == []
    sunk = np.array(JUMP.q)
    sunk[20:30, 2] -= 0.2
    named = _deep(asked, JUMP.with_q(sunk))
    assert named
    assert all(name.startswith("floor under ") for name in named)
