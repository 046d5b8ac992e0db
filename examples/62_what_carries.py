"""What carries a jump on a stage of 40 cm: surfaces, patches that touch, forces in body weights.

A surface that was only found is a question, dashed and purple; once it is confirmed it stands solid.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise import clips, pictures
from poise.contacts.find import find
from poise.contacts.support import Support
from poise.motion import Clip
from poise.world import World, ground, step

HEIGHT = 0.4
"""Of the stage [m]."""


def raised() -> Clip:
    """The bundled jump, on the stage."""
    jump = clips.get("jump")
    return jump.with_q(jump.q + HEIGHT * np.eye(jump.character.nq)[2], name="jump on a stage")


def stage(*, sure: bool) -> World:
    """The floor and the stage, confirmed or not."""
    source = "confirmed" if sure else "found"
    return World((ground(), step("stage", (-0.5, -0.6), (1.2, 0.6), HEIGHT, source=source, sure=0.5)))


def scene(*, sure: bool) -> Support:
    """What carries the jump there."""
    return find(raised(), stage(sure=sure))


def draw(folder: Path) -> list[Path]:
    """The stage as a question, and confirmed."""
    images = [
        pictures.strobe(raised(), count=4, hero=1, size=(1200, 600), world=scene(sure=sure), view="side")
        for sure in (False, True)
    ]
    path = folder / "what_carries.png"
    words = ["found in the motion, and a question", "confirmed"]
    pictures.save_png(pictures.captioned(images, words), path)
    return [path]


if __name__ == "__main__":
    draw(Path())
