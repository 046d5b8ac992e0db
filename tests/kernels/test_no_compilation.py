"""After ``poise warm`` no verb and no step of the studio compiles anything.

What fails here asks for a kernel that the roster lacks: ``python tests/kernels/record.py`` writes it anew.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from poise.compile_log import LOG

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from scenarios import commands  # noqa: E402

BY_VERB: dict[str, list[str]] = defaultdict(list)
for each in commands():
    BY_VERB[each.partition(" ")[0]].append(each)
BY_VERB["studio"] = ["studio"]


@pytest.fixture(scope="session")
def warmed():
    """All kernels; nothing to do where ``make test`` or an earlier run has compiled them."""
    from poise.warming import warm

    done = warm(jobs=2)
    assert not done.failed


@pytest.mark.parametrize("verb", sorted(BY_VERB))
@pytest.mark.timeout(1800)
def test_nothing_is_compiled(verb, warmed, tmp_path):
    log = tmp_path / "kernels.log"
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, LOG: str(log), "PYTHONPATH": path, "POISE_WARM": "off"}
    work = tmp_path / "work"
    work.mkdir()
    command = [sys.executable, str(HERE / "scenarios.py"), str(work), *BY_VERB[verb]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1, 3), done.stdout + done.stderr
    lines = log.read_text().splitlines() if log.exists() else []
    asked = [line.split("\t") for line in lines]
    missing = [kernel for _, how, kernel, _ in asked if how == "missing"]
    assert not missing, f"the roster lacks {missing}: python tests/kernels/record.py --only {verb}"
