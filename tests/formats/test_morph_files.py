"""Morph weights in files: glTF and Poise's own keep them, through edits too; others leave them out."""

from __future__ import annotations

import numpy as np
import pytest
from gltf_oracle import Oracle

from poise.character import Character, JointKind, MorphTarget, Skin
from poise.cli.info import describe
from poise.errors import FileFormatError
from poise.formats import gltf, load, save
from poise.motion import Clip, Travel
from poise.motion.operators import resample, reverse, speed, trim
from random_trees import random_character, random_state

STRESS, ROBOT = "khronos_gltf/MorphStressTest.glb", "threejs/RobotExpressive.glb"


def face(rng: np.random.Generator, frames: int = 8, **more) -> Clip:
    """A chain of balls in a random skin, with three morph targets; the last one never moves."""
    plain = random_character(rng, 4, kinds=[JointKind.BALL])
    targets = [MorphTarget(n, [k, k + 3], rng.normal(size=(2, 3))) for k, n in enumerate(("a", "b", "c"))]
    bodies = rng.integers(0, 4, size=(9, 2))
    skin = Skin(
        rng.normal(size=(9, 3)),
        np.arange(9).reshape(3, 3),
        bodies,
        rng.uniform(0.1, 1, size=(9, 2)),
        np.tile(np.eye(4), (4, 1, 1)),
        tuple(targets),
    )
    character = Character("face", plain.bodies, skin=skin)
    q, _, _ = random_state(rng, character, frames, spread=0.3)
    morphs = rng.uniform(-0.5, 1.5, size=(frames, 3))
    morphs[:, 2] = 0.25
    return Clip(character, q, 24, morphs=morphs, **more)


def single(values) -> np.ndarray:
    """As single precision keeps them."""
    return np.asarray(values).astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("looped", [False, True])
@pytest.mark.parametrize("suffix", [".glb", ".gltf", ".npz"])
def test_round_trips(tmp_path, rng, suffix, looped):
    travel = Travel((1.0, 0.0, 0.0), 0.2) if looped else None
    clip = face(rng, loop=looped, travel=travel)
    again = load(save(clip, tmp_path / f"face{suffix}"))
    assert again.loop == looped
    assert again.morph_names == ("a", "b", "c")
    kept = clip.morphs if suffix == ".npz" else single(clip.morphs)
    np.testing.assert_array_equal(again.morphs, kept)
    # And once more, through the other kind of file.
    other = load(save(again, tmp_path / ("b.glb" if suffix == ".npz" else "b.npz")))
    np.testing.assert_array_equal(other.morphs, single(clip.morphs))


@pytest.mark.parametrize(
    "change",
    [
        lambda c: trim(c, frames=(2, 6)),
        reverse,
        lambda c: speed(c, 0.5),
        lambda c: resample(c, 60),
        lambda c: c.replaced(morphs=0.5 * c.morphs),
        lambda c: c.replaced(morphs=np.tile([0.5, 0.0, 1.0], (c.frames, 1))),
        lambda c: c.replaced(morphs=None),
    ],
    ids=["trim", "reverse", "speed", "resample", "edited", "constant", "at rest"],
)
def test_what_was_read_and_changed_is_what_is_written(tmp_path, rng, change):
    clip = change(load(save(face(rng), tmp_path / "face.glb")))
    for name in ("changed.glb", "changed.npz"):
        np.testing.assert_allclose(load(save(clip, tmp_path / name)).morphs, clip.morphs, atol=1e-7)
    save(clip, tmp_path / "fresh.glb", fresh=True)
    np.testing.assert_allclose(load(tmp_path / "fresh.glb").morphs, clip.morphs, atol=1e-7)
    animation = Oracle(tmp_path / "fresh.glb").animation(None)
    tracks = [c for c in animation.channels if c.target.path == "weights"]
    assert len(tracks) == int((clip.morphs != clip.morphs[0]).any())  # constant ones need no track


