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
from benchmarks.humanoid46 import humanoid46
from poise import clips
from poise import constraints as c
from poise.character import Character
from poise.dynamics import mass_matrix
from poise.dynamics.mujoco_model import model
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hit import hit as search
from poise.methods.loosen.simulate.simulator import Simulator
from poise.operations.hit import Hit

WINDOW, STEP = 30, 0.01


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


def motion(character: Character, count: int, seed: int = 0) -> np.ndarray:
    """A smooth random motion, (count, nq)."""
    rng = np.random.default_rng(seed)
    t = np.arange(count) * STEP
    nv = character.nv
    f, p = rng.uniform(0.3, 1.5, (3, nv)), rng.uniform(0, 2 * np.pi, (3, nv))
    a = rng.normal(size=(3, nv)) / 6
    v = (a[:, None] * np.sin(2 * np.pi * f[:, None] * t[None, :, None] + p[:, None])).sum(0)
    v[:, :3] *= 0.4
    return character.manifold.plus(character.rest_pose(), v)


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
    import mujoco

    from poise.dynamics.window_arrays import Mechanism, Scheme, Springs, Windows
    from poise.dynamics.window_batch import run_batch

    nv = character.nv
    q = motion(character, frames + WINDOW + 1)
    v = character.manifold.velocity(q, STEP)
    inertia = np.diagonal(mass_matrix(character, character.rest_pose())).copy()
    for dofs in character.manifold.rotation_slots[1]:
        inertia[dofs] = inertia[dofs].mean()
    kp, kd = inertia * 30.0**2, 2 * inertia * 30.0
    still = np.zeros(len(character.tree.parent), dtype=bool)
    mechanism = Mechanism(character.tree, np.zeros(nv), np.array([0.0, 0.0, -9.81]), still)
    springs = Springs(q, v, kp[None].copy(), kd[None].copy(), np.zeros((1, nv)))
    windows = Windows(
        np.arange(frames), np.full((frames, 1), WINDOW), np.zeros((0, character.nq)), np.zeros((0, nv))
    )

    def ours() -> np.ndarray:
        return run_batch(mechanism, springs, windows, Scheme(STEP, 0.0, 1), "cpu").q[:, 0]

    engine = model(character)
    engine.opt.timestep, engine.opt.integrator = STEP, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    engine.dof_damping[:] = kd + STEP * kp
    data, error = mujoco.MjData(engine), np.zeros(nv)
    few = min(frames, 120)  # the loop is slow; its time is per window

    def naive() -> np.ndarray:
        found = np.empty((few, character.nq))
        for f in range(few):
            data.qpos[:], data.qvel[:] = q[f], v[f]
            for k in range(WINDOW):
                mujoco.mj_differentiatePos(engine, error, 1.0, data.qpos, q[f + k + 1])
                data.qfrc_applied[:] = kp * error
                mujoco.mj_step(engine, data)
            found[f] = data.qpos
        return found

    difference = float(np.abs(ours()[:few] - naive()).max())
    assert difference < 1e-10, difference
    took = interleaved({"ours": ours, "naive": naive}, rounds)
    per_window = took["ours"] / frames
    rows = [
        {
            "key": f"loosen/{label}: {frames} states of 0.3 s",
            "value": 1e3 * took["ours"],
            "unit": "ms",
            "direction": "lower",
            "peer": "naive MuJoCo loop",
            "ratio": took["naive"] / few / per_window,
        }
    ]
    if label == "46 dof":
        rows.append(_against_batch(character, q, v, kp, kd, frames, per_window))
    return rows


def _against_batch(character, q, v, kp, kd, frames, per_window) -> dict[str, Any]:  # type: ignore[no-untyped-def]
    """MuJoCo's own batched roll-out with orientation actuators, two threads (root: slides and a ball)."""
    import mujoco
    from mujoco import batch

    xml = _actuated(character, kp, kd)
    engine = mujoco.MjModel.from_xml_string(xml)
    count = min(frames, 400)
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
    punch = clips.get("punch")
    character = punch.character
    frame = 51
    at = float(punch.times[frame])
    hand = Kinematics(character, punch.q).point("RightHandCentre")
    there = c.pin("RightHandCentre", hand[frame], at)
    pose = c.pose(character, punch.q[frame], at)
    rest = c.at_rest("RightHandCentre", at)
    chain = []
    for k in range(8):
        f = 8 + 13 * k
        t = float(punch.times[f])
        chain += [
            c.pin("RightHandCentre", hand[f], t, name=f"p{k}"),
            c.at_rest("RightHandCentre", t, name=f"v{k}"),
        ]
    rows = []
    for key, wanted, width in (
        ("effector", [there], 1.0),
        ("pose", [pose], 1.0),
        ("position and velocity", [there, rest], 1.0),
        ("8 coupled positions and velocities", chain, 0.5),
    ):
        found = [poise.hit(punch, wanted, "relaxed", 0.3, width=width) for _ in range(6)][1:]
        report = found[0].report
        seconds = statistics.median(f.report.seconds for f in found)
        paper = poise.hit(punch, wanted, "relaxed", 0.3, width=width, method="paper", iterations=60).report
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
    result = poise.hit(punch, [there], "relaxed", 0.3)
    times = []
    for k in range(1, 9):
        moved = c.pin("RightHandCentre", hand[frame] + [0, 0, 0.01 * k], at)
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
