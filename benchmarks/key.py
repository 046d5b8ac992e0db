"""The prioritised pose solver against mink and pink: one step of inverse kinematics, and whole poses.

A step is one evaluation of all rows with Jacobians, one linear solve and one update. Ours: centre of mass and
inertia strict, six pins and the pose soft, second derivatives and joint limits included; time over
evaluations (also those of refused steps) of 64 poses solved cold to 1e-10 in one call, one thread. The peers:
centre of mass (weighted, not strict), six pins, posture; daqp solves their programs. They have no inertia
task and run without limits, but a planar pin has three rows there and two here, and each of their steps goes
through Python, while ours share one call: "one pose, cold" has that cost for us too, and its evaluations are
about half as fast.

    python -m benchmarks --only key
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.humanoid46 import humanoid46
from benchmarks.kinematics import interleaved
from poise.character import Body, Character, Joint, Mass
from poise.character.presets.planar_humanoid import planar_humanoid
from poise.handles import CentreOfMass, PointPosition, RotationalInertia
from poise.kinematics import Kinematics
from poise.methods.key.pose.solver import PoseSolver, Solved
from poise.methods.key.pose.task import Task
from poise.workers import on_threads

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from oracles import PinocchioOracle, mujoco_model

POSES = 64
PINS = {
    "planar humanoid": ("LeftHand", "RightHand", "LeftFoot", "RightFoot", "LeftToeBase", "RightToeBase"),
    "humanoid46": ("handL", "handR", "footL", "footR", "head", "chest"),
    "60 dof": ("left arm3", "right arm3", "left leg3", "right leg2", "spine2", "left arm1"),
}


def sixty() -> Character:
    """A root and 18 balls: 60 degrees of freedom."""
    mass = Mass(2.0, (0.02, 0.0, 0.08), np.diag([0.02, 0.02, 0.005]))
    bodies = [Body("pelvis", None, Joint.free(), mass=mass)]

    def chain(host: str, name: str, count: int, step: tuple[float, float, float]) -> None:
        for k in range(count):
            parent = host if k == 0 else f"{name}{k - 1}"
            bodies.append(Body(f"{name}{k}", parent, Joint.ball(), offset=step, mass=mass))

    chain("pelvis", "spine", 3, (0.0, 0.0, 0.15))
    for side, sign, leg in (("left", 1.0, 4), ("right", -1.0, 3)):
        chain("spine2", f"{side} arm", 4, (0.0, 0.2 * sign, 0.0))
        chain("pelvis", f"{side} leg", leg, (0.0, 0.1 * sign, -0.3))
    return Character("60 dof", bodies)


class Case:
    """Poses near rest, targets near those, and the solver for them."""

    def __init__(self, character: Character, poses: int = POSES) -> None:
        flat = character is planar_humanoid()
        axes, measure = ("xz", "planar") if flat else ("xyz", "gyration")
        handles = [CentreOfMass(axes), RotationalInertia(measure)]
        self.pins = PINS[character.name]
        tasks = [Task(h, 0) for h in handles] + [Task(PointPosition(p, axes)) for p in self.pins]
        rng = np.random.default_rng(0)
        self.character, self.solver = character, PoseSolver(character, tasks)
        rest = np.tile(character.rest_pose(), (poses, 1))
        self.q = character.manifold.plus(rest, 0.1 * rng.normal(size=(poses, character.nv)))
        kin = Kinematics(character, self.q)
        values = [t.handle.value(kin) for t in tasks]
        self.targets = [v + 0.03 * rng.normal(size=v.shape) for v in values]
        self.targets[1] = 0.95 * values[1]

    def solve(self) -> Solved:
        """All poses, each from its own."""
        return self.solver.solve(self.q, self.q, self.targets)


def mink_step(case: Case) -> Callable[[], None]:
    """One step of mink on the first pose."""
    import mink

    model = mujoco_model(case.character)
    configuration = mink.Configuration(model, q=case.q[0])
    tasks: list[Any] = [mink.ComTask(cost=100.0), mink.PostureTask(model, cost=0.3)]
    tasks[1].set_target(case.q[0])
    names = [model.body(case.character.index(p) + 1).name for p in case.pins]
    tasks += [mink.FrameTask(n, "body", position_cost=1.0, orientation_cost=0.0) for n in names]
    centre = np.array(configuration.data.subtree_com[1]) + 0.01
    tasks[0].set_target(centre)
    for task in tasks[2:]:
        task.set_target_from_configuration(configuration)

    def step() -> None:
        configuration.update(case.q[0])
        velocity = mink.solve_ik(configuration, tasks, 1.0, "daqp", damping=1e-3, limits=[])
        configuration.integrate_inplace(velocity, 1.0)

    return step


def pink_step(case: Case) -> Callable[[], None]:
    """One step of pink on the first pose."""
    import pink
    from pink.tasks import ComTask, FrameTask, PostureTask

    oracle = PinocchioOracle(case.character)
    for pin in case.pins:
        oracle.add_point(case.character.index(pin), np.zeros(3), f"pin {pin}")
    q = oracle.q(case.q[0])
    configuration = pink.Configuration(oracle.model, oracle.data, q)
    tasks: list[Any] = [ComTask(cost=100.0), PostureTask(cost=0.3)]
    tasks[0].set_target_from_configuration(configuration)
    tasks[1].set_target(q)
    for pin in case.pins:
        tasks.append(FrameTask(f"pin {pin}", position_cost=1.0, orientation_cost=0.0))
        tasks[-1].set_target_from_configuration(configuration)
    tasks[0].set_target(tasks[0].target_com + 0.01)

    def step() -> None:
        configuration.update(q)
        velocity = pink.solve_ik(
            configuration, tasks, 1.0, "daqp", damping=1e-3, limits=[], safety_break=False
        )
        configuration.integrate_inplace(velocity, 1.0)

    return step


def row(
    key: str, value: float, unit: str, peer: str | None = None, ratio: float | None = None
) -> dict[str, Any]:
    """One metric."""
    numbers = {"value": value, "unit": unit, "direction": "lower", "peer": peer, "ratio": ratio}
    return {"key": f"key/{key}", **numbers}


def steps(character: Character, rounds: int) -> list[dict[str, Any]]:
    """Microseconds a step, beside the peers."""
    case = Case(character)
    solved = case.solve()
    assert np.abs(solved.errors[0]).max() < 1e-9
    count, label = int(solved.iterations.sum()), f"step, {character.nv} dof"
    jobs: dict[str, Callable[[], Any]] = {"ours": case.solve}
    if character.nv < 60:
        jobs |= {"mink": mink_step(case), "pink": pink_step(case)}
    with on_threads(1):
        took = interleaved(jobs, rounds)
    ours = took["ours"] / count
    if "mink" not in took:
        return [row(label, 1e6 * ours, "µs")]
    return [row(f"{label}, against {p}", 1e6 * ours, "µs", p, took[p] / ours) for p in ("mink", "pink")]


def whole_poses() -> list[dict[str, Any]]:
    """Cold solves from the pose as given, one by one and as a batch."""
    rows = []
    for character in (planar_humanoid(), humanoid46()):
        case = Case(character, 300)
        case.solve()
        times = []
        with on_threads(1):
            for f in range(100):
                pose, targets = case.q[f], [t[f] for t in case.targets]
                began = time.perf_counter()
                case.solver.solve(pose, pose, targets)
                times.append(time.perf_counter() - began)
        rows.append(row(f"one pose, cold, {character.nv} dof", 1e3 * float(np.median(times)), "ms"))
        began = time.perf_counter()
        case.solve()
        rows.append(row(f"300 poses, cold, {character.nv} dof", 1e3 * (time.perf_counter() - began), "ms"))
    return rows


def run(rounds: int = 15) -> list[dict[str, Any]]:
    """Metrics: key, value, unit, direction, peer, ratio (peer's time over ours)."""
    found = [r for character in (planar_humanoid(), humanoid46(), sixty()) for r in steps(character, rounds)]
    return [*found, *whole_poses()]


if __name__ == "__main__":
    for found in run():
        print(f"{found['key']:48s} {found['value']:9.3f} {found['unit']:3s} {found['ratio'] or 0:6.1f}")
