"""Fig. 6: a hand traces a square. Whole-clip solves are smooth where per-frame solves jerk, close where maps
are round."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

FEW, MORE = 5, 9


@pytest.fixture(scope="module")
def square():
    return example("42_adapt_square").scene()


def test_each_frame_by_itself_is_exact_and_jerks(square):
    assert square.error("each frame") < 1e-6
    assert square.jerk("each frame") > 30.0


@pytest.mark.parametrize("keys", [FEW, MORE])
def test_ten_times_less_jerk_than_frame_by_frame(square, keys):
    for way in ("solved", "finished"):
        assert square.jerk("each frame") > 10 * square.jerk(f"{way}, {keys} keys")
    assert square.jerk("each frame") > 50 * square.jerk(f"solved, {keys} keys")


@pytest.mark.parametrize("keys", [FEW, MORE])
def test_three_times_closer_than_a_map_with_the_same_keys(square, keys):
    """As both are used: a map has its keys; here the same keys come first, then a finer layer."""
    assert square.error(f"map, {keys} keys") > 3 * square.error(f"finished, {keys} keys")
    assert square.error(f"map, {keys} keys") > 7 * square.error(f"finished, {keys} keys")


def test_three_times_closer_with_more_keys_than_a_map_with_keys_at_the_corners(square):
    assert square.error(f"map, {FEW} keys") > 8 * square.error(f"solved, {MORE} keys")


def test_with_as_many_keys_it_is_as_close_as_such_curves_can_be(square):
    """Five keys cannot be three times closer than a map: no cubic of five keys, drawn freely, is."""
    assert square.error(f"map, {FEW} keys") > 2.3 * square.error(f"solved, {FEW} keys")
    assert square.error(f"map, {MORE} keys") > 2.6 * square.error(f"solved, {MORE} keys")
    assert square.error(f"solved, {FEW} keys") < 1.25 * square.best(FEW)
    assert square.error(f"solved, {MORE} keys") < square.best(MORE)
    assert square.best(FEW) > square.error(f"map, {FEW} keys") / 3
    # The same smoothness, or more of it.
    assert square.jerk(f"solved, {FEW} keys") < 1.1 * square.jerk(f"map, {FEW} keys")
    assert square.jerk(f"solved, {MORE} keys") < 0.6 * square.jerk(f"map, {MORE} keys")


def test_nothing_but_the_arm_moves(square):
    for clip in square.ways.values():
        still = [b.name not in ("RightArm", "RightForeArm", "RightHand") for b in clip.character.bodies]
        dofs = np.flatnonzero(np.array(still)[clip.character.dof_body])
        assert np.ptp(clip.q[:, dofs], axis=0).max() < 1e-12
