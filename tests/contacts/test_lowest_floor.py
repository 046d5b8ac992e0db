"""The floor that is found has nothing below it: clips may begin and end on steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from poise.contacts.find import find
from poise.contacts.floor import found_floor
from poise.contacts.needed import needed

HIGH, DEEP = 0.4, 0.2


def above_ground(lasting: float):
    """A walk on a level 40 cm above its file's ground, with a foot 20 cm below that level for a while."""
    need = needed(poise.clips.get("walk"))
    places = np.array(need.places)
    places[..., 2] += HIGH
    frames = max(1, round(lasting / need.dt))
    foot = need.patches.of_part("left foot")
    rest = need.resting(np.zeros(3))
    low = need.places[:, foot, 2].min(axis=1).argmin()
    places[low : low + frames, foot, 2] -= DEEP
    rest[low : low + frames, foot] = False  # it goes on as it passes
    return replace(need, places=places), rest


def test_a_foot_that_is_lower_for_a_moment_is_on_a_lower_floor():
    floor = found_floor(*above_ground(0.12))
    assert floor.shape.height == pytest.approx(HIGH - DEEP, abs=0.02)
    assert floor.sure <= 0.5


def test_a_marker_that_jumps_is_no_floor():
    assert found_floor(*above_ground(0.03)).shape.height == pytest.approx(HIGH, abs=0.02)


def test_a_clip_that_begins_on_the_first_step_has_it_for_a_floor(shared_data):
    """Steps of 20, 40 and 63 cm, cut where a foot leaves the lowest."""
    path = shared_data / "cmu_wild" / "13_35.bvh"
    if not path.exists():
        pytest.skip("the capture 13_35 is not among the real clips")
    whole = poise.load(path, drop_tpose="auto")
    part = whole.with_frames(whole.q[341:752], None)
    report = poise.check(part).report
    assert report.plausible, str(report)
    tops = sorted(s.place[2] + s.shape.half[2] for s in report.world.surfaces[1:])
    level = report.world.floor.shape.height
    assert np.subtract(tops, level) == pytest.approx([0.2, 0.43], abs=0.03)


def test_cartwheels_turn_over_their_hands(shared_data):
    """Arms of the rig end 15 to 24 cm above the floor: nothing falls there at a fifth of gravity."""
    path = shared_data / "cmu_wild" / "87_05.bvh"
    if not path.exists():
        pytest.skip("the capture 87_05 is not among the real clips")
    clip = poise.load(path, drop_tpose="auto")
    support = find(clip.replaced(rate=clip.rate / 2), pace=1.0)
    assert all(f.parabola.gravity > 5.0 for f in support.flights)
    hands = [c for c in support.contacts if c.part.endswith("hand")]
    assert len(hands) >= 8
    assert all(0.05 < c.gap < 0.3 for c in hands)
