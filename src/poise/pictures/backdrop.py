"""What lies behind the figures: a sky gradient and a checkered floor that melts into it.

The checker is integrated over each pixel's footprint in closed form (a box filter of a product
of two square waves is a product of two triangle waves' differences), so it greys out towards the
horizon instead of shimmering. An orthographic camera at eye level sees no floor at all; it is shown
the ground in section instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel
from poise.pictures.camera import Camera
from poise.pictures.lights import Lights
from poise.pictures.material import linear_from_srgb
from poise.pictures.rasteriser import BAND, FloatImage
from poise.pictures.shading import soft_clip
from poise.workers import for_ranges


@dataclass(frozen=True)
class Floor:
    """The plane z = 0 with square tiles.

    Examples:
        >>> scene = poise.pictures.Scene(floor=poise.pictures.Floor(tile=1.0, reflection=0.0))
    """

    tile: float = 0.5
    """Edge of a tile [m]."""
    light: Array = field(default_factory=lambda: linear_from_srgb([0.91, 0.915, 0.925]))
    """Colour of every other tile, linear (3,)."""
    dark: Array = field(default_factory=lambda: linear_from_srgb([0.845, 0.86, 0.885]))
    """Colour of the tiles between, linear (3,)."""
    reflection: float = 0.5
    """Strength of the mirror image; 0: none."""
    reach: float = 14.0
    """Distance from the subject at which the floor has half melted away [tiles]."""


class FloorLight(NamedTuple):
    """How much light arrives on the floor, on a grid: row and column ↦ y and x."""

    low: Array  # (2,) [m]
    texel: float
    visible: FloatImage  # (rows, columns) 0 … 1


class Ground(NamedTuple):
    """Floor and sky as compiled code takes them."""

    camera: Array  # as packed
    lights: Array  # as packed
    sky: Array  # (2, 3) at the zenith and at the horizon
    floor: bool
    tile: float  # [m]
    tiles: Array  # (2, 3) light and dark ones
    reach: float  # [tiles]
    mirror: float
    target: Array  # (3,) what the camera looks at
    span: float  # [m] height of an orthographic picture


def backdrop(
    camera: Camera,
    lights: Lights,
    floor: Floor | None,
    key_light: FloorLight,
    sky_light: FloorLight,
    reflection: FloatImage,
    *,
    threads: int,
) -> FloatImage:
    """Sky and floor, one value per pixel (H, W, 3), linear; ``reflection`` (H, W, 4) is premultiplied."""
    width, height = camera.size
    out = np.empty((height, width, 3), dtype=np.float32)
    look = floor or Floor()
    ground = Ground(
        camera.packed(),
        lights.packed(),
        np.stack([lights.zenith, lights.horizon]),
        floor is not None,
        look.tile,
        np.stack([look.light, look.dark]),
        look.reach,
        look.reflection,
        camera.target,
        camera.span if camera.span is not None else 0.0,
    )

    def band(first: int, last: int) -> None:
        _backdrop(ground, key_light, sky_light, reflection, first, last, out)

    for_ranges(band, height, grain=BAND, threads=threads)
    return out


@kernel(inline=True)
def _grid_value(light: FloorLight, x: float, y: float) -> float:
    """Bilinear look-up, 1 outside."""
    visible = light.visible
    u, v = (x - light.low[0]) / light.texel - 0.5, (y - light.low[1]) / light.texel - 0.5
    if not (u >= 0.0 and v >= 0.0 and u < visible.shape[1] - 1 and v < visible.shape[0] - 1):
        return 1.0
    i, j = int(u), int(v)
    fu, fv = u - i, v - j
    lower = visible[j, i] * (1 - fu) + visible[j, i + 1] * fu
    upper = visible[j + 1, i] * (1 - fu) + visible[j + 1, i + 1] * fu
    return lower * (1 - fv) + upper * fv


@kernel(inline=True)
def _square_wave(x: float, width: float) -> float:
    """Mean over [x − w/2, x + w/2] of the wave that is +1 on even and −1 on odd intervals."""
    a, b = (x - 0.5 * width) * 0.5, (x + 0.5 * width) * 0.5
    ta, tb = abs(a - np.floor(a) - 0.5), abs(b - np.floor(b) - 0.5)
    return 2.0 * (ta - tb) / width


@kernel()
def _backdrop(
    ground: Ground, key_light: FloorLight, sky_light: FloorLight, reflection: FloatImage,
    first: int, last: int, out: FloatImage,
) -> None:  # fmt: skip
    camera, lights, sky, tile, tiles = ground.camera, ground.lights, ground.sky, ground.tile, ground.tiles
    target = ground.target
    scale, cx, cy = camera[12], camera[13], camera[14]
    parallel = camera[16] != 0.0
    level = parallel and abs(camera[11]) < 1e-3
    height = reflection.shape[0]
    hit = np.empty((3, 2))
    fill_up = max(0.0, (lights[2, 2] + 0.35) / 1.35)
    for row in range(first, last):
        for col in range(out.shape[1]):
            behind = False
            length = 1.0
            ox = oz = dz = 0.0
            for corner in range(3):  # this pixel, its right and its lower neighbour
                px = (col + 0.5 + (1.0 if corner == 1 else 0.0) - cx) / scale
                py = -(row + 0.5 + (1.0 if corner == 2 else 0.0) - cy) / scale
                sx = px * camera[3] + py * camera[6]
                sy = px * camera[4] + py * camera[7]
                sz = px * camera[5] + py * camera[8]
                if parallel:
                    qx, qy, qz, wx, wy, wz = sx, sy, sz, 0.0, 0.0, 0.0
                else:
                    qx, qy, qz, wx, wy, wz = 0.0, 0.0, 0.0, sx, sy, sz
                qx, qy, qz = qx + camera[0], qy + camera[1], qz + camera[2]
                wx, wy, wz = wx + camera[9], wy + camera[10], wz + camera[11]
                if corner == 0:
                    ox, oz, dz = qx, qz, wz
                    length = np.sqrt(wx * wx + wy * wy + wz * wz)
                    behind = ground.floor and not level and dz < -1e-6 and oz > 0.0
                    if not behind:
                        break
                t = -qz / wz if wz < -1e-7 else 1e7
                hit[corner, 0], hit[corner, 1] = qx + t * wx, qy + t * wy

            if parallel:
                rise = (cy - row - 0.5) / height + 0.5  # 0 at the bottom … 1 at the top
                rise = 0.7 * max(0.0, rise) ** 1.5
            else:
                rise = min(1.0, max(0.0, dz / length) * 2.6)
                rise = rise * (2.0 - rise)
            if not behind:
                for i in range(3):
                    out[row, col, i] = sky[1, i] + (sky[0, i] - sky[1, i]) * rise
                if ground.floor and level:
                    below = min(1.0, max(0.0, 0.5 - oz * scale))
                    if below > 0.0:
                        deep = max(0.0, -oz) / ground.span
                        shut = 1.0 - _grid_value(sky_light, ox, target[1])
                        contact = 1.0 - shut * np.exp(-deep * 30.0)
                        line = 1.0 - 0.45 * np.exp(-((deep * height / 1.6) ** 2))
                        wave = 0.5 - 0.5 * _square_wave(ox / tile, 1.0 / (scale * tile))
                        for i in range(3):
                            earth = tiles[0, i] + wave * (tiles[1, i] - tiles[0, i])
                            earth *= (0.80 + 0.12 * np.exp(-deep * 8.0)) * line * contact
                            out[row, col, i] += below * (earth - out[row, col, i])
                continue

            x, y = hit[0]
            wx = abs(hit[1, 0] - x) + abs(hit[2, 0] - x) + 1e-9
            wy = abs(hit[1, 1] - y) + abs(hit[2, 1] - y) + 1e-9
            wave = 0.5 - 0.5 * _square_wave(x / tile, wx / tile) * _square_wave(y / tile, wy / tile)
            visible = _grid_value(key_light, x, y)
            opened = _grid_value(sky_light, x, y)
            away = np.sqrt((x - target[0]) ** 2 + (y - target[1]) ** 2) / tile
            melt = 1.0 - np.exp(-0.69 * (away / ground.reach) ** 2)
            down = -dz / length
            shine = (0.06 + 0.94 * (1.0 - down) ** 5) * ground.mirror
            for i in range(3):
                albedo = tiles[0, i] + wave * (tiles[1, i] - tiles[0, i])
                light = lights[1, i] * lights[0, 2] * visible + lights[6, i] * opened
                light += lights[3, i] * fill_up * (0.3 + 0.7 * opened)
                value = soft_clip(albedo * light)
                value += shine * (reflection[row, col, i] - reflection[row, col, 3] * value)
                value += melt * (sky[1, i] - value)
                out[row, col, i] = value
