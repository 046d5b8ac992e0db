"""Slopes that FBX files leave to their readers, against closed forms and SciPy's curves."""

from __future__ import annotations

import numpy as np
import pytest
from fbx_made import MadeFbx
from scipy.interpolate import CubicHermiteSpline

import poise
from poise.formats.fbx.curves import Curve
from poise.formats.fbx.tangents import settled

AUTO, TENSION, STATED = 0x108, 0x208, 0x408
CLAMPED, TIMELESS, PROGRESSIVE = 0x1000, 0x2000, 0x6000
THIRDS = 1 / 3


def curve(times, values, flags, data=0.0):
    times, values = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
    count = len(times)
    flags = np.broadcast_to(np.asarray(flags), count)
    data = np.array(np.broadcast_to(np.asarray(data, dtype=np.float64), (count, 3)))
    weights = np.full((count, 2), THIRDS)
    return Curve(times, values, flags, settled(times, values, flags, data, weights), weights)


@pytest.fixture
def keys(rng):
    return np.cumsum(rng.uniform(0.1, 1.0, 8)), rng.normal(0, 30, 8)


def test_automatic_slopes_that_do_not_depend_on_time_are_those_between_neighbours(keys):
    times, values = keys
    slopes = np.gradient(values, np.arange(8.0)) * 0
    slopes[1:-1] = (values[2:] - values[:-2]) / (times[2:] - times[:-2])
    slopes[0], slopes[-1] = np.diff(values)[[0, -1]] / np.diff(times)[[0, -1]]
    at = np.linspace(times[0], times[-1], 200)
    found = curve(times, values, AUTO | TIMELESS).at(at)
    assert np.allclose(found, CubicHermiteSpline(times, values, slopes)(at), atol=1e-10)


def test_automatic_slopes_follow_a_parabola_nearer(keys):
    """Half of the slope is weighed by times: that half is a parabola's own."""
    times, _ = keys
    values = 3.0 * times**2
    even = (values[2:] - values[:-2]) / (times[2:] - times[:-2])
    found = curve(times, values, AUTO).slopes[1:-1, 0]
    assert np.allclose(found, 0.5 * even + 0.5 * 6.0 * times[1:-1], atol=1e-9)


def test_progressive_slopes_pass_no_neighbour(keys):
    times, values = keys
    made = curve(times, values, AUTO | PROGRESSIVE)
    for k in range(7):
        between = made.at(np.linspace(times[k], times[k + 1], 50))
        low, high = sorted(values[k : k + 2])
        assert low - 1e-9 <= between.min()
        assert between.max() <= high + 1e-9
    loose = curve(times, values, AUTO).at(np.linspace(times[0], times[-1], 500))
    assert loose.max() > values.max() + 0.1 or loose.min() < values.min() - 0.1, "else nothing was tried"


def test_clamped_slopes_are_flat_beside_an_equal_value():
    made = curve([0, 1, 2, 3], [0, 5, 5, 9], AUTO | CLAMPED)
    assert made.slopes[:, 0].tolist() == [5, 0, 0, 4]
    assert curve([0, 1, 2, 3], [0, 5, 5, 9], AUTO).slopes[1, 0] == 2.5


@pytest.mark.parametrize(("bias", "slope"), [(100, 3.0), (-100, 1.0), (50, 2.5), (600, 2 + 6 * 1.0 + 40)])
def test_a_bias_pulls_slopes_to_a_neighbour(bias, slope):
    data = np.zeros((3, 3))
    data[1, 0], data[0, 1] = bias, -bias
    made = curve([0, 1, 2], [0, 1, 4], AUTO, data)
    assert made.slopes[1, 0] == pytest.approx(slope)
    assert made.slopes[0, 1] == pytest.approx(slope), "arriving as leaving"


@pytest.mark.parametrize(
    ("tension", "continuity", "bias", "arriving", "leaving"),
    [(0, 0, 0, 2, 2), (1, 0, 0, 0, 0), (0, 0, 1, 1, 1), (0, 0, -1, 3, 3), (0, 1, 0, 3, 1), (0.5, 0, 0, 1, 1)],
)
def test_slopes_by_tension_continuity_and_bias(tension, continuity, bias, arriving, leaving):
    made = curve([0, 1, 2], [0, 1, 4], TENSION, [tension, continuity, bias])
    assert (made.slopes[0, 1], made.slopes[1, 0]) == pytest.approx((arriving, leaving))


def test_stated_slopes_stay_beside_automatic_ones():
    data = [[7, 8, 0], [0, 0, 0], [9, 0, 0]]
    made = curve([0, 1, 2], [0, 1, 4], [STATED, AUTO, STATED], data)
    assert made.slopes[0].tolist() == [7, 2], "arriving at an automatic key is its own"
    assert made.slopes[1].tolist() == [2, 0]
    assert made.slopes[2, 0] == 9


def test_keys_at_one_time_have_no_slope_between_them():
    made = curve([0, 1, 1, 2], [0, 1, 3, 4], AUTO)
    assert np.isfinite(made.slopes).all()
    assert made.slopes[1, 0] == 1
    assert made.slopes[2, 0] == 1


def test_sparse_automatic_keys_of_a_file(tmp_path):
    """A knee keyed by hand swings past its keys and does not stop at them."""
    made = MadeFbx(TimeMode=11)
    hips = made.model("Hips", Lcl_Translation=(0.0, 90.0, 0.0))
    knee = made.model("Knee", hips, Lcl_Translation=(0.0, -40.0, 0.0))
    made.model("Foot", knee, Lcl_Translation=(0.0, -40.0, 0.0))
    layer = made.take("swing", 2.0)
    times, values = [0.0, 0.5, 1.0, 2.0], [0.0, 40.0, 70.0, 20.0]
    made.keys(layer, knee, "Lcl Rotation", "d|X", times, values, flags=[AUTO | TIMELESS], data=[[0, 0, 0, 0]])
    clip = poise.load(made.write(tmp_path / "x.fbx"), mass=False)
    places, index = clip.character.placement(clip.q).positions, clip.character.index
    way = places[:, index("Foot")] - places[:, index("Knee")]
    angle = np.degrees(np.arctan2(-way[:, 0], -way[:, 2]))
    at = np.arange(49) / 24
    expected = CubicHermiteSpline(times, values, [80, 70, -20 / 1.5, -50])(at)
    assert np.abs(np.abs(angle) - np.abs(expected)).max() < 1e-3
