"""What is computed once and read many times cannot be written to."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character.presets import humanoid
from poise.kinematics import Kinematics
from poise.kinematics.forward import as_frames, read_only


def test_frames_and_placements_are_closed():
    character = humanoid()
    given = np.array([character.rest_pose()])
    kin = Kinematics(character, given)
    for array in (as_frames(given, "q", character.nq), kin.positions, kin.rotations, read_only(np.zeros(3))):
        assert not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        kin.positions[0, 0, 0] = 1.0
    given[0, 0] = 5.0  # the caller's own stays open
