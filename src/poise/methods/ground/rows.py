"""Rows of a stretch of keys: wrenches that contacts do not give, patches that slide, sink or float, limits.

Every row is dense over the keys of its stretch. One kernel writes them all; their Gram matrix is one call of
linear algebra.
"""

from __future__ import annotations

from typing import NamedTuple

from poise.arrays import Array, IntArray
from poise.compilation import kernel


class Wrench(NamedTuple):
    """Rows Lᵀ ∂w and what they miss, by sample."""

    of: IntArray
    """Sample of each grid frame's *successor*: the triple f, f + 1, f + 2; −1: none (G,)."""
    slope: Array
    """(S, 3, 6, m)"""
    root: Array
    """L (S, 6, 6)."""
    pull: Array
    """(S, 6)"""
    push: Array
    """Force of every patch (S, K, 3) [weights]: levers move with patches."""
    over: Array
    """Vertical force beyond the most that is allowed (S,) [weights]."""
    scale: Array
    """√ of the price of a sample, and the arm of moments (2,)."""


class Touch(NamedTuple):
    """Rows of patches."""

    bodies: IntArray
    """Which of the Jacobians each patch takes (K,)."""
    origin: Array
    """Jacobians of body origins (G, B, 3, m)."""
    turning: Array
    """Of angular velocities (G, B, 3, m)."""
    reach: Array
    """From the body's origin to the patch's centre, in the world (G, K, 3)."""
    lever: Array
    """Of the way of the point that rests, by the turn of this frame and the next (2, G, K, axis, 3)."""
    rests: IntArray
    """(G, K)"""
    slide: Array
    """What resting points move until the next frame, weighed (G, K, 3)."""
    sinks: IntArray
    """1 where the height of a patch is a row (G, K)."""
    sunk: Array
    """Weighed (G, K)."""
    normal: Array
    """(G, K, 3)"""
    firm: float
    """√ of the price of a slide (over dt)."""
    deep: float
    """√ of the price of a depth."""


class Limit(NamedTuple):
    """Rows of single degrees of freedom beyond their limits."""

    dof: IntArray
    """Three slots each, −1: unused (n, 3)."""
    frame: IntArray
    """(n,)"""
    slope: Array
    """Weighed (n, 3)."""
    miss: Array
    """Weighed (n,)."""


class Grid(NamedTuple):
    """Keys of the frames of a grid."""

    columns: IntArray
    weights: Array
    loop: int


@kernel()
def _place(keys: IntArray, key: int) -> int:
    for b in range(keys.size):
        if keys[b] == key:
            return b
    return -1


@kernel()
def _put(grid: Grid, keys: IntArray, frame: int, jacobian: Array, factor: float, row: Array) -> None:
    """Add factor · jacobian (m,) of a frame's displacement to a row over keys."""
    m = jacobian.size
    for a in range(4):
        w = factor * grid.weights[frame, a]
        if w != 0.0:
            start = _place(keys, grid.columns[frame, a]) * m
            for i in range(m):
                row[start + i] += w * jacobian[i]


@kernel()
def _point(touch: Touch, g: int, b: int, reach: Array, axis: int, out: Array) -> None:
    """Row ``axis`` of the Jacobian of a point ``reach`` from body b's origin: J_o − [reach] J_ω."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    for i in range(out.size):
        out[i] = (
            touch.origin[g, b, axis, i]
            + touch.turning[g, b, j, i] * reach[k]
            - touch.turning[g, b, k, i] * reach[j]
        )


@kernel()
def _levered(touch: Touch, g: int, b: int, lever: Array, axis: int, out: Array) -> None:
    """Row ``axis`` of body b's origin, and of its turn at a lever: J_o + lever · J_ω."""
    for i in range(out.size):
        out[i] = touch.origin[g, b, axis, i]
        for j in range(3):
            out[i] += lever[j] * touch.turning[g, b, j, i]


