"""A floppy wizard's hat, made by this code: a brim, a tall cone that leans back, and a drooping tip.

It is one closed surface of rings along a bent spine, in metres, its head opening (filled: the head is in it)
around the origin, z up, x forward. Worn by the humanoid it goes on the bone ``Head``, moved by ``ON_HEAD``.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from poise.arrays import Array
from poise.dynamics.elastic import Surface

ON_HEAD = (0.004, 0.0, 0.205)
"""Where the hat's origin is in the frame of the bundled humanoid's head [m]."""
AROUND, ALONG = 48, 52
"""Vertices around the hat, and from its brim to its top."""
TILT = 0.2
"""How far it is pushed back on the head [rad]."""


@cache
def hat() -> Surface:
    """The bundled hat: 38 cm high."""
    radius, height = _profile()
    centre, side, across = _spine(height)
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    # The head is longer than wide; folds run up the cloth and fade towards brim and tip.
    oval = np.stack([1.08 * np.cos(angle), 0.98 * np.sin(angle)], axis=1)
    up = np.clip(height / 0.34, 0.0, 1.0)[:, None]
    folds = 1 + 0.05 * np.sin(3 * angle + 5.0 * up) * np.sin(np.pi * up) ** 2
    wave = np.where(radius > 0.128, radius - 0.128, 0.0)[:, None] * 0.35 * np.cos(2 * angle)
    ring = radius[:, None] * folds
    points = (
        centre[:, None]
        + (ring * oval[:, 0])[..., None] * side[:, None]
        + (ring * oval[:, 1])[..., None] * across[:, None]
    )
    points[..., 2] += wave
    vertices = np.concatenate([points.reshape(-1, 3), centre[:1], centre[-1:]])
    return Surface(_tilted(vertices), _triangles(len(radius)), "hat")


def tip() -> Array:
    """The hat's tip [m], (3,)."""
    return np.array(hat().points[-1])


def _profile() -> tuple[Array, Array]:
    """Radius and height along the hat [m] of each ring: under the brim, round its edge, up the cone."""
    brim, thick = 0.158, 0.011
    under = np.linspace(0.012, brim - thick, 9)
    edge = np.linspace(-np.pi / 2, np.pi / 2, 7)[1:-1]
    above = np.linspace(brim - thick, 0.124, 4)
    s = np.linspace(0.0, 1.0, ALONG - len(under) - len(edge) - len(above) + 1)[1:]
    cone = 0.115 * (1 - s) ** 0.92 * (1 - 0.22 * np.sin(np.pi * s)) + 0.0145 * s
    cone[-3:] *= (0.98, 0.82, 0.45)
    radius = np.concatenate([under, brim - thick + thick * np.cos(edge), above, cone])
    height = np.concatenate(
        [np.full(9, -thick), thick * np.sin(edge), thick + 0.012 * np.linspace(0, 1, 4) ** 2,
         thick + 0.014 + 0.345 * s]
    )  # fmt: skip
    return radius, height


def _spine(height: Array) -> tuple[Array, Array, Array]:
    """Centre of each ring and its two directions: straight through the brim, then bending back and down."""
    fine = np.linspace(min(height[0], 0.0), height[-1], 400)
    s = np.clip(fine / height[-1], 0.0, 1.0)
    lean = -0.25 * s - 1.15 * np.clip((s - 0.35) / 0.65, 0, 1) ** 1.6  # about y: backwards
    sway = 0.22 * np.sin(np.pi * s)
    way = np.stack([np.sin(lean), np.sin(sway) * np.cos(lean), np.cos(sway) * np.cos(lean)], axis=1)
    step = np.diff(fine, prepend=fine[0])[:, None]
    path = np.cumsum(way * step, axis=0) + np.array([0, 0, fine[0]])
    centre = np.stack([np.interp(height, fine, path[:, k]) for k in range(3)], axis=1)
    along = np.stack([np.interp(height, fine, way[:, k]) for k in range(3)], axis=1)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = np.array([1.0, 0.0, 0.0]) - along * along[:, :1]
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    return centre, side, np.cross(along, side)


def _triangles(rings: int) -> Array:
    k = np.arange(AROUND)
    ahead = (k + 1) % AROUND
    quads = []
    for r in range(rings - 1):
        a, b = r * AROUND, (r + 1) * AROUND
        quads += [np.stack([a + k, a + ahead, b + ahead], 1), np.stack([a + k, b + ahead, b + k], 1)]
    bottom, top = rings * AROUND, rings * AROUND + 1
    last = (rings - 1) * AROUND
    quads += [
        np.stack([np.full(AROUND, bottom), ahead, k], 1),
        np.stack([np.full(AROUND, top), last + k, last + ahead], 1),
    ]
    return np.concatenate(quads)


def _tilted(points: Array) -> Array:
    c, s = np.cos(-TILT), np.sin(-TILT)
    return np.asarray(points @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]).T)
