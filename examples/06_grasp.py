"""A grasp: both hands meet the sides of a box at one time, the right one turned as animated.

Two hands and a direction are one problem of inverse kinodynamics; the spine serves both arms.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from acting import standing
from poise.arrays import Array
from poise.constraints import oriented, pin
from poise.handles import BodyOrientation
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hit import HitResult
from poise.motion import Clip

HANDS = {"Left": "LeftHandCentre", "Right": "RightHandCentre"}
PLACES = {"Left": np.array([0.44, 0.17, 1.05]), "Right": np.array([0.44, -0.17, 1.05])}
"""On the sides of the box [m]."""
GRASP = 0.9
"""When [s]."""
DURATION = 1.8
WINDOW = 0.5
TENSION = "loose"


@dataclass(frozen=True, eq=False)
class Grasp:
    """The animation, its loose version and the corrected one."""

    clip: Clip
    loose: Clip
    result: HitResult

    @property
    def frame(self) -> int:
        """Of the grasp."""
        return round(GRASP * self.clip.fps)

    def miss(self, clip: Clip) -> dict[str, float]:
        """Distance of each hand from its place [m]."""
        kin = Kinematics(clip.character, clip.q[self.frame])
        return {s: float(np.linalg.norm(kin.point(p)[0] - PLACES[s])) for s, p in HANDS.items()}

    def turned(self, clip: Clip) -> float:
        """How far the right hand is turned away from how it was animated [rad]."""
        return float(np.linalg.norm(self._turn(clip)))

    def _turn(self, clip: Clip) -> Array:
        handle = BodyOrientation("RightHand")
        value, wanted = (handle.value(Kinematics(c.character, c.q[self.frame])) for c in (clip, self.clip))
        return handle.error(value, wanted)[0]


def animated() -> Clip:
    """From the sides to the box, and lift."""
    hands = {}
    for side, y in (("Left", 1.0), ("Right", -1.0)):
        place = PLACES[side]
        hands[side] = [
            (0.0, (0.12, 0.3 * y, 0.86)), (0.2, (0.12, 0.3 * y, 0.86)),
            (0.65, tuple(place + [-0.06, 0.1 * y, 0.03])),
            (GRASP, tuple(place)), (1.05, tuple(place)), (1.5, tuple(place + [-0.05, 0, 0.18])),
            (DURATION, tuple(place + [-0.05, 0, 0.18])),
        ]  # fmt: skip
    keys = {"look_down": [(0, 10), (0.5, 24), (1.1, 20), (1.6, 10)], "flex": [(0, 4), (0.9, 10), (1.6, 3)]}
    return standing("grasp", DURATION, keys, hands)


def scene(method: str = "newton") -> Grasp:
    """Grasp with both hands."""
    clip = animated()
    turn = BodyOrientation("RightHand").value(Kinematics(clip.character, clip.at(GRASP)))[0]
    aims = [pin(p, PLACES[side], GRASP, name=f"{side.lower()} hand") for side, p in HANDS.items()]
    aims.append(oriented("RightHand", turn, GRASP, name="right palm"))
    return Grasp(
        clip, poise.loosen(clip, TENSION, WINDOW).clip, poise.hit(clip, aims, TENSION, WINDOW, method=method)
    )


def draw(folder: Path) -> list[Path]:
    """The grasp, loose and corrected."""
    from panels import Framing, Panel, panels
    from poise.pictures import View
    from poise.pictures.mesh import box

    found = scene()
    k = found.frame
    crate = box((0.12, 0.13, 0.1)).placed([0.47, 0.0, 1.04])
    worst = max(found.miss(found.loose).values())
    items = [
        Panel(c, k, title, note, targets=list(PLACES.values()), meshes=[(crate, "wood")])
        for c, title, note in (
            (found.clip, "animated", ""),
            (found.loose, "loose", f"off by {100 * worst:.0f} cm"),
            (found.result.clip, "hit", "both hands, one palm turned"),
        )
    ]
    around = [(-0.3, -0.5, 0.6), (0.65, 0.5, 1.8), (-0.3, 0.5, 0.6), (0.65, -0.5, 1.8)]
    look = Framing(View(-40.0, 14.0), (420, 440), around, 0.02)
    return [panels(items, folder / "kd_grasp.png", look)]


if __name__ == "__main__":
    found = scene()
    print("loose:", {s: f"{100 * m:.1f} cm" for s, m in found.miss(found.loose).items()})
    print(found.result.report)
    print(*draw(Path("out")), sep="\n")
