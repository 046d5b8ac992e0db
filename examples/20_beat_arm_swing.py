"""An arm swings from A to B in a second and on to C in half of one, straight and with a bent elbow.

No gains are given. The straight arm has more inertia at the shoulder and gets stiffer springs; both arrive.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import poise
from beat_tables import box, gain_curves, rows, table
from poise.character import presets
from poise.clips.author.puppet import Puppet
from poise.dynamics import mass_matrix
from poise.manifold import so3
from poise.methods.perform.result import PerformResult
from poise.methods.perform.script.pose import JointPose
from poise.methods.perform.script.timed_pose import TimedPose

TIMES = {"B": 1.0, "C": 1.5}
LIFT = {"A": -20.0, "B": 70.0, "C": 20.0}
"""How far forward the arm is lifted [°]."""
ELBOW = {"straight": 6.0, "bent": 125.0}


def pose(lift: float, elbow: float, name: str = "") -> JointPose:
    """The right arm lifted forward, the left hanging."""
    puppet = Puppet(presets.get("humanoid"))
    joints = {}
    for side, angle, bend in (("Right", lift, elbow), ("Left", 0.0, 15.0)):
        arm = puppet.arm_angles(side, *(np.radians(x) for x in (angle, 8.0, 0.0, bend, 10.0)))
        joints |= {k: np.asarray(v).ravel() for k, v in arm.items()}
    joints |= dict.fromkeys(("Spine", "Chest", "Head"), so3.IDENTITY)
    return JointPose(joints, name)


@cache
def scene(control: str = "composite") -> dict[str, PerformResult]:
    """Both swings."""
    found = {}
    for how, elbow in ELBOW.items():
        keys = [TimedPose(pose(LIFT[letter], elbow, letter), t) for letter, t in TIMES.items()]
        found[how] = poise.perform(
            character=presets.get("humanoid"), script=keys, control=control, from_pose=pose(LIFT["A"], elbow)
        )
    return found


def shoulder_inertia(how: str) -> float:
    """Of the arm at A, about the axis of the swing [kg·m²]."""
    character = presets.get("humanoid")
    q = pose(LIFT["A"], ELBOW[how]).on(character, character.rest_pose())
    dofs = character.dofs("RightArm")
    block = mass_matrix(character, q)[dofs, dofs]
    turn = so3.to_matrix(q[character.coordinates("RightArm")])
    axis = turn.T @ np.array([0.0, 1.0, 0.0])  # across the body, in the arm's own frame
    return float(axis @ block @ axis)


def draw(folder: Path) -> list[Path]:
    """The swings, and the gains that drive them."""
    from panels import Framing, Panel
    from poise.pictures import View

    found = scene()
    items = []
    for how, result in found.items():
        row = []
        for letter, t in (("A", 0.0), ("", 0.33), ("B", 1.0), ("", 1.2), ("C", 1.5)):
            at = round(t * result.clip.fps)
            span = (0, at) if at else None
            trails = [(result.clip, "RightHandCentre", "trail")] if at else []
            title = f"{how}: {letter}" if letter else ""
            row.append(Panel(result.clip, at, title, f"{t:.2f} s", trails=trails, span=span))
        items.append(row)
    curves = {f"{how} arm": (result, "RightArm", 0) for how, result in found.items()}
    framed = box((-0.35, -0.4, 0.0), (0.75, 0.4, 1.95))
    look = Framing(View(-72.0, 6.0), (300, 400), around=framed, margin=0.02)
    return [
        rows(items, folder / "beat_arm_swing.png", look),
        gain_curves(curves, folder / "beat_arm_swing_gains.png", title="gains of the right shoulder"),
    ]


if __name__ == "__main__":
    print(table(scene()))
    print({how: round(shoulder_inertia(how), 4) for how in ELBOW}, "kg·m² at the shoulder")
    print(*draw(Path("out")), sep="\n")
