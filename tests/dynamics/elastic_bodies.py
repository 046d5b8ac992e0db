"""Boxes and bars with known answers."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.dynamics.elastic import ElasticBody, Material, Surface, lattice_around


def box(size: tuple[float, float, float], at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Surface:
    """A box with its lowest corner at a place."""
    x, y, z = size
    corners = np.array([[a, b, c] for a in (0, x) for b in (0, y) for c in (0, z)], dtype=float) + at
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
             [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]  # fmt: skip
    return Surface(corners, np.array(faces), "box")


def bar(
    length: float = 0.3, thick: float = 0.03, *, cell: float | None = None, **material: float
) -> ElasticBody:
    """A square bar along x, clamped at x = 0."""
    lattice = lattice_around(box((length, thick, thick)), thick if cell is None else cell)
    made = Material(**{"young": 1e6, "poisson": 0.0, "density": 1000.0, "damping": 0.0, **material})
    return ElasticBody(lattice, made, np.flatnonzero(lattice.nodes[:, 0] < 1e-9))


def random_shape(body: ElasticBody, size: float, seed: int = 0) -> Array:
    """Displacements of the free nodes at random."""
    out = np.zeros(body.nodes.shape)
    out[body.free] = size * np.random.default_rng(seed).normal(size=(len(body.free), 3))
    return out
