"""Characters, tasks and targets that several tests of the pose solver start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Body, Character, Joint, Mass
from poise.character.presets.humanoid import humanoid
from poise.character.presets.planar_humanoid import planar_humanoid
from poise.handles import CentreOfMass, PointPosition, RotationalInertia
from poise.kinematics import Kinematics
from poise.methods.key.pose.solver import PoseSolver, Solved
from poise.methods.key.pose.task import Task


@dataclass
class Problem:
    """Centre of mass and inertia strict, pins soft; targets are those of a pose until changed."""

    character: Character
    q: np.ndarray
    tasks: list[Task]
    targets: list[np.ndarray]
    hard: int = 2

    def moved(self, task: int, by) -> Problem:
        """The same with one target moved."""
        targets = [t.copy() for t in self.targets]
        targets[task] = targets[task] + np.asarray(by, dtype=float)
        return Problem(self.character, self.q, self.tasks, targets, self.hard)

    def scaled(self, task: int, by: float) -> Problem:
        """The same with one target multiplied."""
        targets = [t.copy() for t in self.targets]
        targets[task] = targets[task] * by
        return Problem(self.character, self.q, self.tasks, targets, self.hard)

    def solve(self, gain: float = 0.5, **options) -> Solved:
        gains = [1.0] * self.hard + [gain] * (len(self.tasks) - self.hard)
        return PoseSolver(self.character, self.tasks).solve(self.q, self.q, self.targets, gains, **options)

    def worst_hard(self, solved: Solved) -> float:
        """Largest error of the strict tasks, relative to their targets."""
        return max(
            float(np.abs(solved.errors[k]).max() / max(1.0, np.abs(self.targets[k]).max()))
            for k in range(self.hard)
        )


def planar(measure: str = "planar") -> Problem:
    """The planar humanoid with six pins, arms and legs slightly bent."""
    character = planar_humanoid()
    pins = ["LeftHand", "RightHand", "LeftHeel", "RightHeel", "LeftToe", "RightToe"]
    return problem(character, pins, "xz", measure)


def spatial(measure: str = "gyration") -> Problem:
    """The humanoid with limited balls and four pins."""
    return problem(humanoid(), ["LeftHand", "RightHand", "LeftFoot", "RightFoot"], "xyz", measure)


def problem(character: Character, pins: list[str], axes: str, measure: str, seed: int = 0) -> Problem:
    rng = np.random.default_rng(seed)
    free = PoseSolver(character, [])
    q = character.manifold.plus(character.rest_pose(), 0.1 * rng.normal(size=character.nv))
    q = free.solve(q, q, []).q[0]  # inside the limits
    handles = [CentreOfMass(axes), RotationalInertia(measure), *(PointPosition(p, axes) for p in pins)]
    kin = Kinematics(character, q)
    tasks = [Task(h, 0 if k < 2 else None) for k, h in enumerate(handles)]
    return Problem(character, q, tasks, [h.value(kin)[0] for h in handles])


def slides(rng: np.random.Generator, count: int) -> Character:
    """A tree of slides along any axes: every point is linear in q."""
    bodies = [Body("b0", None, Joint.slide(rng.normal(size=3)), mass=Mass(1.0))]
    for i in range(1, count):
        joint, up = Joint.slide(rng.normal(size=3)), f"b{int(rng.integers(i))}"
        bodies.append(Body(f"b{i}", up, joint, rng.normal(size=3), mass=Mass(1.0 + rng.uniform())))
    return Character("slides", bodies)
