"""Triangle meshes with smooth normals, and the solids that figures are made of.

Faces wind counter-clockwise seen from outside, so the signed volume
``Σ a·(b×c)/6`` of a closed mesh is positive. Solids of revolution share one construction: a profile
``(radius, height)`` with its normals, swept around z. Curved vertices lie on the true surface.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.errors import InputError

DETAIL = 32
"""Segments around a full circle where the caller does not say."""


@dataclass(frozen=True)
class Mesh:
    """Vertices, faces and vertex normals; ``closed`` lets the renderer skip the far sides.

    Raises:
        InputError: A face names a vertex that does not exist, or a shape does not fit.

    Examples:
        >>> up = [(0, 0, 1)] * 3
        >>> triangle = poise.pictures.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], up, closed=False)
    """

    vertices: Array
    """[m] (V, 3)"""
    faces: IntArray
    """Numbers of vertices (T, 3), against the clock seen from outside."""
    normals: Array
    """Of unit length (V, 3)."""
    closed: bool = True
    """Whether the renderer may skip the far sides."""

    def __post_init__(self) -> None:
        vertices = checked(self.vertices, "mesh vertices", (None, 3))
        normals = checked(self.normals, "mesh normals", (len(vertices), 3))
        faces = np.asarray(self.faces)
        if faces.ndim != 2 or faces.shape[1] != 3 or faces.dtype.kind not in "iu":
            raise InputError(f"mesh faces must be integers of shape (…, 3), not {faces.dtype} {faces.shape}")
        if faces.size and not (faces.min() >= 0 and faces.max() < len(vertices)):
            raise InputError(f"mesh faces must name vertices 0 … {len(vertices) - 1}, not {faces.max()}")
        object.__setattr__(self, "vertices", frozen(vertices))
        object.__setattr__(self, "normals", frozen(normals))
        object.__setattr__(self, "faces", frozen(faces, dtype=np.int64))

    def placed(self, position: ArrayLike, rotation: ArrayLike | None = None) -> Mesh:
        """The mesh moved by ``x ↦ rotation x + position``."""
        R = np.eye(3) if rotation is None else checked(rotation, "rotation", (3, 3))
        p = checked(position, "position", (3,))
        return Mesh(self.vertices @ R.T + p, self.faces, self.normals @ R.T, self.closed)

    def volume(self) -> float:
        """Signed volume [m³] (positive for a closed mesh wound outwards)."""
        a, b, c = np.moveaxis(self.vertices[self.faces], 1, 0)
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def join(meshes: Sequence[Mesh]) -> Mesh:
    """One mesh of several; closed if all of them are."""
    if not meshes:
        raise InputError("there must be at least one mesh to join")
    starts = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    return Mesh(
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.faces + start for m, start in zip(meshes, starts)]),
        np.concatenate([m.normals for m in meshes]),
        all(m.closed for m in meshes),
    )


def from_triangles(vertices: ArrayLike, faces: ArrayLike, *, closed: bool = False) -> Mesh:
    """A mesh whose normals are the area-weighted mean of the faces around each vertex."""
    v = checked(vertices, "mesh vertices", (None, 3))
    f = np.asarray(faces, dtype=np.int64)
    return Mesh(v, f, vertex_normals(v, f), closed)


def vertex_normals(vertices: Array, faces: IntArray) -> Array:
    """Unit normals (V, 3): the area-weighted mean of the faces around each vertex."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    weighted = np.cross(b - a, c - a)  # (T, 3) length is twice the area
    normals = np.empty_like(vertices)
    for axis in range(3):
        normals[:, axis] = np.bincount(
            faces.ravel(), np.repeat(weighted[:, axis], 3), minlength=len(vertices)
        )
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(length > 0, normals / np.where(length > 0, length, 1), [0.0, 0.0, 1.0])


def seams(vertices: Array) -> tuple[IntArray, IntArray]:
    """Per vertex its group of coinciding vertices (doubled along texture seams), and per group one vertex."""
    size = float(np.ptp(vertices, axis=0).max()) or 1.0
    rounded = np.round(vertices / (1e-6 * size)).astype(np.int64)
    _, corner, group = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
    return group.reshape(-1).astype(np.int64), corner.astype(np.int64)


