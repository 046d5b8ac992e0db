"""What the controllers know that stays the same from step to step, and their working memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.character.tree import Tree
from poise.dynamics.links import workspace_rows

FULL, COMPOSITE, LOCAL, MANUAL = range(4)


class Limits(NamedTuple):
    """Joint limits as passive springs (``poise.dynamics.stops``), by degree of freedom; none: empty."""

    lower: Array
    upper: Array
    limited: NDArray[np.bool_]
    """Links that have any, (L,)."""
    neutral: Array
    """The pose that angles are counted from, (nq,)."""
    inertia: Array
    """By which their stiffness follows from a frequency, (nv,)."""


class Controller(NamedTuple):
    """What does not change from step to step."""

    kind: int
    known: bool
    """Whether the controller's model is the body itself."""
    told: bool
    """Whether the root moves as told; else it stands by itself."""
    root: int
    """Degrees of freedom of the root."""
    held: NDArray[np.bool_]
    """Links that move as told, (L,)."""
    above: IntArray
    """The degree of freedom above each, (nv,)."""
    head: IntArray
    """First degree of freedom of each one's joint, (nv,)."""
    strength: Array
    """What the joint of each can do [N·m or N], inf: anything, (nv,)."""
    damping: Array
    """Passive damping of the body [N·m·s/rad], (nv,)."""
    matrix: Array
    """C of ``local`` and ``manual``, (nv, nv)."""
    weightless: Array
    """Gravity where there is none, (3,)."""
    limits: Limits
    """What joints keep to."""


class Room(NamedTuple):
    """Working memory of one simulation."""

    work: Array
    mass: Array  # (nv²,) of the body
    believed: Array  # (nv²,) of the controller
    matrix: Array  # (nv, nv) C
    system: Array  # (nv, nv)
    bias: Array
    lead: Array  # ff
    axes: Array  # (nv, 3) world axes of rotations
    still: Array
    held: Array
    """Carried over from the phase before: its torque, or for ``full`` what it gave against the unforeseen."""
    since: Array
    """When the phase of each joint began [s]."""
    due: Array
    """When it is due [s]."""
    unforeseen: Array
    """Acceleration during the last step less the wanted, (nv,)."""
    tau: Array
    demand: Array
    """What would be needed to be on time."""
    after: Array
    """v⁺"""
    weak: Array
    """1 at joints too weak to hold still."""
    ask: Array
    yields: Array
    told: Array
    """Velocity that the root is told to have after the step, (nv,), the root's count."""
    wrenches: Array
    """On bodies, unknown to it, (6 n,)."""
    over: Array
    """How far joints press into their limits [rad or m], (nv,)."""
    touch: Array
    """How stiff these are there, over the full stiffness, (nv,)."""
    stop: Array
    """And will be after the step, (nv,)."""
    passive: Array
    """Their torques during it, (nv,)."""

    @classmethod
    def of(cls, tree: Tree, nv: int) -> Room:
        """Fresh arrays."""

        def row() -> Array:
            return np.zeros(nv)

        return cls(
            np.zeros(workspace_rows(len(tree.parent))), np.zeros(nv * nv), np.zeros(nv * nv),
            np.zeros((nv, nv)), np.zeros((nv, nv)), row(), row(), np.zeros((nv, 3)), row(), row(),
            np.full(nv, np.nan), row(), row(), row(), row(), row(), row(), row(), row(), row(),
            np.zeros(6 * len(tree.link)), row(), row(), row(), row(),
        )  # fmt: skip
