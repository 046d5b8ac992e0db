"""The parts that jumps between poses are told and mended by, each by itself."""

from __future__ import annotations

import numpy as np
import pytest

from poise.methods.key.frames.jumps import Fold


def test_a_fold_is_named_after_the_joint_that_turns_farthest():
    fold = Fold(0.5, 0.6, np.array([0.0, 0.2, 1.4, 0.3]))
    assert (fold.joint, fold.turn) == (2, 1.4)
    assert fold.time == pytest.approx(0.55)
