"""Kinodynamics against MuJoCo loops, and inverse kinodynamics against the paper's own iteration.

KD: 46 degrees of freedom, 1000 windows of 0.3 s in steps of 10 ms, first-order scheme (the peers' own), equal
states checked to 1e-10. IKD: the bundled punch; newton beside the paper's method in the same run.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import poise
from poise import constraints as c
from poise.character import Character
from poise.methods.loosen.hit.hit import hit as search
from poise.methods.loosen.simulate.simulator import Simulator
from poise.operations.hit import Hit
from poise.speed.hitting import FRAME, HAND, HitWork
from poise.speed.humanoid46 import humanoid46
from poise.speed.loosening import STEP, WINDOW, WindowsWork


def interleaved(jobs: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    for job in jobs.values():
        job()
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            began = time.perf_counter()
            job()
            times[name].append(time.perf_counter() - began)
    return {name: statistics.median(values) for name, values in times.items()}


def tree183() -> Character:
    """A root and 59 balls: 183 degrees of freedom, in limbs of five."""
    from poise.character import Body, Joint, Mass

    rng = np.random.default_rng(0)
    mass = lambda: Mass(float(rng.uniform(0.3, 3)), rng.normal(size=3) * 0.03, np.diag([0.02, 0.022, 0.021]))  # noqa: E731
    bodies = [Body("b0", None, Joint.free(), (0, 0, 1), mass=mass())]
    for i in range(1, 60):
        parent = i - 1 if i % 5 else max(0, i // 5 - 1)
        bodies.append(Body(f"b{i}", f"b{parent}", Joint.ball(), rng.normal(size=3) * 0.15, mass=mass()))
    return Character("183", bodies)


def states(character: Character, frames: int, rounds: int, label: str) -> list[dict[str, Any]]:
    work = WindowsWork(character, frames)
    duel = work.mujoco()
    duel.agree()
    took = interleaved({"ours": duel.ours, "naive": duel.theirs}, rounds)
    per_window = took["ours"] / frames
    rows = [
        {
            "key": f"loosen/{label}: {frames} states of 0.3 s",
            "value": 1e3 * took["ours"],
            "unit": "ms",
            "direction": "lower",
            "peer": "naive MuJoCo loop",
            "ratio": took["naive"] / duel.items[1] / per_window,
        }
    ]
    if label == "46 dof":
        rows.append(_against_batch(work, per_window))
    return rows


def _against_batch(work: WindowsWork, per_window: float) -> dict[str, Any]:
    """MuJoCo's own batched roll-out with orientation actuators, two threads (root: slides and a ball)."""
    import mujoco
    from mujoco import batch

    character, q, v = work.character, work.q, work.v
    xml = _actuated(character, work.kp, work.kd)
    engine = mujoco.MjModel.from_xml_string(xml)
    count = min(work.frames, 400)
    controls = np.ascontiguousarray(
        np.lib.stride_tricks.sliding_window_view(q, WINDOW, axis=0).transpose(0, 2, 1)[1 : count + 1]
    )
    runner = batch.Batch(engine, nsim=count, nthread=2)
    at_q, at_v = runner.bind("qpos"), runner.bind("qvel")
    record = {"qpos": np.empty((count, WINDOW, character.nq))}

    def job() -> None:
        at_q[:], at_v[:] = q[:count], v[:count]
        runner.rollout(WINDOW, controls, out=record)

    took = interleaved({"batch": job}, 5)["batch"]
    return {
        "key": "loosen/46 dof: against batched roll-outs",
        "value": 1e6 * per_window,
        "unit": "µs",
        "direction": "lower",
        "peer": "MuJoCo batch roll-out, 2 threads",
        "ratio": took / count / per_window,
    }


