"""After ``poise warm`` no verb and no step of the studio compiles anything.

What fails here asks for a kernel that the roster lacks, or lists for other verbs: ``python
tests/kernels/record.py --only VERB`` adds it. A scenario of each verb is run; all are when the roster is
recorded.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from poise.kernels.compile_log import LOG
from poise.kernels.roster import roster

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from scenarios import by_verb  # noqa: E402

FIRST = {verb: those[0] for verb, those in by_verb().items()}


@pytest.fixture(scope="module")
def asked(tmp_path_factory) -> dict[str, list[tuple[str, str, str]]]:
    """How each kernel came, its name and types, by the first verb that asks for it; all in one process."""
    from poise.kernels.warming import warm

    assert not warm(jobs=2).failed  # nothing to do where ``make test`` or an earlier run has compiled them
    folder = tmp_path_factory.mktemp("scenarios")
    log = folder / "kernels.log"
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, LOG: str(log), "PYTHONPATH": path, "POISE_WARM": "off"}
    command = [sys.executable, str(HERE / "scenarios.py"), str(folder), *FIRST.values()]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1, 3), done.stdout + done.stderr
    found: dict[str, list[tuple[str, str, str]]] = {}
    for line in log.read_text().splitlines():
        verb, how, kernel, types = line.split("\t")
        found.setdefault(verb, []).append((how, kernel, types))
    return found


@pytest.mark.timeout(1800)  # on a machine that has other things to do, and without kernels
def test_kernels_are_asked_for(asked):
    assert {"key", "plan", "loosen", "render"} <= set(asked)
    assert sum(map(len, asked.values())) > 20


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("verb", FIRST)
def test_nothing_is_compiled(verb, asked):
    kernels = asked.get(verb, [])
    assert [kernel for how, kernel, _ in kernels if how != "loaded"] == []
    held = roster()
    known = {
        (each.kernel, json.dumps(held.expanded(json.loads(each.types))))
        for each in held.entries
        if verb in each.verbs
    }
    assert [kernel for _, kernel, types in kernels if (kernel, types) not in known] == []
