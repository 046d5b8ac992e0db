"""Clips of few frames a second: contacts, flights and curves are those of more frames, told in their own."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.contacts.find import find
from poise.contacts.finer import multiple
from poise.kinematics import Kinematics
from poise.motion import operators


def intervals(support):
    """Part, first and last moment of every contact [s]."""
    dt = support.need.clip.dt
    return [(c.part, (c.start - 0.5) * dt, (c.end + 0.5) * dt) for c in support.contacts]


@pytest.mark.parametrize("fps", [20, 24, 30])
def test_contacts_at_few_frames_are_those_at_many(fps):
    clip = poise.clips.get("jump")
    few = operators.resample(clip, fps)
    assert multiple(few) > 1 == multiple(clip)
    for (part, *want), (other, *got) in zip(intervals(find(clip)), intervals(find(few)), strict=True):
        assert part == other
        ends = want[1] > clip.duration - 1 / fps  # the coarse clip ends earlier
        np.testing.assert_allclose(got[:1] if ends else got, want[:1] if ends else want, atol=0.7 / fps)


@pytest.mark.parametrize("fps", [20, 30])
def test_flights_are_told_from_the_clips_own_frames(fps):
    few = operators.resample(poise.clips.get("jump"), fps)
    (flight,) = find(few).flights
    fit = flight.parabola
    assert fit.gravity == pytest.approx(9.81, abs=0.35)
    com = np.asarray(Kinematics(few.character, few.q).com)
    frames = np.arange(fit.start + 1, fit.end)
    np.testing.assert_allclose(fit.height((frames - fit.start) / fps), com[frames, 2], atol=0.01)
    np.testing.assert_allclose(fit.origin[:2], com[fit.start, :2], atol=0.01)


def test_curves_have_the_clips_frames_and_those_of_a_loop_a_cycle_on_either_side():
    for clip in (
        operators.resample(poise.clips.get("jump"), 25),
        operators.resample(poise.clips.get("walk"), 30, keep="period"),
    ):
        support = find(clip)
        need = support.need
        assert need.clip is clip
        own = slice(need.lead, need.lead + clip.frames)
        wanted = need.patches.places(Kinematics(clip.character, clip.q))
        np.testing.assert_allclose(need.raw[own], wanted, atol=1e-9)
        assert need.frames == len(support.near) == len(support.load) == (3 if clip.loop else 1) * clip.frames
        assert len(support.force) == len(support.left) == len(need.rows)
        assert need.dt == pytest.approx(clip.dt)


def test_a_rest_pose_in_front_is_left_out():
    jump = operators.resample(poise.clips.get("jump"), 30)
    q = np.array(jump.q)
    start = jump.character.manifold.neutral()
    start[:3] = q[0, :3]
    late = jump.with_frames(np.concatenate([start[None], q]), None)
    before, after = find(jump), find(late)
    assert after.need.lead == before.need.lead - 1
    for a, b in zip(before.contacts, after.contacts, strict=True):
        assert (a.part, a.start, a.end) == (b.part, b.start - 1, b.end - 1)
