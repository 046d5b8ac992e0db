"""From a few keys to a motion: jumps, a somersault that tucks by itself, a camel on ice, a lamp that hops.

Nothing is animated or captured: scenes say what is held, and what the body must do at a few instants.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import poise
from poise.kinematics import Kinematics
from poise.methods.plan.result import PlanResult
from poise.methods.plan.scene import bundled as scenes

SPREAD = {
    "four punches": 0.8,
    "side jump": 0.75,
    "somersault": 0.75,
    "lamp jump": 0.55,
    "lamp somersault": 0.28,
    "camel skating": 2.4,
    "camel hand stand": 2.4,
}
"""Distance between figures of motions on the spot [m]; the others go along by themselves."""

FRAMES = {
    "camel skating": (0, 48, 61, 135, 183, 231, -1),
    "camel hand stand": (0, 45, 75, 130, 165, 208, -1),
}
"""Moments to show where evenly spaced ones would miss the point."""


def scene(name: str = "lamp jump") -> PlanResult:
    return poise.plan(name)


def tuck(result: PlanResult) -> float:
    """Least inertia about the lateral axis in flight, over that at take-off."""
    air = result.pieces[1]
    inertia = Kinematics(result.character, air.pose(np.linspace(0, air.duration, 40))).inertia
    across = np.array([np.linalg.eigvalsh(j)[1] for j in inertia])
    return float(across.min() / across[0])


def draw(folder: Path, names: tuple[str, ...] = tuple(scenes.SCENES)) -> list[Path]:
    from poise import pictures

    paths = []
    for name in names:
        result = scene(name)
        count = 7 if "camel" in name else 11
        picture = pictures.strobe(
            result.clip, frames=FRAMES.get(name), count=count, offset=SPREAD.get(name), size=(1600, 640)
        )
        path = folder / f"spacetime_{name.replace(' ', '_')}.png"
        pictures.save_png(picture, path)
        paths.append(path)
    return paths


if __name__ == "__main__":
    found = scene("somersault")
    print(found.report)
    print(f"it tucks to {100 * tuck(found):.0f} % of the inertia at take-off")
    print(*draw(Path("out")), sep="\n")
