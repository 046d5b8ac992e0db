"""Limited changes: drag a point of a pose, and say what may follow.

Without a local root all of the body follows. With one, only the joints on the dragged point's side of it
move; all else stays where it is, and pinned feet stay on the ground either way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character, presets
from poise.constraints import pin
from poise.kinematics import Kinematics
from poise.methods.key.pose.drag import drag, movable
from poise.methods.key.pose.result import PoseResult
from poise.methods.key.pose.solve import solve
from poise.methods.key.pose.values import pose
from poise.operations.pose import Pose

SOLES = tuple(f"{side}{part}" for side in ("Left", "Right") for part in ("Heel", "Ball", "Toe"))
FEET = ("LeftHeel", "LeftToe", "RightHeel", "RightToe")
STEP = {"Left": 0.17, "Right": -0.15}
"""How far ahead each foot stands [m]."""
SINK = 0.05
"""How much lower the hips are than with straight legs [m]."""
HAND, FOOT, HIP = "RightHandCentre", "RightFoot", "RightUpLeg"
PLANE: Mapping[str, Any] = {
    "LeftUpLeg": "-18 deg", "LeftLeg": "22 deg", "RightUpLeg": "6 deg", "RightLeg": "16 deg",
    "RightArm": "-14 deg", "RightForeArm": "-32 deg", "LeftArm": "8 deg", "LeftForeArm": "-24 deg",
}  # fmt: skip
SPACE: Mapping[str, Any] = {
    "LeftUpLeg": (0, "-18 deg", 0), "LeftLeg": "22 deg", "RightUpLeg": (0, "6 deg", 0), "RightLeg": "16 deg",
    "RightArm": ("70 deg", "-14 deg", 0), "LeftArm": ("-70 deg", "8 deg", 0),
}  # fmt: skip


@dataclass(frozen=True)
class Drag:
    """What is dragged where, about which local root."""

    name: str
    words: str
    point: str
    way: tuple[float, float, float]
    """[m]"""
    root: str | None
    pins: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Dragged:
    """What came of it."""

    asked: Drag
    target: Array
    """(3,) [m]"""
    still: tuple[int, ...]
    """Bodies that cannot move."""
    result: PoseResult


@dataclass(frozen=True, eq=False)
class Changes:
    """The pose before, (a), and after each drag, (b) … (f)."""

    character: Character
    before: Array
    after: tuple[Dragged, ...]


def drags(middle: str) -> tuple[Drag, ...]:
    """The five drags of the paper's figure; ``middle`` is a body in the spine."""
    left = FEET[:2]
    return (
        Drag("(b)", "all of the body", HAND, (0.6, 0.0, -0.35), None, FEET),
        Drag("(c)", "below the spine", FOOT, (0.3, 0.0, 0.3), middle, left),
        Drag("(d)", "above the spine", HAND, (0.3, 0.0, 0.45), middle, FEET),
        Drag("(e)", "the right leg", FOOT, (-0.2, 0.0, 0.3), HIP, left),
        Drag("(f)", "all but the right leg", HAND, (0.38, 0.0, -0.12), HIP, FEET),
    )


def scene(*, space: bool = False) -> Changes:
    """Drag a standing figure's hand and foot, in the plane or in space."""
    character = presets.humanoid() if space else presets.planar_humanoid()
    before = standing(character, SPACE if space else PLANE)
    here = Kinematics(character, before)
    after = []
    for asked in drags("Chest" if space else "Spine1"):
        target = here.point(asked.point)[0] + asked.way
        result = drag(character, before, asked.point, target, root=asked.root, pins=asked.pins)
        moving, _ = movable(character, asked.root, asked.point)
        after.append(Dragged(asked, target, tuple(np.flatnonzero(~moving).tolist()), result))
    return Changes(character, before, tuple(after))


def standing(character: Character, joints: Mapping[str, Any]) -> Array:
    """A pose in mid-stride, both soles on the floor."""
    rest = Kinematics(character, character.rest_pose())
    wanted = pose(character, joints)
    up = 1 if character.bodies[0].joint.nv == 3 else 2
    wanted[up] -= SINK
    soles = []
    for point in SOLES:
        side = "Left" if point.startswith("Left") else "Right"
        soles.append(pin(point, rest.point(point)[0] + (STEP[side], 0.0, 0.0), 0.0))
    return solve(character, soles, Pose(), pose=wanted).q


def draw(folder: Path) -> list[Path]:
    """As in the paper's Fig. 8: what is left out is green, the pose before is faint."""
    from poise.pictures import View
    from posing import LEGEND, Drawing, Look, drawn

    found = scene()
    here = Kinematics(found.character, found.before)
    items = [Drawing(found.before, "(a)", "feet pinned", pins=FEET)]
    for change in found.after:
        asked = change.asked
        items.append(
            Drawing(
                change.result.q,
                asked.name,
                asked.words,
                still=change.still,
                pins=asked.pins,
                root=asked.root,
                drag=(here.point(asked.point)[0], change.target),
                ghost=found.before,
            )
        )
    look = Look(View(-84.0, 5.0), around=[(0.0, 0.0, 1.88)], legend=LEGEND)
    return [drawn(found.character, items, folder / "pk_limited_changes.png", look)]


if __name__ == "__main__":
    for change in scene().after:
        print(change.asked.name, change.asked.words)
        print(change.result.report)
    print(*draw(Path("out")), sep="\n")
