"""Corrections that bring hands and feet to their places do not bend joints past their limits for it."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import poise
from poise import clips
from poise import constraints as c
from poise.kinematics import Kinematics
from poise.motion import Clip

search = importlib.import_module("poise.methods.loosen.hit.hit")


def past(result: Clip, source: Clip) -> np.ndarray:
    """How far each degree of freedom but the root's is past its limit, beyond the source [°], (F, nv)."""
    character = source.character
    rest, neutral = character.dofs(0).stop, character.manifold.neutral()
    x, own = (character.manifold.minus(clip.q, neutral)[:, rest:] for clip in (result, source))
    high, low = np.maximum(character.upper[rest:], own), np.minimum(character.lower[rest:], own)
    return np.degrees(np.maximum(x - high, low - x))


def near(clip: Clip, point: str, frame: int, seed: int) -> np.ndarray:
    """Where a point is in a random pose near the animated one, the root as animated."""
    character = clip.character
    v = np.random.default_rng(seed).normal(scale=0.25, size=character.nv)
    v[character.dofs(0)] = 0.0
    return Kinematics(character, character.manifold.plus(clip.q[frame], v)).point(point)[0]


CASES = [("walk", "LeftToe", 22, 1), ("run", "RightHeel", 22, 2)]


@pytest.mark.parametrize("name, point, frame, seed", CASES)
def test_knees_do_not_bend_backwards_for_a_target(name, point, frame, seed, monkeypatch):
    clip = clips.get(name)
    wish = c.pin(point, near(clip, point, frame, seed), frame * clip.dt)
    kept = poise.hit(clip, wish, "firm", 0.4)
    monkeypatch.setattr(search, "kept_within", lambda problem, solution, *_: (problem, solution))
    free = poise.hit(clip, wish, "firm", 0.4)
    assert kept.met
    assert free.met
    assert past(free.clip, clip).max() > 5.0, "else this says nothing"
    assert past(kept.clip, clip).max() <= 2.5
    assert not kept.report.warnings
    assert kept.demands == kept.problem.asked, "bounds are nobody's wish"


def test_a_target_that_takes_a_knee_bent_backwards_is_met_and_told():
    clip = clips.get("punch")
    character, frame = clip.character, 23
    knee = character.dofs("LeftLeg")
    bent = np.zeros(character.nv)
    lower = character.lower[knee][0]
    bent[knee] = (
        lower - np.radians(30) - character.manifold.minus(clip.q[frame], character.manifold.neutral())[knee]
    )
    pose = character.manifold.plus(clip.q[frame], bent)
    place = Kinematics(character, pose).point("LeftHeel")[0]
    result = poise.hit(clip, c.pin("LeftHeel", place, frame * clip.dt), "firm", 0.4, joints=["LeftLeg"])
    assert result.met
    assert "LeftLeg is" in str(result.report)
    assert "past its limit" in str(result.report)


def test_a_whole_pose_leaves_no_choice():
    clip = clips.get("punch")
    result = poise.hit(clip, c.pose(clip.character, clip.q[51], float(clip.times[51])), "relaxed", 0.3)
    assert result.met
    assert not result.problem.beside


def test_dragged_targets_keep_to_the_limits_too():
    name, point, frame, seed = CASES[0]
    clip = clips.get(name)
    place = near(clip, point, frame, seed)
    result = poise.hit(clip, c.pin(point, place, frame * clip.dt), "firm", 0.4)
    assert result.problem.beside
    for far in (0.01, 0.02, 0.03):
        moved = result.drag([c.pin(point, place + [far, 0.0, 0.0], frame * clip.dt)])
        assert moved.report.outcomes[0].error < 1e-4
        assert past(moved.clip, clip).max() <= 5.0
    begun = search.hit(
        clip, [c.pin(point, place + [0.03, 0.0, 0.0], frame * clip.dt)], result.asked, start=result
    )
    assert begun.report.met
    assert past(begun.clip, clip).max() <= 2.5
