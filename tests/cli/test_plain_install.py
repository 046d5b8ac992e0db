"""Without the extras every verb works, or says in one line which one it needs before it promises a thing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.methods.perform.script import sound

EXTRAS = (
    "mujoco", "imageio_ffmpeg", "matplotlib", "skfem", "mido", "pxr", "distributed", "starlette",
    "uvicorn", "websockets",
)  # fmt: skip
PLAIN = f"""
import sys
class Without:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, *place):
        return None if name.partition(".")[0] in {EXTRAS!r} else self.finder.find_spec(name, *place)
sys.meta_path[:] = map(Without, sys.meta_path)
from poise.cli import main
main()
"""

NEEDS = {
    "studio": (["studio", "--no-browser"], "studio"),
    "studio, of a clip": (["studio", "walk.bvh", "--no-browser"], "studio"),
    "a film": (["render", "walk", "-o", "walk.mp4"], "video"),
    "a plot": (["check", "walk", "--plot", "page.png"], "plots"),
    "MJCF": (["info", "model.xml"], "contact"),
    "USD": (["convert", "walk", "-o", "walk.usda"], "usd"),
    "MIDI": (["perform", "conducting", "-o", "out.bvh", "--beats", "tune.mid"], "music"),
    "a hat": (["wear", "walk", "-o", "out.glb"], "soft"),
    "contact": (["perform", "walk", "-o", "out.bvh", "--disturb", "throw Head@0.5=1,0,0"], "contact"),
    "a cluster": (
        ["batch", "recipe.json", "clips", "-o", "out", "--scheduler", "tcp://127.0.0.1:1"],
        "cluster",
    ),
}
WORKS = {
    "info": ["info", "walk", "--bodies"],
    "convert": ["convert", "walk", "-o", "out.glb"],
    "to MJCF": ["convert", "walk", "-o", "out.xml"],
    "check": ["check", "walk"],
    "a page": ["render", "walk", "-o", "walk.html"],
    "help": ["--help"],
    "batch": ["batch", "recipe.json", "clips", "-o", "out", "--workers", "1"],
}


@pytest.fixture
def folder(tmp_path):
    walk = poise.clips.get("walk")
    walk.save(tmp_path / "walk.bvh")
    (tmp_path / "clips").mkdir()
    walk.save(tmp_path / "clips" / "walk.bvh")
    (tmp_path / "recipe.json").write_text(
        json.dumps({"output": ".bvh", "steps": [{"do": "trim", "start": 0.0, "end": 0.2}]})
    )
    (tmp_path / "model.xml").write_text("<mujoco><worldbody><body/></worldbody></mujoco>")
    (tmp_path / "tune.mid").write_bytes(b"MThd\0\0\0\6\0\0\0\1\0\x60MTrk\0\0\0\4\0\xff\x2f\0")
    sound.write(tmp_path / "tune.wav", np.zeros(44100))
    return tmp_path


def run(folder: Path, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PLAIN, *arguments], cwd=folder, capture_output=True, text=True
    )


@pytest.mark.parametrize("what", NEEDS)
def test_what_needs_an_extra_says_which(folder, what):
    arguments, extra = NEEDS[what]
    before = sorted(p.name for p in folder.rglob("*"))
    done = run(folder, arguments)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == "", "nothing is promised"
    assert done.stderr.count("\n") == 1, done.stderr
    assert re.search(rf"which is not installed: pip install .?poise\[{extra}\]", done.stderr), done.stderr
    assert [n for n in sorted(p.name for p in folder.rglob("*")) if n not in before] in ([], ["out"])


@pytest.mark.parametrize("what", WORKS)
def test_the_rest_works(folder, what):
    done = run(folder, WORKS[what])
    assert done.returncode in (0, 1), done.stderr
    assert "mistake" not in done.stderr
