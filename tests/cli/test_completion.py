"""Shells complete verbs, options and words."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

POISE = [sys.executable, "-c", "from poise.cli import main; main()"]


def completed(*words: str) -> list[str]:
    """What Bash is offered for the last word."""
    asked = {
        "_POISE_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(POISE, capture_output=True, text=True, env={**os.environ, **asked})
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["poise", "re"], ["render", "retarget", "reroute", "resample", "repeat"]),
        (["poise", "adapt", "walk", "--key"], ["--key-spacing"]),
        (["poise", "adapt", "walk", "--obj"], []),
        (["poise", "loosen", "walk", "--gravity", "o"], ["on", "off"]),
        (["poise", "render", "walk", "--view", "si"], ["side"]),
    ],
)
def test_what_is_offered(words, offered):
    assert completed(*words) == offered


def test_it_can_be_installed():
    done = subprocess.run([*POISE, "--help"], capture_output=True, text=True, check=True)
    assert "--install-completion" in done.stdout
    shown = subprocess.run([*POISE, "--show-completion", "bash"], capture_output=True, text=True, check=True)
    assert "_POISE_COMPLETE=complete_bash" in shown.stdout
