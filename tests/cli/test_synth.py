"""``poise synth``: scenes by name and by file, reports, and how it ends."""

from __future__ import annotations

import json

import pytest

from poise.cli import main
from poise.formats import load


def run(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    return int(end.value.code or 0)


def test_a_scene_becomes_a_file_and_a_motion(tmp_path, capsys):
    scene, clip = tmp_path / "jump.json", tmp_path / "jump.npz"
    assert run(["synth", "lamp jump", str(scene)]) == 0
    data = json.loads(scene.read_text())
    assert [s["kind"] for s in data["segments"]] == ["stance", "flight", "stance"]
    assert run(["synth", str(scene), str(clip), "--rate", "30", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["met"]
    assert load(clip).fps == 30
    assert run(["synth", str(scene), str(clip)]) == 2  # existing work is not replaced unasked


def test_a_missed_key_is_status_1_and_nonsense_is_2(tmp_path, capsys):
    scene = tmp_path / "far.json"
    key = {"of": "Bulb", "position": [4, 0, 0.5]}
    stance = {"kind": "stance", "duration": 0.4, "holds": ["Base"], "keys": [key], "name": "reach"}
    scene.write_text(json.dumps({"character": "lamp", "segments": [stance]}))
    assert run(["synth", str(scene), str(tmp_path / "far.npz")]) == 1
    assert "reach: position of Bulb" in capsys.readouterr().out
    assert run(["synth", "moonwalk", str(tmp_path / "x.npz")]) == 2
    assert "side jump" in capsys.readouterr().err
