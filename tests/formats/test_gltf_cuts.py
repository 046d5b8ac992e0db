"""What is cut out of a clip is cut out of its document's animation, though some of its joints hold still."""

from __future__ import annotations

import numpy as np
import pytest
from stage_glb import ANIMATIONS, stage, write_glb

import poise
from poise import formats
from poise.clips import faces
from poise.motion import operators as op

MOVING = [name for name in ANIMATIONS if name not in ("CameraTarget", "Blink", "Stand")]


@pytest.mark.parametrize("animation", MOVING)
@pytest.mark.parametrize("ends", [(0.0, 0.3), (0.1, 0.4), (0.2, 0.2)])
def test_a_cut_has_the_cut_s_frames(tmp_path, animation, ends):
    clip = formats.load(write_glb(stage(), tmp_path / "stage.glb"), animation=animation)
    cut = op.trim(clip, *ends)
    again = formats.load(cut.save(tmp_path / "cut.glb"), animation=animation)
    assert (again.frames, again.rate if cut.frames > 1 else None) == (
        cut.frames,
        cut.rate if cut.frames > 1 else None,
    )
    np.testing.assert_allclose(again.q, cut.q, atol=1e-5)


def test_a_still_of_a_face_is_still(tmp_path):
    face = poise.load(faces.get("smile").save(tmp_path / "smile.glb"))
    still = op.trim(face, 0.4, 0.4)
    again = poise.load(still.save(tmp_path / "still.glb"))
    assert again.frames == 1
    np.testing.assert_allclose(again.morphs, still.morphs, atol=1e-6)


@pytest.mark.parametrize("ends", [(0.2, 0.6), (0.0, 0.5)])
def test_a_cut_of_a_real_file(shared_data, tmp_path, ends):
    cut = op.trim(poise.load(shared_data / "khronos_gltf" / "Fox.glb"), *ends)
    again = poise.load(cut.save(tmp_path / "cut.glb"))
    assert again.frames == cut.frames
    np.testing.assert_allclose(again.q, cut.q, atol=1e-5)
