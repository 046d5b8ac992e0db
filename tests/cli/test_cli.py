"""The command line as a user meets it: outputs, exit codes, one clear line for every mistake."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from poise import clips, formats
from poise.cli import main


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    out = capsys.readouterr()
    code = stop.value.code
    return (code if isinstance(code, int) else 0), out.out, out.err


def test_info_as_text_and_json(capsys):
    code, out, _ = run(capsys, "info", "walk")
    assert code == 0
    assert "39 degrees of freedom" in out
    assert "loop" in out
    code, out, _ = run(capsys, "info", "walk", "lamp", "--json", "--bodies")
    walk, lamp = json.loads(out)
    assert walk["frames"] == clips.get("walk").frames
    assert walk["rate"] == "60"
    assert walk["mass_source"] == "anthropometric table"
    assert len(walk["body_list"]) == walk["bodies"]
    assert lamp["frames"] == 1


def test_convert_there_and_back(capsys, tmp_path):
    target = tmp_path / "wave.bvh"
    assert run(capsys, "convert", "wave", str(target), "--fps", "30", "--from", "0.5", "--to", "2.5")[0] == 0
    back = formats.load(target)
    assert back.frames == 61
    assert back.rate == 30
    assert run(capsys, "convert", str(target), str(tmp_path / "wave.glb"), "--mirror")[0] == 0
    assert formats.load(tmp_path / "wave.glb").frames == 61


def test_existing_work_is_not_replaced_unasked(capsys, tmp_path):
    target = tmp_path / "x.npz"
    target.write_text("precious")
    code, _, err = run(capsys, "convert", "wave", str(target))
    assert code == 2
    assert "--force" in err
    assert target.read_text() == "precious"
    assert run(capsys, "convert", "wave", str(target), "--force")[0] == 0
    assert np.array_equal(formats.load(target).q, clips.get("wave").q)


def test_render_a_still_and_a_film(capsys, tmp_path):
    from PIL import Image

    still = tmp_path / "walk.png"
    options = ["--size", "320x180", "--count", "3", "--trail", "LeftToe", "--com"]
    assert run(capsys, "render", "walk", "-o", str(still), *options)[0] == 0
    with Image.open(still) as image:
        assert image.size == (320, 180)
        assert len(set(image.convert("L").tobytes())) > 50
    film = tmp_path / "walk.gif"
    assert run(capsys, "render", "walk", "-o", str(film), "--size", "160x90", "--fps", "10")[0] == 0
    with Image.open(film) as image:
        assert image.n_frames == 10  # 1.067 s at ten per second


def test_demo_writes_what_it_says(capsys, tmp_path):
    code, out, _ = run(capsys, "demo", "--output", str(tmp_path))
    assert code == 0
    for line in out.splitlines()[1:]:
        assert (tmp_path / line.rsplit("/", 1)[-1]).stat().st_size > 0
    assert {"punch.bvh", "punch.glb", "punch.png", "punch.mp4"} <= {p.name for p in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["info", "wlak"], "did you mean 'walk'"),
        (["info", "nowhere.bvh"], "nowhere.bvh: no such file"),
        (["convert", "walk", "walk.fbx"], "no format has the extension '.fbx'"),
        (["convert", "walk", "x.bvh", "--fps", "fast"], "fast"),
        (["convert", "walk", "x.bvh", "--fps", "-5"], "positive"),
        (["convert", "punch", "x.bvh", "--cycles", "2"], "loop"),
        (["convert", "punch", "x.bvh", "--from", "1.5", "--to", "0.5"], "0.5"),
        (["render", "walk", "-o", "x.png", "--size", "big"], "WIDTHxHEIGHT"),
        (["render", "walk", "-o", "x.png", "--trail", "LeftTow"], "did you mean"),
        (["render", "walk", "-o", "x.txt"], ".png for stills"),
        (["render", "walk", "-o", "x.png", "--frames", "1,b"], "commas"),
        (["render", "walk", "-o", "x.png", "--frames", "9999"], "9999"),
        (["fly", "walk"], "No such command"),
        (["render", "walk"], "Missing option"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_mistakes_get_exit_2_and_one_clear_line(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert message in " ".join(err.split())
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir()), "something was written"


def test_debug_shows_the_traceback():
    command = [sys.executable, "-c", "from poise.cli import main; main()", "--debug", "info", "nowhere.bvh"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert "Traceback" in done.stderr


def test_a_reader_that_goes_away_is_no_error():
    command = f"{sys.executable} -c 'from poise.cli import main; main()' info walk --bodies | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert "walk" in done.stdout