def _actuated(character: Character, kp: np.ndarray, kd: np.ndarray) -> str:
    """MJCF with position and orientation actuators in q's layout."""
    from poise.character import JointKind

    text, actuators = [], []

    def numbers(values: Any) -> str:
        return " ".join(repr(float(x)) for x in np.ravel(values))

    def put(i: int) -> None:
        body = character.bodies[i]
        gain = character.dofs(i)
        text.append(f'<body name="{body.name}" pos="{numbers(body.offset)}" quat="{numbers(body.rest)}">')
        name = f"j_{body.name}"
        if body.joint.kind is JointKind.FREE:
            for k, axis in enumerate(("1 0 0", "0 1 0", "0 0 1")):
                p, d = kp[gain.start + k], kd[gain.start + k]
                place = float(np.asarray(body.offset)[k])
                drag = d + STEP * p
                text.append(
                    f'<joint name="{name}{k}" type="slide" axis="{axis}" ref="{place}" damping="{drag}"/>'
                )
                actuators.append(f'<position joint="{name}{k}" kp="{p}"/>')
            gain = slice(gain.start + 3, gain.stop)
        p, d = kp[gain.start], kd[gain.start]
        if body.joint.kind is JointKind.HINGE:
            axis = numbers(body.joint.axis)
            text.append(f'<joint name="{name}" type="hinge" axis="{axis}" damping="{d + STEP * p}"/>')
            actuators.append(f'<position joint="{name}" kp="{p}"/>')
        else:
            text.append(f'<joint name="{name}" type="ball" damping="{d + STEP * p}"/>')
            actuators.append(f'<orientation joint="{name}" kp="{p}" input="quat"/>')
        own = body.mass
        full = np.asarray(own.inertia)
        moments = numbers([full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2]])
        text.append(f'<inertial pos="{numbers(own.centre)}" mass="{own.mass}" fullinertia="{moments}"/>')
        for k in range(i + 1, len(character.bodies)):
            if int(character.parents[k]) == i:
                put(k)
        text.append("</body>")

    put(0)
    return (
        '<mujoco><compiler angle="radian" autolimits="false" balanceinertia="false"/>'
        f'<option timestep="{STEP}" integrator="implicitfast">'
        '<flag contact="disable" constraint="disable"/></option>'
        f"<worldbody>{''.join(text)}</worldbody><actuator>{''.join(actuators)}</actuator></mujoco>"
    )


def inverse() -> list[dict[str, Any]]:
    """Iterations, accuracy and time of the inverse solver on the punch, beside the paper's method."""
    work = HitWork()
    punch, at = work.clip, work.at
    rows = []
    for key in work.tasks:
        found = [work.solved(key) for _ in range(6)][1:]
        report = found[0].report
        seconds = statistics.median(f.report.seconds for f in found)
        paper = work.published(key).report
        worst = max(o.error for o in report.outcomes)
        rows.append(
            {
                "key": f"loosen/hit: {key}",
                "value": 1e3 * seconds,
                "unit": "ms",
                "direction": "lower",
                "peer": f"paper: {paper.iterations} it., {'met' if paper.met else 'missed'}; "
                f"ours: {report.iterations} it., {worst:.0e}",
                "ratio": paper.seconds / seconds,
            }
        )
    result = poise.hit(punch, work.tasks["effector"][0], "relaxed", 0.3)
    times = []
    for k in range(1, 9):
        moved = c.pin(HAND, work.hand[FRAME] + [0, 0, 0.01 * k], at)
        result = search(punch, [moved], Hit(constraints=(), window=0.3), start=result)
        times.append(result.report.seconds)
    rows.append(_row("loosen/hit: drag by 1 cm", 1e3 * statistics.median(times), "ms"))
    simulator = Simulator(punch, "relaxed")
    simulator.states([at], 0.3)
    began = time.perf_counter()
    for k in range(50):
        simulator.states([float(punch.times[k])], 0.3)
    rows.append(_row("loosen/one state on demand", 1e3 * (time.perf_counter() - began) / 50, "ms"))
    return rows


def _row(key: str, value: float, unit: str) -> dict[str, Any]:
    return {"key": key, "value": value, "unit": unit, "direction": "lower", "peer": "", "ratio": None}


def run() -> list[dict[str, Any]]:
    return [*states(humanoid46(), 1000, 7, "46 dof"), *states(tree183(), 1000, 5, "183 dof"), *inverse()]
