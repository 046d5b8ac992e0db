"""The sculpted face: a sound mesh, expressions that do what they say, performances that can be saved."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.clips import faces
from poise.clips.faces.sculpture import CORNER, EYE, EYE_RADIUS, MOUTH, PARTS, head
from poise.errors import UnknownNameError
from poise.kinematics import baked_skin

LIFT = np.array([0.0, 0.0, 0.175])


def shaped(**weights: float) -> np.ndarray:
    """The head with expressions, whose names begin so."""
    skin = faces.bust().skin
    amounts = [next((w for n, w in weights.items() if m.name.startswith(n)), 0.0) for m in skin.morphs]
    return skin.shape(amounts) - LIFT


def test_it_is_a_head():
    skin = faces.bust().skin
    assert 3000 < len(skin.vertices) < 6000
    assert len(skin.morphs) == 21
    assert np.isfinite(skin.vertices).all()
    np.testing.assert_allclose(np.ptp(skin.vertices, axis=0), [0.21, 0.17, 0.30], atol=0.02)
    v = head().vertices
    mirrored = v * [1, -1, 1]
    gap = np.abs(mirrored[:, None, :] - v[None, ::7]).sum(axis=2).min(axis=0)
    assert gap.max() < 1e-9  # left and right alike


def test_triangles_face_outwards():
    found = head()
    skin = found.part[found.faces[:, 0]] == PARTS.index("skin")
    a, b, c = np.moveaxis(found.vertices[found.faces[skin]], 1, 0)
    normal, middle = np.cross(b - a, c - a), (a + b + c) / 3 - [0, 0, -0.01]
    outside = np.einsum("ti,ti->t", normal, middle * [1, 1, 0.2]) > 0
    assert outside.mean() > 0.98  # but for the rims of lips


def test_lips_are_closed_at_rest_and_open_with_the_jaw():
    v = head().vertices
    on_slit = (np.abs(v[:, 2] - MOUTH) < 1e-9) & (v[:, 0] > 0.08)
    middle = np.flatnonzero(on_slit & (np.abs(v[:, 1]) < 1e-3))
    assert len(middle) == 2
    upper, lower = middle.min(), middle.max()
    np.testing.assert_array_equal(v[upper], v[lower])
    opened = shaped(jawOpen=1.0)
    assert opened[upper, 2] - opened[lower, 2] > 0.015
    smile = shaped(mouthSmile=1.0)
    corner = int(np.argmin(np.linalg.norm(v - [0.08, CORNER, MOUTH], axis=1)))
    assert smile[corner, 2] > v[corner, 2] + 0.008
    assert smile[corner, 1] > v[corner, 1] + 0.006


@pytest.mark.parametrize("amount", [0.0, 0.5, 1.0])
def test_lids_never_cut_into_the_eye(amount):
    lids = head().part == PARTS.index("lid")
    shut = shaped(eyeBlink=amount)[lids]
    centre = EYE * np.where(shut[:, 1:2] > 0, [1, 1, 1], [1, -1, 1])
    distance = np.linalg.norm(shut - centre, axis=1)
    assert distance.min() > 0.94 * EYE_RADIUS
    if amount == 1.0:
        front = shut[(shut[:, 0] > EYE[0] + 0.008)]
        assert front[:, 2].min() < EYE[2] - 0.004


@pytest.mark.parametrize("name", faces.names())
def test_performances(name, tmp_path):
    clip = faces.get(name)
    assert clip.morphs.min() >= 0.0
    assert clip.morphs.max() <= 1.0
    again = poise.load(clip.save(tmp_path / f"{name}.glb"))
    np.testing.assert_allclose(baked_skin(again).vertices, baked_skin(clip).vertices, atol=2e-6)
    assert again.character.skin.extras["gltf"].pieces[0].colours is not None
    with pytest.raises(UnknownNameError, match="smile"):
        faces.get("smil")
