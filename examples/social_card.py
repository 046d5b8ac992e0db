"""The picture that links to Poise show: ``python examples/social_card.py``, into docs/pictures/social.png

A loose punch that still lands on its mark, 1200 × 630 as link previews want it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import poise

SIZE = (1200, 630)
MARK = (0.9, 0.0, 1.36)
TITLE = "Poise"
LINES = ("Character animation that obeys the animator", "to the frame and still has weight.")
INK, QUIET = (28, 32, 40), (92, 98, 110)


def main(path: Path) -> None:
    punch = poise.clips.get("punch")
    mark = poise.constraints.pin("RightHandCentre", MARK, 0.85)
    hit = poise.hit(punch, [mark], "loose").clip
    drawn = poise.pictures.strobe(
        hit,
        frames=(18, 34, 43, 47, 51),
        trails=("RightHandCentre",),
        targets=(MARK,),
        size=(SIZE[0], SIZE[1] + 150),
    )
    card = Image.fromarray(np.asarray(drawn)[: SIZE[1], :, :3])
    pen = ImageDraw.Draw(card)
    pen.text((60, 44), TITLE, fill=INK, font=ImageFont.load_default(84))
    for k, line in enumerate(LINES):
        pen.text((340, 58 + 44 * k), line, fill=QUIET, font=ImageFont.load_default(34))
    card.save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures/social.png"))
