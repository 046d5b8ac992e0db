"""The support polygon: the convex hull of what touches the floor, and how far a place is outside it.

A contact point stands for a patch of sole, a disc; the hull of discs is never degenerate.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array

CORNERS = 8
"""Of the polygon that stands for a disc around a contact point."""


def support_polygon(points: Array, radius: float) -> Array:
    """Corners (k, 2), counter-clockwise, of the hull of discs around points (n, 2)."""
    from scipy.spatial import ConvexHull

    angles = 2 * np.pi * np.arange(CORNERS) / CORNERS
    rim = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    around = (np.asarray(points)[:, None, :] + rim).reshape(-1, 2)
    return np.asarray(around[ConvexHull(around).vertices])


def distance_outside(polygon: Array, place: Array) -> float:
    """How far ``place`` (2,) is outside a convex polygon [m]; negative inside: how far from the edge."""
    edge = np.roll(polygon, -1, axis=0) - polygon
    away = place - polygon
    # Left of every edge is inside.
    signed = (edge[:, 1] * away[:, 0] - edge[:, 0] * away[:, 1]) / np.linalg.norm(edge, axis=1)
    if (signed <= 0).all():
        return float(signed.max())
    return float(np.linalg.norm(place - nearest_inside(polygon, place)))


def nearest_inside(polygon: Array, place: Array) -> Array:
    """The place of a convex polygon nearest to ``place``, (2,)."""
    edge = np.roll(polygon, -1, axis=0) - polygon
    away = place - polygon
    if (edge[:, 1] * away[:, 0] - edge[:, 0] * away[:, 1] <= 0).all():
        return np.asarray(place)
    along = np.clip((away * edge).sum(axis=1) / (edge * edge).sum(axis=1), 0.0, 1.0)
    near = polygon + along[:, None] * edge
    return np.asarray(near[np.argmin(np.linalg.norm(place - near, axis=1))])
