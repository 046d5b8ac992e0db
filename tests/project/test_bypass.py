"""A layer that fails is passed by: named, left out, and nothing else is lost or mistaken for it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import poise
from poise import clips
from poise.cli import main
from poise.constraints import pin
from poise.errors import CancelledError, InputError
from poise.project import Project
from poise.project.bypass import Bypass, LayerError
from poise.project.layer import LAYERS

HAND = "RightHandCentre"
LATE = [pin(HAND, [0.5, 0.0, 1.2], 99.0, name="late")]
"""After the end of the clip: no such moment."""


def layered() -> Project:
    """A layer that fails between two that do not."""
    project = Project().add_clip("p", "punch").add("load", "take", clip="p")
    return project.add("adapt", "aim", constraints=LATE).add("loosen", "loose", window=0.2)


def torn(clip: str = "punch") -> Project:
    """A hat on somebody who is thrown far within a few frames: what it is made of does not hold."""
    take = clips.get(clip)
    q = np.array(take.q)
    q[:, 0] += np.interp(np.arange(take.frames), [30, 34], [0.0, 1e6])  # not a cut, where it would begin anew
    project = Project().add_clip("leap", take.with_q(q)).add("load", "take", clip="leap")
    return project.add("wear", "hat", large=True, modes=6, cells=60, window=0.1)


def test_a_layer_is_baked_whatever_those_above_it_lack(tmp_path):
    clips.get("wave").save(tmp_path / "wave.bvh")
    project = Project().add_clip("p", "punch").add_clip("other", tmp_path / "wave.bvh")
    project.add("load", "take", clip="p").add("retarget", "onto", onto="other")
    path = project.save(tmp_path / "x.poise")
    (tmp_path / "wave.bvh").unlink()
    project = poise.project.open(path)
    baked = project.bake(tmp_path / "x.npz", layer="take")
    assert baked.met
    assert np.array_equal(baked.clip.q, clips.get("punch").q)
    assert list(project.bake().failures) == ["onto"]


def test_the_rest_is_made_as_if_the_layer_were_muted(tmp_path):
    project = layered()
    baked = project.bake(tmp_path / "x.npz")
    assert list(baked.failures) == ["aim"]
    assert "99" in baked.failures["aim"]
    assert not baked.met
    without = layered().set("aim", muted=True)
    assert np.array_equal(baked.clip.q, without.bake().clip.q)
    note = json.loads((tmp_path / "x.npz.bake.json").read_text())
    layers = {each["name"]: each for each in note["layers"]}
    assert layers["aim"]["failed"] == baked.failures["aim"]
    assert [layers[n]["acts"] for n in ("take", "aim", "loose")] == [True, False, True]
    assert layers["loose"]["failed"] is None
    assert not project.document.layer("aim").muted, "the project is as it was"


def test_strict_stops_there_and_writes_nothing(tmp_path):
    with pytest.raises(LayerError, match=r"layer 1 \('aim'\).*99"):
        layered().bake(tmp_path / "x.npz", strict=True)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(LayerError, match=r"layer 1 \('aim'\)"):
        layered().made()


def test_nothing_made_without_a_layer_is_taken_for_something_made_with_it():
    project = layered()
    steps = project.evaluator.plan(project.document)
    project.bake()
    assert not any(key in project.evaluator.cache for step in steps[1:] for key in (step.key, step.mixed))


def test_a_layer_that_fails_once_is_made_the_next_time(monkeypatch):
    """The document is the same: only the machine had no memory for a moment."""
    project = Project().add_clip("p", "punch").add("load", "take", clip="p")
    project.add("adapt", "aim", constraints=[pin(HAND, [0.5, 0.0, 1.2], 0.5)])
    project.add("loosen", "loose", window=0.2)

    def full(self, at):
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(LAYERS["adapt"], "make", full)
        first = project.bake()
    assert first.failures == {"aim": "there is not enough memory for it"}
    second = project.bake()
    assert second.failures == {}
    assert np.array_equal(second.clip.q, Project(project.document).bake().clip.q)
    assert not np.array_equal(second.clip.q, first.clip.q)


def test_mistakes_of_ours_are_passed_by_too(monkeypatch):
    project = Project().add_clip("p", "punch").add("load", "take", clip="p")
    project.add("loosen", "loose", window=0.2).add("adapt", "aim", constraints=LATE)
    baked = project.bake()
    assert list(baked.failures) == ["aim"]
    assert np.array_equal(baked.clip.q, project.bake(layer="loose").clip.q)

    def broken(self, at):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(LAYERS["loosen"], "make", broken)
    baked = Project(project.document).bake()
    assert baked.failures["loose"] == "a bug in Poise: ZeroDivisionError: oh"
    assert sorted(baked.failures) == ["aim", "loose"]
    assert np.array_equal(baked.clip.q, clips.get("punch").q)


def test_a_clip_that_is_not_there_is_missed_until_it_is(tmp_path):
    clips.get("punch").save(tmp_path / "actor.npz")
    project = Project().add_clip("p", "walk").add("load", "take", clip="p")
    project.add_clip("actor", tmp_path / "actor.npz").add("retarget", "other", onto="actor")
    path = project.save(tmp_path / "x.poise")
    (tmp_path / "actor.npz").rename(tmp_path / "away.npz")
    baked = poise.project.open(path).bake(tmp_path / "x.bvh")
    assert "actor.npz is missing" in baked.failures["other"]
    assert np.array_equal(baked.clip.q, clips.get("walk").q)
    (tmp_path / "away.npz").rename(tmp_path / "actor.npz")
    assert poise.project.open(path).bake().failures == {}


def test_where_nothing_starts_a_motion_there_is_none(tmp_path):
    clips.get("punch").save(tmp_path / "p.npz")
    project = Project().add_clip("p", tmp_path / "p.npz").add("load", "take", clip="p")
    path = project.add("loosen", "loose").save(tmp_path / "x.poise")
    (tmp_path / "p.npz").unlink()
    with pytest.raises(InputError, match=r"layer 0 \('take'\).*missing"):
        poise.project.open(path).bake()


def test_what_is_worn_and_torn_apart_is_left_out_of_the_file(tmp_path):
    project = torn()
    baked = project.bake(tmp_path / "x.glb")
    assert "torn apart" in baked.failures["hat"]
    assert baked.clip.character.skin is None or not baked.clip.morphs
    assert (tmp_path / "x.glb").is_file()
    with pytest.raises(LayerError, match=r"layer 1 \('hat'\): .*torn apart"):
        project.bake(tmp_path / "y.glb", strict=True)
    assert not (tmp_path / "y.glb").exists()


def test_who_cancels_is_not_told_of_failures():
    project = layered().set("aim", muted=True)
    with pytest.raises(CancelledError):
        project.bake(cancel=lambda: True)


def test_progress_never_goes_back():
    parts = []
    Bypass(layered().evaluator, layered().document).made(progress=lambda name, part: parts.append(part))
    assert parts == sorted(parts)
    assert parts[-1] == 1.0


def test_the_verb_makes_the_rest_and_says_so(capsys, tmp_path: Path):
    path = layered().save(tmp_path / "x.poise")
    with pytest.raises(SystemExit) as status:
        main(["bake", str(path), "-o", str(tmp_path / "x.bvh")])
    assert status.value.code == 3
    said = capsys.readouterr()
    assert "layer 'aim' failed: " in said.err
    assert "mute it" in said.err
    assert "x.bvh" in said.out
    assert (tmp_path / "x.bvh").is_file()
    with pytest.raises(SystemExit) as status:
        main(["bake", str(path), "-o", str(tmp_path / "y.bvh"), "--strict"])
    assert status.value.code == 2
    assert "x.poise: layer 1 ('aim'): " in capsys.readouterr().err
    assert not (tmp_path / "y.bvh").exists()
