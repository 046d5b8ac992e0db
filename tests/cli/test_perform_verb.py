"""``poise perform``: arguments, exit statuses, files."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import poise
from poise.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, ["perform", *map(str, arguments)])


def test_a_bundled_script(tmp_path):
    out = tmp_path / "ymca.bvh"
    result = run("ymca", "-o", out, "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["met"]
    assert [o["name"] for o in report["outcomes"]] == ["Y", "M", "C", "A", "Rest"]
    assert all(a["error"] < 0.01 for a in report["details"]["arrivals"])
    assert poise.load(out).frames == 211
    assert run("ymca", "-o", out).exit_code == 2, "an existing file is not replaced"


def test_a_missed_key_is_status_one(tmp_path):
    result = run("ymca", "-o", tmp_path / "weak.bvh", "--strength", "*=400,* arm=8")
    assert result.exit_code == 1, result.output
    assert "N·m" in result.output
    assert (tmp_path / "weak.bvh").exists()


def test_blows_pushes_and_weights(tmp_path):
    result = run(
        "ymca", "-o", tmp_path / "a.glb", "--disturb", "impulse RightHandCentre@1.6=4,0,0",
        "--disturb", "push Chest@0.2-0.4=30,0,0", "--disturb", "load Chest@1.0=5,-0.15,0,0.1",
        "--style", "4.75", "--beats", "120",
    )  # fmt: skip
    assert result.exit_code == 0, result.output


def test_balls_are_thrown(tmp_path):
    pytest.importorskip("mujoco")
    result = run(
        "ymca", "-o", tmp_path / "a.glb", "--json", "--disturb", "throw RightHandCentre@1.55=-4,0,0,0.8",
        "--disturb", "throw LeftHandCentre@2.2=-4,0,0",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    touches = json.loads(result.stdout)["details"]["touches"]
    assert [t["thrown"] for t in touches] == ["ball", "ball 2"]
    assert [t["time"] for t in touches] == pytest.approx([1.55, 2.2], abs=0.05)


def test_a_clip_is_followed(tmp_path):
    result = run(
        "wave",
        "-o",
        tmp_path / "w.bvh",
        "--disturb",
        "impulse RightHandCentre@0.5=2,0,0",
        "--duration",
        "1.2",
    )
    assert result.exit_code == 0, result.output
    assert "back on the clip" in result.output


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--control", "best"], "--control: 'best' is not valid"),
        (["--style", "odd"], "--style"),
        (["--disturb", "impulse RightHandCentre=1"], "a blow is written"),
        (["--disturb", "push Chest@1=1,2,3"], "not a time in seconds"),
        (["--disturb", "load Chest@1=1,2"], "a weight is written"),
        (["--disturb", "throw RightHandCentre@1=1,2"], "a throw is written"),
        (["--disturb", "throw RightHandCentre@9=1,2,3"], "lasts from 0 to 3.5 s"),
        (["--disturb", "throw Tail@1=1,2,3"], "Tail"),
        (["--strength", "arm"], "--strength: strength by joint or limb is written"),
        (["--beats", "often"], "beats are a tempo"),
        (["--root", "prescribed"], "--root: a prescribed root needs a clip"),
        (["--recovery", "0.5"], "--recovery has no effect without a clip as SCRIPT"),
        (["--script", "conducting"], "--script does not apply: ymca sets it already"),
        (["--animation", "Run"], "--animation does not apply: ymca is not a clip"),
        (["--read", "up=z"], "--read does not apply: ymca is not a clip"),
        (["--film", "a.gif", "--sound", "a.wav"], "--sound needs a film with sound (.mp4), not a.gif"),
    ],
)
def test_mistakes_are_one_line(tmp_path, more, said):
    result = run("ymca", "-o", tmp_path / "a.bvh", *more)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


SHORT = ("--duration", "0.3", "--tolerance", "180")


def test_a_film_with_sound(tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    film, heard = tmp_path / "a.mp4", tmp_path / "a.wav"
    result = run("ymca", "-o", tmp_path / "a.bvh", "--film", film, "--sound", heard, *SHORT)
    assert result.exit_code == 0, result.output
    assert heard.stat().st_size > 10_000
    assert str(heard) in result.stdout
    data = film.read_bytes()
    assert b"soun" in data, "the film has a track of sound"
    assert b"vide" in data
    before = heard.read_bytes()
    again = run("ymca", "-o", tmp_path / "b.bvh", "--film", tmp_path / "b.mp4", "--sound", heard, *SHORT)
    assert again.exit_code == 0, "a sound that is there is played"
    assert heard.read_bytes() == before
    assert b"soun" in (tmp_path / "b.mp4").read_bytes()


def test_a_film_has_sound_by_itself_and_a_followed_clip_is_silent(tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    result = run("ymca", "-o", tmp_path / "a.bvh", "--film", tmp_path / "a.mp4", *SHORT)
    assert result.exit_code == 0, result.output
    assert b"soun" in (tmp_path / "a.mp4").read_bytes()
    result = run("wave", "-o", tmp_path / "b.bvh", "--film", tmp_path / "b.mp4", "--duration", "0.3")
    assert result.exit_code == 0, result.output
    assert b"soun" not in (tmp_path / "b.mp4").read_bytes()
    result = run("ymca", "-o", tmp_path / "c.bvh", "--film", tmp_path / "c.gif", *SHORT)
    assert "c.gif is silent; write an .mp4 to hear it" in result.stderr


def test_sound_alone(tmp_path):
    heard = tmp_path / "a.wav"
    assert run("ymca", "-o", tmp_path / "a.bvh", "--sound", heard, *SHORT).exit_code == 0
    assert heard.read_bytes().startswith(b"RIFF")
    result = run("ymca", "-o", tmp_path / "b.bvh", "--sound", heard, *SHORT)
    assert result.exit_code == 2, "without a film there is nothing to play it with: it would be replaced"
    assert "--force" in result.stderr


def test_what_goes_without_saying_of_a_clip_is_no_option():
    assert "--follow" not in run("--help").stdout
