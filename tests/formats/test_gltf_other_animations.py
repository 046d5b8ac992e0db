"""Animations of a glTF file that a clip is not: still there when it is written, key for key."""

from __future__ import annotations

import numpy as np
import pytest
from gltf_oracle import Maker, Oracle

from poise import formats
from poise.formats import gltf
from poise.motion import operators as op


def turns(rng, count):
    q = rng.normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


@pytest.fixture
def maker(rng) -> Maker:
    """Static scaled nodes above the root, all interpolations, keys at odd times."""
    made = Maker()
    made.content["nodes"] = [
        {"name": "stage", "scale": [2, 2, 2], "translation": [1, 2, 3], "rotation": [0, 0.6, 0, 0.8]},
        {"name": "hips", "translation": [0, 1, 0], "scale": [0.5, 0.5, 0.5]},
        {"name": "arm", "translation": [1, 0.5, 0]},
        {"name": "hand", "translation": [1, 0, 0]},
    ]
    for i in range(3):
        made.content["nodes"][i]["children"] = [i + 1]
    made.content["scenes"] = [{"nodes": [0]}]
    even, odd = np.arange(5) / 30, np.array([0.1, 0.17, 0.5, 0.93])
    made.animate("first", *((n, "rotation", even, turns(rng, 5), "LINEAR") for n in (1, 2, 3)))
    made.animate(
        "second",
        (1, "translation", odd, rng.normal(size=(4, 3)), "LINEAR"),
        (1, "rotation", odd, turns(rng, 4), "LINEAR"),
        (2, "rotation", odd, turns(rng, 4), "STEP"),
        (3, "scale", odd, rng.uniform(0.5, 2, size=(4, 3)), "LINEAR"),
    )
    spline = rng.normal(size=(12, 3))
    made.animate(
        "third",
        (1, "translation", odd, spline, "CUBICSPLINE"),
        (2, "rotation", odd, rng.normal(size=(12, 4)), "CUBICSPLINE"),
    )
    return made


def test_every_key_keeps_time_interpolation_and_place(maker, tmp_path):
    old = maker.write(tmp_path / "old.gltf")
    new = gltf.load(old).save(tmp_path / "new.glb")
    assert gltf.animation_names(new) == ("first", "second", "third")
    before, after = Oracle(old), Oracle(new)
    names = {n.name: i for i, n in enumerate(after.gltf.nodes)}
    for name in ("first", "second"):
        for time in (0.0, 0.05, 0.1, 0.13, 0.3, 0.7, 2.0):
            a, b = (o.world(o.animation(name), time) for o in (before, after))
            for i, node in enumerate(before.gltf.nodes):
                if node.name in names:
                    np.testing.assert_allclose(b[names[node.name]][:3, 3], a[i][:3, 3], atol=2e-6)
    for name in ("second", "third"):
        told = [
            [(c.target.path, s.interpolation, o.array(s.input).ravel().tolist())
             for c in o.animation(name).channels for s in [o.animation(name).samplers[c.sampler]]]
            for o in (before, after)
        ]  # fmt: skip
        assert sorted(told[0]) == sorted(told[1])


@pytest.mark.parametrize("name", ["second", "third"])
def test_they_read_as_the_original_does(maker, tmp_path, name):
    old = maker.write(tmp_path / "old.gltf")
    new = gltf.load(old).save(tmp_path / "new.glb")
    a, b = gltf.load(old, animation=name, fps=60), gltf.load(new, animation=name, fps=60)
    assert np.abs(a.character.manifold.minus(a.q, b.q)).max() < 1e-5
    assert (a.name, a.rate, a.frames) == (b.name, b.rate, b.frames)


def test_whichever_was_read_comes_first_and_is_the_edited_one(maker, tmp_path):
    old = maker.write(tmp_path / "old.gltf")
    cut = op.trim(gltf.load(old, animation="second"), 0.0, 0.2)
    new = cut.save(tmp_path / "new.glb")
    assert gltf.animation_names(new) == ("second", "first", "third")
    assert gltf.load(new).frames == cut.frames
    twice = gltf.load(new).save(tmp_path / "twice.glb")
    assert gltf.animation_names(twice) == ("second", "first", "third")


def test_another_skeleton_does_not_get_them_and_says_so(maker, tmp_path):
    clip = gltf.load(maker.write(tmp_path / "old.gltf"))
    assert formats.losses(clip, "x.glb") == ()
    bodies = [
        b.replaced(offset=np.asarray(b.offset) + (i == 2) * 0.1) for i, b in enumerate(clip.character.bodies)
    ]
    other = clip.replaced(character=clip.character.with_bodies(bodies))
    assert "second, third" in formats.losses(other, "x.glb")[0]
    assert gltf.animation_names(other.save(tmp_path / "new.glb")) == ("first",)
    assert "other animations" in formats.losses(clip, "x.npz")[0]


def test_real_files_keep_all(shared_data, tmp_path):
    for file, count in (("khronos_gltf/Fox.glb", 3), ("threejs/RobotExpressive.glb", 14)):
        old = shared_data / file
        new = gltf.load(old).save(tmp_path / "new.glb")
        names = gltf.animation_names(old)
        assert gltf.animation_names(new) == names
        assert len(names) == count
        for name in (names[1], names[-1]):
            a, b = gltf.load(old, animation=name, mass=False), gltf.load(new, animation=name, mass=False)
            assert a.rate == b.rate
            assert np.abs(a.character.manifold.minus(a.q, b.q)).max() < 1e-6
            if a.morphs is not None:
                np.testing.assert_allclose(b.morphs, a.morphs, atol=1e-7)
