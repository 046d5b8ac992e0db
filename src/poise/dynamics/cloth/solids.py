"""Solids that cloth runs into: boxes with round edges, which balls, capsules and slabs are too.

A solid is a box of half edges c about its centre, grown by a radius r all around:

    distance(x) = |max(|x| − c, 0)| − r,        x in the solid's axes

A ball has c = 0, a capsule one half edge, a trunk two. The distance has a gradient everywhere outside the
core, so that nothing that slides over a solid is thrown.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel


class Solid(NamedTuple):
    """One solid, in the frame of its body."""

    body: int
    centre: Array
    """[m], (3,)"""
    turn: Array
    """Body from solid, (3, 3)."""
    core: Array
    """Half edges [m], (3,)."""
    radius: float
    """[m]"""

    @property
    def reach(self) -> float:
        """Radius of a ball around all of it [m]."""
        return float(np.linalg.norm(self.core)) + self.radius


class Placed(NamedTuple):
    """S solids at R times, for kernels."""

    core: Any
    """(S, 3)"""
    radius: Any
    """(S,)"""
    reach: Any
    """(S,)"""
    at: Any
    """(R, S, 3)"""
    turn: Any
    """(R, S, 3, 3)"""
    velocity: Any
    """Of their centres [m/s], (R, S, 3)."""
    spin: Any
    """[rad/s], world axes, (R, S, 3)."""


def placed(
    solids: list[Solid], positions: Array, rotations: Array, velocities: Array, spins: Array
) -> Placed:
    """Solids on bodies at (R, n, 3), turned (R, n, 3, 3), moving and spinning (R, n, 3)."""
    body = np.array([s.body for s in solids], dtype=np.int64)
    centre = np.array([s.centre for s in solids]).reshape(-1, 3)
    own = np.array([s.turn for s in solids]).reshape(-1, 3, 3)
    turns, spun = rotations[:, body], np.ascontiguousarray(spins[:, body])
    arm = np.einsum("rsij,sj->rsi", turns, centre)
    return Placed(
        np.array([s.core for s in solids]).reshape(-1, 3),
        np.array([s.radius for s in solids], dtype=np.float64),
        np.array([s.reach for s in solids], dtype=np.float64),
        np.ascontiguousarray(positions[:, body] + arm),
        np.ascontiguousarray(np.einsum("rsij,sjk->rsik", turns, own)),
        np.ascontiguousarray(velocities[:, body] + np.cross(spun, arm)),
        spun,
    )


@kernel(inline=True, allocates=False)
def outside(local: Any, core: Any, radius: float, normal: Any) -> float:
    """Distance of a place (3,) in a solid's axes from its surface [m], negative inside; its normal (3,)."""
    deep = -1e30
    axis = 0
    square = 0.0
    for c in range(3):
        over = abs(local[c]) - core[c]
        if over > deep:
            deep, axis = over, c
        beyond = max(over, 0.0)
        normal[c] = beyond if local[c] >= 0.0 else -beyond
        square += beyond * beyond
    if square > 1e-24:
        long = math.sqrt(square)
        for c in range(3):
            normal[c] /= long
        return long - radius
    for c in range(3):  # in the core: out by the nearest side
        normal[c] = 0.0
    normal[axis] = 1.0 if local[axis] >= 0.0 else -1.0
    return deep - radius
