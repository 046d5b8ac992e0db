"""Reach for two points in a row: a whole-clip solve plans ahead, poses made one after the other do not.

The left hand grabs the first point, the right hand the second, a third of a second later. Key poses know
nothing of what comes; solved together, the right arm is on its way when the left one arrives. Where it should
be a surprise, the second point is hidden until then.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import poise
from adapting import mapped, path, posed, standing, upper_body
from panels import Framing, Panel
from poise.arrays import Array
from poise.constraints import Constraint, pin
from poise.methods.adapt.plants.quality import manner
from poise.motion import Clip, operators

FIRST, SECOND, END = 0.6, 0.9, 1.5
"""When the points are grabbed, and the end [s]: frames 6, 9 and 15 of the paper's sixteen."""
LEFT, RIGHT = "LeftHandCentre", "RightHandCentre"
CALM = 10.0
"""Price of bending the displacement: a figure that only stands has no motion of its own to keep."""


@dataclass(frozen=True, eq=False)
class TwoPoints:
    """The three ways, and the points."""

    standing: Clip
    points: Array
    """(2, 3) [m]"""
    keyed: Clip
    planned: Clip
    surprised: Clip

    def raised(self, clip: Clip) -> float:
        """Part of its turn that the right shoulder has made when the left hand arrives."""
        turn = clip.q[:, clip.character.coordinates("RightArm")][:, 0]
        here, there = (turn[round(t * clip.fps)] - turn[0] for t in (FIRST, SECOND))
        return abs(float(here / there))

    def misses(self, clip: Clip) -> Array:
        """How far hands are from their points, (2,) [m]."""
        hands = [(LEFT, FIRST), (RIGHT, SECOND)]
        return np.array(
            [
                np.linalg.norm(path(clip, hand)[round(t * clip.fps)] - place)
                for (hand, t), place in zip(hands, self.points)
            ]
        )


def asked(clip: Clip) -> tuple[Constraint, Constraint, Array]:
    """Both grabs, and the points."""
    points = path(clip, "LeftArm")[0] + np.array([[0.62, 0.0, -0.45], [0.66, 0.0, -0.1]])
    points[:, 1] = path(clip, LEFT)[0, 1], path(clip, RIGHT)[0, 1]
    first = pin(LEFT, points[0], FIRST, name="first point")
    return first, pin(RIGHT, points[1], SECOND, name="second point"), points


@cache
def scene() -> TwoPoints:
    """Key poses by inverse kinematics, one solve, and a surprise."""
    clip = standing(END)
    first, second, points = asked(clip)
    joints = upper_body(clip.character)
    one = posed(clip, FIRST, [first], joints=joints)
    two = posed(clip, SECOND, [second], near=one, joints=joints)
    keyed = mapped(clip, {0.0: None, FIRST: one, SECOND: two, END: None})
    options: dict[str, Any] = {"joints": joints, "ends": "zero", "smoothness": CALM}
    four = np.linspace(0.0, END, 4)
    planned = poise.adapt(clip, [first, second], key_spacing=four, basis="cubic", plants=False, **options)
    known = {first.name: 0.0, second.name: FIRST}
    surprised = poise.adapt(clip, [first, second], known=known, key_spacing=0.15, plants=False, **options)
    return TwoPoints(clip, points, keyed, planned.clip, surprised.clip)


def draw(folder: Path) -> list[Path]:
    """As the paper's Fig. 3: at the start, at both grabs, at the end."""
    from beat_tables import rows
    from poise.pictures import View

    found = scene()
    items = []
    for title, clip in (
        ("key poses", found.keyed),
        ("planned", found.planned),
        ("surprised", found.surprised),
    ):
        row = []
        for t in (0.0, FIRST, SECOND, END):
            at = round(t * clip.fps)
            note = f"{t:.1f} s" if t != FIRST else f"{t:.1f} s, arm {100 * found.raised(clip):.0f} % raised"
            trails = [(clip, RIGHT, "trail"), (clip, LEFT, "trail3")] if at else []
            row.append(
                Panel(
                    clip, at, title if not at else "", note, targets=found.points, trails=trails, span=(0, at)
                )
            )
        items.append(row)
    around = [(x, y, z) for x in (-0.3, 0.75) for y in (-0.25, 0.25) for z in (0.0, 1.85)]
    look = Framing(View(-74.0, 7.0), (330, 440), around=around, margin=0.02)
    return [rows(items, folder / "adapt_two_points.png", look)]


if __name__ == "__main__":
    found = scene()
    for name in ("keyed", "planned", "surprised"):
        clip = getattr(found, name)
        calm = manner(operators.trim(clip, 0.0, SECOND))
        off = ", ".join(f"{1e3 * miss:.2f}" for miss in found.misses(clip))
        print(
            f"{name:10s} misses {off} mm; right arm {100 * found.raised(clip):.0f} % raised when the left "
            f"hand arrives; jerk {calm.jerk:.1f} m/s³"
        )
    print(*draw(Path("out")), sep="\n")
