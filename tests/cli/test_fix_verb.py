"""``poise fix`` as a user meets it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import run

import poise
from poise import clips
from poise.motion import operators


@pytest.fixture
def hasty(tmp_path):
    return str(operators.speed(clips.get("jump"), 2).save(tmp_path / "hasty.npz"))


def test_a_hasty_clip_is_slowed_down(capsys, tmp_path, hasty):
    out = tmp_path / "right.npz"
    code, text, _ = run(capsys, "fix", hasty, "-o", str(out))
    assert code == 0
    assert "30 frames per second instead of 60" in text
    assert str(out) in text
    assert poise.check(poise.load(out)).report.pace.words == "plays at the right speed"


def test_a_right_clip_comes_out_as_it_went_in(capsys, tmp_path):
    out = tmp_path / "same.npz"
    code, text, _ = run(capsys, "fix", "jump", "-o", str(out))
    assert code == 0
    assert "nothing to fix" in text
    np.testing.assert_array_equal(poise.load(out).q, clips.get("jump").q)


def test_json_and_page(capsys, tmp_path, hasty):
    out, page = tmp_path / "right.npz", tmp_path / "page.png"
    code, text, _ = run(capsys, "fix", hasty, "-o", str(out), "--json", "--plot", str(page))
    assert code == 0
    data = json.loads(text)
    assert data["repairs"][0]["repair"] == "time"
    assert page.stat().st_size > 20_000
    code, _, err = run(capsys, "fix", hasty, "-o", str(out))
    assert code == 2
    assert "--force" in err


def test_what_is_left_ends_with_1_and_bad_names_with_2(capsys, tmp_path, hasty):
    out = tmp_path / "out.npz"
    code, text, _ = run(capsys, "fix", hasty, "-o", str(out), "--may", "limits")
    assert code in (0, 1)
    assert "30 frames" not in text
    code, _, err = run(capsys, "fix", hasty, "-o", str(tmp_path / "b.npz"), "--may", "gravity")
    assert code == 2
    assert "--may" in err
    assert "time" in err
    code, _, _ = run(capsys, "fix", "nothing.bvh", "-o", str(tmp_path / "c.npz"))
    assert code == 2