def test_a_loop_whose_weights_no_longer_close_is_read_as_a_plain_clip(tmp_path, rng):
    clip = face(rng, loop=True)
    closing = np.concatenate([clip.q, clip.q[:1]])
    content, binary = gltf.writer.build_document(clip)
    plain = clip.replaced(q=closing, morphs=np.concatenate([clip.morphs, clip.morphs[:1] + 0.5]), loop=False)
    moved, binary = gltf.writer.build_document(plain)
    moved["animations"][0]["extras"] = content["animations"][0]["extras"]  # still says it is a loop
    from poise.formats.gltf.container import glb_bytes

    (tmp_path / "torn.glb").write_bytes(glb_bytes(moved, binary))
    again = load(tmp_path / "torn.glb")
    assert not again.loop
    assert again.frames == 9


def test_formats_without_skins_leave_them_out(tmp_path, rng):
    clip = face(rng)
    again = load(save(clip, tmp_path / "face.bvh"))
    assert again.morphs is None
    assert again.frames == clip.frames
    gltf.save(clip, tmp_path / "bones.glb", mesh=False)
    assert load(tmp_path / "bones.glb").morphs is None


def test_older_archives_and_damaged_weights(tmp_path, rng):
    path = save(face(rng), tmp_path / "face.npz")
    with np.load(path) as archive:
        arrays = {n: archive[n] for n in archive.files}
    weights = arrays.pop("morphs")
    np.savez(path, **arrays)
    np.testing.assert_array_equal(load(path).morphs, np.zeros((8, 3)))  # none stored: at rest
    for bad in (weights[:5], weights[:, :2], np.full((8, 3), np.inf)):
        np.savez(path, **arrays, morphs=bad)
        with pytest.raises(FileFormatError, match="morphs"):
            load(path)


def test_info_names_the_tracks(rng, capsys):
    from poise.cli.info import _print

    clip = face(rng)
    facts = describe(clip, "face", bodies=False)
    assert facts["morph_tracks"] == ["a", "b"]
    _print(facts)
    assert "3 morph targets, 2 animated" in capsys.readouterr().out
    still = describe(clip.replaced(morphs=None), "face", bodies=False)
    assert still["morph_tracks"] == []
    _print(still)
    assert "3 morph targets, none animated" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["Individuals", "TheWave", "Pulse"])
def test_a_real_file_of_nothing_but_morphs(shared_data, tmp_path, name):
    clip = gltf.load(shared_data / STRESS, animation=name)
    assert np.ptp(clip.morphs, axis=0).min() > 0.9
    part = reverse(trim(clip, frames=(7, 40)))
    np.testing.assert_array_equal(part.morphs, clip.morphs[40:6:-1])
    for file, options in (("part.glb", {"animation": name}), ("part.npz", {})):
        again = load(save(part, tmp_path / file), **options)
        np.testing.assert_array_equal(again.morphs, part.morphs)
    assert describe(clip, name, bodies=False)["morph_tracks"] == list(clip.morph_names)


def test_a_real_character_with_an_expression_of_its_own(shared_data, tmp_path):
    clip = gltf.load(shared_data / ROBOT, animation="Wave")
    assert clip.morph_names == ("Angry", "Surprised", "Sad")
    np.testing.assert_array_equal(clip.morphs, 0.0)
    phase = 2 * np.pi * clip.times[:, None] + [0.0, 1.0, 2.0]
    acted = clip.replaced(morphs=0.5 + 0.5 * np.sin(phase))
    slow = speed(acted, 0.5)
    np.testing.assert_allclose(slow.morphs[::2], acted.morphs, atol=1e-12)
    for file, options in (("slow.glb", {"animation": "Wave"}), ("slow.npz", {})):
        again = load(save(slow, tmp_path / file), **options)
        np.testing.assert_allclose(again.morphs, slow.morphs, atol=1e-7)
        assert again.frames == slow.frames
