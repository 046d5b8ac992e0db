"""Forces that carry: how much of a wrench patches can push, each within its friction cone.

A patch pushes along the edges n ± μ t of its cone, and straight along n at four places of the disc over
which its pressure moves; what is gripped pulls as well. With columns a_i of the wrench about the centre of
mass and the wrench b that the motion needs,

    min ½ |A x − b|² + ½ Σ c_i x_i²,     x ≥ 0.

The price c of a column says who carries rather than whom: what stands still and close is cheap. What is
left is λ = b − A x, six numbers, and x = max(0, aᵀλ) / c, so it is λ that is sought, as the least of the
convex

    φ(λ) = ½ |λ|² − b·λ + ½ Σ max(0, a_i·λ)² / c_i,

by Newton's method with a line search: exact after a few steps of 6 × 6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel
from poise.contacts.friction_cone import solved, tangents

MOST_STEPS = 60
"""Newton ends after a dozen; the bound is for numbers that are none."""
SMALL = 1e-10
"""Slope of φ at which it is found [weights]."""
COLUMNS = 8
"""Pushes of a patch: four edges of its cone, four places of its disc."""


class Carriers(NamedTuple):
    """Who may push in T frames: K patches."""

    place: Array
    """Where it touches, from the centre of mass [m] (T, K, 3)."""
    normal: Array
    """(T, K, 3)"""
    friction: Array
    """(T, K)"""
    disc: Array
    """Half the width of its pressure [m] (K,)."""
    price: Array
    """c; infinite: not allowed (T, K)."""
    grip: Array
    """1 where it pulls as well, else 0 (T, K)."""


@kernel(allocates=False)
def carry(
    need: Array, by: Carriers, arm: float, work: Array, scratch: Array, left: Array, force: Array
) -> None:
    """What is left of wrenches ``need`` (T, 6) [weights, moments over ``arm``], and the force of every patch.

    ``left`` (T, 6) and ``force`` (T, K, 3) are written; ``work`` (8 K, 8) is room for columns,
    ``scratch`` (9, 6) for one step.
    """
    for t in range(need.shape[0]):
        count = _columns(by, t, arm, work)
        _least(need[t], work, count, scratch, left[t])
        for k in range(by.price.shape[1]):
            for i in range(3):
                force[t, k, i] = 0.0
        for c in range(count):
            push = 0.0
            for i in range(6):
                push += work[c, i] * left[t, i]
            if push > 0.0:
                k = int(work[c, 7])
                for i in range(3):
                    force[t, k, i] += work[c, i] * push / work[c, 6]


@kernel(allocates=False)
def _columns(by: Carriers, t: int, arm: float, work: Array) -> int:
    """Rows of ``work``: wrench (6), price, patch; how many there are."""
    count = 0
    for k in range(by.price.shape[1]):
        price = by.price[t, k]
        if not price < 1e200:
            continue
        nx, ny, nz = by.normal[t, k, 0], by.normal[t, k, 1], by.normal[t, k, 2]
        ux, uy, uz, wx, wy, wz = tangents(nx, ny, nz)
        px, py, pz = by.place[t, k, 0], by.place[t, k, 1], by.place[t, k, 2]
        mu, disc, grip = by.friction[t, k], by.disc[k], by.grip[t, k]
        for c in range(COLUMNS):
            sign = 1.0 if c % 2 == 0 else -1.0
            side = (c // 2) % 2
            sx, sy, sz = (ux, uy, uz) if side == 0 else (wx, wy, wz)
            fx, fy, fz = nx, ny, nz
            ox, oy, oz = px, py, pz
            if grip > 0.5:
                if c >= 6:
                    break
                if c < 4:
                    fx, fy, fz = sign * sx, sign * sy, sign * sz
                else:
                    fx, fy, fz = sign * nx, sign * ny, sign * nz
            elif c < 4:
                fx, fy, fz = nx + sign * mu * sx, ny + sign * mu * sy, nz + sign * mu * sz
            else:
                ox, oy, oz = px + sign * disc * sx, py + sign * disc * sy, pz + sign * disc * sz
            work[count, 0], work[count, 1], work[count, 2] = fx, fy, fz
            work[count, 3] = (oy * fz - oz * fy) / arm
            work[count, 4] = (oz * fx - ox * fz) / arm
            work[count, 5] = (ox * fy - oy * fx) / arm
            work[count, 6], work[count, 7] = price, float(k)
            count += 1
    return count


@kernel(allocates=False)
def _phi(need: Array, work: Array, count: int, at: Array) -> float:
    value = 0.0
    for i in range(6):
        value += at[i] * (0.5 * at[i] - need[i])
    for c in range(count):
        push = 0.0
        for i in range(6):
            push += work[c, i] * at[i]
        if push > 0.0:
            value += 0.5 * push * push / work[c, 6]
    return value


@kernel(allocates=False)
def _least(need: Array, work: Array, count: int, scratch: Array, left: Array) -> None:
    """λ of the least φ, written into ``left`` (6,)."""
    slope, way, trial, curve = scratch[0], scratch[1], scratch[2], scratch[3:]
    for i in range(6):
        left[i] = need[i]
    value = _phi(need, work, count, left)
    for _ in range(MOST_STEPS):
        for i in range(6):
            slope[i] = left[i] - need[i]
            for j in range(6):
                curve[i, j] = 1.0 if i == j else 0.0
        for c in range(count):
            push = 0.0
            for i in range(6):
                push += work[c, i] * left[i]
            if push > 0.0:
                for i in range(6):
                    slope[i] += work[c, i] * push / work[c, 6]
                    for j in range(i + 1):
                        curve[i, j] += work[c, i] * work[c, j] / work[c, 6]
        steep = 0.0
        for i in range(6):
            steep = max(steep, abs(slope[i]))
        if not steep > SMALL:
            return
        solved(curve, slope, way)
        down = 0.0
        for i in range(6):
            down += slope[i] * way[i]
        step = 1.0
        for _ in range(40):
            for i in range(6):
                trial[i] = left[i] - step * way[i]
            new = _phi(need, work, count, trial)
            if new <= value - 1e-4 * step * down:
                break
            step *= 0.5
        if not new < value:
            return  # no step leads down any more: rounding
        value = new
        for i in range(6):
            left[i] = trial[i]


def carried(need: Array, by: Carriers, arm: float) -> tuple[Array, Array]:
    """What is left of the wrenches (T, 6), and the forces (T, K, 3) [weights]."""
    frames, count = by.price.shape
    left, force = np.empty((frames, 6)), np.empty((frames, count, 3))
    work = np.empty((COLUMNS * max(count, 1), 8))
    carry(np.ascontiguousarray(need), by, arm, work, np.empty((9, 6)), left, force)
    return left, force
