"""Pictures below one another, each with a line of text: for comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.errors import InputError
from poise.pictures.compositing import Picture

_BAND = 0.055
"""Height of the text's band, in picture widths."""


def captioned(images: Sequence[Picture], texts: Sequence[str], *, columns: int = 1) -> Picture:
    """Equally large pictures (H, W, 3) in a grid, each under its text.

    Args:
        images: As large as each other.
        texts: One for each.
        columns: Of the grid [≥ 1].

    Returns:
        Picture: 8-bit sRGB.

    Raises:
        InputError: There are no pictures, they differ in size, or there is not one text for each.

    Examples:
        >>> wave = poise.clips.get("wave")
        >>> front = poise.pictures.strobe(wave, count=1, size=(160, 120), view="front")
        >>> side = poise.pictures.strobe(wave, count=1, size=(160, 120), view="side")
        >>> pair = poise.pictures.captioned([front, side], ["front", "side"], columns=2)
    """
    from PIL import Image, ImageDraw, ImageFont

    if not images or len(images) != len(texts):
        raise InputError(f"{len(images)} pictures need as many texts, not {len(texts)}")
    if len({image.shape for image in images}) > 1:
        raise InputError("pictures in one grid must be equally large")
    height, width = images[0].shape[:2]
    band = max(18, round(_BAND * width))
    rows = -(-len(images) // columns)
    out = Image.new("RGB", (columns * width, rows * (height + band)), (255, 255, 255))
    draw = ImageDraw.Draw(out)
    font = ImageFont.load_default(size=round(0.5 * band))
    for k, (image, text) in enumerate(zip(images, texts)):
        x, y = (k % columns) * width, (k // columns) * (height + band)
        draw.text((x + 0.4 * band, y + 0.5 * band), text, fill=(48, 56, 68), font=font, anchor="lm")
        out.paste(Image.fromarray(image), (x, y + band))
    return np.asarray(out)
