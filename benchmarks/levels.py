"""The levels of processors that kernels are shipped for, against each other and against this very processor.

``python -m benchmarks.levels``: a batch of simulated windows (46 and 180 degrees of freedom) and single calls
of ``hit``, in one process a level (a process compiles for one level only; ``POISE_CPU_LEVEL``). The processes
take turns at the same task, round after round, so that a busy machine slows all of them alike; the shortest
time of each counts. ``POISE_CPU_LEVEL=LEVEL poise warm`` first, or the first round compiles.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from poise.kernels.cpu_level import NATIVE, VARIABLE, levels, runs

ROUNDS = 15
BATCH = 200
"""Windows of a batch: some tenths of a second."""


def tasks() -> dict[str, Callable[[], Any]]:
    from poise.character.presets import biped180
    from poise.speed.hitting import HitWork
    from poise.speed.humanoid46 import humanoid46
    from poise.speed.loosening import WindowsWork

    small, large, hits = WindowsWork(humanoid46(), BATCH), WindowsWork(biped180(), BATCH), HitWork()
    return {
        "batch, 46 dof": small.states,
        "batch, 180 dof": large.states,
        "hit, effector": lambda: hits.solved("effector"),
        "hit, 8 coupled": lambda: hits.solved("8 coupled positions and velocities"),
    }


def serve() -> None:
    """Answer every name of a task read with its seconds; an empty line ends."""
    known = tasks()
    for job in known.values():
        job()
    print(json.dumps(list(known)), flush=True)
    for line in sys.stdin:
        began = time.perf_counter()
        known[line.strip()]()
        print(time.perf_counter() - began, flush=True)


def began(level: str) -> subprocess.Popen[str]:
    own = {
        **os.environ,
        VARIABLE: level,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "POISE_WARM": "off",
    }
    command = [sys.executable, "-m", "benchmarks.levels", "serve"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=own)


def asked(level: subprocess.Popen[str], task: str) -> float:
    assert level.stdin
    assert level.stdout
    level.stdin.write(task + "\n")
    level.stdin.flush()
    return float(level.stdout.readline())


def main() -> None:
    processes = {name: began(name) for name in [*(a.name for a in levels() if runs(a)), NATIVE]}
    names: list[str] = []
    for level in processes.values():
        assert level.stdout
        names = json.loads(level.stdout.readline())
    print(f"{'':24s}" + "".join(f"{name:>19s}" for name in processes))
    for task in names:
        rounds = [{name: asked(level, task) for name, level in processes.items()} for _ in range(ROUNDS)]
        best = {name: min(r[name] for r in rounds) for name in processes}
        row = "".join(f"{1e3 * t:8.2f} ms ({t / best[NATIVE]:4.2f}×)".rjust(19) for t in best.values())
        print(f"{task:24s}{row}", flush=True)
    for level in processes.values():
        assert level.stdin
        level.stdin.close()
        level.wait()


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else main()
