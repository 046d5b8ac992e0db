"""A short figure walks in a tall one's footsteps; walking, and running.

The short figure's own walk, and its run slowed to the walk's period, are led along the tall one's way: hips
follow its hips, feet stand where and while its feet do, ankles follow its ankles, joints keep their limits
and soles stay above the floor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path as File

import numpy as np

import poise
from adapting import Stage, Strobe, path, planted, strobes
from poise import clips
from poise.character import Character
from poise.constraints import Always, Constraint, FootPlant, Path, constrain, pin
from poise.handles import PointPosition
from poise.methods.adapt.plants.detect import detect
from poise.methods.adapt.result import AdaptResult
from poise.motion import Clip, Travel, operators

SHORT = 0.72
"""Of the tall figure's size."""
CYCLES = 2
FOLLOW = {"priority": 1, "weight": 0.1, "tolerance": 0.3}
"""Ankles follow softly: they are lower in a smaller foot."""


@dataclass(frozen=True, eq=False)
class Footsteps:
    """The tall walk, the short figure's own motions, and these in the tall one's footsteps."""

    tall: Clip
    own: Mapping[str, Clip]
    plants: Sequence[FootPlant]
    """The tall one's, under the short one's feet."""
    results: Mapping[str, AdaptResult]


def resized(character: Character, factor: float) -> Character:
    """The same figure, larger or smaller."""
    bodies = []
    for body in character.bodies:
        points = {name: factor * np.asarray(p) for name, p in body.points.items()}
        shapes = tuple(
            replace(s, size=factor * np.asarray(s.size), position=factor * np.asarray(s.position))
            for s in body.shapes
        )
        bodies.append(body.replaced(offset=factor * np.asarray(body.offset), points=points, shapes=shapes))
    return character.with_bodies(bodies, name=f"short {character.name}")


def shortened(clip: Clip, character: Character) -> Clip:
    """The same angles on the short figure, which goes as much less far."""
    q = np.array(clip.q)
    q[:, :3] *= SHORT
    travel = Travel(SHORT * np.asarray(clip.travel.translation))
    return Clip(character, q, clip.rate, loop=True, travel=travel, name=f"short {clip.name}")


def led(clip: Clip, tall: Clip) -> Clip:
    """The clip along the way of the tall figure's hips."""
    q = np.array(clip.q)
    q[:, 0] += path(tall, "Hips")[:, 0] - path(clip, "Hips")[:, 0]
    return clip.with_q(q)


def asked(tall: Clip) -> tuple[list[FootPlant], list[Constraint]]:
    """Where the short figure's feet stand, and what else it follows."""
    plants = [
        replace(
            p,
            height=SHORT * p.height,
            marks=tuple((SHORT * a, SHORT * b, SHORT * c) for a, b, c in p.marks or ()),
        )
        for p in detect(tall)
    ]
    times = np.asarray(tall.times)
    hips = Path(times, path(tall, "Hips")[:, :1])
    follow = [
        constrain(
            PointPosition("Hips", "x"), hips, Always(), priority=1, tolerance=0.02, name="torso follows"
        )
    ]
    for side in ("Left", "Right"):
        way = Path(times, path(tall, f"{side}Foot") * (1.0, 1.0, SHORT))
        follow.append(pin(f"{side}Foot", way, Always(), name=f"{side} ankle follows", **FOLLOW))
    return plants, follow


@cache
def scene() -> Footsteps:
    """Walk and run of the short figure, adapted."""
    walk, run = clips.get("walk"), clips.get("run")
    short = resized(walk.character, SHORT)
    tall = operators.unroll(walk, CYCLES)
    slower = operators.speed(shortened(run, short), Fraction(run.frames, walk.frames))
    own = {
        "walk": operators.unroll(shortened(walk, short), CYCLES),
        "run": operators.unroll(slower, CYCLES),
    }
    plants, follow = asked(tall)
    results = {
        name: poise.adapt(led(clip, tall), [*plants, *follow], floor=True, plants=False)
        for name, clip in own.items()
    }
    return Footsteps(tall, own, plants, results)


def draw(folder: File) -> list[File]:
    """As the paper's Fig. 10."""
    from poise.pictures import View

    found = scene()
    frames = list(range(0, found.tall.frames, 16))
    items = [
        Strobe(found.tall, frames, "(a)", "tall walk"),
        Strobe(found.own["walk"], frames, "(b)", "short walk"),
        Strobe(found.own["run"], frames, "(c)", "short run"),
        Strobe(found.results["walk"].clip, frames, "(d)", "walk in the tall one's footsteps"),
        Strobe(found.results["run"].clip, frames, "(e)", "run in the tall one's footsteps"),
    ]
    look = Stage(View(-80.0, 7.0), (1000, 400), margin=0.02)
    return [strobes(items, folder / "adapt_footsteps.png", look)]


if __name__ == "__main__":
    steps = scene()
    for name, result in steps.results.items():
        follows = {o.name: round(o.error, 4) for o in result.report.outcomes if "follows" in o.name}
        off = 1e3 * planted(result.clip, steps.plants)
        print(
            f"{name}: plants off {off.max():.2f} mm; {follows}; "
            f"beyond limits: {result.report.details['limits'] or 'nothing'}"
        )
        print(f"   {result.report.message}; {1e3 * result.seconds:.0f} ms")
    print(*draw(File("out")), sep="\n")
