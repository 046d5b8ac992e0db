"""Pulls that give way: a soft task far from its target pulls hardly more than one a little off.

With u = w |e| / F, the pull that a task of weight w would have over the most that it may have at once,

    pull  w |e|  up to u = 1,    F (2 − 1/u)  beyond

So a task that can be met is met as if nothing were bounded; one out of reach pulls with less than 2 F however
far its target is: what counts is the direction. Twice differentiable and convex in e.
"""

from __future__ import annotations

import math

from poise.arrays import Array
from poise.compilation import kernel
from poise.methods.key.pose.task import Grips


@kernel(inline=True, allocates=False)
def given_way(grips: Grips, faint: float, w: Array, e: Array) -> float:
    """What bounded pulls change of the merit; ``faint`` is the share that all soft tasks weigh."""
    total = 0.0
    for k in range(grips.first.size):
        weight, square, u = _stretch(grips, k, faint, w, e)
        if u > 1.0:
            total += weight * square * ((2.0 * u - 1.5 - math.log(u)) / (u * u) - 0.5)
    return total


@kernel(inline=True, allocates=False)
def give_way(
    grips: Grips, faint: float, w: Array, e: Array, j: Array, y: Array, wide: Array, row: Array, g: Array,
    h: Array,
) -> None:  # fmt: skip
    """Bound forces y (m,), weights ``wide`` (m,) and gradient g; h gets what is less along the pull.

    ``row`` (nv,) is scratch.
    """
    for k in range(grips.first.size):
        weight, square, u = _stretch(grips, k, faint, w, e)
        if u > 1.0:
            part, length = (2.0 * u - 1.0) / (u * u), math.sqrt(square)
            row[:] = 0.0
            for r in range(grips.first[k], grips.last[k]):
                less = (part - 1.0) * y[r]
                y[r] += less
                wide[r] *= part
                for i in range(g.size):
                    g[i] += less * j[r, i]
                    row[i] += e[r] / length * j[r, i]
            share = 2.0 * weight * (1.0 - u) / (u * u)
            for i in range(g.size):
                a = share * row[i]
                for c in range(i + 1):
                    h[i, c] += a * row[c]


@kernel(inline=True, allocates=False)
def _stretch(grips: Grips, k: int, faint: float, w: Array, e: Array) -> tuple[float, float, float]:
    """Weight, squared error and u of a bounded task."""
    weight, square = 0.0, 0.0
    for r in range(grips.first[k], grips.last[k]):
        weight = max(weight, w[r])
        square += e[r] * e[r] * (w[r] > 0.0)
    return weight, square, weight * math.sqrt(square) / (faint * grips.most[k])
