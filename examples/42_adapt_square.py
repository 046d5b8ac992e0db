"""A hand traces a square: frame by frame, with a displacement map, and solved over the whole clip.

Inverse kinematics of every frame is exact and jerks at each corner. A map with keys at the corners is smooth
and round. Solved over the clip, a curve of as many keys comes as near as such a curve can; a finer, calm
layer on top, as the method adds one wherever something is held, makes it a square, still smoothly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import poise
from adapting import TRAIL, WAS, Stage, Strobe, mapped, path, posed, standing, strobes
from poise import constraints
from poise.arrays import Array
from poise.constraints import Always, pin
from poise.curves import InterpolatingCubic
from poise.methods.adapt.plants.quality import manner
from poise.motion import Clip, operators
from poise.operations.values.displacement import Displacement

HAND, ARM = "RightHandCentre", ("RightArm", "RightForeArm", "RightHand")
DURATION, SIDE, FPS = 4.0, 0.3, 30
"""[s], [m], and frames per second: jerk at a corner grows with their square."""
CORNER = (0.22, 0.0, -0.36)
"""The first corner from the shoulder [m]."""
FEW, MORE = 5, 9
"""Keys: one at each corner, and twice as many steps."""
STRICT, CALM = 20.0, 30.0
"""How hard the path pulls on keys so few, and the price of bending what a finer layer adds."""


@dataclass(frozen=True, eq=False)
class Square:
    """All ways to trace it."""

    goal: Array
    """Where the hand should be at each frame (F, 3) [m]."""
    ways: Mapping[str, Clip]

    def error(self, name: str) -> float:
        """Root mean square distance from where the hand should be [m]."""
        return float(np.sqrt(np.mean(np.sum((path(self.ways[name], HAND) - self.goal) ** 2, axis=1))))

    def jerk(self, name: str) -> float:
        """Root mean square of all bodies' jerk [m/s³]."""
        return manner(self.ways[name]).jerk

    def best(self, keys: int) -> float:
        """The least error of any cubic with so many even keys, drawn freely in space [m]."""
        at = np.linspace(0.0, DURATION, keys)
        basis = InterpolatingCubic(at).matrix(np.arange(len(self.goal)) / FPS).toarray()
        fit = basis @ np.linalg.lstsq(basis, self.goal, rcond=None)[0]
        return float(np.sqrt(np.mean(np.sum((fit - self.goal) ** 2, axis=1))))


@cache
def scene() -> Square:
    """Per-frame solves, maps and whole-clip solves, of the arm alone."""
    clip = operators.resample(standing(DURATION), FPS)
    first = path(clip, "RightArm")[0] + CORNER
    round_ = SIDE * np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1], [0, 0, 0]])
    square = constraints.Path(np.linspace(0.0, DURATION, 5), first + round_)
    goal = square.at(clip.times)

    def pose(time: float, near: Array | None = None) -> Array:
        wanted = [pin(HAND, square.at(np.array([time]))[0], time)]
        return posed(clip, time, wanted, near=near, joints=ARM)

    frames: list[Array] = []
    for time in clip.times:  # each from the one before: the usual cure for solutions that alternate
        frames.append(pose(float(time), frames[-1] if frames else None))
    ways = {"each frame": clip.with_q(np.array(frames))}
    trace = pin(HAND, square, Always(), name="square")
    for count in (FEW, MORE):
        keys = np.linspace(0.0, DURATION, count)
        ways[f"map, {count} keys"] = mapped(clip, {float(t): pose(float(t)) for t in keys})
        few = Displacement(keys, "cubic", ARM, pull=STRICT)
        fine = Displacement(clip.dt, joints=ARM, smoothness=CALM)
        for name, layers in (("solved", [few]), ("finished", [few, fine])):
            result = poise.adapt(clip, [trace], displacements=layers, objective="joints", plants=False)
            ways[f"{name}, {count} keys"] = result.clip
    return Square(goal, ways)


def draw(folder: Path) -> list[Path]:
    """As the paper's Fig. 6: what the hand draws, and the arm along the way."""
    from poise.pictures import View

    found = scene()
    side = (len(found.goal) - 1) // 4
    items = []
    shown = ("each frame", *(f"{way}, {FEW} keys" for way in ("map", "solved", "finished")))
    for letter, name in zip("abcd", shown):
        clip = found.ways[name]
        items.append(
            Strobe(
                clip,
                np.linspace(side, 2 * side, 4).astype(int).tolist(),
                f"({letter})",
                f"{name}: {1e3 * found.error(name):.0f} mm off",
                trails=[(found.goal, WAS), (path(clip, HAND), TRAIL)],
            )
        )
    around = [(x, 0.0, z) for x in (-0.2, 0.7) for z in (0.85, 1.95)]
    look = Stage(View(-84.0, 4.0), (400, 480), columns=4, around=around, close=True, width=0.01)
    return [strobes(items, folder / "adapt_square.png", look)]


if __name__ == "__main__":
    square = scene()
    for name in square.ways:
        print(
            f"{name:16s} path off {1e3 * square.error(name):5.1f} mm rms, jerk {square.jerk(name):6.2f} m/s³"
        )
    for count in (FEW, MORE):
        print(f"no cubic of {count} keys drawn in space comes nearer than {1e3 * square.best(count):.1f} mm")
    for count in (FEW, MORE):
        for way in ("solved", "finished"):
            name = f"{way}, {count} keys"
            closer = square.error(f"map, {count} keys") / square.error(name)
            calmer = square.jerk("each frame") / square.jerk(name)
            print(f"{name}: {closer:.1f} × closer than the map, {calmer:.0f} × less jerk than each frame")
    print(*draw(Path("out")), sep="\n")
