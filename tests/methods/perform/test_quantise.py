"""Keys on beats: time 0 is where a performance begins, and no key is moved there."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import presets
from poise.errors import InputError
from poise.methods.perform.script.beats import Beats, snap
from poise.methods.perform.script.pose import JointPose
from poise.methods.perform.script.timed_pose import TimedPose

NOD = JointPose.from_degrees(presets.get("humanoid"), {"Head": (0, 20, 0)}, name="Nod")


def times(*at, beats, **options):
    return [key.time for key in snap([TimedPose(NOD, t) for t in at], beats, **options)]


def test_a_beat_at_the_start_takes_no_key():
    """However near: a key at time 0 could not be arrived at."""
    assert times(0.05, beats=[0.0, 0.5, 1.0]) == [0.5]
    assert times(0.0, 0.05, beats=[0.0, 0.5, 1.0]) == [0.0, 0.5]


def test_a_beat_at_the_start_does_not_count_as_room():
    with pytest.raises(InputError, match="2 key times do not fit on 1 beats"):
        times(0.2, 0.4, beats=[0.0, 0.5])


def test_parts_of_the_first_beat_do_take_keys():
    assert times(0.05, beats=[0.0, 0.5], division=2) == [0.25]


def test_strength_goes_part_of_the_way():
    grid = Beats(np.array([1.0, 2.0]))
    for strength in (0.0, 0.25, 1.0):
        assert times(0.8, 2.2, beats=grid, strength=strength) == pytest.approx(
            [0.8 + 0.2 * strength, 2.2 - 0.2 * strength]
        )
