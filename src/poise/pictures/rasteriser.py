"""A z-buffer rasteriser: which triangle each sample of the picture sees, and how far away it is.

Depth is compared in a quantity linear on the screen: ``−1/forward`` (perspective) or ``forward``
(orthographic), so interpolation is perspective-correct. Attributes are not interpolated while
rasterising: the sample's ray meets the triangle's plane again where a normal is wanted, once per
visible sample. Triangles are clipped at the near plane. Ties go to the earlier triangle.

With ``supersample`` S a pixel holds S × S samples, each in its own cell but moved within it so that
all S² have different columns and rows (the rotated grid for S = 2): edges that are nearly level
or upright then take S² shades instead of S.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.pictures.camera import Camera
from poise.workers import for_ranges

FloatImage = NDArray[np.float32]
IntImage = NDArray[np.int32]
BAND = 16
"""Rows of a picture worth handing to a thread."""
FAR = np.float32(3.0e38)
"""Depth where nothing is."""


class Surfaces(NamedTuple):
    """All triangles of a picture in world coordinates, as flat arrays for compiled code."""

    vertices: Array  # (V, 3) [m]
    normals: Array  # (V, 3) unit
    faces: IntArray  # (T, 3)
    material: IntImage  # (T,) index into the materials
    item: IntImage  # (T,) index of the object it belongs to
    closed: NDArray[np.bool_]  # (T,) far sides never seen


@dataclass(frozen=True)
class GeometryBuffer:
    """What each sample sees; the window's upper left sample is ``(left, top)`` of the whole picture."""

    depth: FloatImage  # (h, w) screen-linear, FAR where nothing
    face: IntImage  # (h, w) triangle, −1 where nothing
    left: int
    top: int
    camera: Camera
    supersample: int

    def forward(self) -> Array:
        """Distance along the viewing direction [m], infinite where nothing was hit."""
        seen = self.face >= 0
        depth = np.where(seen, self.depth, 1.0).astype(np.float64)
        metric = depth if self.camera.orthographic else -1.0 / np.where(depth == 0, 1.0, depth)
        return np.where(seen, metric, np.inf)

    def attributes(self, surfaces: Surfaces) -> tuple[Array, IntImage, IntImage]:
        """World normal (h, w, 3), material (h, w) and item (h, w); zero and −1 where nothing."""
        normal = np.zeros((*self.face.shape, 3))
        _normals(
            self.face, self.left, self.top, self.camera.packed(self.supersample), self.supersample,
            surfaces.vertices, surfaces.normals, surfaces.faces, normal,
        )  # fmt: skip
        nothing = self.face < 0
        if len(surfaces.faces) == 0:
            return normal, np.full_like(self.face, -1), np.full_like(self.face, -1)
        material = np.where(nothing, -1, surfaces.material[self.face]).astype(np.int32)
        item = np.where(nothing, -1, surfaces.item[self.face]).astype(np.int32)
        return normal, material, item


