"""Timing: simulation and control of the 39-degree humanoid against real time and a Python loop over MuJoCo.

The peer is the same controller (``full``, the bundled YMCA, steps of 2 ms) as written with MuJoCo: error by
``mj_differentiatePos``, gains from the time left, torques by ``mj_inverse``, ``mj_step``. Its root is welded,
which spares it six degrees of freedom. Both arrive in the same poses (checked). Times are of one core.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from poise.character import Character, Joint
from poise.dynamics.mujoco_model import model
from poise.methods.timing import Result, Script, play
from poise.methods.timing.schedule import Manner, Schedule
from poise.methods.timing.simulation import FLOOR, Rules, Simulation

STEP, SECONDS = 0.002, 3.0


def welded() -> tuple[Script, Character]:
    """The dancer with its hips held in place."""
    script = Script.bundled("ymca")
    hips, *others = script.character.bodies
    return script, script.character.with_bodies([hips.replaced(joint=Joint.fixed()), *others])


def schedule(script: Script, character: Character) -> tuple[Schedule, np.ndarray]:
    """What is aimed at when, from where."""
    start = script.start.on(character, character.rest_pose())  # type: ignore[union-attr]
    return Schedule(character, start, script.keys, clip=None, manner=Manner()), start


def compiled(script: Script, character: Character) -> np.ndarray:
    """Ours: the last pose."""
    plan, start = schedule(script, character)
    simulation = Simulation(
        character, start, np.zeros(character.nv), Rules("full", STEP), np.full(character.nv, np.inf)
    )
    times = np.arange(round(SECONDS / STEP) + 1) * STEP
    simulation.run(plan, times, [])
    return simulation.q


def looped(script: Script, character: Character) -> np.ndarray:
    """The same in Python over MuJoCo: the last pose."""
    import mujoco

    built = model(character, limits=False, passive=False, timestep=STEP)
    data = mujoco.MjData(built)
    plan, starts = schedule(script, character)[0].plan()
    data.qpos[:] = schedule(script, character)[1]
    error = np.zeros(built.nv)
    for k in range(round(SECONDS / STEP)):
        t = k * STEP
        row = int(np.searchsorted(starts, t + 0.5 * STEP, side="right")) - 1
        mujoco.mj_differentiatePos(built, error, 1.0, data.qpos, plan.target[row])
        left, a, b = plan.due[row] - t, plan.stiff[row], plan.damp[row]
        s = np.where(np.isfinite(left), np.maximum(left, np.sqrt(a) * FLOOR), plan.span[row])
        x = np.clip((t + STEP - plan.since[row]) / np.where(plan.ramp[row] > 0, plan.ramp[row], 1e-9), 0, 1)
        part = x * x * (3 - 2 * x)
        kp, kd = part * a / s**2, part * b / s
        v = data.qvel.copy()
        after = (v + STEP * kp * error) / (1 + STEP * kd + STEP**2 * kp)
        data.qacc[:] = (after - v) / STEP
        mujoco.mj_inverse(built, data)
        data.qfrc_applied[:] = data.qfrc_inverse
        mujoco.mj_step(built, data)
    return np.array(data.qpos)


def seconds_of(jobs: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median processor time of jobs that take turns."""
    for job in jobs.values():
        job()
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            began = time.thread_time()
            job()
            times[name].append(time.thread_time() - began)
    return {name: statistics.median(values) for name, values in times.items()}


def row(key: str, value: float, unit: str, peer: str = "", ratio: float | None = None) -> dict[str, Any]:
    direction = "lower" if unit in ("s", "ms", "°") else "higher"
    return {"key": key, "value": value, "unit": unit, "direction": direction, "peer": peer, "ratio": ratio}


def run() -> list[dict[str, Any]]:
    script, held = welded()
    same = np.abs(held.manifold.minus(compiled(script, held), looped(script, held))).max()
    if same > 1e-6:
        raise AssertionError(f"the two simulations end {same:.2g} rad apart")
    times = seconds_of(
        {"ours": lambda: compiled(script, held), "loop": lambda: looped(script, held)}, rounds=7
    )
    rows = [
        row("timing/control and simulation, full", SECONDS / times["ours"], "× real"),
        row(
            "timing/against the same controller over MuJoCo", SECONDS / times["loop"], "× real",
            "Python loop over MuJoCo", times["loop"] / times["ours"],
        ),
    ]  # fmt: skip
    whole: dict[str, dict[str, Any]] = {
        "composite": {"control": "composite"},
        "fixed root, all of play": {},
        "standing on a floor": {"root": "free"},
    }
    results: dict[str, Result] = {}

    def job(name: str, options: dict[str, Any]) -> None:
        results[name] = play(script.character, script, **options)

    jobs = {name: (lambda n=name, o=options: job(n, o)) for name, options in whole.items()}
    spent = seconds_of(jobs, rounds=5)
    for name, seconds in spent.items():
        result = results[name]
        rows.append(row(f"timing/{name}", result.clip.duration / seconds, "× real"))
        rows.append(row(f"timing/{name}: worst arrival", max(a.error for a in result.arrivals), "°"))
    return rows
