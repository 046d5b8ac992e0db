"""Shadow maps on the floor's own grid, and the soft shadows they add up to.

A map belongs to one direction ``l`` towards the light. A point p casts its shadow on the floor at
``p.xy − p.z l.xy / l.z``: a shear, so maps are rasterised in floor coordinates and hold, per
texel, the greatest height of any *far* side on that ray. A point is dark when a far side lies above
it. Lit faces are near sides, so they never shade themselves (no acne, no bias worth
mentioning), and the floor is in no map, so a foot's shadow begins exactly where the foot touches.
Every map's grid is moved by part of a texel: the mean over many lights has no stairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.pictures.rasteriser import BAND, FloatImage
from poise.workers import for_ranges

EMPTY = np.float32(-3.0e38)
"""Height where nothing casts a shadow."""


class ShadowMaps(NamedTuple):
    """One map per direction, all in one pool of heights."""

    directions: Array  # (L, 3) unit, towards the light
    shear: Array  # (L, 2) floor displacement per height
    origin: Array  # (L, 2) [m] floor position of the first texel's corner
    shape: IntArray  # (L, 2) rows, columns
    start: IntArray  # (L,) first texel in the pool
    heights: FloatImage  # (N,) [m], EMPTY where the ray is free
    texel: float  # [m]

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lower left and upper right corner [m] on the floor of all maps together."""
        if len(self.shape) == 0:
            return np.zeros(2), np.zeros(2)
        far = self.origin + self.texel * self.shape[:, ::-1]
        return self.origin.min(axis=0), far.max(axis=0)


def cast(
    vertices: Array,
    faces: IntArray,
    closed: NDArray[np.bool_],
    directions: Array,
    texel: float,
    *,
    threads: int,
) -> ShadowMaps:
    """Rasterise the casters once per direction."""
    directions = np.ascontiguousarray(directions)
    shear = directions[:, :2] / directions[:, 2:]
    count = len(directions)
    if len(faces) == 0:
        nothing, start = np.zeros((count, 2), dtype=np.int64), np.zeros(count, dtype=np.int64)
        empty = np.zeros(0, dtype=np.float32)
        return ShadowMaps(directions, shear, np.zeros((count, 2)), nothing, start, empty, texel)
    low, high = _extents(vertices, shear)
    k = np.arange(count)
    jitter = np.stack([(k * 0.7548776662466927) % 1, (k * 0.5698402909980532) % 1], axis=1)  # R₂ sequence
    # Grids are anchored to the world: a moving figure does not make its shadow shimmer.
    origin = (np.floor(low / texel) - 2 + jitter) * texel
    shape = np.ceil((high - origin) / texel).astype(np.int64)[:, ::-1] + 3
    sizes = shape[:, 0] * shape[:, 1]
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    heights = np.full(int(sizes.sum()), EMPTY, dtype=np.float32)
    maps = ShadowMaps(directions, shear, origin, shape, start, heights, texel)

    def some(first: int, last: int) -> None:
        for i in range(first, last):
            grid = heights[start[i] : start[i] + sizes[i]].reshape(shape[i, 0], shape[i, 1])
            a, b, x, y = shear[i, 0], shear[i, 1], origin[i, 0], origin[i, 1]
            _heights(vertices, faces, closed, a, b, x, y, texel, grid)

    for_ranges(some, count, threads=threads)
    return maps


def floor_visibility(
    maps: ShadowMaps, low: Array, shape: tuple[int, int], texel: float, *, threads: int
) -> FloatImage:
    """How much of the light reaches the floor, on a grid of its own: mean over the maps, 0 … 1."""
    out = np.ones(shape, dtype=np.float32)
    if len(maps.heights):

        def band(first: int, last: int) -> None:
            _floor(maps, low[0], low[1], texel, first, last, out)

        for_ranges(band, shape[0], grain=BAND, threads=threads)
    return out


@kernel()
def _extents(points: Array, shear: Array) -> tuple[Array, Array]:
    """Bounds (L, 2) of the points' shadows on the floor, per direction."""
    low = np.full((len(shear), 2), np.inf)
    high = np.full((len(shear), 2), -np.inf)
    for k in range(len(shear)):
        for i in range(len(points)):
            for axis in range(2):
                x = points[i, axis] - points[i, 2] * shear[k, axis]
                low[k, axis] = min(low[k, axis], x)
                high[k, axis] = max(high[k, axis], x)
    return low, high


