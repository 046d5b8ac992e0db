"""Draw the extension's preferences, for the guide: rows noted by ``tests/blender/inside.py panels``, as PNG.

    python blender/panel_picture.py panels.json docs/pictures

The rows come from the extension's code, the look is imitated; the panel's picture is of Blender's own window
(``tests/blender/window_pictures.py``).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

ROW, WIDTH, EDGE = 26, 380, 12
"""Heights and widths [px]."""
BACK, FIELD, BUTTON, TEXT, DIM = (48, 48, 48), (84, 84, 84), (101, 101, 101), (230, 230, 230), (170, 170, 170)
"""Blender's dark theme, about."""
ON = (71, 114, 179)


def draw(title: str, rows: list[list[Any]], path: Path, width: int = WIDTH) -> None:
    """One panel."""
    letters = ImageFont.load_default(13)
    picture = Image.new("RGB", (width, (len(rows) + 1) * ROW + 2 * EDGE), BACK)
    pen = ImageDraw.Draw(picture)
    pen.text((EDGE, EDGE), title, TEXT, font=letters)
    for k, row in enumerate(rows, 1):
        top = EDGE + k * ROW
        each = (width - 2 * EDGE) / len(row)
        for place, (kind, text, value) in enumerate(row):
            left = EDGE + place * each
            box = (left + 1, top + 2, left + each - 2, top + ROW - 2)
            if kind == "label":
                pen.text((left + 2, top + 5), text, DIM, font=letters)
            elif kind == "check":
                pen.rounded_rectangle((left + 2, top + 5, left + 18, top + 21), 3, ON if value else FIELD)
                pen.text((left + 26, top + 5), text, TEXT, font=letters)
            elif kind == "button":
                pen.rounded_rectangle(box, 4, BUTTON)
                pen.text(((box[0] + box[2]) / 2, top + ROW / 2), text, TEXT, font=letters, anchor="mm")
            elif kind == "field":
                split = left + (0.45 * each if text else 0)
                pen.text((left + 2, top + 5), text, TEXT, font=letters)
                pen.rounded_rectangle((split + 1, *box[1:]), 4, FIELD)
                pen.text((split + 8, top + 5), str(value), TEXT, font=letters)
    picture.save(path)


def main() -> None:
    """From the command line."""
    told = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8").strip().splitlines()[-1])
    folder = Path(sys.argv[2])
    rows = told["preferences"]
    for row in rows:
        for entry in row:
            entry[1] = (
                entry[1].replace(str(Path.home()), "~")
                if "Found" not in entry[1]
                else "Found: ~/poise/bin/poise"
            )
    draw("Poise (preferences)", rows, folder / "blender-preferences.png", 520)


if __name__ == "__main__":
    main()
