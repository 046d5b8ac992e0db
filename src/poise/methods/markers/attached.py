"""Points that ride on bodies: where they are, and how degrees of freedom move them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.kinematics.forward import Placement, as_frames, placed
from poise.kinematics.jacobians import point_jacobians


class Attached(NamedTuple):
    """M points, each on a body."""

    body: IntArray
    """(M,)"""
    place: Array
    """In the body's frame [m] (M, 3)."""


class Observed(NamedTuple):
    """Where they are in F frames."""

    placement: Placement
    positions: Array
    """(F, M, 3)"""
    jacobian: Array
    """(F, M, 3, nv)"""


def observe(character: Character, q: Array, points: Attached) -> Observed:
    """Positions and Jacobians of the points."""
    where = placed(character, as_frames(q, "q", character.nq))
    x, jacobian = point_jacobians(character, where, list(points.body), list(points.place))
    return Observed(where, x, jacobian)


def positions(character: Character, q: Array, points: Attached) -> Array:
    """Where the points are, (F, M, 3)."""
    where = placed(character, as_frames(q, "q", character.nq))
    turned = np.einsum("fmij,mj->fmi", where.rotations[:, points.body], points.place)
    return np.asarray(where.positions[:, points.body] + turned)
