"""Animated scale moves the joints below it: judged by plain matrices down the node tree."""

from __future__ import annotations

import json

import numpy as np
import pytest
from gltf_made import about_x, chain, load
from gltf_oracle import Oracle, ours
from stage_glb import turns

from poise import formats
from poise.character import JointKind
from poise.formats import gltf
from poise.kinematics import forward
from poise.motion.operators import resample, reverse, trim

TIMES = np.arange(13) / 24


def swelling(scales, *, static=(1.0, 1.0, 1.0), rng=None):
    """A stage of scale 2, then n1 … n4 in a chain; n1 swells, and all turn."""
    made = chain(
        {"scale": [2, 2, 2], "translation": [1, 0, 0]},
        {"translation": [0, 1, 0]},
        {"translation": [0.1, 0.25, 0], "scale": list(static)},
        {"translation": [0, 0.2, 0.05]},
        {"translation": [0, 0.1, 0]},
    )
    made.content["skins"] = [{"joints": [1, 2, 3]}]
    rng = rng or np.random.default_rng(1)
    made.animate(
        "swell",
        *((n, "rotation", TIMES, turns(rng, 13), "LINEAR") for n in (1, 2, 3)),
        (1, "scale", TIMES, scales, "LINEAR"),
    )
    made.animate("plain", (2, "rotation", TIMES, turns(rng, 13), "LINEAR"))
    return made


UNIFORM = np.linspace(1, 1.05, 13)[:, None] * np.ones(3)
UNEVEN = np.stack([np.linspace(1, 1.4, 13), np.linspace(1, 0.7, 13), np.ones(13)], axis=1)


def assert_stands(path, clip, animation="swell"):
    oracle, where = Oracle(path), forward(clip.character, clip.q).positions
    for k in range(clip.frames):
        world = oracle.world(oracle.animation(animation), np.float32(k / float(clip.rate)))
        for i, name in enumerate(clip.character.names):
            found = ours(world[oracle.node(name)][:3, 3])
            np.testing.assert_allclose(found, where[k, i], atol=3e-6, err_msg=f"{name} at frame {k}")


@pytest.mark.parametrize("scales", [UNIFORM, UNEVEN], ids=["uniform", "uneven"])
@pytest.mark.parametrize("static", [(1.0, 1.0, 1.0), (1.5, 1.5, 1.5)], ids=["plain", "scaled"])
def test_joints_are_where_the_node_tree_has_them(tmp_path, scales, static):
    made = swelling(scales, static=static)
    clip = load(made, tmp_path)
    assert clip.name == "swell"
    assert_stands(tmp_path / "made.gltf", clip)
    kinds = [b.joint.kind for b in clip.character.bodies]
    assert kinds[:2] == [JointKind.FREE, JointKind.FREE]
    assert clip.character.manifold == load(made, tmp_path, animation="plain").character.manifold
    assert_stands(tmp_path / "made.gltf", load(made, tmp_path, animation="plain"), "plain")


def test_how_far_is_said_in_centimetres(tmp_path):
    clip = load(swelling(UNIFORM), tmp_path)
    path = tmp_path / "made.gltf"
    told = next(
        note for note in clip.source.notes if note.startswith("animated scale of n1 moves n3 by up to")
    )
    oracle = Oracle(path)
    content = json.loads(path.read_text())
    swell = content["animations"][0]
    swell["channels"] = [c for c in swell["channels"] if c["target"]["path"] != "scale"]
    (tmp_path / "still.gltf").write_text(json.dumps(content))
    still = Oracle(tmp_path / "still.gltf")
    far = max(
        np.linalg.norm(
            o.world(o.animation("swell"), t)[3][:3, 3] - p.world(p.animation("swell"), t)[3][:3, 3]
        )
        for t in TIMES.astype(np.float32)
        for o, p in [(oracle, still)]
    )
    assert f"{100 * far:.2g} cm" in told
    assert any("points on bodies cannot follow" in n and "n4" in n for n in clip.source.notes)
    assert not any("animated scale" in n for n in load(swelling(UNIFORM * 0 + 1), tmp_path).source.notes)


def test_an_edit_keeps_the_scale_and_stands(tmp_path, rng):
    for scales in (UNIFORM, UNEVEN):
        clip = load(swelling(scales), tmp_path)
        path = tmp_path / "made.gltf"
        assert clip.save(tmp_path / "same.gltf").read_bytes() == path.read_bytes()
        q = clip.character.manifold.plus(clip.q, 0.05 * rng.normal(size=(clip.frames, clip.character.nv)))
        edited = clip.with_q(q)
        assert_stands(edited.save(tmp_path / "edited.gltf"), edited)
        before, after = (Oracle(p) for p in (path, tmp_path / "edited.gltf"))
        for time in TIMES:
            sizes = [
                np.linalg.norm(o.locals(o.animation("swell"), time)[1][:3, :3], axis=0)
                for o in (before, after)
            ]
            np.testing.assert_allclose(*sizes, rtol=1e-6)
        assert formats.losses(edited, "x.glb") == ()


@pytest.mark.parametrize("change", [reverse, lambda c: resample(c, 60), lambda c: trim(c, 0, 0.25)])
def test_other_frames_go_without_the_scale_and_say_so(tmp_path, change):
    clip = change(load(swelling(UNIFORM), tmp_path))
    new = clip.save(tmp_path / "new.gltf")
    assert_stands(new, clip)
    assert any("animated scale of n1 was left out" in told for told in formats.losses(clip, new))
    first = Oracle(new).animation("swell")
    assert "scale" not in {c.target.path for c in first.channels}


def test_a_new_document_stands_too(tmp_path):
    clip = load(swelling(UNEVEN), tmp_path)
    assert_stands(clip.save(tmp_path / "new.glb", fresh=True), clip)


def test_what_a_scale_of_zero_hides_is_still_finite(tmp_path):
    scales = np.where(np.arange(13)[:, None] > 6, 0.0, 1.0) * np.ones(3)
    clip = load(swelling(scales), tmp_path)
    assert np.isfinite(clip.q).all()
    assert_stands(tmp_path / "made.gltf", clip)
    assert clip.save(tmp_path / "same.gltf").read_bytes() == (tmp_path / "made.gltf").read_bytes()


def test_a_scale_that_only_rounds_is_no_motion(tmp_path):
    noise = 1 + 1e-7 * np.random.default_rng(0).normal(size=(13, 3))
    clip = load(swelling(noise), tmp_path)
    assert all(b.joint.kind is JointKind.BALL for b in clip.character.bodies[1:])
    maker = chain({}, {"translation": [0, 1, 0]})
    maker.animate("a", (1, "rotation", [0, 1 / 30], about_x([0, 0.5]), "LINEAR"))
    assert gltf.load(maker.write(tmp_path / "x.gltf"), mass=False).frames == 2
