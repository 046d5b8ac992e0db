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
        (["poise", "re"], ["render", "retouch", "retarget", "reroute", "resample", "repeat"]),
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
    # The shell is told: which one runs a test cannot be found out everywhere.
    told = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    command = [*POISE, "--show-completion", "bash"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, env=told)
    assert "_POISE_COMPLETE=complete_bash" in shown.stdout
