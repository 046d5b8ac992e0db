"""Baking: the preview to the bit, other rates and parts, the note beside it; what broken files are told."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from boxing import FIST, boxer

from poise import clips, formats
from poise.cli import main
from poise.errors import InputError, MissingDependencyError
from poise.project.clip_digest import clip_digest

BROKEN = Path(__file__).parent / "broken"
SAID = {
    "unknown_field": ["layer 0 ('take')", "no field named 'speed'", "available:", "clip"],
    "wrong_type": ["layer 1 ('loose')", "field 'window'", "a list"],
    "missing_asset": ["layer 0 ('take')", "clip 'p'", "nowhere/punch.bvh is missing"],
    "cycle": ["layer 0 ('a')", "field 'input'", "in a circle: a → b → a"],
    "future": ["field 'version'", "99 is from a later Poise", "update"],
    "no_version": ["field 'version'", "None"],
    "truncated": [":2: not a project of Poise's: broken JSON"],
    "no_layers": ["no layers yet"],
    "other": ["field 'poise'", "'tracks'"],
    "list": ["a project is a mapping"],
    "bad_constraint": ["layer 1 ('hit')", "entry 0 ('fist')", "field 'handle'", "RightHnad", "RightHand"],
    "not_a_number": ["NaN is not a number"],
    "bad_old": ["version 1 cannot be brought up to date", "'type'"],
    "empty": ["the file is empty"],
    "picture": ["not a project of Poise's"],
    "archive": ["a damaged or incomplete archive"],
}


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in arguments])
    out = capsys.readouterr()
    code = stop.value.code
    return (code if isinstance(code, int) else 0), out.out, out.err


@pytest.fixture
def path(tmp_path) -> Path:
    return boxer().save(tmp_path / "boxer.poise")


@pytest.mark.parametrize("name", sorted(SAID))
def test_broken_projects_end_with_status_2_and_one_line(capsys, tmp_path, name):
    code, out, err = run(capsys, "bake", BROKEN / f"{name}.poise", "-o", tmp_path / "x.bvh", "--strict")
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert f"{name}.poise" in err
    for word in SAID[name]:
        assert word in err, err
    assert not list(tmp_path.iterdir()), "nothing is written"


def test_every_broken_file_is_tried():
    assert {p.stem for p in BROKEN.glob("*.poise")} == set(SAID)


def test_bake_writes_the_preview_and_a_note(capsys, path):
    target = path.parent / "boxer.npz"
    code, out, _ = run(capsys, "bake", path, "-o", target)
    assert code == 0
    assert "fist: off by" in out
    project = boxer()
    preview = project.clip()
    baked = formats.load(target)
    assert np.array_equal(baked.q, preview.q), "the same bits"
    note = json.loads((path.parent / "boxer.npz.bake.json").read_text())
    assert note["output"]["sha256"] == sha256(target.read_bytes()).hexdigest()
    assert note["output"]["digest"] == clip_digest(preview)
    assert note["project"]["digest"] == project.document.digest
    assert note["clips"]["punch"]["digest"] == clip_digest(clips.get("punch"))
    assert [entry["name"] for entry in note["layers"]] == ["take", "feet", "loose", "hit"]
    assert note["reports"]["hit"]["met"]
    assert set(note["made_with"]) >= {"poise", "python", "numpy", "numba"}
    code, _, err = run(capsys, "bake", path, "-o", target)
    assert code == 2
    assert "--force" in err


def test_rate_range_layer_and_character(capsys, path):
    folder = path.parent
    target = folder / "part.glb"
    code, out, _ = run(
        capsys,
        "bake",
        path,
        "-o",
        target,
        "--fps",
        "24",
        "--from",
        "0.5",
        "--to",
        "1.5",
        "--layer",
        "loose",
        "--json",
    )
    assert code == 0
    note = json.loads(out)
    assert note["options"] == {"layer": "loose", "rate": "24", "range": [0.5, 1.5], "character": None}
    found = formats.load(target)
    assert found.frames == 25
    assert found.rate == 24
    expected = boxer().clip("loose").at(0.5 + np.arange(25) / 24)
    assert np.allclose(found.q[:, :3], expected[:, :3], atol=1e-6)
    assert run(capsys, "bake", path, "-o", folder / "b.bvh", "--from", "0.5", "--character", "biped180")[
        0
    ] in (
        0,
        1,
    )
    assert formats.load(folder / "b.bvh").character.nv > 100


def test_commands_from_a_file(capsys, path):
    script = path.parent / "edits.json"
    script.write_text(json.dumps([{"do": "set", "layer": "loose", "path": "tension", "value": "firm"}]))
    assert run(capsys, "bake", path, "-o", path.parent / "x.npz", "--commands", script)[0] == 0
    expected = boxer().set("loose", tension="firm").clip()
    assert np.array_equal(formats.load(path.parent / "x.npz").q, expected.q)
    script.write_text(json.dumps([{"do": "set", "layer": "loose", "path": "tenson", "value": "firm"}]))
    code, _, err = run(capsys, "bake", path, "-o", path.parent / "y.npz", "--commands", script)
    assert code == 2
    assert "edits.json" in err
    assert "did you mean 'tension'" in err


def test_a_miss_is_status_1(capsys, tmp_path):
    far = boxer().set("hit", constraints=[{**FIST, "target": {"value": [3.0, 0.0, 1.0]}}])
    path = far.save(tmp_path / "far.poise")
    code, out, _ = run(capsys, "bake", path, "-o", tmp_path / "far.bvh")
    assert code == 1
    assert "out of reach" in out
    assert (tmp_path / "far.bvh").exists()


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["out.max"], "Poise writes"),
        (["out.bvh", "--from", "5", "--to", "6"], "cannot trim"),
        (["out.bvh", "--layer", "hut"], "did you mean 'hit'"),
        (["out.bvh", "--character", "nobody"], "'nobody'"),
        (["out.bvh", "--fps", "fast"], "frame rate"),
    ],
)
def test_bad_options(capsys, path, options, word):
    code, _, err = run(capsys, "bake", path, "-o", path.parent / options[0], *options[1:])
    assert code == 2
    assert word in err
    assert not (path.parent / "out.bvh").exists()


def test_unsaved_edits_are_mentioned_and_baked_when_asked(capsys, path):
    from poise import project as projects

    writer = projects.open(path, writing=True)
    writer.set("loose", tension="tense")
    writer.close()
    target = path.parent / "x.npz"
    code, _, err = run(capsys, "bake", path, "-o", target)
    assert code == 0
    assert "1 edit not saved; --recover" in err
    assert run(capsys, "bake", path, "-o", target, "--force", "--recover")[0] == 0
    assert np.array_equal(formats.load(target).q, writer.clip().q)


def test_other_verbs_take_a_project_for_its_result(capsys, path):
    target = path.parent / "x.npz"
    assert run(capsys, "convert", path, "-o", target)[0] == 0
    assert np.array_equal(formats.load(target).q, boxer().clip().q)
    code, _, err = run(capsys, "info", path, "--read", "up=z")
    assert code == 2
    assert "does not apply" in err


def test_bake_in_memory(tmp_path):
    baked = boxer().bake(rate=30)
    assert baked.met
    assert baked.clip.rate == 30
    assert baked.written == ()
    with pytest.raises(InputError, match=r"x\.max: no format has"):
        boxer().bake(tmp_path / "x.max")


def test_usd_where_its_library_is_present(tmp_path, monkeypatch):
    project = boxer(hits=False)
    with monkeypatch.context() as absent:
        absent.setattr("poise.formats.registry.find_spec", lambda name: None)
        with pytest.raises(MissingDependencyError, match=r"poise\[usd\]"):
            project.bake(tmp_path / "x.usdc")
    assert not project.evaluator.computed, "told before the work"
    usd = pytest.importorskip("pxr.Usd", reason="needs usd-core")
    baked = project.bake(tmp_path / "x.usdc", rate=30)
    stage = usd.Stage.Open(str(tmp_path / "x.usdc"))
    assert stage.GetTimeCodesPerSecond() == 30
    assert stage.GetEndTimeCode() == baked.clip.frames - 1
    assert baked.written[1].name == "x.usdc.bake.json"


def test_a_bake_is_no_stream(capsys, path):
    code, out, err = run(capsys, "bake", path, "-o", "-")
    assert code == 2
    assert not out
    assert "needs a file name" in err
