"""Rigid-body dynamics against MuJoCo and Pinocchio (the work of ``poise.speed.dynamics``), and compilation.

python -m benchmarks.dynamics
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TypedDict

from poise import dynamics
from poise.speed.dynamics import DynamicsWork
from poise.speed.interleaved import interleaved

ROOT = Path(__file__).resolve().parents[1]

ROUNDS = 9
COLD = """
import time
import numpy as np
from poise.speed.humanoid46 import humanoid46
from poise import dynamics as d
c = humanoid46()
q, v = c.rest_pose(), np.zeros(c.nv)
d.forward_dynamics(c, q, v, v), d.inverse_dynamics(c, q, v, v), d.mass_matrix(c, q)
d.kinetic_energy(c, q, v), d.simulate(c, q, v, step=0.01, steps=1)
print(time.process_time())
"""


class Metric(TypedDict):
    """One line of the benchmark table; ratio: how many times better than the peer."""

    key: str
    value: float
    unit: str
    direction: str
    peer: str
    ratio: float


def compile_seconds() -> float:
    """Start, import and first call of all kernels in a new process with an empty cache [s of processor].

    Compilation runs on one thread: on a quiet machine this is the time a user waits.
    """
    with tempfile.TemporaryDirectory() as cache:
        surroundings = {**os.environ, "NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-c", COLD]
        done = subprocess.run(command, env=surroundings, cwd=ROOT, capture_output=True, text=True, check=True)
    return float(done.stdout)


def run() -> list[Metric]:
    """All metrics."""
    work = DynamicsWork()
    for duel in (work.simulating(), work.accelerating(), work.pushing()):
        duel.agree()
    best = interleaved(
        {
            "all": work.simulation(),
            "one": work.simulation(threads=1),
            "python": work.mujoco_loop(inside=False),
            "inside": work.mujoco_loop(inside=True),
            "forward": work.forward,
            "aba": work.pinocchio_loop("aba"),
            "inverse": work.inverse,
            "rnea": work.pinocchio_loop("rnea"),
            "mass": lambda: dynamics.mass_matrix(work.character, work.q),
            "crba": work.pinocchio_loop("crba"),
        },
        ROUNDS,
    )
    per_step = 1e6 / (work.states * work.steps)
    per_frame = 1e6 / work.states

    def metric(key: str, mine: str, peer: str, said: str, scale: float) -> Metric:
        return Metric(
            key=f"dynamics/{key}",
            value=best[mine] * scale,
            unit="µs",
            direction="lower",
            peer=said,
            ratio=best[peer] / best[mine],
        )

    cold = compile_seconds()
    return [
        metric("step", "all", "python", "MuJoCo mj_step, Python loop", per_step),
        metric("step, against C loop", "all", "inside", "MuJoCo mj_step(nstep)", per_step),
        metric("step, one thread", "one", "python", "MuJoCo mj_step, Python loop", per_step),
        metric("forward dynamics per frame", "forward", "aba", "Pinocchio aba, Python loop", per_frame),
        metric("inverse dynamics per frame", "inverse", "rnea", "Pinocchio rnea, Python loop", per_frame),
        metric("mass matrix per frame", "mass", "crba", "Pinocchio crba, Python loop", per_frame),
        Metric(
            key="dynamics/cold compile of all kernels",
            value=cold,
            unit="s CPU",
            direction="lower",
            peer="20 s allowed",
            ratio=20 / cold,
        ),
    ]


if __name__ == "__main__":
    for row in run():
        print(f"{row['key']:40s} {row['value']:8.3f} {row['unit']:3s} {row['ratio']:6.1f} × {row['peer']}")
