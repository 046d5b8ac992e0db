"""Where the floor of a picture is, which way a figure goes, and materials seen through."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise.kinematics import Kinematics
from poise.pictures.ground import floor_height
from poise.pictures.material import material
from poise.pictures.views import heading


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.5, -1.9])
def test_the_heading_is_the_way_it_goes(turn):
    walk = clips.get("walk")
    kin = Kinematics(walk.character, walk.q)
    c, s = np.cos(turn), np.sin(turn)
    spin = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    away = np.linspace(0, 3, walk.frames)[:, None, None] * np.array([1.0, 0, 0])
    standing = kin.positions - kin.positions[:, :1]
    found = heading(walk.character, (standing + away) @ spin.T, spin @ kin.rotations)
    assert np.radians(found) == pytest.approx(turn)


def cloud_of(heights, path):
    """A pole of 2 m whose foot is at heights (F,) and goes along a path (F,)."""

    def cloud(frames):
        low = np.stack([path[frames], 0 * path[frames], heights[frames]], axis=1)
        return np.stack([low, low + [0, 0, 2.0]], axis=1)

    return cloud


def test_the_floor_is_where_the_lowest_point_stands_still():
    frames, rate = 200, 60.0
    t = np.arange(frames) / rate
    hop = 0.3 + 0.2 * np.abs(np.sin(3 * t))  # fast while it is up
    heights, path = np.where(t < 1.5, 0.3, hop), np.where(t < 1.5, 0.0, 2.0 * (t - 1.5))
    low, size = floor_height(cloud_of(heights, path), frames, rate)
    assert size == pytest.approx(2.0)
    assert low == pytest.approx(0.3, abs=1e-6)


def test_what_dips_below_in_passing_does_not_count():
    frames, rate = 300, 60.0
    t = np.arange(frames) / rate
    dip = np.exp(-(((t - 4.0) / 0.05) ** 2))
    low, _ = floor_height(cloud_of(1.0 - 0.5 * dip, 20.0 * dip), frames, rate)
    assert low == pytest.approx(1.0, abs=1e-3)


def test_seen_through_twice_is_seen_through_more():
    skin = material("skin")
    assert skin.faded(0.5).faded(0.5).opacity == pytest.approx(0.25 * skin.opacity)
    assert skin.faded(0.5).colour == skin.colour
