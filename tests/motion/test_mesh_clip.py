"""Mesh clips: frames as they are, between frames, as few shapes, as clips."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from poise.character.presets import humanoid
from poise.errors import InputError
from poise.kinematics import baked_skin
from poise.motion import Clip, MeshClip


def waving(rng, frames: int = 12, rank: int = 3, **more) -> MeshClip:
    """A patch of 5 × 4 vertices whose frames are mixtures of ``rank`` random shapes."""
    x, y = np.meshgrid(np.arange(5.0), np.arange(4.0), indexing="ij")
    rest = np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3)
    k = (4 * np.arange(4)[:, None] + np.arange(3)).ravel()
    faces = np.concatenate([np.stack([k, k + 4, k + 5], 1), np.stack([k, k + 5, k + 1], 1)])
    shapes = rng.normal(size=(rank, 20, 3)) * 0.1 ** np.arange(rank)[:, None, None]
    weights = rng.normal(size=(frames, rank))
    weights[0] = 0.0
    return MeshClip(rest + np.einsum("fr,rvi->fvi", weights, shapes), faces, Fraction(25), **more)


@pytest.mark.parametrize("looped", [False, True])
def test_between_frames_it_is_linear(rng, looped):
    mesh = waving(rng, loop=looped)
    np.testing.assert_array_equal(mesh.at(mesh.times), mesh.vertices)
    np.testing.assert_allclose(
        mesh.at(2.25 / 25), 0.75 * mesh.vertices[2] + 0.25 * mesh.vertices[3], atol=1e-14
    )
    after = 0.5 * (mesh.vertices[-1] + mesh.vertices[0]) if looped else mesh.vertices[-1]
    np.testing.assert_allclose(mesh.at(11.5 / 25), after, atol=1e-13)
    before = mesh.at(12 / 25 * 3 - 1.0) if looped else mesh.vertices[0]
    np.testing.assert_allclose(mesh.at(-1.0), before, atol=1e-9)
    assert mesh.duration == (12 if looped else 11) / 25


def test_few_shapes_are_found_and_their_error_is_true(rng):
    mesh = waving(rng)
    shapes = mesh.shapes(1e-9)
    assert len(shapes.deltas) == 3
    again = shapes.rest + np.einsum("fr,rvi->fvi", shapes.weights, shapes.deltas)
    np.testing.assert_allclose(again, mesh.vertices, atol=1e-9)
    rough = mesh.shapes(1.0)
    assert len(rough.deltas) < 3
    again = rough.rest + np.einsum("fr,rvi->fvi", rough.weights, rough.deltas)
    off = np.linalg.norm(again - mesh.vertices, axis=2).max()
    assert off <= 1.0
    assert off == pytest.approx(rough.error, abs=1e-12)
    assert np.abs(shapes.weights).max() <= 1 + 1e-12
    exact = mesh.shapes(0.0)
    assert len(exact.deltas) == 11
    assert exact.error == 0.0
    assert len(mesh.with_vertices(mesh.vertices[:1].repeat(4, axis=0)).shapes(0.0).deltas) == 0


def test_as_a_clip_and_back(rng):
    mesh = waving(rng, loop=True, name="patch", colours=(0.2, 0.3, 0.4))
    clip = mesh.as_clip(0.0)
    assert (clip.loop, clip.rate, clip.name) == (True, Fraction(25), "patch")
    back = baked_skin(clip)
    np.testing.assert_allclose(back.vertices, mesh.vertices, atol=1e-13)
    np.testing.assert_array_equal(back.faces, mesh.faces)
    assert clip.character.skin.extras["colours"].shape == (24, 4)


def test_what_is_no_mesh_is_refused(rng):
    mesh = waving(rng)
    assert not mesh.vertices.flags.writeable
    for bad, why in (
        ({"vertices": np.zeros((0, 20, 3))}, "a frame and a vertex"),
        ({"vertices": np.zeros((20, 3))}, "shape"),
        ({"vertices": np.full((2, 20, 3), np.nan)}, "finite"),
        ({"faces": [[0, 1, 20]]}, "no number 20"),
        ({"rate": 0}, "frame rate"),
        ({"colours": np.zeros((3, 4))}, "colours"),
        ({"texcoords": np.zeros((3, 2))}, "texcoords"),
    ):
        fields = {"vertices": mesh.vertices, "faces": mesh.faces, "rate": 25} | bad
        with pytest.raises(InputError, match=why):
            MeshClip(**fields)
    with pytest.raises(InputError, match="tolerance"):
        mesh.shapes(-1.0)
    character = humanoid()
    bare = Clip(character, character.rest_pose()[None], 30)
    with pytest.raises(InputError, match="no skin"):
        baked_skin(bare)
