"""Layers into a picture: samples sorted by depth and blended over the backdrop, then averaged per pixel.

Blending is done per sample and in linear light, so an edge between two layers has no halo. The last
step encodes sRGB with an ordered dither of half a level, which keeps the sky's gradient free of bands.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.pictures.material import srgb_from_linear
from poise.pictures.rasteriser import BAND, FloatImage
from poise.workers import for_ranges

Picture = NDArray[np.uint8]  # (H, W, 3) sRGB


def _bayer(order: int) -> Array:
    """The ordered dither's threshold matrix, values in −½ … ½."""
    matrix = np.zeros((1, 1))
    for _ in range(order):
        matrix = np.block([[4 * matrix, 4 * matrix + 2], [4 * matrix + 3, 4 * matrix + 1]])
    return (matrix + 0.5) / matrix.size - 0.5


_THRESHOLDS = _bayer(3)
_ENCODED = 255 * srgb_from_linear(np.linspace(0, 1, 4097))  # interpolated: within 0.01 of a level


def composite(
    behind: FloatImage,
    windows: IntArray,
    opacities: Array,
    colours: FloatImage,
    depths: FloatImage,
    supersample: int,
    *,
    vignette: float,
    threads: int,
) -> Picture:
    """``windows`` (L, 5): first sample in the pools, left, top, width, height; pools (N, 4) and (N,)."""
    height, width = behind.shape[:2]
    out = np.empty((height, width, 3), dtype=np.uint8)

    def band(first: int, last: int) -> None:
        _composite(
            behind,
            windows,
            opacities,
            colours,
            depths,
            supersample,
            vignette,
            _THRESHOLDS,
            _ENCODED,
            first,
            last,
            out,
        )

    for_ranges(band, height, grain=BAND, threads=threads)
    return out


def blur(image: FloatImage, radius: float, rows: slice, columns: slice) -> None:
    """A Gaussian of standard deviation ``radius`` [px] over part of a picture, in place."""
    part = image[rows, columns]
    if radius >= 0.3 and part.size:
        from scipy.ndimage import gaussian_filter

        image[rows, columns] = gaussian_filter(part, (radius, radius, 0), truncate=2.5)


@kernel()
def flatten(windows: IntArray, opacities: Array, colours: FloatImage, out: FloatImage) -> None:
    """Blend layers of one sample per pixel into ``out`` (H, W, 4), premultiplied, nothing behind."""
    for l in range(len(windows)):  # far layers were sorted first
        start, left, top, width, height = windows[l]
        for row in range(height):
            for col in range(width):
                at = start + row * width + col
                alpha = colours[at, 3] * opacities[l]
                if alpha > 0.0:
                    for i in range(3):
                        here = out[top + row, left + col, i]
                        out[top + row, left + col, i] = here * (1 - alpha) + alpha * colours[at, i]
                    out[top + row, left + col, 3] += alpha * (1 - out[top + row, left + col, 3])


@kernel()
def _composite(
    behind: FloatImage, windows: IntArray, opacities: Array, colours: FloatImage, depths: FloatImage,
    supersample: int, vignette: float, thresholds: Array, encoded: Array, first: int, last: int, out: Picture,
) -> None:  # fmt: skip
    S = supersample
    rows, columns = behind.shape[:2]
    layers = len(windows)
    order = np.empty(max(layers, 1), np.int64)
    place = np.empty(max(layers, 1), np.int64)
    value = np.empty(3)
    total = np.empty(3)
    for row in range(first, last):
        for col in range(columns):
            touched = False
            for l in range(layers):
                left, top = windows[l, 1], windows[l, 2]
                if left <= col * S < left + windows[l, 3] and top <= row * S < top + windows[l, 4]:
                    touched = True
            if touched:
                total[:] = 0.0
                for sub in range(S * S):
                    X, Y = col * S + sub % S, row * S + sub // S
                    hits = 0
                    for l in range(layers):
                        left, top = windows[l, 1], windows[l, 2]
                        if not (left <= X < left + windows[l, 3] and top <= Y < top + windows[l, 4]):
                            continue
                        at = windows[l, 0] + (Y - top) * windows[l, 3] + X - left
                        if colours[at, 3] <= 0.0:
                            continue
                        slot = hits  # insertion sort, farthest first
                        while slot > 0 and depths[place[slot - 1]] < depths[at]:
                            place[slot], order[slot] = place[slot - 1], order[slot - 1]
                            slot -= 1
                        place[slot], order[slot] = at, l
                        hits += 1
                    for i in range(3):
                        value[i] = behind[row, col, i]
                    for h in range(hits):
                        alpha = colours[place[h], 3] * opacities[order[h]]
                        for i in range(3):
                            value[i] += alpha * (colours[place[h], i] - value[i])
                    for i in range(3):
                        total[i] += value[i]
                for i in range(3):
                    value[i] = total[i] / (S * S)
            else:
                for i in range(3):
                    value[i] = behind[row, col, i]
            sx = (2.0 * (col + 0.5) - columns) / columns
            sy = (2.0 * (row + 0.5) - rows) / rows
            outer = max(0.0, sx * sx + sy * sy - 0.4)
            dim = 1.0 - vignette * outer * np.sqrt(outer) / 2.02
            threshold = thresholds[row % 8, col % 8]
            for i in range(3):
                x = min(max(value[i] * dim, 0.0), 1.0) * (len(encoded) - 1)
                k = min(int(x), len(encoded) - 2)
                level = encoded[k] + (x - k) * (encoded[k + 1] - encoded[k])
                out[row, col, i] = np.uint8(min(255.0, max(0.0, np.floor(level + 0.5 + threshold))))