@lru_cache(maxsize=256)
def sphere(radius: float, *, detail: int = DETAIL) -> Mesh:
    """A sphere about the origin."""
    return tapered_capsule((0, 0, 0), (0, 0, 0), radius, radius, detail=detail)


def ellipsoid(radii: ArrayLike, *, detail: int = DETAIL) -> Mesh:
    """An ellipsoid about the origin with half-axes ``radii``."""
    r = checked(radii, "radii", (3,))
    _need_positive("an ellipsoid's radii", *r)
    unit = sphere(1.0, detail=detail)
    normals = unit.normals / r
    return Mesh(unit.vertices * r, unit.faces, normals / np.linalg.norm(normals, axis=1, keepdims=True))


def capsule(a: ArrayLike, b: ArrayLike, radius: float, *, detail: int = DETAIL) -> Mesh:
    """All points within ``radius`` of the segment ``a b``."""
    return tapered_capsule(a, b, radius, radius, detail=detail)


def tapered_capsule(
    a: ArrayLike, b: ArrayLike, radius_a: float, radius_b: float, *, detail: int = DETAIL
) -> Mesh:
    """The convex hull of two spheres. The side's slope is sin β = (r_a − r_b) / |ab|."""
    _need_positive("a capsule's radii", radius_a, radius_b)
    start, end = checked(a, "capsule end a", (3,)), checked(b, "capsule end b", (3,))
    length = float(np.linalg.norm(end - start))
    if length <= abs(radius_a - radius_b):  # one ball swallows the other
        centre, radius = (start, radius_a) if radius_a >= radius_b else (end, radius_b)
        length, radius_a, radius_b, start, end = 0.0, radius, radius, centre, centre
    beta = np.arcsin((radius_a - radius_b) / length) if length > 0 else 0.0
    half = max(3, detail // 4)
    low = np.linspace(-np.pi / 2, beta, half + 1)
    high = np.linspace(beta, np.pi / 2, half + 1)[0 if length > 0 else 1 :]
    angle = np.concatenate([low, high])
    radius_at = np.concatenate([np.full(len(low), radius_a), np.full(len(high), radius_b)])
    base = np.concatenate([np.zeros(len(low)), np.full(len(high), length)])
    profile = np.stack([radius_at * np.cos(angle), base + radius_at * np.sin(angle)], axis=1)
    normal = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    upright = _revolved(profile, normal, detail)
    return upright.placed(start, _frame_along(end - start)) if length > 0 else upright.placed(start)


def cylinder(
    radius: float, half_height: float, *, rounding: float | None = None, detail: int = DETAIL
) -> Mesh:
    """A cylinder about the origin along z, its rims rounded (by default a little)."""
    _need_positive("a cylinder's radius and half height", radius, half_height)
    r = 0.12 * min(radius, half_height) if rounding is None else min(rounding, radius, half_height)
    r = max(r, 1e-4 * radius)
    quarter = np.linspace(0, np.pi / 2, max(2, detail // 6) + 1)
    arc, core, top = np.stack([np.sin(quarter), np.cos(quarter)], 1), radius - r, half_height - r
    upper = np.stack([core + r * arc[:, 0], top + r * arc[:, 1]], 1)  # from the top's edge down to the side
    profile = np.concatenate([[[0, half_height]], upper, upper[::-1] * [1, -1], [[0, -half_height]]])[::-1]
    normal = np.concatenate([[[0, 1]], arc, arc[::-1] * [1, -1], [[0, -1]]])[::-1]
    return _revolved(profile, normal, detail)


def cone(radius: float, height: float, *, detail: int = DETAIL) -> Mesh:
    """A cone on the plane z = 0 with its tip at ``height``."""
    _need_positive("a cone's radius and height", radius, height)
    slope = np.array([height, radius]) / np.hypot(height, radius)
    profile = np.array([[0, 0], [radius, 0], [radius, 0], [0, height]], dtype=float)
    return _revolved(profile, np.array([[0, -1], [0, -1], slope, slope]), detail)


def torus(radius: float, thickness: float, *, detail: int = DETAIL) -> Mesh:
    """A ring about z: a circle of ``thickness`` (its radius) carried around a circle of ``radius``."""
    _need_positive("a ring's radius and thickness", radius, thickness)
    angle = np.linspace(-np.pi, np.pi, max(8, detail // 2) + 1)
    normal = np.stack([np.cos(angle), np.sin(angle)], 1)
    return _revolved(np.array([radius, 0]) + thickness * normal, normal, detail)


def box(half_sizes: ArrayLike, *, rounding: float | None = None, detail: int = DETAIL) -> Mesh:
    """A box about the origin, its edges rounded (by default a little)."""
    h = checked(half_sizes, "half_sizes", (3,))
    _need_positive("a box's half sizes", *h)
    r = 0.12 * float(h.min()) if rounding is None else min(rounding, float(h.min()))
    r = max(r, 1e-4 * float(h.min()))
    steps = max(2, detail // 8)
    bend = np.tan(np.linspace(0, np.pi / 4, steps + 1))
    t = np.concatenate([-bend[::-1], bend])  # the doubled zero spans the flat middle
    side = np.concatenate([-np.ones(steps + 1), np.ones(steps + 1)])
    n = len(t)
    i, j = np.meshgrid(np.arange(n - 1), np.arange(n - 1), indexing="ij")
    first = (i * n + j).ravel()
    quads = np.stack([first, first + n, first + n + 1, first + 1], axis=1)
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    plate_n = np.stack(np.broadcast_arrays(t[:, None], t[None, :], 1.0), -1).reshape(-1, 3)
    plate_n = plate_n / np.linalg.norm(plate_n, axis=1, keepdims=True)
    plate_s = np.stack(np.broadcast_arrays(side[:, None], side[None, :], 1.0), -1).reshape(-1, 3)
    parts = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            # A proper rotation that carries +z to sign · axis keeps the winding.
            z = sign * np.eye(3)[axis]
            x = np.eye(3)[(axis + 1) % 3]
            R = np.stack([x, np.cross(z, x), z], axis=1)
            normals = plate_n @ R.T
            parts.append(Mesh((plate_s @ R.T) * (h - r) + r * normals, faces, normals))
    return join(parts)


def _revolved(profile: Array, normal: Array, detail: int) -> Mesh:
    """Sweep a profile (P, 2) of (radius, height), going up outside, around z."""
    if detail < 3:
        raise InputError(f"detail must be at least 3 segments, not {detail}")
    turn = 2 * np.pi * np.arange(detail) / detail
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)  # (D, 2)
    vertices = np.empty((len(profile), detail, 3))
    vertices[..., :2] = profile[:, None, :1] * ring
    vertices[..., 2] = profile[:, None, 1]
    normals = np.empty_like(vertices)
    normals[..., :2] = normal[:, None, :1] * ring
    normals[..., 2] = normal[:, None, 1]
    low = np.arange(len(profile) - 1)[:, None] * detail
    here, there = np.arange(detail), (np.arange(detail) + 1) % detail
    a, b = low + here, low + there
    c, d = b + detail, a + detail
    faces = np.concatenate(
        [np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)]
    )
    flat = vertices.reshape(-1, 3)
    p, q, s = np.moveaxis(flat[faces], 1, 0)
    real = np.linalg.norm(np.cross(q - p, s - p), axis=1) > 1e-14  # poles leave slivers
    return Mesh(flat, faces[real], normals.reshape(-1, 3))


def _frame_along(direction: Array) -> Array:
    """A rotation whose third column points along ``direction``."""
    z = direction / np.linalg.norm(direction)
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def _need_positive(what: str, *values: float) -> None:
    if not all(np.isfinite(v) and v > 0 for v in values):
        raise InputError(f"{what} must be positive, not {', '.join(f'{v:g}' for v in values)}")
