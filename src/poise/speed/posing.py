"""One step of inverse kinematics of a whole body, beside mink and pink.

A step is one evaluation of all rows with Jacobians, one linear solve and one update. Ours: centre of mass and
inertia strict, six pins and the pose soft, second derivatives and joint limits included; time over
evaluations (also those of refused steps) of all poses, solved cold to 1e-10 in one call, one thread. The
peers: centre of mass (weighted, not strict), six pins, posture; daqp solves their programs. They have no
inertia task and run without limits, but a planar pin has three rows there and two here, and each of their
steps goes through Python, while ours share one call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.presets.planar_humanoid import planar_humanoid
from poise.dynamics.mujoco_model import model
from poise.handles import CentreOfMass, PointPosition, RotationalInertia
from poise.handles.handle import Handle
from poise.kinematics import Kinematics
from poise.methods.key.pose.solver import PoseSolver, Solved
from poise.methods.key.pose.task import Task
from poise.speed.duel import Duel
from poise.speed.pinocchio_twin import PinocchioTwin
from poise.workers import on_threads

POSES = 64
"""Solved in one call."""
PINS = ("handL", "handR", "footL", "footR", "head", "chest")
"""Of the 46-degree humanoid."""


class PoseWork:
    """Poses near rest, targets near those, and who takes steps towards them."""

    def __init__(self, character: Character, pins: tuple[str, ...] = PINS, poses: int = POSES) -> None:
        flat = character is planar_humanoid()
        axes, measure = ("xz", "planar") if flat else ("xyz", "gyration")
        handles: list[Handle] = [CentreOfMass(axes), RotationalInertia(measure)]
        tasks = [Task(h, 0) for h in handles] + [Task(PointPosition(p, axes)) for p in pins]
        rng = np.random.default_rng(0)
        self.character, self.pins, self.solver = character, pins, PoseSolver(character, tasks)
        rest = np.tile(character.rest_pose(), (poses, 1))
        self.q = character.manifold.plus(rest, 0.1 * rng.normal(size=(poses, character.nv)))
        kin = Kinematics(character, self.q)
        values = [t.handle.value(kin) for t in tasks]
        self.targets = [v + 0.03 * rng.normal(size=v.shape) for v in values]
        self.targets[1] = 0.95 * values[1]

    def solve(self) -> Solved:
        """All poses, each from its own, on one thread."""
        with on_threads(1):
            return self.solver.solve(self.q, self.q, self.targets)

    def duel(self, theirs: Callable[[], None]) -> Duel:
        """One of our steps beside one of theirs; what must hold is that ours meet what is strict."""
        solved = self.solve()
        steps = float(solved.iterations.sum())
        return Duel(
            self.solve, theirs, lambda: float(np.abs(solved.errors[0]).max()), 1e-9, (steps, 1.0), "step"
        )

    def mink(self) -> Callable[[], None]:
        """One step of mink on the first pose."""
        import mink

        built = model(self.character, gravity=(0.0, 0.0, 0.0))
        configuration = mink.Configuration(built, q=self.q[0])
        tasks: list[Any] = [mink.ComTask(cost=100.0), mink.PostureTask(built, cost=0.3)]
        tasks[1].set_target(self.q[0])
        names = [built.body(self.character.index(p) + 1).name for p in self.pins]
        tasks += [mink.FrameTask(n, "body", position_cost=1.0, orientation_cost=0.0) for n in names]
        tasks[0].set_target(np.array(configuration.data.subtree_com[1]) + 0.01)
        for task in tasks[2:]:
            task.set_target_from_configuration(configuration)

        def step() -> None:
            configuration.update(self.q[0])
            velocity = mink.solve_ik(configuration, tasks, 1.0, "daqp", damping=1e-3, limits=[])
            configuration.integrate_inplace(velocity, 1.0)

        return step

    def pink(self) -> Callable[[], None]:
        """One step of pink on the first pose."""
        import pink
        from pink.tasks import ComTask, FrameTask, PostureTask

        twin = PinocchioTwin(self.character)
        for pin in self.pins:
            twin.add_point(self.character.index(pin), np.zeros(3), f"pin {pin}")
        q = twin.q(self.q[0])
        configuration = pink.Configuration(twin.model, twin.data, q)
        tasks: list[Any] = [ComTask(cost=100.0), PostureTask(cost=0.3)]
        tasks[0].set_target_from_configuration(configuration)
        tasks[1].set_target(q)
        for pin in self.pins:
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
