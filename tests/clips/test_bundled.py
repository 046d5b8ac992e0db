"""The stored clips are what the authoring code makes, and gaits keep their promises."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise.character import presets
from poise.clips.author.gait import stride
from poise.clips.author.jump import jump
from poise.clips.author.puppet import Puppet
from poise.clips.author.walk_run import RUN, WALK
from poise.clips.author.weight import weighted
from poise.errors import UnknownNameError
from poise.kinematics import Kinematics

FEET = [f"{side}{point}" for side in ("Left", "Right") for point in ("Heel", "Ball", "Toe")]
CONTACT = 3e-4
"""A sole point lower than this is on the ground [m]."""
CARRIED = ("run", "jump")
"""Clips that are put on the ground so that forces carry them."""
ELSEWHERE = 1e-3
"""How far from the stored ones they may end on another machine: the last digits of its library of mathematics
decide where a search stops [m, rad]."""


def test_the_clips_a_newcomer_expects_are_there():
    wanted = {"walk", "run", "jump", "punch", "wave", "reach", "drum", "planar_walk", "planar_jump"}
    assert wanted == set(clips.names())
    with pytest.raises(UnknownNameError, match="did you mean 'walk'"):
        clips.get("walks")


@pytest.mark.parametrize("gait", [WALK, RUN], ids=lambda g: g.name)
def test_stored_gaits_are_what_the_code_makes(gait):
    made, stored = stride(gait, Puppet(presets.get("humanoid"))), clips.get(gait.name)
    made = weighted(made) if gait is RUN else made
    np.testing.assert_allclose(stored.q, made.q, atol=ELSEWHERE if gait is RUN else 2e-9)
    np.testing.assert_array_equal(stored.travel.translation, made.travel.translation)


@pytest.mark.parametrize("name", ["jump", "planar_jump"])
def test_stored_jumps_are_what_the_code_makes(name):
    stored = clips.get(name)
    made = jump(stored.character, name)
    np.testing.assert_allclose(stored.q, made.q, atol=ELSEWHERE if name in CARRIED else 1e-7)


@pytest.mark.parametrize("name", ["jump", "planar_jump"])
def test_jumps_are_plausible(name):
    report = poise.check(clips.get(name)).report
    assert report.plausible
    told = {f.kind for f in report.findings}
    # The flat one takes off more suddenly than a body can: its arms would have to go through its head.
    assert told == ({"impact", "nowhere"} if name == "planar_jump" else set())
    (flight,) = report.flights
    assert flight.parabola.gravity == pytest.approx(9.81, abs=0.02)


@pytest.mark.parametrize("name", clips.names())
def test_soles_neither_slide_nor_sink(name):
    clip = clips.get(name)
    cycles = 2 if clip.loop else 1
    q = clip.at(np.arange(cycles * clip.frames) / clip.fps)
    kin = Kinematics(clip.character, q)
    for point in FEET:
        path = kin.point(point)
        assert path[:, 2].min() > (-6e-4 if name in CARRIED else -1e-4), f"{point} sinks"
        if name == "punch" and point == "RightToe":
            continue  # the rear foot swivels on its ball
        low = path[:, 2] < CONTACT
        down = low[:-3] & low[1:-2] & low[2:-1] & low[3:]  # neither coming down nor leaving
        slide = np.linalg.norm(np.diff(path[:, :2], axis=0), axis=1)[1:-1]
        assert (slide[down] < 2e-4).all(), f"{point} slides {slide[down].max() * 1e3:.2f} mm in a frame"


@pytest.mark.parametrize("name", clips.names())
def test_joint_limits_are_respected(name):
    clip = clips.get(name)
    character = clip.character
    values = character.manifold.minus(clip.q, character.manifold.neutral())
    limited = np.isfinite(character.lower) | np.isfinite(character.upper)
    assert (values[:, limited] >= character.lower[limited] - 1e-6).all()
    assert (values[:, limited] <= character.upper[limited] + 1e-6).all()


@pytest.mark.parametrize("name", ["walk", "run", "drum", "planar_walk"])
def test_loops_have_no_seam(name):
    # The jump in velocity from frame to frame is no larger across the seam than elsewhere.
    clip = clips.get(name)
    q = clip.at(np.arange(-4, clip.frames + 4) / clip.fps)
    steps = clip.character.manifold.minus(q[1:], q[:-1]) * clip.fps
    jolts = np.abs(np.diff(steps, axis=0)).max(axis=1)
    seam = np.concatenate([jolts[2:5], jolts[-5:-2]])
    assert seam.max() <= 1.05 * jolts[6:-6].max()


def test_the_run_flies_and_the_walk_does_not():
    for name, flies in (("walk", False), ("run", True)):
        kin = Kinematics(clips.get(name).character, clips.get(name).q)
        lowest = np.min([kin.point(p)[:, 2] for p in FEET], axis=0)
        assert (lowest > 1e-3).any() == flies


def test_the_run_falls_freely_in_flight():
    clip = clips.get("run")
    q = clip.at(np.arange(-2, clip.frames + 2) / clip.fps)
    kin = Kinematics(clip.character, q)
    fall = np.diff(kin.com[:, 2], 2) * clip.fps**2
    lowest = np.min([kin.point(p)[:, 2] for p in FEET], axis=0)
    flying = (lowest[:-2] > 2e-3) & (lowest[1:-1] > 2e-3) & (lowest[2:] > 2e-3)
    assert flying.sum() >= 4
    np.testing.assert_allclose(fall[flying], -9.81, atol=0.1)


@pytest.mark.parametrize("name", ["walk", "run"])
def test_gaits_are_symmetric(name):
    from poise.motion import operators

    clip = clips.get(name)
    mirrored = operators.mirror(clip)
    half = clip.frames // 2
    ours = clip.at((np.arange(clip.frames) + half) / clip.fps)
    manifold = clip.character.manifold
    gap = manifold.minus(ours, mirrored.q)
    gap[:, 0] -= 0.5 * clip.travel.translation[0]
    np.testing.assert_allclose(gap, 0, atol=1e-6)
