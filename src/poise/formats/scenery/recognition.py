"""What a heap of triangles is: a box, a floor, a plate, or a mesh like no other.

A *box* has triangles along three axes at right angles, all in its six planes, and as much area as they have.
A *plate* lies in one plane and fills a rectangle. It is given some thickness behind its face. The lowest
large one that is level is the ground, which has no end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray
from poise.manifold import so3
from poise.world import Box, Ground, Mesh, Surface, Track
from poise.world.shapes import Shape

STRAIGHT = 1e-3
"""What angles, distances over size and areas may be off where exporters round to single precision."""
THICKNESS = 0.02
"""Of a plate that the file draws as a sheet [m]."""
FLOOR = 2.0
"""A level sheet so long and so wide, with nothing below, is the ground [m]."""
LOWEST = 0.05
"""So far above the lowest thing of a scene a sheet may lie and be its ground [m]."""
LEVEL = 0.9
"""Normals that rise as much belong to floors."""
MOST_PIECES = 64
"""A mesh of more pieces is not looked through for boxes."""
MOST_EDGES = 32
"""Directions in which the sides of a plate are looked for."""


@dataclass(frozen=True)
class Piece:
    """Something of a scene: triangles in a frame of its own, and where that is."""

    name: str
    vertices: Array
    """(V, 3) [m]"""
    triangles: IntArray
    position: Array
    turn: Array
    """World from own, quaternion."""
    track: Track | None = None
    """Which moves it, in place of position and turn."""
    carried: str = ""
    friction: float | None = None


def surfaces_of(pieces: list[Piece]) -> list[Surface]:
    """What the pieces of a scene are, each under a name of its own."""
    found: list[Surface] = []
    sheets: list[tuple[int, Ground, float]] = []
    lowest = np.inf
    for piece in pieces:
        shown = piece.vertices
        if piece.track is None and not piece.carried:
            shown = so3.rotate(piece.turn, shown) + piece.position
            lowest = min(lowest, float(shown[:, 2].min()))
        for shape, place, turn, ground in _recognised(piece, shown):
            named = Surface(piece.name, shape, place, turn, track=piece.track, carried=piece.carried)
            if piece.friction is not None:
                named = named.replaced(friction=piece.friction)
            if ground is not None and not named.moves:
                sheets.append((len(found), ground, float(shown[:, 2].min())))
            found.append(named)
    for at, ground, low in sheets:
        if low <= lowest + LOWEST:
            found[at] = found[at].replaced(shape=ground, place=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0))
    return named_apart(found)


def _recognised(
    piece: Piece, shown: Array
) -> list[tuple[Shape, tuple[float, float, float], tuple[float, float, float], Ground | None]]:
    """Shapes, where they are, and what ground they would be; what stands is taken where it stands."""
    whole = Mesh(shown, piece.triangles)
    parts = whole.pieces()
    found = []
    rest: list[tuple[Array, IntArray]] = []
    for vertices, triangles in parts if len(parts) <= MOST_PIECES else []:
        known = _box(vertices, triangles) or _plate(vertices, triangles)
        if known is None:
            rest.append((vertices, triangles))
        else:
            found.append(known)
    if not found:
        return [(whole, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), None)]
    if rest:
        starts = np.cumsum([0, *(len(v) for v, _ in rest)])
        joined = Mesh(
            np.concatenate([v for v, _ in rest]),
            np.concatenate([t + s for (_, t), s in zip(rest, starts)]),
        )
        found.append((joined, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), None))
    return found


def _axes(vertices: Array, triangles: IntArray) -> tuple[Array, Array, Array]:
    """Normals up to sign that differ (A, 3), which each triangle has (T,), and areas (T,)."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1)
    keep = area > 1e-12 * max(float(area.max()), 1e-300)
    normal = np.where(keep[:, None], normal / np.maximum(area, 1e-300)[:, None], 0.0)
    axes: list[Array] = []
    which = np.full(len(triangles), -1)
    for k in np.argsort(-area):
        if not keep[k]:
            break
        if which[k] >= 0:
            continue
        if len(axes) == 3:
            return np.zeros((4, 3)), which, 0.5 * area
        same = np.abs(normal @ normal[k]) > 1 - STRAIGHT**2
        which[same & (which < 0)] = len(axes)
        axes.append(normal[k])
    return np.array(axes), which, 0.5 * area


