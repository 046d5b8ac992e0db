"""Bundled garments, cut to whoever wears them: a cape, a skirt, a ponytail.

They are made around the wearer's own solids, in the pose it rests in: rings around the trunk that are pushed
out until they clear it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.character.stance import UP, Anatomy
from poise.dynamics.cloth import Solid
from poise.errors import InputError

CLOTH = 0.010
"""Distance that bundled cloth keeps from a body, over 1.75 m of stature [m]."""


class Cut(NamedTuple):
    """A garment in the world of the wearer's rest pose."""

    points: Array
    """(V, 3)"""
    faces: IntArray
    """(T, 3); of a strand none."""
    held: IntArray
    radii: Array
    """Of a strand's beads; of sheets none."""
    role: str
    """Whose bone holds it."""


def cape(character: Character, solids: Sequence[Solid]) -> Cut:
    """From one shoulder behind the back to the other, down to the hollows of the knees."""
    body = _upright(character, "a cape")
    tall, rows, columns = body.stature, 24, 21
    centre = body.shoulders + 0.02 * tall * UP
    long = 0.62 * float(centre[2] - body.sole)
    angle = np.linspace(0.06, 0.94, columns) * np.pi  # from the left shoulder round the back to the right
    wide, deep = 0.36 * body.shoulder_span, 0.035 * tall
    ring = np.cos(angle)[:, None] * wide * body.left - np.sin(angle)[:, None] * deep * body.forward
    out = ring / np.linalg.norm(ring, axis=1, keepdims=True)
    rise = 0.4 * out + UP  # a collar goes up over what is in its way rather than away from it
    trunk = [s for s in solids if s.body in {*body.trunk, *_shoulders(body)}]
    top = pushed(character, trunk, centre + ring, rise, 0.008 * tall)
    down = np.linspace(0, 1, rows)[:, None, None]
    # It is wider below and hangs away from the back, behind the arms.
    away = 0.045 * out - 0.085 * body.forward
    fall = -long * UP * down + tall * (down**0.7) * away
    behind = np.tile(-body.forward, (rows * columns, 1))
    points = pushed(character, trunk, (top + fall).reshape(-1, 3), behind, 0.012 * tall)
    points = points.reshape(rows, columns, 3)
    points[0] = top
    return Cut(
        points.reshape(-1, 3), _grid(rows, columns, closed=False), np.arange(columns), np.zeros(0), "chest"
    )


def skirt(character: Character, solids: Sequence[Solid]) -> Cut:
    """A bell around the hips, down to the knees."""
    body = _upright(character, "a skirt")
    tall, rows, columns = body.stature, 16, 36
    centre = body.hips + 0.075 * tall * UP
    knees = [body.at[body.roles[f"{s} shin"]][2] for s in ("left", "right") if f"{s} shin" in body.roles]
    long = float(centre[2] - np.mean(knees)) if knees else 0.28 * tall
    angle = 2 * np.pi * np.arange(columns) / columns
    out = np.cos(angle)[:, None] * body.forward + np.sin(angle)[:, None] * body.left
    trunk = [s for s in solids if s.body in body.trunk]
    legs = [s for s in solids if s.body in {body.roles.get(f"{s} thigh") for s in ("left", "right")}]
    waist = pushed(character, trunk, centre + 0.03 * tall * out, out, 0.012 * tall)
    down = np.linspace(0, 1, rows)[:, None, None]
    points = waist - long * UP * down + (0.16 * tall * down**0.9) * out
    free = pushed(character, [*trunk, *legs], points.reshape(-1, 3), np.tile(out, (rows, 1)), 0.012 * tall)
    free[:columns] = waist
    return Cut(free, _grid(rows, columns, closed=True), np.arange(columns), np.zeros(0), "hips")


def ponytail(character: Character, solids: Sequence[Solid], crown: Array, size: float) -> Cut:
    """A strand from the back of a head with its crown there [m], as wide as ``size``."""
    body = Anatomy(character)
    own = [s for s in solids if s.body == body.roles.get("head")]
    back = -body.forward
    root = crown - 0.42 * size * UP + 0.2 * size * back
    root = pushed(character, own, root[None], back[None], 0.02 * size)[0]
    beads = 16
    s = np.linspace(0, 1, beads)[:, None]
    line = root + size * (0.30 * np.minimum(s * 6, 1.0) * back + 0.30 * s * back - 2.0 * s * UP)
    line[0], line[1] = root, root + 0.13 * size * (0.9 * back + 0.35 * UP)
    profile = np.interp(np.linspace(0, 1, beads), [0, 0.15, 0.5, 0.85, 1], [0.10, 0.16, 0.19, 0.12, 0.02])
    return Cut(line, np.zeros((0, 3), dtype=np.int64), np.array([0, 1]), profile * size, "head")


def _upright(character: Character, what: str) -> Anatomy:
    body = Anatomy(character)
    if not body.known:
        raise InputError(
            f"{what} needs a body with hips, legs and a chest; {character.name or 'this character'} has no "
            "such bones that Poise recognises: give your own mesh (mesh) and name its bone (to)"
        )
    return body


def _shoulders(body: Anatomy) -> set[int]:
    roles = (f"{side} {part}" for side in ("left", "right") for part in ("clavicle",))
    return {body.roles[role] for role in roles if role in body.roles}


def _grid(rows: int, columns: int, *, closed: bool) -> IntArray:
    """Triangles of a grid, diagonals this way and that by turns."""
    found = []
    for r in range(rows - 1):
        for c in range(columns if closed else columns - 1):
            a, b = r * columns + c, r * columns + (c + 1) % columns
            d, e = a + columns, b + columns
            found += [[a, d, b], [b, d, e]] if (r + c) % 2 else [[a, d, e], [a, e, b]]
    return np.array(found, dtype=np.int64)


def pushed(character: Character, solids: Sequence[Solid], points: Array, ways: Array, gap: float) -> Array:
    """Points (P, 3) moved along ``ways`` until they are ``gap`` [m] out of solids at rest."""
    at, turns = character.rest_placement()
    out = np.array(points)
    for _ in range(60):
        short = np.zeros(len(out))
        for s in solids:
            local = (out - at[s.body] - turns[s.body] @ s.centre) @ (turns[s.body] @ s.turn)
            over = np.abs(local) - s.core
            away = np.where(
                (over > 0).any(axis=1), np.linalg.norm(np.maximum(over, 0), axis=1), over.max(axis=1)
            )
            short = np.maximum(short, gap - (away - s.radius))
        if short.max(initial=0.0) < 1e-4:
            break
        out += 0.5 * np.minimum(short, 0.05)[:, None] * ways
    return out
