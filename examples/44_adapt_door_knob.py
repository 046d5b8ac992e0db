"""Reach for a door knob at the end of a walk, with feet that may be put elsewhere.

The hand is to be at the knob in the last frame. Feet that must stay leave nothing but to bow; feet that may
move, and yet not skid, take longer steps. The hips go forward along one straight line in time, cheaper than
it looks, legs have close keys: which part changes, and how suddenly, is the animator's choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import poise
from adapting import TRAIL, WAS, Stage, Strobe, path, planted, strobes
from poise import clips
from poise.arrays import Array
from poise.constraints import FootPlant, pin
from poise.methods.adapt.plants.detect import detect
from poise.methods.adapt.result import AdaptResult
from poise.motion import Clip, operators

HAND = "RightHandCentre"
CUT = 0.25, 1.9
"""The part of the walk [s]."""
KNOB = 1.0, 1.1
"""How far from the hips at the end, and how high [m]."""
KEYS: dict[str, Any] = {"Hips.x": 2.0, "Hips": 0.3, "leg": 0.1, "foot": 0.1, "*": 0.3}
"""How far apart [s]."""
PRICES = {"Hips.x": 0.03}


@dataclass(frozen=True, eq=False)
class Door:
    """The walk, the knob, and both ways to it."""

    before: Clip
    plants: Sequence[FootPlant]
    knob: Array
    fixed: AdaptResult
    free: AdaptResult

    def steps(self, plants: Sequence[FootPlant]) -> Array:
        """Lengths of steps [m]."""
        return np.diff([p.place.x for p in plants if p.place is not None])

    def bow(self, clip: Clip) -> float:
        """How far the trunk bows at the end beyond the walk's own [rad]."""
        trunk = [clip.character.dofs(n).start for n in ("Hips", "Spine", "Spine1", "Chest")]
        trunk[0] += 2  # the turn of a planar root comes after its way
        return float(np.sum(clip.q[-1, trunk] - self.before.q[-1, trunk]))


@cache
def scene() -> Door:
    """With feet where they were, and where they are put; the first stays either way."""
    walk = operators.trim(operators.unroll(clips.get("planar_walk"), 2), *CUT)
    plants = detect(walk)
    hips, hand = path(walk, "Hips")[-1], path(walk, HAND)[-1]
    knob = np.array([hips[0] + KNOB[0], hand[1], KNOB[1]])
    reach = pin(HAND, knob, float(walk.times[-1]), name="door knob")
    options: dict[str, Any] = {"floor": True, "key_spacing": KEYS, "prices": PRICES}
    fixed = poise.adapt(walk, [*plants, reach], plants=False, **options)
    loose = [plants[0], *(replace(p, place=None) for p in plants[1:])]
    free = poise.adapt(walk, [*loose, reach], plants=False, **options)
    return Door(walk, plants, knob, fixed, free)


def draw(folder: Path) -> list[Path]:
    """As the paper's Fig. 9: the walk before is faint."""
    from poise.pictures import View
    from poise.pictures.mesh import box, sphere

    found = scene()
    x, y, z = found.knob
    door = box([0.02, 0.42, 1.02], rounding=0.005).placed([x + 0.09, y + 0.3, 1.02])
    knob = sphere(0.03).placed([x + 0.04, y, z])
    last = found.before.frames - 1
    frames = [0, last // 3, 2 * last // 3, last]
    items = []
    for title, result in (("feet stay", found.fixed), ("feet may move", found.free)):
        steps = ", ".join(f"{100 * s:.0f}" for s in found.steps(result.plants))
        items.append(
            Strobe(
                result.clip,
                frames,
                title,
                f"steps {steps} cm, bow {np.degrees(found.bow(result.clip)):.0f}°",
                ghosts=[(found.before, frames[1:])],
                trails=[(path(found.before, HAND), WAS), (path(result.clip, HAND), TRAIL)],
                meshes=[(door, "wood"), (knob, "joint")],
            )
        )
    look = Stage(View(-78.0, 6.0), (1180, 560), width=0.014, margin=0.03, around=[(x + 0.2, 0.0, 2.05)])
    return [strobes(items, folder / "adapt_door_knob.png", look)]


if __name__ == "__main__":
    door = scene()
    print(f"steps before {np.round(door.steps(door.plants), 3)} m")
    for name, result in (("fixed", door.fixed), ("free", door.free)):
        off = np.linalg.norm(path(result.clip, HAND)[-1] - door.knob)
        feet = planted(result.clip, result.plants).max()
        print(
            f"{name}: knob missed by {1e3 * off:.2f} mm, steps {np.round(door.steps(result.plants), 3)} m, "
            f"bow {door.bow(result.clip):.2f} rad, plants off {1e3 * feet:.2f} mm, "
            f"change {result.descents[0].cost:.2f}"
        )
    print(*draw(Path("out")), sep="\n")
