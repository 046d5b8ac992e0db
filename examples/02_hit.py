"""Hit the mark: the relaxed punch meets its target again, with a wide and with a narrow correction.

What is changed is the animation that the relaxed body follows, not the relaxed motion: it keeps its style.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from poise import clips
from poise.arrays import Array
from poise.constraints import pin
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hit import HitResult
from poise.motion import Clip, edit

FIST = "RightHandCentre"
CONTACT = 51
WINDOW = 0.5
WIDTHS = (1.0, 0.3)
"""Wide: an early, gentle correction. Narrow: a late, abrupt one [s]."""
TENSION = "relaxed"


@dataclass(frozen=True, eq=False)
class Punch:
    """The animation, its relaxed version, and corrected ones by width."""

    clip: Clip
    relaxed: Clip
    target: Array
    results: dict[float, HitResult]

    def path(self, clip: Clip, point: str = FIST) -> Array:
        """Where a point of a version goes [m], (F, 3)."""
        return Kinematics(clip.character, clip.q).point(point)

    def miss(self, clip: Clip) -> float:
        """Distance of the fist from the target at contact [m]."""
        return float(np.linalg.norm(self.path(clip)[CONTACT] - self.target))

    def moved(self, width: float, point: str) -> float:
        """How far the correction moves a point of the relaxed motion at most [m]."""
        way = self.path(self.results[width].clip, point) - self.path(self.relaxed, point)
        return float(np.linalg.norm(way, axis=1).max())


def scene(widths: tuple[float, ...] = WIDTHS, method: str = "newton") -> Punch:
    """Aim the relaxed punch at where the animated one hits."""
    clip = clips.get("punch")
    target = Kinematics(clip.character, clip.q[CONTACT]).point(FIST)[0]
    aim = [pin(FIST, target, CONTACT * clip.dt)]
    results = {w: poise.hit(clip, aim, TENSION, WINDOW, width=w, method=method) for w in widths}
    return Punch(clip, poise.loosen(clip, TENSION, WINDOW).clip, target, results)


def draw(folder: Path) -> list[Path]:
    """As in the paper's Fig. 4: animated, relaxed, and corrected; ghosts are what the body follows."""
    from panels import Panel, panels

    found = scene()
    items = [
        Panel(found.clip, CONTACT, "animated", targets=[found.target]),
        Panel(
            found.relaxed, CONTACT, "relaxed", f"misses by {100 * found.miss(found.relaxed):.0f} cm",
            [(found.clip, CONTACT)], [found.target],
        ),
    ]  # fmt: skip
    for width, result in found.results.items():
        follows = edit.apply(result.correction, found.clip)
        note = f"width {width:g} s"
        items.append(
            Panel(
                result.clip, CONTACT, "hit", note, [(follows, CONTACT)], [found.target],
                [(result.clip, FIST, "trail")], (CONTACT - 25, CONTACT),
            )
        )  # fmt: skip
    return [panels(items, folder / "kd_punch.png")]


if __name__ == "__main__":
    found = scene()
    print(f"relaxed: misses by {100 * found.miss(found.relaxed):.1f} cm")
    for width, result in found.results.items():
        print(f"width {width:g} s:\n{result.report}")
    print(*draw(Path("out")), sep="\n")
