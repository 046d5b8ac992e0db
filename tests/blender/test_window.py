"""The extension in Blender with a window: keys and mouse, the status bar, undo, Live under a hand that drags.

``POISE_BLENDER`` names Blenders (programs, separated as in ``PATH``). They need a display; one that ends by
itself will do: ``xvfb-run -a blender "$@"`` in a file that can be run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
POISE = Path(os.environ.get("POISE_PROGRAM") or Path(sys.executable).with_name("poise"))
BLENDERS = [program for program in os.environ.get("POISE_BLENDER", "").split(os.pathsep) if program]
pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not BLENDERS, reason="POISE_BLENDER names no Blender with a window"),
]


@pytest.fixture(scope="module", params=BLENDERS)
def found(request, tmp_path_factory):
    """What a user's session found."""
    folder = tmp_path_factory.mktemp("window")
    build = [sys.executable, ROOT / "blender" / "build.py", "--output", folder]
    subprocess.run(build, check=True, capture_output=True)
    command = [
        request.param, "--factory-startup", "--enable-event-simulate",
        "--window-geometry", "0", "0", "1280", "800",
        "--python", Path(__file__).with_name("in_window.py"), "--",
        "windowed", folder / "poise_addon-0.1.0.zip", folder, POISE,
    ]  # fmt: skip
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(folder / "resources")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=1700, check=False, env=environment)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


def test_escape_ends_a_run_and_changes_nothing(found):
    assert "Esc cancels" in found["said"]
    assert found["escape words"] == "Cancelled; nothing was changed"
    assert found["escaped"] == [True, []]


def test_a_run_is_undone_and_redone(found):
    assert found["ran"][0][-1] == "Poise loosen"
    assert found["ran"][1].startswith("Loosen")
    assert found["parts told"] >= 1
    assert found["loosened"] > 1e-3
    assert found["undone"]
    assert found["actions"] == ["personAction"]
    assert found["redone"] == 0.0


def test_live_follows_what_is_dragged(found):
    """Never further behind than the hand moved between two answers; after an undo too; Esc leaves nothing."""
    assert found["dragged"] > 0.02
    assert np.min(found["away"][-30:]) < 0.05
    assert "Live" in found["live said"]
    assert found["after undo"] < 1e-4
    assert found["live ended"] == [True, []]
    assert found["live off"]


def test_the_panel_has_its_tab(found):
    assert found["category"] == "Poise"