@kernel()
def fill(
    frames: IntArray,
    keys: IntArray,
    grid: Grid,
    wrench: Wrench,
    touch: Touch,
    rows: Array,
    miss: Array,
) -> int:
    """Rows (R, B m) of a stretch's frames and what they miss (R,); how many there are."""
    count, m, total = 0, wrench.slope.shape[3], grid.columns.shape[0]
    one = rows[0, :m].copy()
    for at in range(frames.size):
        g = frames[at]
        s = wrench.of[g]
        if s >= 0:
            middle = (g + 1) % total
            root, arm = wrench.scale[0], wrench.scale[1]
            for i in range(6):
                rows[count] = 0.0
                for e in range(3):
                    for c in range(m):
                        one[c] = 0.0
                    for j in range(6):
                        factor = root * wrench.root[s, j, i]
                        if factor != 0.0:
                            for c in range(m):
                                one[c] += factor * wrench.slope[s, e, j, c]
                    _put(grid, keys, (g + e) % total, one, 1.0, rows[count])
                miss[count] = root * wrench.pull[s, i]
                count += 1
            first = count - 6
            for k in range(touch.bodies.size):
                fx, fy, fz = wrench.push[s, k, 0], wrench.push[s, k, 1], wrench.push[s, k, 2]
                if fx == 0.0 and fy == 0.0 and fz == 0.0:
                    continue
                for axis in range(3):  # −δx × F, column by column of δx
                    _point(touch, middle, touch.bodies[k], touch.reach[middle, k], axis, one)
                    if axis == 0:
                        a, b, c3 = 0.0, fz, -fy
                    elif axis == 1:
                        a, b, c3 = -fz, 0.0, fx
                    else:
                        a, b, c3 = fy, -fx, 0.0
                    for i in range(6):
                        factor = (
                            a * wrench.root[s, 3, i] + b * wrench.root[s, 4, i] + c3 * wrench.root[s, 5, i]
                        )
                        if factor != 0.0:
                            _put(grid, keys, middle, one, root * factor / arm, rows[first + i])
            if wrench.over[s] > 0.0:
                rows[count] = 0.0
                for e in range(3):
                    _put(grid, keys, (g + e) % total, wrench.slope[s, e, 2], root, rows[count])
                miss[count] = root * wrench.over[s]
                count += 1
        after = (g + 1) % total
        for k in range(touch.bodies.size):
            b = touch.bodies[k]
            if touch.rests[g, k]:
                firm = touch.firm
                for axis in range(3):
                    rows[count] = 0.0
                    _levered(touch, g, b, touch.lever[0, g, k, axis], axis, one)
                    _put(grid, keys, g, one, -firm, rows[count])
                    _levered(touch, after, b, touch.lever[1, g, k, axis], axis, one)
                    _put(grid, keys, after, one, firm, rows[count])
                    miss[count] = touch.slide[g, k, axis]
                    count += 1
            if touch.sinks[g, k]:
                rows[count] = 0.0
                for axis in range(3):
                    n = touch.normal[g, k, axis]
                    if n != 0.0:
                        _point(touch, g, b, touch.reach[g, k], axis, one)
                        _put(grid, keys, g, one, touch.deep * n, rows[count])
                miss[count] = touch.sunk[g, k]
                count += 1
    return count


@kernel()
def limit_rows(
    limit: Limit, columns: IntArray, weights: Array, place: IntArray, m: int, band: Array, slope: Array
) -> None:
    """Limits straight into the band: each row feels one joint in one frame."""
    for n in range(limit.miss.size):
        g = limit.frame[n]
        for a in range(4):
            pa, wa = place[columns[g, a]], weights[g, a]
            if pa < 0 or wa == 0.0:
                continue
            for i in range(3):
                if limit.dof[n, i] < 0:
                    continue
                row = pa * m + limit.dof[n, i]
                slope[row] += wa * limit.slope[n, i] * limit.miss[n]
                for b in range(4):
                    pb, wb = place[columns[g, b]], weights[g, b]
                    if pb < 0 or wb == 0.0:
                        continue
                    for j in range(3):
                        if limit.dof[n, j] < 0:
                            continue
                        column = pb * m + limit.dof[n, j]
                        if row >= column:
                            band[column, row - column] += wa * wb * limit.slope[n, i] * limit.slope[n, j]