def _box(
    vertices: Array, triangles: IntArray
) -> tuple[Shape, tuple[float, float, float], tuple[float, float, float], None] | None:
    axes, which, area = _axes(vertices, triangles)
    if len(axes) != 3 or np.abs(axes @ axes.T - np.eye(3)).max() > STRAIGHT:
        return None
    up = int(np.argmax(np.abs(axes[:, 2])))
    axes = axes[[(up + 1) % 3, (up + 2) % 3, up]]
    which = (which - up - 1) % 3
    z = axes[2] * (1.0 if axes[2, 2] >= 0 else -1.0)
    x = axes[0] - (axes[0] @ z) * z
    x /= np.linalg.norm(x)
    x *= 1.0 if x[int(np.argmax(np.abs(x)))] > 0 else -1.0
    turn = np.column_stack([x, np.cross(z, x), z])
    along = vertices @ turn
    low, high = along.min(axis=0), along.max(axis=0)
    half, middle = 0.5 * (high - low), 0.5 * (high + low)
    size = float(half.max())
    if half.min() < STRAIGHT * size:
        return None
    corners = (along - middle)[triangles]  # (T, 3, 3)
    for axis in range(3):
        own = np.abs(np.abs(corners[which == axis][..., axis]) - half[axis])
        if own.max(initial=0.0) > STRAIGHT * size:
            return None
    sides = 8 * (half[0] * half[1] + half[1] * half[2] + half[2] * half[0])
    if abs(float(area.sum()) - sides) > 10 * STRAIGHT * sides:
        return None
    return Box(_triple(half)), _triple(turn @ middle), _triple(so3.log(so3.from_matrix(turn))), None


def _plate(
    vertices: Array, triangles: IntArray
) -> tuple[Shape, tuple[float, float, float], tuple[float, float, float], Ground | None] | None:
    axes, _, area = _axes(vertices, triangles)
    if len(axes) != 1:
        return None
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    facing = np.cross(b - a, c - a).sum(axis=0)
    n = axes[0] * (1.0 if facing @ axes[0] >= 0 else -1.0)
    if abs(n[2]) > LEVEL:
        n = n * np.sign(n[2])  # one stands on floors, whichever side is drawn
    size = float(np.ptp(vertices, axis=0).max())
    if np.ptp(vertices @ n) > STRAIGHT * size:
        return None
    edges = np.concatenate([b - a, c - b, a - c])
    edges = edges[np.argsort(-np.linalg.norm(edges, axis=1))][:MOST_EDGES]
    for edge in edges:
        x = edge - (edge @ n) * n
        x /= np.linalg.norm(x)
        turn = np.column_stack([x, np.cross(n, x), n])
        along = vertices @ turn
        low, high = along.min(axis=0), along.max(axis=0)
        sides = high - low
        if abs(float(area.sum()) - sides[0] * sides[1]) <= 10 * STRAIGHT * sides[0] * sides[1]:
            top = float(along[:, 2].mean())
            middle = np.array([*(0.5 * (low + high))[:2], top - 0.5 * THICKNESS])
            half = np.array([0.5 * sides[0], 0.5 * sides[1], 0.5 * THICKNESS])
            ground = None
            if n[2] > LEVEL and sides[:2].min() >= FLOOR:
                ground = Ground(float(top / n[2]), (float(-n[0] / n[2]), float(-n[1] / n[2])))
            log = so3.log(so3.from_matrix(turn))
            return Box(_triple(half)), _triple(turn @ middle), _triple(log), ground
    return None


def _triple(values: Array) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z


def named_apart(surfaces: list[Surface]) -> list[Surface]:
    """Under names of their own: the second "box" is "box 2"."""
    taken: set[str] = set()
    found = []
    for surface in surfaces:
        name, number = surface.name, 1
        while name in taken:
            number += 1
            name = f"{surface.name} {number}"
        taken.add(name)
        found.append(surface.replaced(name=name))
    return found
