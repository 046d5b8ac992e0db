"""The scenery of an MJCF model: solids of the world and of bodies welded to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.errors import FileFormatError
from poise.formats.mjcf.reader import compile_model, mujoco_library
from poise.formats.scenery.recognition import named_apart
from poise.manifold import so3
from poise.world import Ball, Bar, Box, Cylinder, Field, Ground, Mesh, Shape, Surface, World
from poise.world.shapes.revolved import revolved
from poise.world.world import STEEP

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)
"""MuJoCo's numbers of kinds."""
RINGS = 16
"""Of an ellipsoid as a mesh."""


def read_scene(path: Path) -> World:
    """What cannot move in it and can be touched."""
    model, _ = compile_model(path)
    mujoco = mujoco_library()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    found: list[Surface] = []
    for g in range(model.ngeom):
        fixed = int(model.body_weldid[model.geom_bodyid[g]]) == 0
        if not fixed or not (model.geom_contype[g] or model.geom_conaffinity[g]):
            continue
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, g) or f"geom {g}"
        place, turn = np.array(data.geom_xpos[g]), np.array(data.geom_xmat[g]).reshape(3, 3)
        shape, place, turn = _shape(model, g, place, turn)
        x, y, z = (float(v) for v in place)
        u, v, w = (float(r) for r in so3.log(so3.from_matrix(turn)))
        friction = float(model.geom_friction[g, 0])
        found.append(Surface(name, shape, (x, y, z), (u, v, w), friction=friction))
    if not found:
        raise FileFormatError(path, "no scenery found: all solids belong to moving bodies")
    return World(tuple(named_apart(found)))


def _shape(model: Any, g: int, place: Array, turn: Array) -> tuple[Shape, Array, Array]:
    """The shape of a geom, and where it is (3,), (3, 3)."""
    kind, size = int(model.geom_type[g]), [float(s) for s in model.geom_size[g]]
    if kind == PLANE:
        n = turn[:, 2]
        if n[2] > STEEP:
            slope = (float(-n[0] / n[2]), float(-n[1] / n[2]))
            return Ground(float(place @ n / n[2]), slope), np.zeros(3), np.eye(3)
        return Ground(), place, turn
    if kind == SPHERE:
        return Ball(size[0]), place, turn
    if kind == CAPSULE:
        along_x = so3.to_matrix(so3.exp(np.array([0.0, 0.5 * np.pi, 0.0])))  # its z is the bar's x
        return Bar(2 * size[1], size[0]), place, turn @ along_x.T
    if kind == CYLINDER:
        return Cylinder(size[0], 2 * size[1]), place, turn
    if kind == BOX:
        return Box((size[0], size[1], size[2])), place, turn
    if kind == ELLIPSOID:
        angle = np.pi * np.arange(RINGS + 1) / RINGS
        ball = revolved(np.sin(angle), -np.cos(angle))
        return Mesh(ball.vertices * size, ball.triangles), place, turn
    if kind == HFIELD:
        return _field(model, int(model.geom_dataid[g]), place, turn)
    m = int(model.geom_dataid[g])
    v, nv = int(model.mesh_vertadr[m]), int(model.mesh_vertnum[m])
    f, nf = int(model.mesh_faceadr[m]), int(model.mesh_facenum[m])
    return Mesh(np.array(model.mesh_vert[v : v + nv]), np.array(model.mesh_face[f : f + nf])), place, turn


def _field(model: Any, h: int, place: Array, turn: Array) -> tuple[Shape, Array, Array]:
    """Heights over a grid; as a mesh where the grid is not square."""
    wide, long, high, _ = (float(s) for s in model.hfield_size[h])
    rows, columns, at = int(model.hfield_nrow[h]), int(model.hfield_ncol[h]), int(model.hfield_adr[h])
    z = (
        high
        * np.array(model.hfield_data[at : at + rows * columns], dtype=np.float64).reshape(rows, columns).T
    )
    dx, dy = 2 * wide / (columns - 1), 2 * long / (rows - 1)
    corner = place + turn @ np.array([-wide, -long, 0.0])
    field = Field(z, dx)
    if abs(dx - dy) <= 1e-9 * dx:
        return field, corner, turn
    drawn = field.mesh()
    return Mesh(drawn.vertices * [1.0, dy / dx, 1.0], drawn.triangles), corner, turn
