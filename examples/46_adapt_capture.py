"""A captured walk whose feet are put elsewhere: three dimensions, every joint a ball, noise and all.

Two footprints are moved aside and turned, the others stay. The walk of the CMU collection is taken where it
lies beside the checkout, else a bundled one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import poise
from adapting import TRAIL, WAS, Stage, Strobe, path, planted, strobes
from poise import clips, load
from poise.arrays import Array
from poise.constraints import FootPlant
from poise.methods.adapt.plants.detect import detect, move_plant
from poise.methods.adapt.result import AdaptResult
from poise.motion import Clip, operators

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "cmu_cgspeed_bvh" / "02_01.bvh"
ASIDE, TURN = 0.22, 0.35
"""How far the feet are put aside [m], and turned [rad]."""


@dataclass(frozen=True, eq=False)
class Moved:
    """Before and after."""

    before: Clip
    plants: Sequence[FootPlant]
    asked: Sequence[FootPlant]
    which: tuple[int, int]
    result: AdaptResult


def captured() -> Clip | None:
    """The captured walk, where there is one."""
    return load(DATA, drop_tpose=True) if DATA.exists() else None


def bundled() -> Clip:
    """A walk of three cycles."""
    return operators.unroll(clips.get("walk"), 3)


def moved(walk: Clip) -> Moved:
    """Two feet in the middle of a walk put to the left and turned outwards."""
    plants = detect(walk)
    which = len(plants) // 2 - 1, len(plants) // 2
    way = path(walk, walk.character.names[0])
    ahead = (way[-1] - way[0])[:2] / np.linalg.norm((way[-1] - way[0])[:2])
    aside = ASIDE * np.array([-ahead[1], ahead[0]])
    asked = list(plants)
    for number in which:
        asked = move_plant(asked, number, aside, turn=TURN)
    return Moved(walk, plants, asked, which, poise.adapt(walk, asked, floor=True, plants=False))


@cache
def scene() -> Moved:
    """The captured walk, or else the bundled one."""
    return moved(captured() or bundled())


def draw(folder: Path) -> list[Path]:
    """As the paper's Fig. 11: streamers of the feet, before and after; arrows where feet were put."""
    from poise.kinematics import Kinematics
    from poise.pictures import View
    from poise.pictures.marks import arrow
    from poise.pictures.views import heading

    found = scene()
    clip = found.result.clip
    kin = Kinematics(clip.character, clip.q)
    turn = heading(clip.character, kin.positions, kin.rotations)
    feet = list(dict.fromkeys(list(p.intervals)[-1] for p in found.plants))
    trails: list[tuple[Array, str]] = [(path(found.before, f), WAS) for f in feet]
    trails += [(path(clip, f), TRAIL) for f in feet]
    arrows = []
    for number in found.which:
        start, end = (
            plant.pins(clip.character)[0].target.at(np.zeros(1))[0]
            for plant in (found.plants[number], found.asked[number])
        )
        lift = np.array([0.0, 0.0, 0.03 - start[2]])
        arrows.append((arrow(start + lift, 1.25 * (end - start), width=0.045), "target"))
    frames = np.linspace(0, clip.frames - 1, 6).astype(int).tolist()
    items = [
        Strobe(found.before, frames, "before", trails=trails[: len(feet)]),
        Strobe(clip, frames, "two feet moved", trails=trails, meshes=arrows),
    ]
    top = path(clip, clip.character.names[0])[0] + (0.0, 0.0, 1.05)
    look = Stage(View(turn + 58.0, 30.0), (1000, 560), width=0.02, margin=0.03, around=[top])
    return [strobes(items, folder / "adapt_capture.png", look)]


if __name__ == "__main__":
    found = scene()
    result = found.result
    dofs = found.before.character.nv
    print(f"{found.before.frames} frames, {dofs} degrees of freedom, {result.seconds:.2f} s")
    print(f"plants off {np.round(1e3 * planted(result.clip, found.asked), 2)} mm")
    print(result.report.message)
    print(*draw(Path("out")), sep="\n")
