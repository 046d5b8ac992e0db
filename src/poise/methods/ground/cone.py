"""How far a wrench is from what contacts can give, smoothed: forces are eliminated sample by sample.

A contact patch pushes along the edges of its friction cone at the corners of the square over which its
pressure moves. With these generators g_i (wrenches of unit push) and the wrench w that a motion needs,

    D(w) = min_{λ > 0} ½ |w − Σ λ_i g_i|² − (β / n) Σ log λ_i.

Its dual has six unknowns whatever n is: r = w − Σ λ_i g_i in the polar cone, the least of

    ψ(r) = ½ |r|² − w·r − (β / n) Σ log(−g_i·r),        λ_i = −(β / n) / (g_i·r),

found by Newton's method with 6 × 6 systems. Then ∇D = r and ∇²D = P = (I + (β/n) Σ g gᵀ/(g·r)²)⁻¹: inside the
cone both fade with β, and there is no active set to get wrong. Where nothing can push, D = ½ |w|².
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.contacts.friction_cone import across, factored, solved, tangents

MOST_STEPS = 80
"""Newton takes a dozen; the bound is for numbers that are none."""
COARSE, FINER = 1e-3, 0.1
"""Smoothing that Newton starts with [weights²], and the factor by which it falls to what is asked: straight
at 1e-9 it crawls along the cone's edge."""
SMALL = 1e-18
"""Newton's decrement at which r is found [weights²]."""
SWEEPS = 60
"""Most rounds over all pushes in search of a start."""
EDGES = 16
"""Generators of a patch: four edges of its cone at each of four corners."""


class Pushes(NamedTuple):
    """Who may push in S samples: K patches."""

    place: Array
    """Where it touches, from the point that moments are about [m] (S, K, 3)."""
    normal: Array
    """(S, K, 3)"""
    friction: Array
    """(S, K)"""
    on: IntArray
    """1 where it touches (S, K)."""


class Carried(NamedTuple):
    """What contacts make of wrenches, in S samples."""

    left: Array
    """r (S, 6)."""
    value: Array
    """D (S,)."""
    root: Array
    """L with L Lᵀ = P (S, 6, 6)."""
    pull: Array
    """L⁻¹ r: what rows Lᵀ ∂w miss (S, 6)."""
    force: Array
    """Of every patch [weights] (S, K, 3)."""


def carried(
    need: Array, by: Pushes, reach: float, arm: float, smoothing: float, near: Array | None = None
) -> Carried:
    """Distance of wrenches ``need`` (S, 6) from the cones of patches ``reach`` [m] to every side.

    ``near`` (S, 6): what was left of wrenches close by, to begin the search at; it ends at the same place.
    """
    samples, count = by.on.shape
    begin = np.zeros((samples, 6)) if near is None else near
    out = Carried(
        np.empty((samples, 6)),
        np.empty(samples),
        np.zeros((samples, 6, 6)),
        np.zeros((samples, 6)),
        np.zeros((samples, count, 3)),
    )
    work = np.empty((EDGES * max(count, 1), 8))
    _carried(np.ascontiguousarray(need), by, reach, arm, smoothing, begin, work, np.empty((10, 6)), out)
    return out


def moments(by: Pushes, got: Carried, reach: float, arm: float, smoothing: float) -> Array:
    """Of every patch's pushes about the patch itself [weights · m] (S, K, 3): pressure moves over it.

    Pushes λ_i follow from what is left; ``got`` is what ``carried`` gave with the same ``reach`` and
    ``smoothing``.
    """
    out = np.zeros_like(by.place)
    sign = 1.0 - 2.0 * ((np.arange(EDGES)[:, None] >> np.arange(4)) & 1)  # as generators are made
    pushed = np.abs(got.left).max(axis=1, keepdims=True) > 0.0
    s, k = np.nonzero((by.on > 0) & pushed)
    normal = by.normal[s, k]
    u, w = (axis[:, None] for axis in across(normal))  # (N, 1, 3), of N pushes
    edge = by.friction[s, k][:, None, None] * np.sqrt(0.5)
    push = normal[:, None] + edge * (sign[:, :1] * u + sign[:, 1:2] * w)  # (N, EDGES, 3)
    corner = reach * np.sqrt(0.5) * (sign[:, 2:3] * u + sign[:, 3:] * w)
    wrench = np.concatenate([push, np.cross(by.place[s, k][:, None] + corner, push) / arm], axis=2)
    slope = np.einsum("nei,ni->ne", wrench, got.left[s])
    size = -smoothing / (EDGES * by.on[s].sum(axis=1))[:, None] / slope
    out[s, k] = np.einsum("ne,nei->ni", size, np.cross(corner, push))
    return out


