"""``--lenient`` stands beside ``--read`` on every verb that has it."""

from __future__ import annotations

import json
from inspect import signature

import pytest

from poise import clips
from poise.cli import main
from poise.cli.app import app
from poise.operations.registry import operations

READING = {
    "info",
    "convert",
    "render",
    *(name.replace("_", "-") for name, made in operations().items() if made.VERB),
}


def test_every_verb_that_reads_has_it():
    takes = {c.name: set(signature(c.callback).parameters) for c in app.registered_commands}
    assert {name for name, options in takes.items() if "read_options" in options} == READING
    assert {name for name, options in takes.items() if "lenient" in options} == READING


@pytest.fixture
def long_by_one(tmp_path):
    path = clips.get("wave").save(tmp_path / "wave.bvh")
    frames = clips.get("wave").frames
    path.write_text(path.read_text().replace(f"Frames: {frames}", f"Frames: {frames - 1}"))
    return path


def ended(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ending:
        main(list(arguments))
    return int(ending.value.code or 0)


def test_it_is_advised_and_then_reads(long_by_one, capsys, tmp_path):
    assert ended("info", str(long_by_one)) == 2
    assert "--lenient" in capsys.readouterr().err
    assert ended("info", "--json", "--lenient", str(long_by_one), "walk") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts[0]["frames"] == clips.get("wave").frames
    assert any("whole frames follow" in note for note in facts[0]["notes"])
    assert (
        ended("convert", str(long_by_one), "-o", str(tmp_path / "out.bvh"), "--lenient", "--read", "up=y")
        == 0
    )
    assert "whole frames follow" in capsys.readouterr().out
    assert ended("info", str(tmp_path / "out.bvh")) == 0, "what was written adds up"


def test_it_is_for_clips_that_other_options_name_too(long_by_one, tmp_path):
    arguments = ("retarget", "walk", "-o", str(tmp_path / "out.glb"), "--onto", str(long_by_one))
    assert ended(*arguments) == 2
    assert ended(*arguments, "--lenient") in (0, 1)
    assert (tmp_path / "out.glb").exists()
    assert ended("info", str(long_by_one)) == 2, "nothing is left of it"
