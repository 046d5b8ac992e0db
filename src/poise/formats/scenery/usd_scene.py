"""The scenery of a USD file: meshes and solids that no skeleton bends. Needs ``usd-core``."""

from __future__ import annotations

import math
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.errors import FileFormatError
from poise.formats.gltf.scene import triangles
from poise.formats.scenery.recognition import Piece, surfaces_of
from poise.formats.units import Axes
from poise.formats.usd.library import library
from poise.formats.usd.package import is_package
from poise.formats.usd.stage import complaining, kept_stage, opened
from poise.manifold import so3
from poise.motion import OriginalFile
from poise.reading import Budget, read_bytes
from poise.world import Ball, Bar, Box, Cylinder, Shape, Track, World

MOST_TIMES = 100_000
"""Samples of one motion."""
_ALONG = {"X": (2, 0, 1), "Y": (1, 2, 0), "Z": (0, 1, 2)}
"""Which of a solid's own axes (long axis along z) each axis of the file is."""


def read_scene(path: Path) -> World:
    """What stands or moves in it, and in layers that lie beside it."""
    geometry = library("UsdGeom")
    with complaining(path), ExitStack() as kept:
        data = read_bytes(path)
        package = is_package(data)
        stage = kept.enter_context(kept_stage(path, OriginalFile(data))) if package else opened(path)
        budget = Budget(path, len(data))
        axes = Axes("y" if geometry.GetStageUpAxis(stage) == geometry.Tokens.y else "z")
        unit = float(geometry.GetStageMetersPerUnit(stage))
        if not (math.isfinite(unit) and unit > 0):
            raise FileFormatError(path, f"metersPerUnit is {unit:g}; it must be greater than 0")
        pieces = []
        for prim in stage.Traverse():
            if not prim.IsA(geometry.Gprim) or prim.HasAttribute("primvars:skel:jointIndices"):
                continue
            content = _triangles(prim, geometry, budget)
            if content is not None and len(content[1]):
                pieces.append(_piece(prim, content, axes, unit, stage, budget))
    if not pieces:
        raise FileFormatError(path, "no scenery found: the only meshes and solids belong to a character")
    return World(tuple(surfaces_of(pieces)))


def _triangles(prim: Any, geometry: Any, budget: Budget) -> tuple[Array, IntArray] | None:
    """Vertices and triangles of a prim in its own frame and the file's axes."""
    if prim.IsA(geometry.Mesh):
        mesh = geometry.Mesh(prim)
        points = np.array(mesh.GetPointsAttr().Get() or [], dtype=np.float64).reshape(-1, 3)
        counts = np.array(mesh.GetFaceVertexCountsAttr().Get() or [], dtype=np.int64)
        corners = np.array(mesh.GetFaceVertexIndicesAttr().Get() or [], dtype=np.int64)
        budget.spend(12 * len(corners) + 3 * len(points), f"the surface of {prim.GetName()!r}")
        if not np.isfinite(points).all():
            raise FileFormatError(budget.path, f"a point of {prim.GetName()!r} is not finite")
        faces, _ = triangles(corners, counts, len(points))
        left = mesh.GetOrientationAttr().Get() == geometry.Tokens.leftHanded
        return points, faces[:, ::-1] if left else faces
    shape, order = _solid(prim, geometry)
    if shape is None:
        return None
    drawn = shape.mesh()
    return drawn.vertices[:, order], drawn.triangles


def _solid(prim: Any, geometry: Any) -> tuple[Shape | None, list[int]]:
    """A solid of the file, and the order of its axes."""

    def value(name: str) -> Any:
        return prim.GetAttribute(name).Get()

    if prim.IsA(geometry.Cube):
        half = 0.5 * float(value("size"))
        return Box((half, half, half)), [0, 1, 2]
    if prim.IsA(geometry.Sphere):
        return Ball(float(value("radius"))), [0, 1, 2]
    if prim.IsA(geometry.Cylinder):
        return Cylinder(float(value("radius")), float(value("height"))), list(_ALONG[str(value("axis"))])
    if prim.IsA(geometry.Capsule):
        # A bar lies along x: as if its axes were counted from there.
        order = _ALONG[str(value("axis"))]
        return Bar(float(value("height")), float(value("radius"))), [(k + 1) % 3 for k in order]
    return None, [0, 1, 2]


def _piece(
    prim: Any, content: tuple[Array, IntArray], axes: Axes, unit: float, stage: Any, budget: Budget
) -> Piece:
    geometry, usd = library("UsdGeom"), library("Usd")
    codes = _times(prim, geometry)
    rate = float(stage.GetTimeCodesPerSecond()) or 24.0
    budget.spend(16 * len(codes), f"samples of {prim.GetName()!r}")
    placed = []
    for code in codes or [usd.TimeCode.Default()]:
        rows = np.array(geometry.XformCache(usd.TimeCode(code)).GetLocalToWorldTransform(prim))
        placed.append(_rigid(rows.T, axes, unit))
    vertices = axes.vector(content[0])
    stretch = placed[0][2] * unit
    triangles = content[1][:, ::-1] if np.linalg.det(stretch) < 0 else content[1]
    track = None
    if len(codes) > 1:
        turns = so3.log(np.array([p[1] for p in placed]))
        track = Track(np.array(codes) / rate, np.array([p[0] for p in placed]), turns)
    return Piece(prim.GetName(), vertices @ stretch.T, triangles, placed[0][0], placed[0][1], track)


def _times(prim: Any, geometry: Any) -> list[float]:
    """Time codes at which it, or what it hangs from, is placed anew."""
    found: set[float] = set()
    while prim and not prim.IsPseudoRoot():
        if prim.IsA(geometry.Xformable):
            found |= set(geometry.Xformable(prim).GetTimeSamples())
        prim = prim.GetParent()
    return sorted(found)[:MOST_TIMES]


def _rigid(matrix: Array, axes: Axes, unit: float) -> tuple[Array, Array, Array]:
    """Position [m], turn and stretch of an affine transform, in our axes."""
    basis = np.column_stack([axes.vector(row) for row in np.eye(3)])  # ours from the file's
    linear = basis @ matrix[:3, :3] @ basis.T
    turn = so3.nearest(-linear if np.linalg.det(linear) < 0 else linear)
    return unit * axes.vector(matrix[:3, 3]), so3.from_matrix(turn), turn.T @ linear
