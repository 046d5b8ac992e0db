"""What windows are handed and work on: arrays by name, the same for processors and graphics cards.

Kernels take these tuples whole. Tables and states are ordinary arrays, frames first in shape; on a card they
are stored the other way round (neighbouring windows read neighbouring numbers), which no kernel notices.
What one group of windows works on is a lane array, narrow or not, or a column: one block, cut into pieces.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from poise.character.tree import Tree
from poise.compilation import kernel
from poise.dynamics.links import workspace_rows

ANCHOR = 22
"""Columns of one anchor's table (``anchors``)."""
NO_NUMBERS, NO_LINKS = np.empty(0), np.empty(0, dtype=np.bool_)
NO_ANCHORS, NO_PATHS, NO_PLACES = np.empty(0, np.int64), np.empty((0, 0), np.int64), np.empty((1, 0))
"""Nothing limited, nothing anchored."""


class Mechanism(NamedTuple):
    """What moves."""

    tree: Tree
    armature: Any
    """(nv,)"""
    gravity: Any
    """[m/s²] (3,)"""
    prescribed: Any
    """Links that the reference moves: the root's, keyed joints' (L,)."""
    lower: Any = NO_NUMBERS
    upper: Any = NO_NUMBERS
    """Joint limits [rad or m] (nv,); no rows: none are felt."""
    stop_stiffness: Any = NO_NUMBERS
    stop_damping: Any = NO_NUMBERS
    """Of the springs beyond them (nv,)."""
    limited: Any = NO_LINKS
    """Links that have any (L,)."""


class Springs(NamedTuple):
    """What is followed on a grid of T rows, and how; gains and feed have T rows, or one for all."""

    q: Any
    """(T, nq)"""
    v: Any
    """(T, nv)"""
    stiffness: Any
    damping: Any
    feed: Any
    """(T or 1, nv)"""
    anchored: Any = NO_ANCHORS
    """Links that are anchored in the world (A,)."""
    path: Any = NO_PATHS
    """Links from the root down to each, −1 behind the last (A, D)."""
    anchors: Any = NO_PLACES
    """Gains and targets of all anchors (T, 22 A)."""


class Windows(NamedTuple):
    """Where each of W windows starts, and after how many steps its state is wanted, and again."""

    start: Any
    """Row of the grid (W,)."""
    steps: Any
    """Steps of each leg (W, K): the state is told at the end of each."""
    q: Any
    v: Any
    """States to start in (W, nq), (W, nv); no rows: those of the reference."""


class Scheme(NamedTuple):
    """How time is stepped."""

    h: float
    """Step [s]."""
    follow: float
    """σ: 0 damps to rest, 1 to the reference."""
    order: int
    """1 or 2."""


class States(NamedTuple):
    """States at the ends of all legs: q (W, K, nq), v (W, K, nv)."""

    q: Any
    v: Any


class Pose(NamedTuple):
    """A state that is on its way: nq and nv rows of a group."""

    q: Any
    v: Any


class Aim(NamedTuple):
    """What is aimed at at one end of a step."""

    v: Any
    """The reference's velocity, nv rows."""
    anchors: Any
    """The anchors' rows, 22 each."""


class Work(NamedTuple):
    """What a group works on, rows each."""

    links: Any
    """``workspace_rows(L)``."""
    none: Any
    """No rows at all."""
    q: Any
    q1: Any
    target: Any
    v: Any
    v1: Any
    aim: Any
    aim1: Any
    error: Any
    tau: Any
    given: Any
    joint: Any
    kp: Any
    kd: Any
    extra: Any
    kp1: Any
    kd1: Any
    k1v: Any
    k1q: Any
    wv: Any
    mean: Any
    over: Any
    touch: Any
    stop: Any
    stop_p: Any
    stop_d: Any
    """Of limits, nv rows each or none: ways beyond, stiffnesses now and soon, the implicit ones."""
    here: Any
    there: Any
    off: Any
    rate: Any
    rate1: Any
    rise: Any
    tug: Any
    heavy: Any
    """Of anchors: rows of the table at both ends of a step; errors, velocities, accelerations, wrenches (6
    rows each), added inertias (2)."""
    row: Any
    left: Any
    """Of each lane, whole numbers: the row it is at, the steps it has left."""


@kernel(inline=True, allocates=False)
def block_rows(nq: int, nv: int, links: int, stops: int, anchors: int) -> int:
    """Rows of a block that ``cut`` makes a group's pieces of; ``stops`` is nv or 0."""
    return workspace_rows(links) + 3 * nq + 17 * nv + 5 * stops + (2 * ANCHOR + 32) * anchors


@kernel(inline=True)
def cut(block: Any, none: Any, row: Any, left: Any, mechanism: Mechanism, springs: Springs) -> Work:
    """The pieces of a block; ``none`` has no rows, ``row`` and ``left`` hold a whole number per lane."""
    nq, nv = springs.q.shape[1], springs.v.shape[1]
    ns, na = mechanism.lower.shape[0], springs.anchored.shape[0]
    links = workspace_rows(mechanism.tree.parent.shape[0])
    at = links + 3 * nq
    s = at + 17 * nv
    h = s + 5 * ns
    x = h + 2 * ANCHOR * na
    return Work(
        block[:links],
        none,
        block[links : links + nq],
        block[links + nq : links + 2 * nq],
        block[links + 2 * nq : links + 3 * nq],
        block[at : at + nv],
        block[at + nv : at + 2 * nv],
        block[at + 2 * nv : at + 3 * nv],
        block[at + 3 * nv : at + 4 * nv],
        block[at + 4 * nv : at + 5 * nv],
        block[at + 5 * nv : at + 6 * nv],
        block[at + 6 * nv : at + 7 * nv],
        block[at + 7 * nv : at + 8 * nv],
        block[at + 8 * nv : at + 9 * nv],
        block[at + 9 * nv : at + 10 * nv],
        block[at + 10 * nv : at + 11 * nv],
        block[at + 11 * nv : at + 12 * nv],
        block[at + 12 * nv : at + 13 * nv],
        block[at + 13 * nv : at + 14 * nv],
        block[at + 14 * nv : at + 15 * nv],
        block[at + 15 * nv : at + 16 * nv],
        block[at + 16 * nv : at + 17 * nv],
        block[s : s + ns],
        block[s + ns : s + 2 * ns],
        block[s + 2 * ns : s + 3 * ns],
        block[s + 3 * ns : s + 4 * ns],
        block[s + 4 * ns : s + 5 * ns],
        block[h : h + ANCHOR * na],
        block[h + ANCHOR * na : x],
        block[x : x + 6 * na],
        block[x + 6 * na : x + 12 * na],
        block[x + 12 * na : x + 18 * na],
        block[x + 18 * na : x + 24 * na],
        block[x + 24 * na : x + 30 * na],
        block[x + 30 * na : x + 32 * na],
        row,
        left,
    )
