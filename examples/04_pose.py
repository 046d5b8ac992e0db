"""The C of "YMCA": a whole pose, struck at its beat by a loose dancer.

Letters are poses; the loose body is late for all of them. A pose constraint brings every joint to its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from acting import standing
from poise.arrays import Array
from poise.constraints import pose
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hit import HitResult
from poise.motion import Clip, edit

WINDOW = 0.5
BEAT = 0.5
"""Seconds from letter to letter."""
HOLD = 0.12
TENSION = "loose"
LETTERS = ("rest", "Y", "M", "C", "A", "rest")
# Angles in degrees: each letter's side bend, and both arms (flex, abduct, turn, elbow).
SHAPES = {
    "rest": (0, (2, 9, -8, 18), (2, 9, -8, 18)),
    "Y": (0, (0, 140, 0, 8), (0, 140, 0, 8)),
    "M": (0, (10, 118, 92, 128), (10, 118, 92, 128)),
    "C": (22, (0, 34, 88, 52), (0, 150, 92, 62)),
    "A": (0, (0, 158, 92, 34), (0, 158, 92, 34)),
}
WHEN = 2 * BEAT + BEAT
"""When the C is due [s]: after rest, Y and M."""


@dataclass(frozen=True, eq=False)
class Dance:
    """The animation, its loose version, and the one that strikes the pose."""

    clip: Clip
    loose: Clip
    result: HitResult

    @property
    def frame(self) -> int:
        """Of the C."""
        return round(WHEN * self.clip.fps)

    def off(self, clip: Clip) -> Array:
        """How far each degree of freedom is from the C at its time [rad, m], (nv,)."""
        manifold = clip.character.manifold
        return np.abs(manifold.minus(clip.q[self.frame], self.clip.q[self.frame]))

    def hands(self, clip: Clip) -> float:
        """How far hands are from where they belong then [m]."""
        there, here = (Kinematics(c.character, c.q[self.frame]) for c in (self.clip, clip))
        return max(
            float(np.linalg.norm(there.point(p)[0] - here.point(p)[0]))
            for p in ("LeftHandCentre", "RightHandCentre")
        )


def animated() -> Clip:
    """Y, M, C, A, a beat each."""
    keys: dict[str, list[tuple[float, float]]] = {"side": [], "aside": []}
    for k, letter in enumerate(LETTERS):
        side, left, right = SHAPES[letter]
        for t in (k * BEAT, k * BEAT + HOLD):
            keys["side"].append((t, float(side)))
            keys["aside"].append((t, 0.15 * side))
            for name, arm in (("left", left), ("right", right)):
                for angle, value in zip(("flex", "abduct", "turn", "elbow"), arm):
                    keys.setdefault(f"{name}_{angle}", []).append((t, float(value)))
    return standing("ymca", len(LETTERS) * BEAT, keys)


def scene(method: str = "newton") -> Dance:
    """Loosen the dance; strike the C."""
    clip = animated()
    aim = pose(clip.character, clip.at(WHEN), WHEN, name="C")
    return Dance(
        clip, poise.loosen(clip, TENSION, WINDOW).clip, poise.hit(clip, [aim], TENSION, WINDOW, method=method)
    )


def draw(folder: Path) -> list[Path]:
    """The C as animated, as danced loosely, and struck."""
    from panels import Framing, Panel, panels
    from poise.pictures import View

    found = scene()
    k = found.frame
    follows = edit.apply(found.result.correction, found.clip)
    items = [
        Panel(found.clip, k, "animated"),
        Panel(
            found.loose, k, "loose", f"hands {100 * found.hands(found.loose):.0f} cm off", [(found.clip, k)]
        ),
        Panel(found.result.clip, k, "hit", "the whole pose", [(follows, k)]),
    ]
    return [panels(items, folder / "kd_ymca.png", Framing(View(0.0, 6.0), (400, 500)))]


if __name__ == "__main__":
    found = scene()
    print(f"loose: hands off by {100 * found.hands(found.loose):.1f} cm")
    print(found.result.report)
    print(*draw(Path("out")), sep="\n")
