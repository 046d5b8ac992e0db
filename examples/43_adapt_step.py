"""Walk over a step: a foot plant is dragged onto it, and the whole walk follows.

One drag moves the plant with all the time it lasts; the foot comes down on the step, stands and leaves it,
and the other foot clears it. A displacement map, told the same for one frame, floats up to the step and down
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import poise
from adapting import TRAIL, WAS, Stage, Strobe, mapped, path, planted, posed, strobes
from poise import clips
from poise.arrays import Array
from poise.constraints import Constraint, FootPlant, above, pin
from poise.contacts.differentiated_clip import runs
from poise.methods.adapt.adapt import around
from poise.methods.adapt.plants.detect import detect, move_plant
from poise.methods.adapt.result import AdaptResult
from poise.motion import Clip, operators

STEP, HEIGHT = 2, 0.16
"""Which plant goes up, and how high [m]."""
BEHIND, BEFORE = 0.1, 0.32
"""Length of the step behind the heel and before it [m]."""
NEAR = 0.08
"""Feet are above it so early and so long [m]: they may come sooner than before."""
MOVES = 8
"""Of the pointer."""
WIDE = 0.5
"""How long a displacement map changes the motion before and after its key [s]."""
SOLES = tuple(f"{side}{part}" for side in ("Left", "Right") for part in ("Heel", "Ball", "Toe"))


@dataclass(frozen=True, eq=False)
class OverTheStep:
    """Before, dragged, and by a map."""

    before: Clip
    plants: Sequence[FootPlant]
    """Before."""
    moved: Sequence[FootPlant]
    dragged: tuple[AdaptResult, ...]
    """After each move of the pointer."""
    ours: AdaptResult
    """When the pointer rests."""
    mapped: Clip

    @property
    def box(self) -> tuple[float, float]:
        """Where the step begins and ends [m]."""
        place = self.plants[STEP].place
        assert place is not None  # plants that were found have one
        return place.x - BEHIND, place.x + BEFORE

    def within(self, clip: Clip) -> float:
        """How deep any point of a sole gets into the step [m]."""
        low, high = self.box
        deep = 0.0
        for name in SOLES:
            at = path(clip, name)
            inside = (at[:, 0] > low) & (at[:, 0] < high)
            deep = max(deep, float(np.max(HEIGHT - at[inside, 2], initial=0.0)))
        return deep


def clearances(clip: Clip, low: float, high: float) -> list[Constraint]:
    """Points of the soles pass above the step while they pass it."""
    found = []
    for name in SOLES:
        at = path(clip, name)
        for first, last in runs((at[:, 0] > low - NEAR) & (at[:, 0] < high + NEAR)):
            when = float(clip.times[first]), float(clip.times[last])
            found.append(above(name, when, height=HEIGHT, tolerance=2e-3, name=f"{name} clears"))
    return found


@cache
def scene() -> OverTheStep:
    """Drag the plant up, and let go."""
    walk = operators.unroll(clips.get("planar_walk"), 2)
    plants = detect(walk)
    place = plants[STEP].place
    assert place is not None
    clear = clearances(walk, place.x - BEHIND, place.x + BEFORE)
    held = poise.adapt(walk, plants, floor=True, plants=False)
    intervals = plants[STEP].intervals
    ends = [t for when in intervals.values() for t in when.times(walk)[[0, -1]]]
    window = around(walk, ends)
    dragged = [held]
    for move in range(1, MOVES + 1):
        here = move_plant(plants, STEP, lift=HEIGHT * move / MOVES)
        dragged.append(dragged[-1].drag(here, window))
    moved = move_plant(plants, STEP, lift=HEIGHT)
    ours = poise.adapt(walk, [*moved, *clear], floor=True, plants=False)
    return OverTheStep(walk, plants, moved, tuple(dragged[1:]), ours, by_map(walk, plants[STEP]))


def by_map(walk: Clip, plant: FootPlant) -> Clip:
    """The foot posed on the step in the middle of its stand, and interpolated."""
    both = [when.times(walk) for when in plant.intervals.values()]
    frame = round(0.5 * (max(t[0] for t in both) + min(t[-1] for t in both)) * walk.fps)
    at = float(walk.times[frame])
    wanted = [pin(p, path(walk, p)[frame] + (0.0, 0.0, HEIGHT), at) for p in plant.intervals]
    pose = posed(walk, at, wanted)
    return mapped(walk, {at - WIDE: None, at: pose, at + WIDE: None}, "zero")


def draw(folder: Path) -> list[Path]:
    """As the paper's Fig. 7 and 8."""
    from poise.pictures import View
    from poise.pictures.mesh import box

    found = scene()
    low, high = found.box
    step = box([(high - low) / 2, 0.28, HEIGHT / 2], rounding=0.008).placed(
        [(low + high) / 2, 0.0, HEIGHT / 2]
    )
    frames = list(range(4, found.before.frames, 15))
    heel = next(iter(found.plants[STEP].intervals))
    was = (path(found.before, heel), WAS)

    def panel(clip: Clip, title: str, note: str, trails: Sequence[tuple[Array, str]]) -> Strobe:
        things = [(step, "wood")] if title != "before" else []
        return Strobe(clip, frames, title, note, trails=trails, meshes=things)

    off = [1e3 * planted(clip, found.moved)[STEP] for clip in (found.ours.clip, found.mapped)]
    items = [
        panel(found.before, "before", "", [was]),
        panel(
            found.ours.clip,
            "plant dragged",
            f"stands within {off[0]:.1f} mm",
            [was, (path(found.ours.clip, heel), TRAIL)],
        ),
        panel(
            found.mapped,
            "displacement map",
            f"floats {off[1] / 10:.0f} cm off",
            [was, (path(found.mapped, heel), TRAIL)],
        ),
    ]
    look = Stage(View(-80.0, 7.0), (1180, 520), width=0.014, margin=0.03)
    return [strobes(items, folder / "adapt_step.png", look)]


if __name__ == "__main__":
    walk = scene()
    for k, result in enumerate(walk.dragged, 1):
        off = planted(result.clip, move_plant(walk.plants, STEP, lift=HEIGHT * k / MOVES))
        print(f"move {k}: {1e3 * result.seconds:.1f} ms, plants off {1e3 * off.max():.1f} mm")
    for name, clip in (("ours", walk.ours.clip), ("map", walk.mapped)):
        off = ", ".join(f"{1e3 * x:.2f}" for x in planted(clip, walk.moved))
        print(f"{name}: plants off {off} mm; soles {1e3 * walk.within(clip):.1f} mm inside the step")
    print(walk.ours.report.message)
    print(*draw(Path("out")), sep="\n")
