"""The real Blender module, for tests: each experiment runs in a process of its own (``inside.py``).

They run in every Blender that ``POISE_BPY_PYTHON`` names: Pythons with the module ``bpy``, as ``PATH`` lists
folders (``make blender-test``).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from poise.clips.named import clip_named

ROOT = Path(__file__).parents[2]
POISE = Path(os.environ.get("POISE_PROGRAM") or Path(sys.executable).with_name("poise"))
PYTHONS = [python for python in os.environ.get("POISE_BPY_PYTHON", "").split(os.pathsep) if python]


@dataclass(frozen=True)
class Blender:
    """A Python with the module, and a folder where experiments find the zip, a walk as BVH, each other's."""

    python: str
    folder: Path

    def experiment(self, name: str, *more: Path) -> dict:
        """What an experiment found (``inside.py``)."""
        archive = self.folder / "poise_addon-0.1.0.zip"
        command = [
            self.python,
            Path(__file__).with_name("inside.py"),
            name,
            archive,
            self.folder,
            POISE,
            *more,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1000, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return json.loads(done.stdout.strip().splitlines()[-1])


def version(python: str) -> str:
    """Which Blender a Python has."""
    ask = "import importlib.metadata as known; print(known.version('bpy'))"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    return done.stdout.strip() or python


@pytest.fixture(
    scope="session", params=PYTHONS or [None], ids=[version(each) for each in PYTHONS] or ["none"]
)
def blender(request, tmp_path_factory):
    """Every Blender that is named, one after the other."""
    if request.param is None:
        pytest.skip("POISE_BPY_PYTHON names no Python with the module bpy (make blender-test)")
    folder = tmp_path_factory.mktemp("blender")
    done = subprocess.run(
        [sys.executable, ROOT / "blender" / "build.py", "--output", folder, "--tool", request.param],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "checked by Blender" in done.stdout
    walk(folder / "walk.bvh")
    return Blender(request.param, folder)


def walk(path: Path) -> None:
    """The bundled walk, with hands that have a length: Blender invents one for those that have none."""
    clip_named("walk").replaced(loop=False).save(path)
    lines, joint = path.read_text().split("\n"), ""
    for k, line in enumerate(lines):
        words = line.split()
        joint = words[1] if words[:1] in (["JOINT"], ["ROOT"]) else joint
        if words[:1] == ["OFFSET"] and lines[k - 2].split()[:1] == ["End"] and joint.endswith("Hand"):
            lines[k] = f"OFFSET {18 if joint == 'LeftHand' else -18} 0 0"
    path.write_text("\n".join(lines))