@kernel()
def _carried(
    need: Array,
    by: Pushes,
    reach: float,
    arm: float,
    smoothing: float,
    begin: Array,
    work: Array,
    scratch: Array,
    out: Carried,
) -> None:
    for s in range(need.shape[0]):
        count = _generators(by, s, reach, arm, work)
        r = out.left[s]
        if count == 0:
            half = 0.0
            for i in range(6):
                r[i] = out.pull[s, i] = need[s, i]
                half += 0.5 * need[s, i] * need[s, i]
                for j in range(6):
                    out.root[s, i, j] = 1.0 if i == j else 0.0
            out.value[s] = half
            continue
        weight = smoothing / count
        coarse = weight
        for i in range(6):
            r[i] = begin[s, i]
        found = _least(need[s], work, count, coarse, scratch, r)
        if not found:
            _start(work, count, r)
            coarse = max(weight, COARSE / count)
            found = _least(need[s], work, count, coarse, scratch, r)
        while found and coarse > weight:  # from coarse to fine: r stays inside
            coarse = max(weight, FINER * coarse)
            found = _least(need[s], work, count, coarse, scratch, r)
        if not found:
            out.value[s] = 0.0
            for i in range(6):
                r[i] = 0.0
            continue
        value = 0.0
        for i in range(6):
            value += 0.5 * r[i] * r[i]
        for c in range(count):
            along = 0.0
            for i in range(6):
                along += work[c, i] * r[i]
            push = -weight / along
            value -= weight * np.log(push)
            k = int(work[c, 7])
            for i in range(3):
                out.force[s, k, i] += push * work[c, i]
        out.value[s] = value
        _root(work, count, weight, r, scratch, out.root[s])
        for i in range(6):  # Cᵀ r, of the factor C that the root was made from
            for j in range(i, 6):
                out.pull[s, i] += scratch[3 + j, i] * r[j]


