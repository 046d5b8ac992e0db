"""``poise wear``: a soft mesh on a bone, from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import run

import poise
from poise import clips, load
from poise.kinematics import baked_skin
from poise.methods.loosen.wear.worn import QUICK_REACH


def test_a_clip_that_wears_the_bundled_hat(tmp_path, capsys):
    out = tmp_path / "hat.glb"
    code, text, _ = run(capsys, "wear", "punch", "-o", str(out), "--json")
    assert code == 0
    told = json.loads(text)["attachment"]
    assert told["vertices"] >= 2000
    assert told["elements"] >= 100
    assert 0.001 < told["largest_sway_m"] < 0.2
    assert len(load(out).morph_names) >= 10


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("x.bvh",), "cannot hold a mesh"),
        (("x.glb", "--to", "Hed"), "did you mean 'Head'"),
        (("x.glb", "--young", "-3"), "--young"),
        (("x.glb", "--offset", "1,2"), "X,Y,Z"),
        (("x.glb", "--poisson", "0.5"), "--poisson"),
        (("x.glb", "--mesh", "nowhere.glb"), "nowhere.glb"),
        (("x.glb", "--mesh", "walk"), "has no mesh"),
    ],
)
def test_mistakes_are_one_line_and_status_2(tmp_path, capsys, arguments, word):
    name, *options = arguments
    code, _, error = run(capsys, "wear", "punch", "-o", str(tmp_path / name), *options)
    assert code == 2
    assert word in error
    assert error.count("\n") == 1


def test_from_six_percent_on_the_large_model_is_recommended(tmp_path, capsys):
    code, text, _ = run(capsys, "wear", "punch", "-o", str(tmp_path / "hat.glb"))
    assert code == 0
    share = float(text.split("that is ")[1].split(" %")[0])
    assert 100 * QUICK_REACH < share < 12
    assert f"beyond {100 * QUICK_REACH:.0f} % use --large" in text


def test_a_loosened_clip_wears_a_mesh_from_a_file(tmp_path, capsys):
    """Two verbs, one after the other; the mesh is the one that Python gives."""
    shape = poise.wear(clips.get("punch")).worn.attachment.surface
    mesh = tmp_path / "cap.glb"
    poise.motion.MeshClip(shape.points[None], shape.faces, 30, name="cap").save(mesh)
    loose, out = tmp_path / "loose.npz", tmp_path / "cap.npz"
    assert run(capsys, "loosen", "punch", "-o", str(loose), "--tension", "firm", "--window", "0.3")[0] == 0
    made = ("--mesh", str(mesh), "--young", "30000", "--window", "0.5", "--modes", "4", "--cells", "60")
    code, text, _ = run(capsys, "wear", str(loose), "-o", str(out), *made)
    assert code == 0
    assert "cap on Head" in text
    firm = poise.loosen(clips.get("punch"), "firm", 0.3)
    same = poise.wear(firm, str(mesh), young=30000, window=0.5, modes=4, cells=60).worn.mesh
    worn = baked_skin(load(out)).vertices[:, -same.vertices.shape[1] :]
    np.testing.assert_allclose(worn, same.vertices, atol=1e-9)


def test_the_help_tells_units_and_defaults(capsys):
    _, text, _ = run(capsys, "wear", "--help")
    words = " ".join(text.replace("│", " ").split())
    for told in ("<Pa>", "Default: 20 kPa", "<kg/m³>", "Default: 100.", "Default: 0.06"):
        assert told in words, told
