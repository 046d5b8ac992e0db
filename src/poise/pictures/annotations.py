"""Words in a picture: names beside things, and a legend; none covers another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.pictures.compositing import Picture

if TYPE_CHECKING:
    from PIL import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

    Font = FreeTypeFont | ImageFont

_PLATE = (255, 255, 255, 205)
"""Behind words: white (RGBA), so that they read on anything."""


class Label(NamedTuple):
    """A name at a point of the picture."""

    at: Array
    """[px] (2,)"""
    text: str
    colour: str
    below: bool = False
    """Whether it stands below its point."""


class Key(NamedTuple):
    """A line of the legend: a sample and what it means."""

    kind: str
    """ "disc", "arrow" or "box"."""
    text: str
    colour: str
    length: float = 0.0
    """Of an arrow that is as long as something is [px]."""


def annotated(image: Picture, labels: Sequence[Label], legend: Sequence[Key] = ()) -> Picture:
    """The picture with labels, each moved away from its point until it covers no other, and a legend at the
    lower left."""
    from PIL import Image, ImageDraw, ImageFont

    height, width = image.shape[:2]
    size = max(10, round(height / 42))
    font = ImageFont.load_default(size)
    canvas = Image.fromarray(image).convert("RGBA")
    over = Image.new("RGBA", canvas.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(over)
    taken = [_legend(draw, legend, font, size, height)] if legend else []
    for label in sorted(labels, key=lambda each: -float(each.at[1])):
        x, y = float(label.at[0]), float(label.at[1])
        if not (0 <= x < width and 0 <= y < height):
            continue
        wide = draw.textlength(label.text, font=font) + 0.9 * size
        tall = 1.5 * size
        box = _free(x, y, wide, tall, label.below, (width, height), taken)
        left, top = box[:2]
        taken.append(box)
        foot = (min(max(x, left + 0.4 * size), left + wide - 0.4 * size), top if label.below else top + tall)
        draw.line([(x, y), foot], fill=label.colour, width=max(1, size // 9))
        draw.rounded_rectangle(box, radius=0.35 * size, fill=_PLATE, outline=label.colour)
        draw.text(
            (left + 0.5 * wide, top + 0.5 * tall), label.text, fill=label.colour, font=font, anchor="mm"
        )
    return np.asarray(Image.alpha_composite(canvas, over).convert("RGB"), dtype=np.uint8)


Rectangle = tuple[float, float, float, float]


def _free(
    x: float,
    y: float,
    wide: float,
    tall: float,
    below: bool,
    size: tuple[int, int],
    taken: Sequence[Rectangle],
) -> Rectangle:
    """Where a label covers no other: the nearest such place, on its side of the point if there is one."""
    start = y + 0.4 * tall if below else y - 1.6 * tall
    way = 1 if below else -1
    places = []
    for up in range(-8, 12):
        for aside in range(-4, 5):
            left = min(max(x - 0.5 * wide + 0.3 * aside * wide, 2.0), size[0] - wide - 2)
            top = min(max(start + 0.6 * way * up * tall, 2.0), size[1] - tall - 2)
            other = 3.0 * tall if up < 0 else 0.0  # the other side of its point, where there is no room
            off = abs(left + 0.5 * wide - x) + abs(top - start) + other
            places.append((off, (left, top, left + wide, top + tall)))
    places.sort()
    free = (box for _, box in places if not any(_overlap(box, other) for other in taken))
    return next(free, places[0][1])


def _overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def legend_strip(width: int, keys: Sequence[Key]) -> Picture:
    """The legend as a white strip (H, W, 3), as high as its lines need."""
    from PIL import Image, ImageDraw, ImageFont

    size = 15
    font = ImageFont.load_default(size)
    row, gap = 2 * size, 1.6 * size
    samples = [max(1.6 * size, key.length) for key in keys]
    measure = ImageDraw.Draw(Image.new("RGB", (1, 1)))
    wide = [s + 0.6 * size + measure.textlength(k.text, font=font) + gap for s, k in zip(samples, keys)]
    places, x, y = [], gap, 0
    for one in wide:
        if x + one > width and x > gap:
            x, y = gap, y + 1
        places.append((x, (y + 0.5) * row))
        x += one
    image = Image.new("RGB", (width, round((y + 1) * row)), (255, 255, 255))
    draw = ImageDraw.Draw(image)
    for (x, middle), key, sample in zip(places, keys, samples):
        _sample(draw, key, x, middle, sample, size)
        draw.text((x + sample + 0.6 * size, middle), key.text, fill="#303844", font=font, anchor="lm")
    return np.asarray(image, dtype=np.uint8)


def _legend(draw: ImageDraw.ImageDraw, keys: Sequence[Key], font: Font, size: int, height: int) -> Rectangle:
    sample = max([2.2 * size, *(k.length for k in keys)])
    wide = max(draw.textlength(k.text, font=font) for k in keys) + sample + 2.0 * size
    row = 1.45 * size
    top = height - len(keys) * row - 1.1 * size
    box = (0.6 * size, top, 0.6 * size + wide, height - 0.5 * size)
    draw.rounded_rectangle(box, radius=0.4 * size, fill=_PLATE)
    for k, key in enumerate(keys):
        y = top + 0.3 * size + (k + 0.5) * row
        _sample(draw, key, 1.1 * size, y, sample, size)
        draw.text((1.1 * size + sample + 0.5 * size, y), key.text, fill="#303844", font=font, anchor="lm")
    return box


def _sample(draw: ImageDraw.ImageDraw, key: Key, x: float, y: float, room: float, size: int) -> None:
    """What a key looks like in the picture, in a room that wide."""
    end = x + (key.length or 1.6 * size)
    middle, r, line = x + 0.5 * room, 0.42 * size, max(1, size // 6)
    if key.kind == "arrow":
        draw.line([(x, y), (end - 0.6 * size, y)], fill=key.colour, width=max(2, size // 5))
        draw.polygon([(end, y), (end - 0.8 * size, y - r), (end - 0.8 * size, y + r)], fill=key.colour)
    elif key.kind == "box":
        draw.rectangle((middle - 1.5 * r, y - r, middle + 1.5 * r, y + r), outline=key.colour, width=line)
    else:
        draw.ellipse((middle - r, y - 0.6 * r, middle + r, y + 0.6 * r), fill=key.colour)
