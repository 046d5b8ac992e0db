"""``-`` is standard input or output: motions can be piped from verb to verb."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import poise
from poise import clips

POISE = [sys.executable, "-c", "from poise.cli import main; main()"]


def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*POISE, *arguments], input=given, capture_output=True)


@pytest.mark.parametrize("verb", ["convert", "mirror"])
def test_frames_go_to_standard_output_and_reports_elsewhere(verb, tmp_path):
    done = run(verb, "wave", "-o", "-")
    assert done.returncode == 0, done.stderr
    assert b"frames at 60 fps" in done.stderr
    file = tmp_path / "wave.bvh"
    wave = clips.get("wave")
    (poise.mirror(wave).clip if verb == "mirror" else wave).save(file)
    assert done.stdout == file.read_bytes()


def test_a_report_as_json_does_not_stand_among_the_frames():
    done = run("trim", "wave", "-o", "-", "--to", "0.2", "--json")
    assert done.stdout.startswith(b"HIERARCHY")
    at = done.stderr.index(b"{")
    assert json.loads(done.stderr[at:])["output"] == ["-"]


def test_verbs_read_what_others_write():
    first = run("trim", "wave", "-o", "-", "--to", "0.5")
    told = run("info", "-", "--json", given=first.stdout)
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["frames"] == 31
    broken = run("info", "-", given=b"HIERARCHY\nROOT x\n{\n")
    assert broken.returncode == 2
    assert b"standard input.bvh" in broken.stderr


def test_data_of_an_option_comes_from_standard_input(tmp_path):
    asked = [{"handle": {"kind": "point_position", "point": "Tail"}}]
    done = run(
        "adapt",
        "wave",
        "-o",
        str(tmp_path / "a.bvh"),
        "--constraints",
        "@-",
        given=json.dumps(asked).encode(),
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"poise: standard input: entry 0: field 'target' is missing")
    done = run("adapt", "wave", "-o", str(tmp_path / "a.bvh"), "--constraints", "@-", given=b"[")
    assert done.returncode == 2
    assert b"standard input" in done.stderr


def test_a_stream_is_no_document():
    done = run("mirror", "wave", "-o", "-", "--fresh")
    assert done.returncode == 2
    assert b"--fresh" in done.stderr
