"""Dynamic time warping: the monotone path through two sequences along which they differ least.

    D(i, j) = min over steps (a, b) of  D(i − a, j − b) + Σ |x_k − y_l|² over the cells of the step,

with steps (1, 1), (1, b) and (a, 1) up to ``most``: neither sequence runs more than ``most`` times faster.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel


@kernel()
def cheapest_path(x: Array, y: Array, most: int) -> IntArray:
    """Pairs (i, j) (P, 2) from the first to the last of x (n, d), y (m, d); empty where there is no path."""
    n, m = x.shape[0], y.shape[0]
    apart = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            total = 0.0
            for k in range(x.shape[1]):
                total += (x[i, k] - y[j, k]) ** 2
            apart[i, j] = total
    cost = np.full((n, m), np.inf)
    step = np.zeros((n, m), np.int8)  # b for (1, b), −a for (a, 1)
    cost[0, 0] = apart[0, 0]
    for i in range(1, n):
        for j in range(1, m):
            best, chosen, along = np.inf, 0, 0.0
            for b in range(1, min(most, j) + 1):
                along += apart[i, j - b + 1]
                # A step covers as much time as both its sides: it counts for them.
                found = cost[i - 1, j - b] + along * (1 + b) / (2 * b)
                if found < best:
                    best, chosen = found, b
            along = apart[i, j]
            for a in range(2, min(most, i) + 1):
                along += apart[i - a + 1, j]
                found = cost[i - a, j - 1] + along * (1 + a) / (2 * a)
                if found < best:
                    best, chosen = found, -a
            cost[i, j], step[i, j] = best, chosen
    if not np.isfinite(cost[n - 1, m - 1]):
        return np.empty((0, 2), np.int64)
    way = np.empty((n + m, 2), np.int64)
    count, i, j = 0, n - 1, m - 1
    for _ in range(n + m):
        way[count, 0], way[count, 1] = i, j
        count += 1
        if i == 0 and j == 0:
            break
        chosen = step[i, j]
        if chosen > 0:
            i, j = i - 1, j - chosen
        else:
            i, j = i + chosen, j - 1
    return way[:count][::-1].copy()
