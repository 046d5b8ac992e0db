"""``poise check`` as a user meets it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import run
from PIL import Image

from poise import clips, formats
from poise.motion import operators


@pytest.fixture
def hasty(tmp_path):
    return str(operators.speed(clips.get("jump"), 2).save(tmp_path / "hasty.bvh"))


def test_a_right_clip_ends_with_0(capsys):
    code, out, _ = run(capsys, "check", "jump")
    assert code == 0
    assert out.startswith("jump: plausible")
    assert "implied gravity 9.8" in out


def test_a_wrong_clip_ends_with_1_and_says_why(capsys, hasty):
    code, out, _ = run(capsys, "check", hasty)
    assert code == 1
    assert "plays about 2× too fast" in out.splitlines()[0]
    assert "recorded at 30 frames per second, not 60?" in out


def test_json_and_plot(capsys, tmp_path, hasty):
    page = tmp_path / "page.png"
    code, out, _ = run(capsys, "check", hasty, "--json", "--plot", str(page))
    assert code == 1
    data = json.loads(out)
    assert data["plausible"] is False
    assert data["findings"][0]["kind"] == "gravity"
    assert page.stat().st_size > 20_000
    code, _, err = run(capsys, "check", hasty, "--plot", str(page))
    assert code == 2
    assert "--force" in err


def test_floor_and_filter(capsys):
    code, out, _ = run(capsys, "check", "walk", "--floor", "0.07", "--json")
    data = json.loads(out)
    assert data["world"]["given"] is True
    assert data["world"]["surfaces"][0]["shape"]["height"] == 0.07
    sunk = [f for f in data["findings"] if f["kind"] == "penetration"]
    assert {f["where"] for f in sunk} == {"left foot", "right foot"}
    assert sunk[0]["amount"] == pytest.approx(0.07, abs=0.003)
    assert code == 1
    code, out, _ = run(capsys, "check", "jump", "--filter", "off", "--json")
    assert code == 0
    assert json.loads(out)["filter_hz"] is None


def test_what_is_assumed_is_asked_confirmed_or_given(capsys, tmp_path):
    wave = clips.get("wave")
    t, q = wave.times, np.array(wave.q)
    rise = np.clip((t - 1.0) / 0.7, 0.0, 1.0)
    q[:, 2] += 0.5 * rise**2 * (3 - 2 * rise)
    floating = str(wave.with_q(q).save(tmp_path / "floating.bvh"))
    code, out, _ = run(capsys, "check", floating)
    assert code == 0
    assert "plausible if there is a step of 5" in out.splitlines()[0]
    assert "--confirm step" in out
    code, out, _ = run(capsys, "check", floating, "--confirm", "all", "--json")
    data = json.loads(out)
    assert (code, data["questions"]) == (0, [])
    world = tmp_path / "world.json"
    world.write_text(json.dumps({"surfaces": data["world"]["surfaces"]}))
    code, out, _ = run(capsys, "check", floating, "--world", str(world), "--json")
    told = json.loads(out)
    assert (told["world"]["given"], told["questions"]) == (True, [])
    assert {c["surface"] for c in told["contacts"]} == {"floor", "step"}
    code, out, _ = run(capsys, "check", floating, "--floor", "0")
    assert code == 1
    code, _, err = run(capsys, "check", floating, "--confirm", "stool")
    assert code == 2
    assert "stool" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nosuch",), "nosuch"),
        (("walk", "--filter", "strong"), "--filter: 'strong' is not valid; use <Hz> or off"),
        (("walk", "--filter", "-3"), "--filter: expected a number > 0.0, not -3"),
        (("walk", "--floor", "nan"), "--floor: nan is not a finite number"),
        (("walk", "--plot", "page.doc"), ".png"),
        (("walk", "--read", "up=z"), "bundled"),
    ],
)
def test_mistakes_end_with_2_and_one_line(capsys, arguments, said):
    code, _, err = run(capsys, "check", *arguments)
    assert code == 2
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_read_options_reach_the_reader(capsys, tmp_path):
    path = tmp_path / "walk.bvh"
    formats.save(operators.unroll(clips.get("walk"), 2), path)
    code, out, _ = run(capsys, "check", str(path), "--read", "scale=0.01", "--json")
    assert code in (0, 1)
    assert json.loads(out)["clip"] == "walk"


def test_what_carries_is_drawn_and_filmed(tmp_path, capsys):
    jump = clips.get("jump")
    leap = str(operators.trim(jump, 40 / jump.fps, 90 / jump.fps).save(tmp_path / "leap.bvh"))
    sheet, film = tmp_path / "sheet.png", tmp_path / "film.gif"
    code, out, _ = run(capsys, "check", leap, "--sheet", str(sheet), "--film", str(film))
    assert code == 0
    assert str(sheet) in out
    assert str(film) in out
    with Image.open(sheet) as image:
        red, green, _ = np.moveaxis(np.asarray(image.convert("RGB")).astype(int), -1, 0)
    assert (red - green > 110).sum() > 100  # arrows
    with Image.open(film) as image:
        frames = image.n_frames
        pink = []
        for k in (0, 22):  # crouching, and in flight
            image.seek(k)
            red, green, blue = np.moveaxis(np.asarray(image.convert("RGB")).astype(int)[:, 300:], -1, 0)
            pink.append(int(((red - green > 90) & (blue - green > 20)).sum()))
    assert frames == 26
    assert pink[0] > 50
    assert pink[1] < 0.1 * pink[0]
    code, _, err = run(capsys, "check", leap, "--film", str(film))
    assert code == 2
    assert "film.gif" in err
