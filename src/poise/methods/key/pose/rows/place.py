"""What rows read of one pose: where everything is, and how it moves; scratch that serves pose after pose."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel
from poise.kinematics.layout import Layout
from poise.methods.key.pose.rows.plan import RowPlan


class Place(NamedTuple):
    """What one pose gives; scratch that is used again for each pose."""

    positions: Array
    rotations: Array
    axes: Array
    moments: Array
    points: Array
    """(P, 3)"""
    point_j: Array
    """(P, 3, nv)"""
    centre: Array
    """(1, 3)"""
    centre_j: Array
    """(3, nv)"""
    branches: Array
    """Moments of what each body carries, about the centre of mass, (n, 9)."""
    tensor: Array
    """Covariance (6,)."""
    tensor_j: Array
    """(6, nv)"""
    radii: Array
    """(3,), longest first."""
    principal: Array
    """Axes as columns (3, 3)."""
    ways: Array
    """(D, 3)"""
    way_j: Array
    """(D, 3, nv)"""
    values: Array
    """Exponential coordinates of all joints (nv,)."""
    ratios: Array
    bent: Array
    """Scratch of shapes, (3, 3)."""


@kernel(inline=True)
def new_place(tree: Layout, plan: RowPlan) -> Place:
    """Scratch for one pose."""
    n, nv, points, ways = tree.parent.size, tree.turning.size, plan.point_body.size, plan.way_kind.size
    return Place(
        np.empty((n, 3)),
        np.empty((n, 3, 3)),
        np.empty((nv, 3)),
        np.empty((n, 3)),
        np.empty((points, 3)),
        np.zeros((points, 3, nv)),  # columns that do not carry a point are never touched
        np.empty((1, 3)),
        np.zeros((3, nv)),
        np.empty((n, 9)),
        np.empty(6),
        np.empty((6, nv)),
        np.empty(3),
        np.empty((3, 3)),
        np.empty((ways, 3)),
        np.zeros((ways, 3, nv)),
        np.zeros(nv),
        np.empty((3, 3)),
        np.empty((3, 3)),
    )
