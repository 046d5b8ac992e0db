"""Dynamic time warping: known warps are found, places do not matter, the path is the cheapest."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from motion_cases import crane

from poise import clips
from poise.errors import InputError
from poise.motion import Clip
from poise.motion.operators import align, matching_times, place, speed, trim, unroll, warp
from poise.motion.operators.time_alignment import cheapest_path


def test_a_clip_matches_itself():
    punch = clips.get("punch")
    for source, target in matching_times(punch, punch):
        assert source == pytest.approx(target, abs=1e-9)
    same = align(punch, punch)
    np.testing.assert_allclose(same.q, punch.q, atol=1e-6)


def test_a_known_warp_is_found():
    punch = clips.get("punch")
    end = punch.duration
    keys = [(0.0, 0.0), (0.3 * end, 0.45 * end), (0.7 * end, 0.75 * end), (end, 1.2 * end)]
    slow = place(warp(punch, keys), (3.0, -1.0, 0.0), 1.0)
    found = np.array(matching_times(punch, slow))
    from scipy.interpolate import PchipInterpolator

    true = PchipInterpolator([t for _, t in keys], [s for s, _ in keys])
    moving = np.abs(found[:, 0] - true(found[:, 1]))
    assert np.median(moving) < 1.0 / 60
    back = align(punch, slow)
    assert back.duration == pytest.approx(slow.duration, abs=1.0 / punch.fps)


def test_half_as_fast_is_found():
    walk = trim(unroll(clips.get("walk"), 2), 0.0, 1.5)
    found = np.array(matching_times(walk, speed(walk, 0.5)))
    inner = found[2:-2]
    np.testing.assert_allclose(inner[:, 0], 0.5 * inner[:, 1], atol=0.02)


def brute(x: np.ndarray, y: np.ndarray, most: int) -> float:
    """The cheapest cost by trying every path."""

    apart = ((x[:, None] - y[None]) ** 2).sum(axis=2)

    @functools.cache
    def cost(i: int, j: int) -> float:
        if i == 0 and j == 0:
            return float(apart[0, 0])
        ways = [np.inf]
        for b in range(1, most + 1):
            if i >= 1 and j >= b:
                ways.append(cost(i - 1, j - b) + apart[i, j - b + 1 : j + 1].sum() * (1 + b) / (2 * b))
        for a in range(2, most + 1):
            if i >= a and j >= 1:
                ways.append(cost(i - a, j - 1) + apart[i - a + 1 : i + 1, j].sum() * (1 + a) / (2 * a))
        return float(min(ways))

    return cost(len(x) - 1, len(y) - 1)


@pytest.mark.parametrize("seed", range(5))
def test_the_path_is_the_cheapest(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(9, 2)), rng.normal(size=(13, 2))
    way = cheapest_path(x, y, 3)
    assert way[0].tolist() == [0, 0]
    assert way[-1].tolist() == [8, 12]
    apart = ((x[:, None] - y[None]) ** 2).sum(axis=2)
    total = apart[0, 0]
    for (i, j), (k, m) in itertools.pairwise(way):
        a, b = int(k - i), int(m - j)
        assert min(a, b) == 1
        assert max(a, b) <= 3
        cells = apart[k, j + 1 : m + 1] if a == 1 else apart[i + 1 : k + 1, m]
        total += cells.sum() * (1 + max(a, b)) / (2 * max(a, b))
    assert total == pytest.approx(brute(x, y, 3))
    assert len(cheapest_path(x, y[:2], 3)) == 0


def test_what_cannot_be_aligned_is_refused():
    punch, jump = clips.get("punch"), clips.get("jump")
    with pytest.raises(InputError, match="times faster"):
        matching_times(punch, speed(punch, 5))
    with pytest.raises(InputError, match="whole number"):
        matching_times(punch, jump, most=0)
    still = crane()
    with pytest.raises(InputError, match="single frames"):
        matching_times(Clip(still, [still.rest_pose()], 30), punch)


def test_long_clips_are_aligned_in_time():
    walk = unroll(clips.get("walk"), 25)
    slow = speed(walk, 0.8)
    found = np.array(matching_times(walk, slow))
    assert (np.diff(found, axis=0) > 0).all()
