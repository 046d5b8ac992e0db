"""Captures with faults of their own, and with some put in: mended, and nothing is harmed."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.character.labels import roles
from poise.manifold import so3


@pytest.fixture(scope="module")
def capture(shared_data):
    def load(name: str, **options) -> poise.Clip:
        folder = (
            "cmu_cgspeed_bvh" if (shared_data / "cmu_cgspeed_bvh" / f"{name}.bvh").exists() else "cmu_wild"
        )
        return poise.load(shared_data / folder / f"{name}.bvh", **options)

    return load


def places(clip: poise.Clip) -> np.ndarray:
    return clip.character.placement(clip.q).positions


def jerk(clip: poise.Clip) -> float:
    return float(np.sqrt((np.diff(places(clip), 3, axis=0) ** 2).mean()))


@pytest.mark.parametrize("name", ["143_01", "75_13"])
def test_clips_that_play_twice_too_fast_are_brought_down_to_earth(capture, name):
    clip = capture(name)  # with the rest pose before the motion
    result = poise.fix(clip)
    assert result.clip.rate == 60
    assert result.after.plausible
    np.testing.assert_array_equal(result.clip.q[0], clip.q[0])


@pytest.mark.parametrize("name", ["16_15", "07_01", "64_01", "02_04"])
def test_knees_are_not_thrown_and_what_is_right_stays(capture, name):
    """In these knees went by 8 to 20 cm once, for feet that slid by three."""
    clip = capture(name)
    result = poise.fix(clip)
    assert result.clip.frames == clip.frames
    was, now = places(clip), places(result.clip)
    way = np.linalg.norm(now - was, axis=2)
    own = roles(clip.character)
    knees = [own["left shin"], own["right shin"]]
    assert way[:, knees].max() < 0.03
    faulty, reach = np.zeros(clip.frames, bool), round(0.25 * clip.fps)
    for f in (f for o in result.outcomes if o.done for f in o.findings):
        faulty[max(f.start - reach, 0) : f.end + reach + 1] = True
    assert way[~faulty].max(initial=0.0) < 0.01
    assert jerk(result.clip) < 1.1 * jerk(clip)
    assert result.after.score >= result.before.score


def test_a_rate_that_is_in_doubt_is_not_changed(capture):
    clip = capture("143_24")
    before = poise.check(clip).report
    assert before.of("rate")
    assert not any(f.serious for f in before.of("rate"))
    result = poise.fix(clip)
    assert result.clip.rate == clip.rate
    assert any(o.repair == "time" and not o.done for o in result.outcomes)


def test_faults_put_into_a_walk_are_taken_out_again(capture):
    """A frame that pops, an elbow bent backwards, a body that sinks: the walk is back within a centimetre."""
    clip = capture("02_01", drop_tpose="auto")
    world = poise.check(clip).report.world.confirmed()
    own, q = roles(clip.character), np.array(clip.q)
    t = np.asarray(clip.times)
    ease = np.clip((t - 1.3) / 0.15, 0, 1) * np.clip((2.1 - t) / 0.15, 0, 1)
    q[:, 2] -= 0.05 * ease * ease * (3 - 2 * ease)
    spine = clip.character.coordinates(own["spine"])
    q[60, spine] = so3.multiply(q[60, spine], so3.exp(np.radians([0.0, 20.0, 0.0])))
    wrong = clip.with_q(q)
    result = poise.fix(wrong, world=world)
    assert {o.repair for o in result.outcomes if o.done} >= {"pops", "body"}
    apart = [np.sqrt(((places(c) - places(clip)) ** 2).sum(axis=2).mean()) for c in (wrong, result.clip)]
    assert apart[0] > 0.02
    assert apart[1] < 0.005
