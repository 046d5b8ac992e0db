"""Windows: what lies outside keeps its bits; a drag costs the same on any clip and follows the pointer."""

from __future__ import annotations

import time

import numpy as np
import pytest
from test_band_assembly import dense

import poise
from poise import clips
from poise import constraints as c
from poise.kinematics import Kinematics
from poise.methods.adapt.adapt import around
from poise.methods.adapt.plants.detect import detect
from poise.methods.adapt.problem.problem import Stage, _inside, _restricted
from poise.methods.adapt.problem.samples import samples_of
from poise.motion import Clip
from poise.operations.values.displacement import Displacement
from poise.workers import on_threads


def long_jump(times: int) -> Clip:
    """The jump, over and over, as one clip."""
    jump = clips.get("jump")
    return Clip(jump.character, np.concatenate([jump.q] * times), jump.rate, name="jumps")


def hand(clip: Clip, frame: int) -> np.ndarray:
    return Kinematics(clip.character, clip.q[frame : frame + 1]).point("RightHandCentre")[0]


def test_a_window_leaves_the_rest_alone():
    clip = clips.get("jump")
    frame = 70
    at = float(clip.times[frame])
    wanted = [
        c.pin("RightHandCentre", hand(clip, frame) + [0.05, 0, 0.05], at, name="near"),
        c.pin("LeftHandCentre", (0, 0, 0), float(clip.times[150]), name="hidden"),
    ]
    window = around(clip, [at], near=0.5)
    result = poise.adapt(clip, wanted, within=window, plants=False)
    assert {o.name: o.met for o in result.report.outcomes} == {"near": True, "hidden": False}
    outside = (clip.times < window[0]) | (clip.times > window[1])
    assert outside.any()
    assert np.array_equal(result.clip.q[outside], clip.q[outside])


def test_the_slope_in_a_window_feels_the_frozen_keys_around_it():
    clip = clips.get("jump")
    stage = Stage.of(clip, Displacement(0.1), range(5), "length", None, None)
    values = np.random.default_rng(0).normal(size=stage.start.shape)
    window = (0.8, 1.7)
    slot, kept = _inside(stage.space, window)
    band, slope, _ = _restricted(stage, values, kept, window)
    x = np.zeros(stage.space.count)
    x[stage.space.slot] = values.T
    full = dense(stage.band)
    np.testing.assert_allclose(slope, (full @ x)[kept], atol=1e-12 * np.abs(full @ x).max())
    np.testing.assert_array_equal(dense(band), full[np.ix_(kept, kept)])
    starts, ends = (stage.space.groups[0].smooth.supports[1:-1, k] for k in (0, 1))
    inside = (starts >= window[0] - 1e-9) & (ends <= window[1] + 1e-9)
    assert np.array_equal((slot >= 0).any(axis=0), inside)


def test_a_window_over_everything_is_the_whole_clip():
    clip = clips.get("jump")
    wanted = [c.pin("RightHandCentre", hand(clip, 70) + [0.05, 0, 0.05], float(clip.times[70]))]
    whole = poise.adapt(clip, wanted, plants=False)
    window = poise.adapt(clip, wanted, within=(0.0, clip.duration), plants=False)
    np.testing.assert_allclose(window.clip.q, whole.clip.q, atol=1e-6)


def test_a_drag_follows_the_pointer_and_feet_stay():
    clip = clips.get("jump")
    plants = detect(clip)
    frame = 30
    at, place = float(clip.times[frame]), hand(clip, frame)
    result = poise.adapt(clip, [*plants, c.pin("RightHandCentre", place, at)], floor=0.0, plants=False)
    window = around(clip, [at])
    for move in range(1, 9):
        place = place + [0.006, 0.0, 0.008]
        items = [*plants, c.pin("RightHandCentre", place, at)]
        result = result.drag(items, window)
        shown = result.poses(frame, frame + 1)
        off = np.linalg.norm(Kinematics(clip.character, shown).point("RightHandCentre")[0] - place)
        assert off < 1e-3, f"move {move}: {1e3 * off:.2f} mm"
    np.testing.assert_allclose(result.poses(0, clip.frames), result.clip.q, atol=1e-12)
    plant_errors = [o.error for o in result.report.outcomes if o.name.startswith("plant")]
    assert max(plant_errors) < 4e-3
    rested = result.continued(items)
    assert rested.report.met, str(rested.report)


def test_a_drag_costs_the_same_on_a_long_clip():
    best = {}
    for times in (2, 16):
        clip = long_jump(times)
        frame = 70
        at, place = float(clip.times[frame]), hand(clip, frame)
        items = [c.pin("RightHandCentre", place, at)]
        result = poise.adapt(clip, items, floor=0.0, iterations=1, plants=False)
        window = around(clip, [at])
        taken = []
        for k in range(12):
            moved = [c.pin("RightHandCentre", place + [0, 0, 0.002 * k], at)]
            with on_threads(1):  # and by this thread's own clock: others may be busy
                began = time.thread_time()
                result = result.drag(moved, window)
                result.poses(0, 140)
                taken.append(time.thread_time() - began)
        best[times] = min(taken)
    assert best[16] < 1.6 * best[2], best


def test_a_window_across_the_seam_of_a_loop_sees_both_sides():
    walk = clips.get("walk")
    at, frame = float(walk.times[2]), 2
    floor = {"LeftToe": -0.05, "RightToe": -0.05}
    wanted = [c.pin("RightHandCentre", hand(walk, frame) + [0.03, 0, 0.03], at)]
    result = poise.adapt(walk, wanted, floor=floor, within=around(walk, [at], near=0.3), plants=False)
    assert result.report.met, str(result.report)
    moved = np.abs(walk.character.manifold.minus(result.clip.q, walk.q)).max(axis=1)
    assert moved[-3:].min() > 1e-4  # just before the seam it has begun already
    outside = (walk.times > at + 0.3) & (walk.times < at - 0.3 + walk.duration)
    assert outside.any()
    assert np.array_equal(result.clip.q[outside], walk.q[outside])
    samples = samples_of(result.setup.problem.blocks, (at - 0.3, at + 0.3), period=walk.duration)
    assert {0, walk.frames - 1} <= set(samples.frames.tolist())


def test_the_drag_window_stays_within_the_clip():
    clip = clips.get("jump")
    assert around(clip, [0.2]) == (0.0, pytest.approx(1.2))
    walk = clips.get("walk")
    assert around(walk, [0.2], near=0.5) == (pytest.approx(-0.3), pytest.approx(0.7))


def test_what_goes_on_keeps_its_options():
    """On from a result, other constraints are met with its keys, its floor and its exactness."""
    jump = clips.get("jump")
    hand = Kinematics(jump.character, jump.q).point("RightHandCentre")[15]
    asked = [c.pin("RightHandCentre", hand + [0.1, 0, 0], float(jump.times[15]))]
    moved = [c.pin("RightHandCentre", hand + [0.12, 0, 0], float(jump.times[15]))]
    first = poise.adapt(jump, asked, key_spacing=0.2, floor=0.0, plants=False)
    later = first.continued(moved)
    assert later.report.met
    assert later.setup.asked is first.setup.asked
    assert [s.space.keys for s in later.setup.problem.stages] == [round(jump.duration / 0.2) + 1]
    assert len(later.setup.requirements.floor) == len(first.setup.requirements.floor) > 0
    assert later.before is jump
    assert later.items == tuple(moved)
