"""A motion on the ground while what is below it is dragged: near to carried, quickly, and only there."""

from __future__ import annotations

import numpy as np
import pytest
from second_engine import uncarried

import poise
from poise import clips
from poise.character.labels import roles
from poise.methods.ground.grounding import grounded
from poise.methods.ground.window import BESIDE, followed
from poise.operations.ground import Ground

ASKED = Ground()


@pytest.fixture(scope="module")
def punch():
    return grounded(clips.get("punch"), ASKED)


def bent(clip, time, size, role="spine"):
    """A trunk that is bent about a time [rad]."""
    wave = size * np.exp(-0.5 * ((clip.times - time) / 0.1) ** 2)
    d = np.zeros((clip.frames, clip.character.nv))
    d[:, clip.character.dofs(roles(clip.character)[role])] = np.where(wave > 1e-3, wave, 0.0)[:, None]
    d[:, clip.character.dofs(roles(clip.character)[role])] *= [0.3, 0.6, 0.3]
    return clip.with_q(clip.character.manifold.plus(clip.q, d)), np.abs(d).max(axis=1) > 0


def riding(known, below):
    """What it would be if the change only rode along."""
    manifold = below.character.manifold
    return manifold.plus(below.q, manifold.minus(known.clip.q, known.stage.clip.q))


@pytest.mark.parametrize("time", [0.7, 1.3])
def test_a_drag_is_carried_again_by_the_contacts_that_were_found(punch, time):
    below, _ = bent(punch.stage.clip, time, 0.5)
    near = followed(ASKED, punch, below)
    ridden, now = (uncarried(below, q, punch.support).mean() for q in (riding(punch, below), near.q))
    assert ridden > 0.1
    assert now < 0.3 * ridden


def test_what_is_far_from_a_drag_rides_along(punch):
    below, moved = bent(punch.stage.clip, 0.4, 0.5)
    near, far = followed(ASKED, punch, below), np.flatnonzero(moved)[-1] * below.dt + BESIDE
    there = below.times > far + below.dt
    assert there.any()
    assert np.array_equal(near.q[there], riding(punch, below)[there])
    steps = np.abs(np.diff(near.q - riding(punch, below), axis=0)).max(axis=1)
    assert steps[below.times[1:] > far - 0.1].max() < 2e-3, "no seam where the window ends"


def test_nothing_dragged_is_nothing_changed(punch):
    manifold = punch.clip.character.manifold
    same = followed(ASKED, punch, punch.stage.clip)
    assert np.abs(manifold.minus(same.q, punch.clip.q)).max() < 1e-12


def test_a_hand_that_is_lifted_off_what_carries_it_carries_no_more(punch):
    """A whole body that is dragged up by 20 cm: nothing pushes through the air, nothing is thrown about."""
    clip = punch.stage.clip
    q = np.array(clip.q)
    q[:, 2] += 0.2
    near = followed(ASKED, punch, clip.with_q(q))
    way = np.linalg.norm(
        near.character.placement(near.q).positions
        - near.character.placement(riding(punch, clip.with_q(q))).positions,
        axis=2,
    )
    assert np.isfinite(near.q).all()
    assert way.max() < 0.3


def test_what_takes_a_whole_solve_is_told(punch):
    loop = poise.ground(clips.get("walk"))
    assert followed(ASKED, loop, clips.get("walk")) is None
    assert followed(ASKED, punch, punch.clip.with_q(punch.clip.q[:-1])) is None
