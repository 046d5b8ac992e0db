"""Soft things of a project, shaken."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import poise
from poise import clips
from poise.formats.gltf.dressed import wearing
from poise.methods.loosen.wear.sway import sway, sway_of
from poise.methods.loosen.wear.worn import QUICK_LIMIT, Worn


@lru_cache
def shaken(by: float) -> Worn:
    """A hat on somebody who is shaken back and forth five times a second by so much [m]."""
    still = clips.get("punch")
    q = np.tile(still.q[:1], (60, 1))
    q[:, 0] += by * np.sin(2 * np.pi * 5.0 * np.arange(60) / 60.0)
    project = poise.Project().add_clip("shaken", still.with_q(q).replaced(rate=60))
    project.add("load", "shaken", clip="shaken").add("wear", "hat", to="Head")
    [worn] = project.made().attached
    return worn


def share(worn: Worn, vertices: np.ndarray) -> float:
    return sway_of(worn.clip, worn.attachment).farthest(vertices) / worn.attachment.diameter


def test_a_hat_that_is_shaken_hard_keeps_its_size():
    worn = shaken(0.08)
    quick = sway(worn.clip, worn.attachment)
    assert share(worn, quick.vertices) > 2 * QUICK_LIMIT, "the quick model runs away"
    exact = sway(worn.clip, worn.attachment, large=True)
    assert np.array_equal(worn.mesh.vertices, exact.vertices)
    assert share(worn, exact.vertices) < 1.5


def test_a_hat_that_is_shaken_a_little_is_made_quickly():
    worn = shaken(0.004)
    assert np.array_equal(worn.mesh.vertices, sway(worn.clip, worn.attachment).vertices)


def test_files_have_the_hat_that_was_seen():
    worn = shaken(0.08)
    dressed = wearing(worn.clip, worn)
    skin, morphs = dressed.character.skin, dressed.morphs
    assert skin is not None
    assert morphs is not None
    bone = dressed.character.index("Head")
    own = (np.asarray(skin.bodies)[:, 0] == bone) & (np.asarray(skin.weights)[:, 0] == 1.0)
    frame = 40
    at, turns = dressed.character.placement(dressed.q[frame : frame + 1])
    drawn = skin.deformed(at[0], turns[0], morphs[frame])[own]
    seen = worn.mesh.vertices[frame]
    nearest = np.linalg.norm(seen[::40, None] - drawn[None], axis=2).min(axis=1)
    assert nearest.max() < 1e-3
