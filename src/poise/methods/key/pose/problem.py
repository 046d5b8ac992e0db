"""What the iteration on one pose is asked, how hard it is to try, and what it finds: tables for kernels."""

from __future__ import annotations

from typing import NamedTuple

from poise.arrays import Array, IntArray
from poise.methods.key.pose.posture import Limbs
from poise.methods.key.pose.task import Grips


class Setting(NamedTuple):
    """What is the same for all frames; read-only."""

    level: IntArray
    """Of each row; −1: soft, (m,)."""
    levels: int
    """Number of strict levels."""
    free: IntArray
    """1 for degrees of freedom that may move, (nv,)."""
    lower: Array
    upper: Array
    """(nv,)"""
    bounded: IntArray
    """1 for links with a limit, (L,)."""
    pose: Array
    """Weight of the pose, equal within a rotation, (nv,)."""
    limbs: Limbs
    grips: Grips


class Wanted(NamedTuple):
    """What is asked of F frames; read-only."""

    start: Array
    """Where iteration begins, (F, nq)."""
    pose: Array
    """The desired pose, (F, nq)."""
    goals: Array
    """Numbers of all targets, (F, ·)."""
    weights: Array
    """Of all rows; of strict ones relative to the largest of their level, 0: absent, (F, m)."""
    previous: Array
    """The pose before, (F, nq) or (0, nq)."""
    momentum: Array
    """A(previous) / dt, (F or 1, 6, nv)."""


class Effort(NamedTuple):
    """How hard to try."""

    accuracy: float
    """Of strict rows [m, rad]."""
    iterations: int
    """Most evaluations."""
    approach: float
    """The cap of weights at first."""


class Answer(NamedTuple):
    """What is found for F frames; written."""

    q: Array
    """(F, nq)"""
    errors: Array
    """In the rows' scale, (F, m)."""
    counts: IntArray
    """Evaluations, (F,)."""
    settled: IntArray
    """(F,)"""
    history: Array
    """(iterations, 4) or (0, 4): merit, largest strict and soft error and step after each evaluation that was
    accepted (of the last frame run)."""
