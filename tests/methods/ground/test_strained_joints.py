"""Joints give no more than they have: torques by MuJoCo, derivatives against differences."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import poise
from poise.dynamics.mujoco_model import model
from poise.methods.ground.pins import Pins
from poise.methods.ground.stage import staged
from poise.methods.ground.strength import Strength
from poise.operations.ground import Ground

WEAK = 22.0
"""Of a motor in the shoulder [N·m]: the punch takes up to 38, and 62 with its body as it was drawn."""


def torques(clip) -> np.ndarray:
    """Of all joints [N·m] (F', nv), as if nothing touched: right for arms that are free."""
    made = model(clip.character, contacts=False, limits=False, passive=False)
    data, before, after = mujoco.MjData(made), np.zeros(made.nv), np.zeros(made.nv)
    out = []
    for f in range(4, clip.frames - 4):
        mujoco.mj_differentiatePos(made, before, clip.dt, clip.q[f - 1], clip.q[f])
        mujoco.mj_differentiatePos(made, after, clip.dt, clip.q[f], clip.q[f + 1])
        data.qpos[:], data.qvel[:] = clip.q[f], 0.5 * (before + after)
        data.qacc[:] = (after - before) / clip.dt
        mujoco.mj_inverse(made, data)
        out.append(data.qfrc_inverse.copy())
    return np.array(out)


def driven(clip: poise.Clip, joint: str, **limits: float) -> poise.Clip:
    """With a motor in one joint."""
    bodies = [
        b.replaced(joint=replace(b.joint, **limits)) if b.name == joint else b for b in clip.character.bodies
    ]
    return clip.replaced(character=clip.character.with_bodies(bodies))


def test_a_motor_gives_no_more_than_it_can():
    clip = poise.clips.get("punch")
    own = clip.character.dofs(clip.character.index("RightArm"))
    free, kept = poise.ground(clip), poise.ground(driven(clip, "RightArm", effort=WEAK))
    assert np.abs(torques(free.clip)[:, own]).max() > 1.5 * WEAK
    assert np.abs(torques(kept.clip)[:, own]).max() <= WEAK
    assert kept.met
    assert kept.left.share == 0
    assert kept.cost.rms < 0.045


def test_what_a_motor_cannot_give_is_told():
    """An arm that nothing can hold: the motion is carried, and not met."""
    result = poise.ground(driven(poise.clips.get("punch"), "RightArm", effort=1.0))
    assert result.left.strain > 1.05
    assert result.left.joint == "RightArm"
    assert not result.met or not result.strained
    assert "RightArm needs" in str(result)


def test_strain_is_that_of_inverse_dynamics():
    clip = poise.clips.get("punch")
    problem = staged(clip, None, Pins(clip.character)).problem(Ground(), clip.q)
    look = problem.look(np.zeros((problem.keys.count, problem.keys.size)))
    arm = problem.strained.strength.names.index("RightArm")
    found = look.strain[3:-3, arm] * problem.strained.strength.most[arm]
    true = np.linalg.norm(torques(clip)[:, clip.character.dofs(clip.character.index("RightArm"))], axis=1)
    np.testing.assert_allclose(found, true, atol=0.01 * true.max())


@pytest.mark.parametrize("name", ["walk", "punch"])
def test_merit_falls_along_the_gradient_of_strains(name):
    clip = driven(poise.clips.get(name), "LeftArm", speed=0.5)
    problem = staged(clip, None, Pins(clip.character)).problem(Ground(), clip.q)
    problem.smoothing = 1e-2
    problem.strained.enough[:] = 0.3
    rng = np.random.default_rng(0)
    c = 2e-3 * rng.normal(size=(problem.keys.count, problem.keys.size))
    at = problem.look(c, slope=True)
    speeds = problem.strained.strength.speeds
    assert (at.strain[:, speeds] > 0.3).any()
    assert (at.strain[:, ~speeds] > 0.3).any()
    _, gradient = problem.system(at)
    way = rng.normal(size=c.shape)
    slopes = []
    for step in (2e-6, 1e-6):
        ahead, behind = (problem.look(c + e * way, near=at).merit for e in (step, -step))
        slopes.append((ahead - behind) / (2 * step))
    found = (4 * slopes[1] - slopes[0]) / 3
    told = float(gradient @ problem.keys.folded(way))
    assert told == pytest.approx(found, abs=1e-6 * np.linalg.norm(gradient) * np.linalg.norm(way))


def test_people_are_as_strong_as_they_show():
    """A motion that takes more than the table has, where it is carried, may take as much afterwards."""
    clip = poise.clips.get("jump")
    problem = staged(clip, None, Pins(clip.character)).problem(Ground(), clip.q)
    assert problem.strained.enough.max() > 1.0
    assert not Strength.of(clip.character).sure.any()
