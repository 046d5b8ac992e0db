"""A dancer on its own feet: hit on the chest, it sways, recovers and is on the beat; hit harder, it falls.

Arrows are the forces that surfaces push each foot with: nothing else carries it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import poise
from poise.arrays import Array
from poise.methods.perform.result import PerformResult
from poise.methods.perform.simulate.soles import soles
from poise.operations.values.disturbance import Impulse

WHEN = 1.0
"""Of the blow [s]."""
LIGHT, HARD = 18.0, 60.0
"""[N·s]"""
MOMENTS = (0.95, 1.05, 1.3, 1.8, 2.4)
ARROW = 0.9 / 736.0
"""Length over force [m/N]."""


@cache
def scene(blow: float = LIGHT) -> PerformResult:
    """The performance."""
    return poise.perform(
        script="ymca", root="free", disturbances=[Impulse(WHEN, "Chest", (blow, 0.0, 0.0))], duration=3.0
    )


def pushes(result: PerformResult, time: float) -> list[tuple[Array, Array]]:
    """Place and force of what pushes on each part of the body at a time."""
    assert result.pushes is not None
    pushed = result.pushes
    near = np.abs(pushed.time - time)
    now = near < near.min() + 1e-9
    found = []
    parts = np.array(soles(result.clip.character).names)[pushed.ball]
    for part in sorted(set(parts[now])):
        own = now & (parts == part)
        force = pushed.force[own].sum(axis=0)
        if np.linalg.norm(force) > 20.0:
            weights = np.linalg.norm(pushed.force[own], axis=1)
            found.append((np.average(pushed.place[own], axis=0, weights=weights), force))
    return found


def draw(folder: Path) -> list[Path]:
    """Both performances, a row each."""
    from beat_tables import box, rows
    from panels import Framing, Panel
    from poise.pictures import View
    from poise.pictures.marks import arrow

    items = []
    for blow in (LIGHT, HARD):
        result, row = scene(blow), []
        for t in MOMENTS:
            meshes = [(arrow(place, ARROW * force), "target") for place, force in pushes(result, t)]
            if abs(t - WHEN) < 0.08 and t > WHEN:
                chest = result.clip.character.index("Chest")
                at = result.clip.character.placement(result.clip.at(t)[None]).positions[0, chest]
                meshes.append((arrow(at - [0.5, 0.0, -0.1], [0.35, 0.0, 0.0]), "shoe"))
            down = result.fell is not None and t >= result.fell
            note = f"{t:.2f} s" + (", fallen" if down else "")
            row.append(Panel(result.clip, round(t * result.clip.fps), f"{blow:g} N·s", note, meshes=meshes))
        items.append(row)
    look = Framing(View(-62.0, 8.0), (300, 380), around=box((-0.5, -0.5, 0.0), (1.9, 0.5, 2.1)), margin=0.02)
    return [rows(items, folder / "beat_standing.png", look)]


def numbers() -> dict[str, float]:
    """What the pictures show."""
    found = scene()
    hard = scene(HARD)
    return {
        "worst arrival [°]": max(a.error for a in found.arrivals),
        "fell after the hard blow [s]": float("inf") if hard.fell is None else hard.fell - WHEN,
    }


if __name__ == "__main__":
    print(numbers(), *draw(Path("out")))