@kernel()
def _generators(by: Pushes, s: int, reach: float, arm: float, work: Array) -> int:
    """Rows of ``work``: wrench (6), spare, patch; how many there are."""
    count = 0
    for k in range(by.on.shape[1]):
        if by.on[s, k] == 0:
            continue
        nx, ny, nz = by.normal[s, k, 0], by.normal[s, k, 1], by.normal[s, k, 2]
        ux, uy, uz, wx, wy, wz = tangents(nx, ny, nz)
        px, py, pz = by.place[s, k, 0], by.place[s, k, 1], by.place[s, k, 2]
        mu = by.friction[s, k]
        e, o = mu * np.sqrt(0.5), reach * np.sqrt(0.5)
        for c in range(EDGES):
            a, b = 1.0 - 2.0 * (c % 2), 1.0 - 2.0 * ((c // 2) % 2)
            i, j = 1.0 - 2.0 * ((c // 4) % 2), 1.0 - 2.0 * ((c // 8) % 2)
            fx, fy, fz = nx + e * (a * ux + b * wx), ny + e * (a * uy + b * wy), nz + e * (a * uz + b * wz)
            ox, oy, oz = px + o * (i * ux + j * wx), py + o * (i * uy + j * wy), pz + o * (i * uz + j * wz)
            work[count, 0], work[count, 1], work[count, 2] = fx, fy, fz
            work[count, 3] = (oy * fz - oz * fy) / arm
            work[count, 4] = (oz * fx - ox * fz) / arm
            work[count, 5] = (ox * fy - oy * fx) / arm
            work[count, 7] = float(k)
            count += 1
    return count


@kernel()
def _psi(need: Array, work: Array, count: int, weight: float, r: Array) -> float:
    value = 0.0
    for i in range(6):
        value += r[i] * (0.5 * r[i] - need[i])
    for c in range(count):
        along = 0.0
        for i in range(6):
            along += work[c, i] * r[i]
        if not along < 0.0:
            return np.inf
        value -= weight * np.log(-along)
    return value


@kernel()
def _start(work: Array, count: int, r: Array) -> None:
    """Against the mean push; where that is not against every push (a foot on a step, a knee against it),
    turned against those that it is not, one after the other, as a perceptron learns."""
    for i in range(6):
        r[i] = 0.0
    for i in range(3):
        for c in range(count):
            r[i] -= 0.1 * work[c, i] / count
    for _ in range(SWEEPS):
        right = True
        for c in range(count):
            along, size = 0.0, 0.0
            for i in range(6):
                along += work[c, i] * r[i]
                size += work[c, i] * work[c, i]
            if not along < -1e-3 * size:
                right = False
                for i in range(6):
                    r[i] -= 0.02 * work[c, i] / size
        if right:
            return


@kernel()
def _least(need: Array, work: Array, count: int, weight: float, scratch: Array, r: Array) -> bool:
    """r of the least ψ, written into ``r`` (6,).

    It goes on from ``r``. Where that is not in the polar cone, normals face each other: a body that is wedged
    can be held by any force, and nothing is asked (false).
    """
    slope, way, trial, curve = scratch[0], scratch[1], scratch[2], scratch[3:9]
    value = _psi(need, work, count, weight, r)
    if not value < np.inf:
        return False
    for _ in range(MOST_STEPS):
        for i in range(6):
            slope[i] = r[i] - need[i]
            for j in range(6):
                curve[i, j] = 1.0 if i == j else 0.0
        for c in range(count):
            along = 0.0
            for i in range(6):
                along += work[c, i] * r[i]
            t = weight / along
            for i in range(6):
                slope[i] -= t * work[c, i]
                u = t / along * work[c, i]
                for j in range(i + 1):
                    curve[i, j] += u * work[c, j]
        solved(curve, slope, way)
        down = 0.0
        for i in range(6):
            down += slope[i] * way[i]
        if not down > SMALL:
            return True
        step = 1.0
        for c in range(count):
            along, toward = 0.0, 0.0
            for i in range(6):
                along += work[c, i] * r[i]
                toward -= work[c, i] * way[i]
            if toward > 0.0:
                step = min(step, -0.98 * along / toward)
        new = np.inf
        for _ in range(40):
            for i in range(6):
                trial[i] = r[i] - step * way[i]
            new = _psi(need, work, count, weight, trial)
            if new <= value - 1e-4 * step * down:
                break
            step *= 0.5
        if not new < value:
            return True  # rounding
        value = new
        for i in range(6):
            r[i] = trial[i]
    return True


@kernel()
def _root(work: Array, count: int, weight: float, r: Array, scratch: Array, root: Array) -> None:
    """L with L Lᵀ = (I + weight Σ g gᵀ/(g·r)²)⁻¹: the inverse transpose of the matrix's factor."""
    curve = scratch[3:9]
    for i in range(6):
        for j in range(6):
            curve[i, j] = 1.0 if i == j else 0.0
    for c in range(count):
        along = 0.0
        for i in range(6):
            along += work[c, i] * r[i]
        t = weight / (along * along)
        for i in range(6):
            for j in range(i + 1):
                curve[i, j] += t * work[c, i] * work[c, j]
    factored(curve)
    for j in range(6):  # columns of the factor's inverse, C⁻¹; L = C⁻ᵀ
        for i in range(6):
            total = 1.0 if i == j else 0.0
            for k in range(i):
                total -= curve[i, k] * root[j, k]
            root[j, i] = total / curve[i, i]