def rasterise(
    surfaces: Surfaces,
    camera: Camera,
    *,
    supersample: int = 1,
    whole: bool = False,
    threads: int | None = None,
) -> GeometryBuffer:
    """Draw all triangles; the buffer covers only the part they reach unless ``whole``."""
    width, height = camera.size[0] * supersample, camera.size[1] * supersample
    packed = camera.packed(supersample)
    corners, source = _screen_triangles(
        surfaces.vertices, surfaces.faces, surfaces.closed, packed, camera.mirror
    )
    left, top, right, bottom = 0, 0, width, height
    if not whole:
        if len(corners):
            low = np.floor(corners[..., :2].min(axis=(0, 1))).clip(-1e9, 1e9)
            high = np.ceil(corners[..., :2].max(axis=(0, 1))).clip(-1e9, 1e9)
            left, top = (max(0, int(v)) // supersample * supersample for v in low)
            right, bottom = (
                min(n, -(-max(0, int(v)) // supersample) * supersample) for v, n in zip(high, (width, height))
            )
        right, bottom = (max(right, left), max(bottom, top)) if len(corners) else (0, 0)
    depth = np.full((bottom - top, right - left), FAR, dtype=np.float32)
    face = np.full(depth.shape, -1, dtype=np.int32)
    spans = np.stack([corners[..., 1].min(axis=1), corners[..., 1].max(axis=1)], axis=1)

    def band(first: int, last: int) -> None:
        _fill(corners, source, spans, supersample, left, top, first, last, depth, face)

    for_ranges(band, bottom - top, grain=BAND, threads=threads)
    return GeometryBuffer(depth, face, left, top, camera, supersample)


@kernel()
def _screen_triangles(
    vertices: Array, faces: IntArray, closed: NDArray[np.bool_], camera: Array, mirror: bool
) -> tuple[Array, IntImage]:
    """Project, clip at the near plane, cull far sides of closed meshes → (N, 3, 3) x, y, depth; (N,) face."""
    scale, cx, cy, near, parallel = camera[12], camera[13], camera[14], camera[15], camera[16] != 0.0
    count = len(vertices)
    seen = np.empty((count, 3))
    for i in range(count):
        x, y, z = vertices[i, 0] - camera[0], vertices[i, 1] - camera[1], vertices[i, 2] - camera[2]
        for k in range(3):
            seen[i, k] = camera[3 + 3 * k] * x + camera[4 + 3 * k] * y + camera[5 + 3 * k] * z
    corners = np.empty((2 * len(faces), 3, 3))
    source = np.empty(2 * len(faces), np.int32)
    polygon = np.empty((4, 3))
    n = 0
    for t in range(len(faces)):
        sides = 0
        for k in range(3):  # Sutherland–Hodgman against forward ≥ near
            a, b = faces[t, k], faces[t, (k + 1) % 3]
            in_a, in_b = seen[a, 2] >= near, seen[b, 2] >= near
            if in_a:
                polygon[sides] = seen[a]
                sides += 1
            if in_a != in_b:
                w = (near - seen[a, 2]) / (seen[b, 2] - seen[a, 2])
                for j in range(3):
                    polygon[sides, j] = seen[a, j] + w * (seen[b, j] - seen[a, j])
                sides += 1
        if sides < 3:
            continue
        for k in range(sides):
            forward = polygon[k, 2]
            factor = scale if parallel else scale / forward
            polygon[k, 0] = cx + factor * polygon[k, 0]
            polygon[k, 1] = cy - factor * polygon[k, 1]
            polygon[k, 2] = forward if parallel else -1.0 / forward
        for k in range(1, sides - 1):
            ax, ay = polygon[k, 0] - polygon[0, 0], polygon[k, 1] - polygon[0, 1]
            bx, by = polygon[k + 1, 0] - polygon[0, 0], polygon[k + 1, 1] - polygon[0, 1]
            area = ax * by - ay * bx
            # The screen's y points down: a face towards the camera has negative area, in a mirror positive.
            outward = area > 0.0 if mirror else area < 0.0
            if area == 0.0 or (closed[t] and not outward):
                continue
            corners[n, 0], corners[n, 1], corners[n, 2] = polygon[0], polygon[k], polygon[k + 1]
            source[n] = t
            n += 1
    return corners[:n], source[:n]


@kernel()
def _fill(
    corners: Array, source: IntImage, spans: Array, supersample: int, left: int, top: int,
    first: int, last: int, depth: FloatImage, face: IntImage,
) -> None:  # fmt: skip
    """Scan every triangle over the rows ``first ≤ row < last`` of the window."""
    width = depth.shape[1]
    S = supersample
    for t in range(len(corners)):
        if spans[t, 1] < top + first or spans[t, 0] > top + last:
            continue
        x0, y0, z0 = corners[t, 0]
        x1, y1, z1 = corners[t, 1]
        x2, y2, z2 = corners[t, 2]
        area = (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0)
        sign = 1.0 if area > 0 else -1.0
        inverse = 1.0 / area
        # Edge functions e = a x + b y + c, positive inside; e₀ follows from e₀ + e₁ + e₂ = |area|.
        a1, b1 = sign * (y2 - y0), sign * (x0 - x2)
        a2, b2 = sign * (y0 - y1), sign * (x1 - x0)
        gx = ((z1 - z0) * (y2 - y0) - (z2 - z0) * (y1 - y0)) * inverse
        gy = ((z2 - z0) * (x1 - x0) - (z1 - z0) * (x2 - x0)) * inverse
        row0 = max(first, int(np.floor(spans[t, 0])) - top)
        row1 = min(last - 1, int(np.floor(spans[t, 1])) - top)
        col0 = max(0, int(np.floor(min(x0, x1, x2))) - left)
        col1 = min(width - 1, int(np.floor(max(x0, x1, x2))) - left)
        for row in range(row0, row1 + 1):
            Y = row + top
            px = (Y % S + 0.5) / S - x0
            for col in range(col0, col1 + 1):
                X = col + left
                x = X + px
                y = Y + (S - 1 - X % S + 0.5) / S - y0
                e1 = a1 * x + b1 * y
                e2 = a2 * x + b2 * y
                e0 = sign * area - e1 - e2
                if e0 < 0.0 or e1 < 0.0 or e2 < 0.0:
                    continue
                z = np.float32(z0 + gx * x + gy * y)
                if z < depth[row, col]:
                    depth[row, col] = z
                    face[row, col] = source[t]


@kernel(inline=True)
def sample_ray(
    camera: Array, supersample: int, X: int, Y: int
) -> tuple[float, float, float, float, float, float]:
    """Origin and direction (its forward part is 1) of the ray through sample (X, Y)."""
    px = (X + (Y % supersample + 0.5) / supersample - camera[13]) / camera[12]
    py = -(Y + (supersample - 1 - X % supersample + 0.5) / supersample - camera[14]) / camera[12]
    ox, oy, oz = camera[0], camera[1], camera[2]
    dx, dy, dz = camera[9], camera[10], camera[11]
    sx = px * camera[3] + py * camera[6]
    sy = px * camera[4] + py * camera[7]
    sz = px * camera[5] + py * camera[8]
    if camera[16] != 0.0:
        return ox + sx, oy + sy, oz + sz, dx, dy, dz
    return ox, oy, oz, dx + sx, dy + sy, dz + sz


@kernel(inline=True)
def barycentric(
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float,
    vertices: Array, a: int, b: int, c: int,
) -> tuple[float, float, float]:  # fmt: skip
    """Where a ray meets a triangle's plane: weights of b and c, and the ray's parameter."""
    e1x, e1y, e1z = (
        vertices[b, 0] - vertices[a, 0],
        vertices[b, 1] - vertices[a, 1],
        vertices[b, 2] - vertices[a, 2],
    )
    e2x, e2y, e2z = (
        vertices[c, 0] - vertices[a, 0],
        vertices[c, 1] - vertices[a, 1],
        vertices[c, 2] - vertices[a, 2],
    )
    px, py, pz = dy * e2z - dz * e2y, dz * e2x - dx * e2z, dx * e2y - dy * e2x
    determinant = e1x * px + e1y * py + e1z * pz
    if determinant == 0.0:
        return 0.0, 0.0, 0.0
    tx, ty, tz = ox - vertices[a, 0], oy - vertices[a, 1], oz - vertices[a, 2]
    u = (tx * px + ty * py + tz * pz) / determinant
    qx, qy, qz = ty * e1z - tz * e1y, tz * e1x - tx * e1z, tx * e1y - ty * e1x
    v = (dx * qx + dy * qy + dz * qz) / determinant
    t = (e2x * qx + e2y * qy + e2z * qz) / determinant
    # Samples on an edge may fall outside by rounding.
    u = min(max(u, 0.0), 1.0)
    v = min(max(v, 0.0), 1.0 - u)
    return u, v, t


@kernel()
def _normals(
    face: IntImage, left: int, top: int, camera: Array, supersample: int,
    vertices: Array, normals: Array, faces: IntArray, out: Array,
) -> None:  # fmt: skip
    for row in range(face.shape[0]):
        for col in range(face.shape[1]):
            f = face[row, col]
            if f < 0:
                continue
            ox, oy, oz, dx, dy, dz = sample_ray(camera, supersample, col + left, row + top)
            a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
            u, v, _ = barycentric(ox, oy, oz, dx, dy, dz, vertices, a, b, c)
            n = (1 - u - v) * normals[a] + u * normals[b] + v * normals[c]
            out[row, col] = n / np.sqrt((n * n).sum())
