"""Fig. 1 and Section 5.3: two faces on springs with shape matching, IKD on their shapes, check-points."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

from poise.kinematics import baked_skin

PART = 1e-4
"""Of the face's size: what counts as met."""


@pytest.fixture(scope="module")
def smile():
    return example("55_faces").smiling()


@pytest.fixture(scope="module")
def speech():
    return example("55_faces").speaking()


def test_loose_faces_miss_their_marks(smile, speech):
    assert smile.off(smile.loose, smile.targets[0]) > 3e-3
    assert smile.off(smile.loose, smile.targets[1]) > 7e-3
    assert max(speech.off(speech.loose, t) for t in speech.targets) > 12e-3


def test_smile_and_tilt_are_hit(smile):
    """The whole face at the height of the smile; the mouth, at rest, where the tilt ends."""
    assert smile.result.report.met
    for target in smile.targets[:2]:
        assert smile.off(smile.result.mesh, target) < PART * smile.face.rig.size
    assert smile.result.report.outcomes[2].unit == "m/s"
    assert all(o.error < 1e-6 for o in smile.result.report.outcomes)


def test_loose_lips_do_not_meet_and_corrected_ones_do(speech):
    shut = [round(t * speech.clip.fps) for t in example("55_faces").SHUT]
    assert speech.gap(speech.animated)[shut].max() < 1e-9
    assert speech.gap(speech.loose)[shut].max() > 3e-3
    assert speech.gap(speech.result.mesh)[shut].max() < 1e-7
    assert speech.result.report.met


def test_everything_else_jiggles_on(speech):
    """At a check-point the lips are the animation's; the chin below is as loose as before."""
    scene = example("55_faces")
    k = round(scene.SHUT[3] * speech.clip.fps)
    rest = np.asarray(speech.face.rig.skin.vertices)
    chin = int(np.argmin(np.linalg.norm(rest - [0.093, 0.0, 0.083], axis=1)))
    off = [
        float(np.linalg.norm(mesh.vertices[k, chin] - speech.animated.vertices[k, chin]))
        for mesh in (speech.loose, speech.result.mesh)
    ]
    assert off[0] > 5e-3
    assert off[1] > 0.35 * off[0]
    # Away from the check-points the mouth is loose too.
    free = round(1.12 * speech.clip.fps)
    among = speech.targets[0].vertices(speech.face)
    moved = np.linalg.norm(speech.result.mesh.vertices - speech.animated.vertices, axis=2)[free, among]
    assert moved.max() > 4e-3


def test_the_corrected_animation_gives_the_same_when_it_is_loosened(smile):
    """What is hit is the loosened version of a morph animation that can be exported."""
    np.testing.assert_allclose(
        baked_skin(smile.result.kinematic).vertices, smile.result.face.kinematic(smile.clip.times), atol=1e-12
    )
