"""``poise loosen --attach``: a soft mesh on a bone, from the command line."""

from __future__ import annotations

import json
from dataclasses import fields
from inspect import signature
from typing import get_type_hints

import pytest

from poise import load
from poise.cli import attaching, main
from poise.cli.loosen import loosen
from poise.methods.loosen import attach
from poise.methods.loosen.wear import MAKING, QUICK_REACH, Making


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    out = capsys.readouterr()
    return int(stop.value.code or 0), out.out, out.err


def test_a_clip_that_wears_the_bundled_hat(tmp_path, capsys):
    out = tmp_path / "hat.glb"
    code, text, _ = run(capsys, "loosen", "punch", str(out), "--attach", "hat", "--tension", "none", "--json")
    assert code == 0
    told = json.loads(text)["attachment"]
    assert told["vertices"] >= 2000
    assert told["elements"] >= 100
    assert 0.001 < told["largest_sway_m"] < 0.2
    assert len(load(out).morph_names) >= 10


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("x.bvh", "--attach", "hat"), "cannot hold a mesh"),
        (("x.glb", "--attach", "hat", "--to", "Hed"), "did you mean 'Head'"),
        (("x.glb", "--young", "3"), "--attach"),
        (("x.glb", "--attach", "hat", "--offset", "1,2"), "X,Y,Z"),
        (("x.glb", "--attach", "hat", "--poisson", "0.5"), "Poisson"),
        (("x.glb", "--attach", "nowhere.glb"), "nowhere.glb"),
    ],
)
def test_mistakes_are_one_line_and_status_2(tmp_path, capsys, arguments, word):
    name, *options = arguments
    code, _, error = run(capsys, "loosen", "punch", str(tmp_path / name), *options)
    assert code == 2
    assert word in error
    assert error.count("\n") == 1


def test_from_six_percent_on_the_large_model_is_recommended(tmp_path, capsys):
    code, text, _ = run(
        capsys, "loosen", "punch", str(tmp_path / "hat.glb"), "--attach", "hat", "--tension", "none"
    )
    assert code == 0
    share = float(text.split("that is ")[1].split(" %")[0])
    assert 100 * QUICK_REACH < share < 12
    assert f"beyond {100 * QUICK_REACH:.0f} % use --large" in text


def test_the_help_tells_the_defaults():
    told = {"young": attaching.Young, "poisson": attaching.Poisson, "density": attaching.Density}
    for name, option in told.items():
        assert f"({getattr(MAKING, name):g})" in option.__metadata__[0].help
    ratio = get_type_hints(loosen, include_extras=True)["ratio"]
    assert f"({MAKING.damping:g})" in ratio.__metadata__[0].help
    assert Making(**{f.name: signature(attach).parameters[f.name].default for f in fields(Making)}) == MAKING
