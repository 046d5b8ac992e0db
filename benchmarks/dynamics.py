"""Speed of rigid-body dynamics on the 46-degree humanoid, against MuJoCo and Pinocchio.

Everything is timed in one process in turn (ours, peer, ours, peer …) and the fastest rounds are
compared, after checking that both give the same numbers.

    python -m benchmarks.dynamics
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

import numpy as np

from benchmarks.humanoid46 import humanoid46
from poise import dynamics
from poise.arrays import Array
from poise.dynamics.mujoco_model import model
from poise.workers import on_threads, thread_count

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from oracles import PinocchioOracle

ROOT = Path(__file__).resolve().parents[1]

STATES, STEPS, STEP, ROUNDS = 256, 30, 0.002, 9
COLD = """
import time
import numpy as np
from benchmarks.humanoid46 import humanoid46
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


def interleaved(contestants: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Least seconds per call of each, taken in turn; a turn lasts 20 ms or more, so caches are warm."""
    repeats: dict[str, int] = {}
    for name, call in contestants.items():
        call()
        began = time.perf_counter()
        call()
        repeats[name] = max(1, round(0.02 / (time.perf_counter() - began)))
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, call in contestants.items():
            began = time.perf_counter()
            for _ in range(repeats[name]):
                call()
            best[name] = min(best[name], (time.perf_counter() - began) / repeats[name])
    return best


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
    import mujoco
    import pinocchio as pin

    character = humanoid46()
    rng = np.random.default_rng(0)
    q = character.manifold.plus(
        np.tile(character.rest_pose(), (STATES, 1)), 0.5 * rng.normal(size=(STATES, character.nv))
    )
    v, tau = rng.normal(size=(2, STATES, character.nv))
    built = model(character, timestep=STEP)
    data = mujoco.MjData(built)
    threads = thread_count()

    def ours(count: int) -> Callable[[], Array]:
        def call() -> Array:
            with on_threads(count):
                return dynamics.simulate(character, q, v, tau=tau, step=STEP, steps=STEPS)[1]

        return call

    def mujoco_loop(*, inside: bool) -> Callable[[], Array]:
        def call() -> Array:
            out = np.empty_like(v)
            for f in range(STATES):
                data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q[f], v[f], tau[f]
                if inside:
                    mujoco.mj_step(built, data, STEPS)
                else:
                    for _ in range(STEPS):
                        mujoco.mj_step(built, data)
                out[f] = data.qvel
            return out

        return call

    oracle = PinocchioOracle(character)
    oracle.model.gravity.linear[:] = dynamics.GRAVITY
    twin, twin_data, pose = oracle.model, oracle.data, oracle.q(q)

    def pinocchio_loop(algorithm: str) -> Callable[[], Array]:
        function = getattr(pin, algorithm)

        def call() -> Array:
            if algorithm == "crba":
                return np.array([function(twin, twin_data, x) for x in pose])
            return np.array([function(twin, twin_data, x, y, z) for x, y, z in zip(pose, v, tau)])

        return call

    def forward() -> Array:
        return dynamics.forward_dynamics(character, q, v, tau)

    def inverse() -> Array:
        return dynamics.inverse_dynamics(character, q, v, tau)

    np.testing.assert_allclose(ours(threads)(), mujoco_loop(inside=True)(), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(forward(), pinocchio_loop("aba")(), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(inverse(), pinocchio_loop("rnea")(), rtol=1e-8, atol=1e-8)
    best = interleaved(
        {
            "all": ours(threads),
            "one": ours(1),
            "python": mujoco_loop(inside=False),
            "inside": mujoco_loop(inside=True),
            "forward": forward,
            "aba": pinocchio_loop("aba"),
            "inverse": inverse,
            "rnea": pinocchio_loop("rnea"),
            "mass": lambda: dynamics.mass_matrix(character, q),
            "crba": pinocchio_loop("crba"),
        }
    )
    per_step = 1e6 / (STATES * STEPS)
    per_frame = 1e6 / STATES

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
