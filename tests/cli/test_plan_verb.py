"""``poise plan``: scenes by name and by file, reports, and how it ends."""

from __future__ import annotations

import json
from io import BytesIO, TextIOWrapper

import pytest

from poise.cli import main
from poise.formats import load


def run(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    return int(end.value.code or 0)


def test_a_scene_becomes_a_file_and_a_motion(tmp_path, capsys):
    scene, clip = tmp_path / "jump.json", tmp_path / "jump.npz"
    assert run(["plan", "lamp jump", "-o", str(scene)]) == 0
    data = json.loads(scene.read_text())
    assert [s["kind"] for s in data["segments"]] == ["stance", "flight", "stance"]
    assert capsys.readouterr().out == f"{scene}\n"
    assert run(["plan", str(scene), "-o", str(clip), "--fps", "30", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["met"]
    assert load(clip).fps == 30
    assert run(["plan", str(scene), "-o", str(clip)]) == 2  # existing work is not replaced unasked


def test_a_missed_key_is_status_1_and_nonsense_is_2(tmp_path, capsys):
    scene = tmp_path / "far.json"
    key = {"of": "Bulb", "position": [4, 0, 0.5]}
    stance = {"kind": "stance", "duration": 0.4, "holds": ["Base"], "keys": [key], "name": "reach"}
    scene.write_text(json.dumps({"character": "lamp", "segments": [stance]}))
    assert run(["plan", str(scene), "-o", str(tmp_path / "far.npz")]) == 1
    assert "reach: position of Bulb" in capsys.readouterr().out
    assert run(["plan", "moonwalk", "-o", str(tmp_path / "x.npz")]) == 2
    assert "side jump" in capsys.readouterr().err


def test_a_scene_from_standard_input(tmp_path, capsys, monkeypatch):
    assert run(["plan", "lamp jump", "-o", str(tmp_path / "a.json")]) == 0
    text = (tmp_path / "a.json").read_bytes()
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text)))
    assert run(["plan", "@-", "-o", str(tmp_path / "b.json")]) == 0
    assert (tmp_path / "b.json").read_bytes() == text
    capsys.readouterr()
    assert run(["plan", "lamp jump", "-o", str(tmp_path / "c.json"), "--picture", "c.png"]) == 2
    assert "--picture needs a motion, and c.json holds none" in capsys.readouterr().err
