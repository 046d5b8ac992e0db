"""Templates: a person walks round a corner and sits down, a camel trots, a lamp reaches.

The same words for any body: how far, how high and how fast follow from its legs, and its labels say which
they are.
"""

from __future__ import annotations

from pathlib import Path

import poise
from poise import characters, pictures
from poise.methods.plan.result import PlanResult

WIDE = {"sit": 1.1, "reach": 0.6}
"""How far apart figures are drawn that stay where they are [m]."""


def made() -> dict[str, PlanResult]:
    """The motions, by what they are called."""
    return {
        "walk": poise.plan("walk", route=((1.2, 0.0), (2.0, 0.8))),
        "sit": poise.plan("sit down"),
        "trot": poise.plan("trot", character=characters.get("camel"), steps=2),
        "reach": poise.plan("reach", character=characters.get("lamp")),
    }


def draw(folder: Path) -> list[Path]:
    """A picture of each."""
    paths = []
    for name, result in made().items():
        print(f"{name}: {'met' if result.met else 'missed: ' + '; '.join(result.missed)}")
        path = folder / f"templates_{name}.png"
        world = result.stands_in if len(result.stands_in.surfaces) > 1 else None
        apart = None if name in ("walk", "trot") else 0.9 * WIDE[name]
        picture = pictures.strobe(result.clip, count=7, world=world, offset=apart, size=(1400, 520))
        pictures.save_png(picture, path)
        paths.append(path)
    return paths


if __name__ == "__main__":
    draw(Path())
