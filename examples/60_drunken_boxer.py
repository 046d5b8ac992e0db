"""A whole project: a punch aimed higher, loosened until it misses, made to hit, feet put back, a hat on top.

Five layers of three methods; each can be muted, changed or moved, and only what depends on it is made anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from poise.arrays import Array
from poise.kinematics import Kinematics
from poise.project import Project
from poise.project.drunken_boxer import POINT, TARGET, TENSION, TIME, drunken_boxer

FRAMES = (18, 34, 43, 47, 51)
SOLES = ("LeftHeel", "LeftBall", "RightBall")


@dataclass(frozen=True, eq=False)
class Boxer:
    """The project and where its fist is to be."""

    project: Project
    target: Array

    def made(self, layer: str) -> poise.Result:
        """What a layer gives; "drunk" is the aimed punch only loosened, with nothing to hit."""
        return (
            poise.loosen(self.project.clip("aim"), TENSION) if layer == "drunk" else self.project.made(layer)
        )

    def miss(self, layer: str) -> float:
        """Distance of the fist from its target, after a layer [m]."""
        clip = self.made(layer).clip
        at = Kinematics(clip.character, clip.at(TIME)).point(POINT)[0]
        return float(np.linalg.norm(at - self.target))

    def slip(self, layer: str) -> float:
        """How far soles stray from where they stand on average, after a layer [m]."""
        clip = self.made(layer).clip
        kin = Kinematics(clip.character, clip.q)
        paths = [kin.point(name) for name in SOLES]
        return max(float(np.linalg.norm(p - p.mean(axis=0), axis=1).max()) for p in paths)


def scene() -> Boxer:
    return Boxer(drunken_boxer(), np.array(TARGET))


def draw(folder: Path) -> list[Path]:
    """The animation and what layer after layer makes of it."""
    from poise import pictures

    found = scene()

    def picture(layer: str) -> Array:
        made = found.made(layer)
        return pictures.strobe(
            made.clip,
            frames=FRAMES,
            trails=(POINT,),
            targets=(found.target,),
            meshes=[worn.mesh for worn in made.attached],
            size=(860, 370),
        )

    shown = [
        ("punch", f"the animation: {100 * found.miss('punch'):.0f} cm beside the target"),
        ("aim", "adapted: on target, feet in place"),
        ("drunk", f"drunk: misses by {100 * found.miss('drunk'):.0f} cm"),
        (
            "hat",
            f"drunk, and hits (off by {1e3 * found.miss('stand'):.3f} mm), feet standing, hat on",
        ),
    ]
    images = [picture(layer) for layer, _ in shown]
    captioned = pictures.captioned(images, [text for _, text in shown])
    return [pictures.save_png(captioned, folder / "project_boxer.png")]


if __name__ == "__main__":
    found = scene()
    for layer in found.project.document.layers:
        miss, slip = 100 * found.miss(layer.name), 100 * found.slip(layer.name)
        print(f"{layer.name:<6} {layer.do:<13} fist off by {miss:7.3f} cm, feet by {slip:6.3f} cm")
    print(*draw(Path("out")), sep="\n")
