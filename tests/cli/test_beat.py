"""``poise beat``: arguments, exit statuses, files."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import poise
from poise.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, ["beat", *map(str, arguments)])


def test_a_bundled_script(tmp_path):
    out = tmp_path / "ymca.bvh"
    result = run("ymca", out, "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["met"]
    assert [o["name"] for o in report["outcomes"]] == ["Y", "M", "C", "A", "Rest"]
    assert all(a["error"] < 0.01 for a in report["details"]["arrivals"])
    assert poise.load(out).frames == 211
    assert run("ymca", out).exit_code == 2, "an existing file is not replaced"


def test_a_missed_key_is_status_one(tmp_path):
    result = run("ymca", tmp_path / "weak.bvh", "--limits", "*=400,* arm=8")
    assert result.exit_code == 1, result.output
    assert "N·m" in result.output
    assert (tmp_path / "weak.bvh").exists()


def test_blows_pushes_and_weights(tmp_path):
    result = run(
        "ymca", tmp_path / "a.glb", "--hit", "RightHandCentre@1.6=4,0,0", "--push", "Chest@0.2-0.4=30,0,0",
        "--load", "Chest@1.0=5,-0.15,0,0.1", "--style", "4.75", "--beats", "120",
    )  # fmt: skip
    assert result.exit_code == 0, result.output


def test_balls_are_thrown(tmp_path):
    pytest.importorskip("mujoco")
    result = run(
        "ymca", tmp_path / "a.glb", "--json", "--throw", "RightHandCentre@1.55=-4,0,0,0.8", "--throw",
        "LeftHandCentre@2.2=-4,0,0",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    touches = json.loads(result.stdout)["details"]["touches"]
    assert [t["thrown"] for t in touches] == ["ball", "ball 2"]
    assert [t["time"] for t in touches] == pytest.approx([1.55, 2.2], abs=0.05)


def test_a_clip_is_followed(tmp_path):
    result = run("wave", tmp_path / "w.bvh", "--hit", "RightHandCentre@0.5=2,0,0", "--duration", "1.2")
    assert result.exit_code == 0, result.output
    assert "back on the clip" in result.output


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--control", "best"], "no control named"),
        (["--style", "odd"], "no style named"),
        (["--hit", "RightHandCentre=1"], "a blow is written"),
        (["--push", "Chest@1=1,2,3"], "no time in seconds"),
        (["--load", "Chest@1=1,2"], "a weight is written"),
        (["--throw", "RightHandCentre@1=1,2"], "a throw is written"),
        (["--throw", "RightHandCentre@9=1,2,3"], "lasts from 0 to 3.5 s"),
        (["--throw", "Tail@1=1,2,3"], "Tail"),
        (["--limits", "arm"], "limits are written"),
        (["--beats", "often"], "beats are a tempo"),
        (["--root", "prescribed"], "needs a clip"),
    ],
)
def test_mistakes_are_one_line(tmp_path, more, said):
    result = run("ymca", tmp_path / "a.bvh", *more)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_film_with_sound(tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    film, heard = tmp_path / "a.mp4", tmp_path / "a.wav"
    result = run(
        "ymca",
        tmp_path / "a.bvh",
        "--film",
        film,
        "--sound",
        heard,
        "--duration",
        "0.3",
        "--tolerance",
        "180",
    )
    assert result.exit_code == 0, result.output
    assert heard.stat().st_size > 10_000
    data = film.read_bytes()
    assert b"soun" in data, "the film has a track of sound"
    assert b"vide" in data
