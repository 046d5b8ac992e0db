"""Timing: simulation and control of the 39-degree humanoid against real time and a Python loop over MuJoCo.

The peer is the same controller (``full``, the bundled YMCA, steps of 2 ms) as a lean loop over MuJoCo: error
by ``mj_differentiatePos``, gains from the time left, inverse dynamics by ``mj_mulM``. Both roots are welded.
Both end in the same pose (checked). Times are of one core, of steps alone: no models, no plans.

``full`` without limits or pushes accelerates as it wants, so that ours solves no equations; a push that lasts
through all steps makes it solve them, in the second comparison.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import poise
from poise.character import Character, Joint
from poise.dynamics.mujoco_model import model
from poise.methods.perform.control.schedule import Schedule
from poise.methods.perform.result import PerformResult
from poise.methods.perform.script.script import Script
from poise.methods.perform.simulate.simulation import FLOOR, Simulation, path_of, rows_of
from poise.methods.perform.simulate.steps import Trace, run_steps
from poise.operations.perform import Perform
from poise.operations.values.disturbance import Push

STEP, SECONDS = 0.002, 3.0


def welded() -> tuple[Script, Character]:
    """The dancer with its hips held in place."""
    script = Script.bundled("ymca")
    hips, *others = script.character.bodies
    return script, script.character.with_bodies([hips.replaced(joint=Joint.fixed()), *others])


def schedule(script: Script, character: Character) -> tuple[Schedule, np.ndarray]:
    """What is aimed at when, from where."""
    start = script.start.on(character, character.rest_pose())  # type: ignore[union-attr]
    return Schedule(character, start, script.keys, clip=None, asked=Perform()), start


def compiled(script: Script, character: Character, push: Push | None = None) -> Callable[[], np.ndarray]:
    """Ours, ready to run: gives the last pose. Every step is written down: torques, demands, gains."""
    planned, start = schedule(script, character)
    still, strength = np.zeros(character.nv), np.full(character.nv, np.inf)
    simulation = Simulation(character, start, still, Perform(step=STEP), strength, as_told=True)
    times = np.arange(round(SECONDS / STEP) + 1) * STEP
    (plan, rows), path = rows_of(planned, times), path_of(None, times)
    who, pushes, tree = simulation.controller(), simulation.acting([push] if push else []), character.tree

    def run() -> np.ndarray:
        trace = Trace.room(times, character.nq, character.nv)
        trace.q[0] = start
        run_steps(
            0, len(times) - 1, who, tree, tree, plan, rows, path, pushes, simulation.gravity, FLOOR,
            simulation.room, simulation.aim, trace,
        )  # fmt: skip
        return trace.q[-1]

    return run


def looped(script: Script, character: Character, push: Push | None = None) -> Callable[[], np.ndarray]:
    """The same in Python over MuJoCo, ready to run.

    As lean as such a loop gets: kinematics and mass matrix once a step (``mj_step1``, the torques by
    ``mj_mulM``, ``mj_step2``), no contacts or sensors, arrays made once, rows of the plan
    looked up beforehand.
    """
    import mujoco

    model_ = model(character, limits=False, passive=False, timestep=STEP)
    model_.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data = mujoco.MjData(model_)
    schedule_, start = schedule(script, character)
    plan, starts = schedule_.plan()
    rows = np.searchsorted(starts, (np.arange(round(SECONDS / STEP)) + 0.5) * STEP, side="right") - 1
    floors, still = np.sqrt(plan.stiff) * FLOOR, ~np.isfinite(plan.due)
    due, ramp = np.where(still, 0.0, plan.due), np.where(plan.ramp > 0, plan.ramp, 1e-9)
    floors[still] = plan.span[still]
    error, s, part, kp, kd, want = (np.zeros(model_.nv) for _ in range(6))
    qpos, v, bias, applied = data.qpos, data.qvel, data.qfrc_bias, data.qfrc_applied
    where = 0
    if push is not None:
        point = character.point(push.point)
        where = mujoco.mj_name2id(model_, mujoco.mjtObj.mjOBJ_BODY, character.names[point.body])
        force, place = np.asarray(push.force), np.asarray(point.position)
        xpos, turn, centre = data.xpos[where], data.xmat[where].reshape(3, 3), data.xipos[where]
        wrench, (fx, fy, fz) = data.xfrc_applied[where], force.tolist()

    def run() -> np.ndarray:
        mujoco.mj_resetData(model_, data)
        qpos[:] = start
        h = STEP
        for k, row in enumerate(rows.tolist()):
            t = k * h
            mujoco.mj_step1(model_, data)
            mujoco.mj_differentiatePos(model_, error, 1.0, qpos, plan.target[row])
            np.subtract(due[row], t, out=s)
            np.maximum(s, floors[row], out=s)
            np.subtract(t + h, plan.since[row], out=part)
            np.divide(part, ramp[row], out=part)
            np.minimum(part, 1.0, out=part)
            np.multiply(part, part * (3.0 - 2.0 * part), out=part)
            np.divide(plan.stiff[row], s, out=kp)
            np.divide(part, s, out=s)
            np.multiply(kp, s, out=kp)
            np.multiply(plan.damp[row], s, out=kd)
            # The acceleration (v⁺ − v) / h of v⁺ = (v + h kp e) / (1 + h kd + h² kp).
            np.multiply(kp, h, out=s)
            np.add(kd, s, out=kd)
            np.multiply(kp, error, out=kp)
            np.multiply(kd, v, out=s)
            np.subtract(kp, s, out=want)
            np.multiply(kd, h, out=kd)
            np.add(kd, 1.0, out=kd)
            np.divide(want, kd, out=want)
            mujoco.mj_mulM(model_, data, applied, want)
            np.add(applied, bias, out=applied)
            if push is not None:
                wrench[:3] = force
                x, y, z = (xpos + turn @ place - centre).tolist()
                wrench[3:] = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
            mujoco.mj_step2(model_, data)
        return np.array(qpos)

    return run


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
    rows = []
    push = Push(0.0, 2 * SECONDS, "RightHandCentre", (10.0, 5.0, 0.0))
    for what, leaned, apart in (("", None, 1e-6), (", pushed all the time", push, 0.01)):
        ours, loop = compiled(script, held, leaned), looped(script, held, leaned)
        off = np.abs(held.manifold.minus(ours(), loop())).max()
        if off > apart:  # the loop's torques do not foresee what a push does within a step
            raise AssertionError(f"the two simulations end {off:.2g} rad apart")
        times = seconds_of({"ours": ours, "loop": loop}, rounds=9)
        rows += [
            row(f"perform/control and simulation, full{what}", SECONDS / times["ours"], "× real"),
            row(
                f"perform/against the same controller over MuJoCo{what}", SECONDS / times["loop"], "× real",
                "Python loop over MuJoCo", times["loop"] / times["ours"],
            ),
        ]  # fmt: skip
    whole: dict[str, dict[str, Any]] = {
        "composite": {"control": "composite"},
        "fixed root, all of play": {},
        "standing on a floor": {"root": "free"},
    }
    results: dict[str, PerformResult] = {}

    def job(name: str, options: dict[str, Any]) -> None:
        results[name] = poise.perform(script=script, **options)

    jobs = {name: (lambda n=name, o=options: job(n, o)) for name, options in whole.items()}
    spent = seconds_of(jobs, rounds=5)
    for name, seconds in spent.items():
        result = results[name]
        rows.append(row(f"perform/{name}", result.clip.duration / seconds, "× real"))
        rows.append(row(f"perform/{name}: worst arrival", max(a.error for a in result.arrivals), "°"))
    return rows