@kernel()
def _heights(
    vertices: Array, faces: IntArray, closed: NDArray[np.bool_],
    sx: float, sy: float, ox: float, oy: float, texel: float, grid: FloatImage,
) -> None:  # fmt: skip
    rows, columns = grid.shape
    scale = 1.0 / texel
    u = np.empty(len(vertices), np.float32)
    v = np.empty(len(vertices), np.float32)
    for i in range(len(vertices)):
        u[i] = (vertices[i, 0] - vertices[i, 2] * sx - ox) * scale - 0.5
        v[i] = (vertices[i, 1] - vertices[i, 2] * sy - oy) * scale - 0.5
    for t in range(len(faces)):
        i0, i1, i2 = faces[t, 0], faces[t, 1], faces[t, 2]
        x0, y0 = u[i0], v[i0]
        ax, ay = u[i1] - x0, v[i1] - y0
        bx, by = u[i2] - x0, v[i2] - y0
        area = ax * by - ay * bx
        if area == 0.0 or (closed[t] and area > 0.0):  # a shear keeps facing: positive looks at the light
            continue
        col0, col1 = int(np.ceil(x0 + min(0.0, ax, bx))), int(np.floor(x0 + max(0.0, ax, bx)))
        row0, row1 = int(np.ceil(y0 + min(0.0, ay, by))), int(np.floor(y0 + max(0.0, ay, by)))
        if col0 > col1 or row0 > row1:
            continue
        z0 = vertices[i0, 2]
        az, bz = vertices[i1, 2] - z0, vertices[i2, 2] - z0
        inverse = 1.0 / area
        for row in range(max(row0, 0), min(row1, rows - 1) + 1):
            y = row - y0
            for col in range(max(col0, 0), min(col1, columns - 1) + 1):
                x = col - x0
                p = (x * by - y * bx) * inverse
                q = (ax * y - ay * x) * inverse
                if p < 0.0 or q < 0.0 or p + q > 1.0:
                    continue
                z = np.float32(z0 + p * az + q * bz)
                if z > grid[row, col]:
                    grid[row, col] = z


@kernel(inline=True)
def lit(maps: ShadowMaps, k: int, x: float, y: float, z: float) -> float:
    """Light k's visibility at a point: four neighbouring texels compared, then blended. 0 … 1."""
    scale, heights = 1.0 / maps.texel, maps.heights
    u = (x - z * maps.shear[k, 0] - maps.origin[k, 0]) * scale - 0.5
    v = (y - z * maps.shear[k, 1] - maps.origin[k, 1]) * scale - 0.5
    rows, columns = maps.shape[k, 0], maps.shape[k, 1]
    if not (u >= 0.0 and v >= 0.0 and u < columns - 1 and v < rows - 1):
        return 1.0  # maps are padded: beyond them nothing casts
    i, j = int(u), int(v)
    fu, fv = u - i, v - j
    at = maps.start[k] + j * columns + i
    dark = 0.0
    if heights[at] > z:
        dark += (1.0 - fu) * (1.0 - fv)
    if heights[at + 1] > z:
        dark += fu * (1.0 - fv)
    if heights[at + columns] > z:
        dark += (1.0 - fu) * fv
    if heights[at + columns + 1] > z:
        dark += fu * fv
    return 1.0 - dark


@kernel()
def _floor(
    maps: ShadowMaps, low_x: float, low_y: float, step: float, first: int, last: int, out: FloatImage
) -> None:
    origin, shape, heights, texel = maps.origin, maps.shape, maps.heights, maps.texel
    count, columns = len(maps.shear), out.shape[1]
    scale = 1.0 / texel
    for row in range(first, last):
        for col in range(columns):
            out[row, col] = 0.0
    # One light at a time: its map stays in the cache while the band's rows sweep over it.
    for k in range(count):
        wide, tall = shape[k, 1], shape[k, 0]
        for row in range(first, last):
            v = (low_y + (row + 0.5) * step - origin[k, 1]) * scale - 0.5
            if not (v >= 0.0 and v < tall - 1):
                continue
            j = int(v)
            fv = np.float32(v - j)
            line = maps.start[k] + j * wide
            col0 = max(0, int((origin[k, 0] + 0.5 * texel - low_x) / step - 0.5))
            col1 = min(columns, int((origin[k, 0] + wide * texel - low_x) / step + 1.5))
            for col in range(col0, col1):
                u = (low_x + (col + 0.5) * step - origin[k, 0]) * scale - 0.5
                if not (u >= 0.0 and u < wide - 1):
                    continue
                i = int(u)
                fu = np.float32(u - i)
                at = line + i
                # Anything at all on the ray shades the floor, even where it is sunk into it.
                dark = np.float32(0.0)
                if heights[at] > EMPTY:
                    dark += (1 - fu) * (1 - fv)
                if heights[at + 1] > EMPTY:
                    dark += fu * (1 - fv)
                if heights[at + wide] > EMPTY:
                    dark += (1 - fu) * fv
                if heights[at + wide + 1] > EMPTY:
                    dark += fu * fv
                out[row, col] += dark
    share = np.float32(1.0 / count)
    for row in range(first, last):
        for col in range(columns):
            out[row, col] = 1.0 - out[row, col] * share
