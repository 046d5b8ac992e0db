"""How fast a pose settles, with no pins up to eight.

The centre of mass and the inertia are to be met exactly, pins pull firmly, and the desired pose is the rest
pose, from which every solve starts: nothing is carried over from a pose before.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.character import Character, presets
from poise.handles import CentreOfMass, PointPosition, RotationalInertia
from poise.kinematics import Kinematics
from poise.methods.key.pose.solver import PoseSolver, Solved
from poise.methods.key.pose.task import Task
from poise.methods.key.pose.values import pose

PINS = (
    "LeftHeel", "RightToe", "RightHandCentre", "LeftHandCentre",
    "HeadTop", "RightKnee", "LeftElbow", "LeftKnee",
)  # fmt: skip
GAIN = 0.9
ACCURACY = 1e-12
LUNGE = {
    "Hips": (0.1, -0.25, "18 deg"), "Spine": "8 deg", "Spine1": "8 deg", "Chest": "6 deg", "Head": "-20 deg",
    "LeftUpLeg": "-70 deg", "LeftLeg": "75 deg", "LeftFoot": "-20 deg",
    "RightUpLeg": "-20 deg", "RightLeg": "60 deg", "RightFoot": "-10 deg",
    "RightArm": "-80 deg", "RightForeArm": "-40 deg", "LeftArm": "30 deg", "LeftForeArm": "-60 deg",
}  # fmt: skip
"""Where all targets are taken from."""


@dataclass(frozen=True, eq=False)
class Run:
    """One solve, evaluation by evaluation; the first is of the rest pose."""

    solver: PoseSolver
    targets: tuple[Array, ...]
    gains: tuple[float, ...]
    solved: Solved
    hard: Array
    """Largest error of the centre of mass [m] and of the inertia, in the solver's scale, (evaluations,)."""
    away: Array
    """How far the pose is from the one it settles at: largest degree of freedom [rad, m], (evaluations,)."""

    def needed(self, error: float) -> int:
        """Evaluations after which both stay below an error."""
        above = np.flatnonzero(np.maximum(self.hard, self.away) > error)
        return int(above[-1]) + 2 if len(above) else 1


def scene(counts: tuple[int, ...] = tuple(range(len(PINS) + 1))) -> dict[int, Run]:
    """Solve for each number of pins."""
    character = presets.planar_humanoid()
    return {count: run(character, count) for count in counts}


def run(character: Character, count: int) -> Run:
    """Solve with the first so many pins."""
    rest, there = character.rest_pose(), Kinematics(character, pose(character, LUNGE))
    tasks = [Task(CentreOfMass(), 0), Task(RotationalInertia("planar"), 0)]
    tasks += [Task(PointPosition(point)) for point in PINS[:count]]
    solver = PoseSolver(character, tasks)
    targets = tuple(task.handle.bind(character).value(there)[0] for task in tasks)
    gains = (1.0, 1.0, *(GAIN for _ in range(count)))

    def after(evaluations: int) -> Solved:
        return solver.solve(
            rest, rest, targets, gains, accuracy=ACCURACY, iterations=evaluations, history=True
        )

    solved = after(400)
    last = int(solved.iterations[0])
    # A solve repeats itself to the bit: cut short, it tells where it was.
    ways = [after(k) for k in range(1, last + 1)]
    away = [np.abs(character.manifold.minus(way.q[0], solved.q[0])).max() for way in ways]
    hard = [max(np.abs(e).max() for e in way.errors[:2]) for way in ways]
    return Run(solver, targets, gains, solved, np.array(hard), np.array(away))


def draw(folder: Path) -> list[Path]:
    """As in the paper's Fig. 12, further down."""
    import matplotlib

    from panels import save_figure

    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = scene()
    made, (left, right) = pyplot.subplots(1, 2, figsize=(9.0, 3.6), dpi=110, layout="constrained")
    colours = pyplot.get_cmap("viridis")(np.linspace(0.0, 0.92, len(found)))
    for (count, one), colour in zip(found.items(), colours):
        label = f"{count} pin{'s' * (count != 1)}"
        left.semilogy(np.maximum(one.hard, 1e-13), color=colour, lw=1.3, label=label)
        right.semilogy(np.maximum(one.away, 1e-13), color=colour, lw=1.3, label=label)
    left.set(ylabel="centre of mass [m], inertia [kg·m²]", title="largest hard error")
    right.set(ylabel="distance [rad, m]", title="from the settled pose")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlabel("iteration")
        axes.title.set_fontsize(10)
        axes.grid(alpha=0.25)
    right.legend(frameon=False, fontsize=8, ncols=2)
    return [save_figure(made, folder / "pk_convergence.png")]


if __name__ == "__main__":
    for count, one in scene().items():
        print(f"{count} pins: {one.solved.iterations[0]} iterations, {one.needed(1e-3)} to 1 mm or 1 mrad")
    print(*draw(Path("out")), sep="\n")
