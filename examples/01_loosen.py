"""Loosen a punch: relax the muscles and the fist no longer gets there.

Every frame is a short simulation of its own, so any frame can be asked for alone and in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from poise import clips
from poise.kinematics import Kinematics
from poise.motion import Clip

FIST = "RightHandCentre"
CONTACT = 51
"""Frame of the contact."""
WINDOW = 0.5
"""What a frame remembers [s]."""
TENSIONS = ("tense", "firm", "relaxed", "loose", "drunk")


@dataclass(frozen=True, eq=False)
class Loosened:
    """The animation, its loosened versions, and by how much each misses."""

    clip: Clip
    loose: dict[str, Clip]
    miss: dict[str, float]
    """[m]"""


def scene(tensions: tuple[str, ...] = TENSIONS) -> Loosened:
    """Loosen the bundled punch in several degrees."""
    clip = clips.get("punch")
    loose = {t: poise.loosen(clip, t, WINDOW).clip for t in tensions}
    wanted = Kinematics(clip.character, clip.q[CONTACT]).point(FIST)[0]
    miss = {
        t: float(np.linalg.norm(Kinematics(clip.character, c.q[CONTACT]).point(FIST)[0] - wanted))
        for t, c in loose.items()
    }
    return Loosened(clip, loose, miss)


def draw(folder: Path) -> list[Path]:
    """The moment of contact: animated, and in each tension."""
    from panels import Panel, panels

    found = scene()
    target = Kinematics(found.clip.character, found.clip.q[CONTACT]).point(FIST)[0]
    items = [Panel(found.clip, CONTACT, "animated", targets=[target])]
    items += [
        Panel(c, CONTACT, t, f"misses by {100 * found.miss[t]:.0f} cm", [(found.clip, CONTACT)], [target])
        for t, c in found.loose.items()
        if t in ("firm", "relaxed", "drunk")
    ]
    return [panels(items, folder / "kd_loosen.png")]


if __name__ == "__main__":
    for tension, miss in scene().miss.items():
        print(f"{tension:8s} misses by {100 * miss:5.1f} cm")
    print(*draw(Path("out")), sep="\n")
