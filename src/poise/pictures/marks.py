"""Marks on a scene: trails of points, their shadow on the ground, targets, arrows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.errors import InputError
from poise.pictures.material import Material, material
from poise.pictures.mesh import Mesh, capsule, cone, cylinder, from_triangles, join, sphere, torus
from poise.pictures.scene import Layer, Scene

TRAIL_COLOURS = ("trail", "trail2", "trail3", "trail4")
_PIECES = 64  # steps in which a trail's opacity fades


def splined(points: ArrayLike, *, finer: int = 4) -> Array:
    """A cubic spline through points (N, 3), ``finer`` samples per step; repeated ends are dropped."""
    path = checked(points, "path", (None, 3))
    if len(path) < 3 or finer <= 1:
        return path
    from scipy.interpolate import CubicSpline

    u = np.arange(len(path))
    smooth = CubicSpline(u, path)(np.linspace(0, len(path) - 1, finer * (len(path) - 1) + 1))
    return np.asarray(smooth)


def tube(points: ArrayLike, radius: ArrayLike, *, sides: int = 14) -> Mesh:
    """An open tube along a path (N, 3), with one radius or one per point."""
    path = checked(points, "path", (None, 3))
    if len(path) < 2:
        raise InputError("a tube needs at least two points")
    radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), (len(path),))
    normal, binormal = _carried_frames(path)
    turn = 2 * np.pi * np.arange(sides) / sides
    ring = (
        normal[:, None] * np.cos(turn)[:, None] + binormal[:, None] * np.sin(turn)[:, None]
    )  # (N, sides, 3)
    vertices = path[:, None] + radii[:, None, None] * ring
    start = np.arange(len(path) - 1)[:, None] * sides
    here, there = np.arange(sides), (np.arange(sides) + 1) % sides
    a, b = start + here, start + there
    c, d = b + sides, a + sides
    faces = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    return Mesh(vertices.reshape(-1, 3), faces, ring.reshape(-1, 3), closed=False)


def ribbon(points: ArrayLike, width: ArrayLike, *, height: float = 0.0) -> Mesh:
    """A flat band on the ground under a path."""
    path = np.array(checked(points, "path", (None, 3)))
    path[:, 2] = height
    along = np.gradient(path, axis=0)
    length = np.linalg.norm(along, axis=1, keepdims=True)
    along = np.where(length > 1e-12, along / np.where(length > 1e-12, length, 1), [1.0, 0.0, 0.0])
    aside = np.stack([-along[:, 1], along[:, 0], np.zeros(len(path))], axis=1)
    half = 0.5 * np.broadcast_to(np.asarray(width, dtype=np.float64), (len(path),))[:, None]
    vertices = np.stack([path + half * aside, path - half * aside], axis=1).reshape(-1, 3)
    i = 2 * np.arange(len(path) - 1)
    faces = np.concatenate([np.stack([i + 1, i + 2, i], 1), np.stack([i + 1, i + 3, i + 2], 1)])
    return from_triangles(vertices, faces)


def add_trail(
    layer: Layer,
    points: ArrayLike,
    look: str | Material = "trail",
    *,
    width: float = 0.022,
    fade: float = 1.0,
    finer: int = 4,
) -> None:
    """A smooth tube through the points that grows from nothing to its full ``width`` [m] at the newest."""
    path = _without_repeats(splined(points, finer=finer), 1e-3 * width)
    if len(path) < 2:
        return
    colour = material(look)
    done = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    age = done / done[-1]  # 0 oldest … 1 newest
    radii = 0.5 * width * (1 - 0.7 * fade * (1 - age))
    whole = tube(path, radii)
    sides = len(whole.vertices) // len(path)
    cuts = np.unique(np.linspace(0, len(path) - 1, min(_PIECES, len(path) - 1) + 1).astype(int))
    for first, last in pairwise(cuts):
        ring = slice(first * sides, (last + 1) * sides)
        faces = (
            whole.faces[((whole.faces >= ring.start) & (whole.faces < ring.stop)).all(axis=1)] - ring.start
        )
        piece = Mesh(whole.vertices[ring], faces, whole.normals[ring], closed=False)
        middle = 0.5 * (age[first] + age[last])
        seen = 1 - fade * (1 - min(1.0, 0.04 + 1.6 * middle))
        layer.add(piece, colour.faded(round(seen, 3)), casts_shadow=False)
    layer.add(sphere(round(float(radii[-1]), 6), detail=16), colour, position=path[-1], casts_shadow=False)


def add_ground_shadow(layer: Layer, points: ArrayLike, *, width: float = 0.02, finer: int = 4) -> None:
    """A faint line on the ground straight below a path."""
    path = _without_repeats(splined(points, finer=finer) * [1.0, 1.0, 0.0], 1e-3 * width)
    if len(path) > 1:
        layer.add(ribbon(path, width, height=0.05 * width), "ink", casts_shadow=False)


def add_target(
    scene: Scene, position: ArrayLike, look: str | Material = "target", *, radius: float = 0.035,
    towards: ArrayLike | None = None,
) -> None:  # fmt: skip
    """A ball with a ring around it, the ring facing ``towards`` (a direction; default up)."""
    at = checked(position, "target position", (3,))
    scene.solid.add(sphere(float(radius)), look, position=at)
    way = np.array([0.0, 0.0, 1.0]) if towards is None else checked(towards, "direction", (3,))
    z = way / np.linalg.norm(way)
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z) / np.linalg.norm(np.cross(helper, z))
    frame = np.stack([x, np.cross(z, x), z], axis=1)
    scene.solid.add(torus(1.9 * radius, 0.17 * radius, detail=48), look, position=at, rotation=frame)


def arrow(start: ArrayLike, vector: ArrayLike, *, width: float = 0.03) -> Mesh:
    """An arrow from ``start`` along ``vector``, its head included in the length."""
    base, way = checked(start, "arrow start", (3,)), checked(vector, "arrow vector", (3,))
    length = float(np.linalg.norm(way))
    if length < 1e-9:
        raise InputError("an arrow needs a length")
    head = min(2.2 * width, 0.5 * length)
    shaft = cylinder(0.5 * width, 0.5 * (length - head)).placed([0, 0, 0.5 * (length - head)])
    tip = cone(1.15 * width * head / (2.2 * width), head).placed([0, 0, length - head])
    z = way / length
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z) / np.linalg.norm(np.cross(helper, z))
    return join([shaft, tip]).placed(base, np.stack([x, np.cross(z, x), z], axis=1))


def rod(start: ArrayLike, end: ArrayLike, *, width: float = 0.02) -> Mesh:
    """A round-ended rod between two points."""
    return capsule(start, end, 0.5 * width, detail=16)


def _without_repeats(path: Array, step: float) -> Array:
    """Drop points closer than ``step`` to the one kept before."""
    kept = [0]
    for i in range(1, len(path)):
        if np.linalg.norm(path[i] - path[kept[-1]]) > step:
            kept.append(i)
    return path[kept]


def _carried_frames(path: Array) -> tuple[Array, Array]:
    """Normals and binormals (N, 3) carried along the path without twist (double reflection)."""
    tangent = np.gradient(path, axis=0)
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-15)
    helper = np.eye(3)[int(np.argmin(np.abs(tangent[0])))]
    normal = np.empty_like(path)
    first = np.cross(tangent[0], helper)
    normal[0] = first / np.linalg.norm(first)
    for i in range(len(path) - 1):
        step = path[i + 1] - path[i]
        c = float(step @ step)
        if c < 1e-24:
            normal[i + 1] = normal[i]
            continue
        turned = normal[i] - (2 / c) * (step @ normal[i]) * step
        ahead = tangent[i] - (2 / c) * (step @ tangent[i]) * step
        bend = tangent[i + 1] - ahead
        k = float(bend @ bend)
        normal[i + 1] = turned - (2 / k) * (bend @ turned) * bend if k > 1e-24 else turned
    normal -= np.einsum("ij,ij->i", normal, tangent)[:, None] * tangent
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-15)
    return normal, np.cross(tangent, normal)
