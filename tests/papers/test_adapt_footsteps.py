"""Fig. 10: a short figure in a tall one's footsteps, walking and running."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

from poise.character import JointKind
from poise.manifold import so3


@pytest.fixture(scope="module")
def module():
    return example("45_adapt_footsteps")


@pytest.fixture(scope="module")
def steps(module):
    return module.scene()


def test_it_is_shorter(module, steps):
    legs = [
        np.linalg.norm(c.bodies[c.index("LeftLeg")].offset)
        for c in (steps.tall.character, steps.own["walk"].character)
    ]
    assert legs[1] == pytest.approx(module.SHORT * legs[0])
    assert steps.own["run"].frames == steps.own["walk"].frames == steps.tall.frames


@pytest.mark.parametrize("name", ["walk", "run"])
def test_it_steps_where_the_tall_one_does(module, steps, name):
    result = steps.results[name]
    assert module.planted(result.clip, steps.plants).max() < 1.5e-3
    assert module.planted(steps.own[name], steps.plants).max() > 0.3
    assert result.report.details["manner"]["slide"][1] < 5e-3


@pytest.mark.parametrize("name", ["walk", "run"])
def test_torso_and_ankles_follow(module, steps, name):
    clip = steps.results[name].clip
    hips = [module.path(c, "Hips")[:, 0] for c in (clip, steps.tall)]
    assert np.abs(hips[0] - hips[1]).max() < 0.01
    for side in ("Left", "Right"):
        ours, theirs = (module.path(c, f"{side}Foot") for c in (clip, steps.tall))
        assert np.abs((ours - theirs)[:, :2]).max() < 0.04


@pytest.mark.parametrize("name", ["walk", "run"])
def test_joints_and_floor_hold(module, steps, name):
    clip = steps.results[name].clip
    character = clip.character
    for i, body in enumerate(character.bodies):
        if body.joint.limited and i:
            own = clip.q[:, character.coordinates(i)]
            value = so3.log(own) if body.joint.kind is JointKind.BALL else own
            assert (value < character.upper[character.dofs(i)] + 0.01).all(), body.name
            assert (value > character.lower[character.dofs(i)] - 0.01).all(), body.name
    for part in ("Heel", "Ball", "Toe"):
        assert min(module.path(clip, f"{s}{part}")[:, 2].min() for s in ("Left", "Right")) > -2e-3


def test_a_run_stays_a_run_above_the_legs(steps):
    """Both step alike; arms and trunk keep the manner of the motion they came from."""
    for name, result in steps.results.items():
        character = result.clip.character
        above = [b.name for b in character.bodies if b.limb in ("arm", "hand", "head")]
        dofs = np.concatenate([np.arange(character.nv)[character.dofs(n)] for n in above])
        far = {
            other: np.abs(character.manifold.minus(result.clip.q, steps.own[other].q)[:, dofs]).mean()
            for other in steps.own
        }
        assert far[name] < 0.5 * min(v for other, v in far.items() if other != name)
