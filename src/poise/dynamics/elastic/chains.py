"""Windows as chains of steps, with what a linear model leaves out as a second, smaller motion beside it.

A row of a table (``stepping.transitions``) is x ← A x + b over a time h. The forces of the modes are
quadratic as well, f(q) = ½ Σ κᵢⱼ qᵢ qⱼ: a body that is pulled straight is stiffer, one that is bent further
softer. They act on a second state,

    z ← A z − (kicks by h/2 f(x) before and after),        the motion is x + z

which is the second order in the size of the motion, exactly; the steps are the same matrices, nothing can run
away, and what a window leaves out is known as exactly as for the first order.

Many windows run side by side, as lanes of vectors: at each row all that are on their way share its matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.compilation import kernel
from poise.dynamics.lanes import WIDTH, fused, load, spread, store


@kernel()
def settle(changes: Any, eigenvalues: Any, gains: Any, couplings: Any, pulls: Any, out: Any) -> None:
    """out (T, 2, m): x and z in balance with even accelerations (T, 3), by which the load is changed."""
    m, b = eigenvalues.shape[0], _pulled(pulls.shape[0])
    for t in range(changes.shape[0]):
        x, z = out[t, 0], out[t, 1]
        for i in range(m):
            s = 0.0
            for c in range(3):
                s -= changes[t, c] * gains[c, i]
            x[i] = s / eigenvalues[i]
        for i in range(m):
            s, pair = 0.0, 0
            for j in range(m):
                for c in range(3):
                    s -= changes[t, c] * couplings[c, i, j] * x[j]
            for j in range(b):
                for k in range(j + 1):
                    s -= pulls[pair, i] * x[j] * x[k]
                    pair += 1
            z[i] = s / eigenvalues[i]


@kernel(inline=True)
def _pulled(pairs: int) -> int:
    """How many modes have so many pairs."""
    b = 0
    while b * (b + 1) // 2 < pairs:
        b += 1
    return b


@kernel(inline=True)
def _pull(x: Any, around: Any, b: int, pulls: Any, out: Any) -> None:
    """out (m, 8): f(around) − f(around − x), which for ``around`` zero is −f(x)."""
    zero = spread(x, 0.0)
    for i in range(pulls.shape[1]):
        store(out, i, zero)
    pair = 0
    for j in range(b):
        for k in range(j + 1):
            xj, xk = load(x, j), load(x, k)
            p = around[j] * xk + (around[k] - xk) * xj
            for i in range(pulls.shape[1]):
                store(out, i, fused(pulls[pair, i], p, load(out, i)))
            pair += 1


@kernel(inline=True)
def _kick(z: Any, f: Any, time: float) -> None:
    """ż += time f."""
    m = f.shape[0]
    for i in range(m):
        store(z, m + i, fused(time, load(f, i), load(z, m + i)))


@kernel(inline=True)
def _follow(a: Any, driven: float, x: Any, z: Any, y: Any, w: Any) -> None:
    """y = A x + b (where ``driven`` is 1) and w = A z, two rows at a time."""
    size = a.shape[0]
    zero = spread(x, 0.0)
    for i in range(0, size, 2):
        upper, lower = zero + driven * a[i, size], zero + driven * a[i + 1, size]
        above, below = zero, zero
        for j in range(size):
            xj, zj = load(x, j), load(z, j)
            upper, lower = fused(a[i, j], xj, upper), fused(a[i + 1, j], xj, lower)
            above, below = fused(a[i, j], zj, above), fused(a[i + 1, j], zj, below)
        store(y, i, upper)
        store(y, i + 1, lower)
        store(w, i, above)
        store(w, i + 1, below)


@kernel()
def run_chains(
    first: int, last: int, table: Any, pulls: Any, h: float, start: Any, count: Any, begin: Any, out: Any
) -> None:
    """out (W, 2m): windows through a table, ``count`` rows from ``start`` on, begun at rest in (W, 2, m).

    Neighbours should start at about the same row. Each lane's arithmetic is its window's alone.
    """
    size = table.shape[1]
    m, b = size // 2, _pulled(pulls.shape[0])
    x, z = np.empty((size, WIDTH)), np.empty((size, WIDTH))
    y, w = np.empty((size, WIDTH)), np.empty((size, WIDTH))
    f, nothing = np.empty((m, WIDTH)), np.zeros(m)
    for block in range(first, last, WIDTH):
        used = min(WIDTH, last - block)
        low, high = start[block], start[block] + count[block]
        for lane in range(1, used):
            low, high = min(low, start[block + lane]), max(high, start[block + lane] + count[block + lane])
        x[:, :] = 0.0
        z[:, :] = 0.0
        for row in range(low, high + 1):
            for lane in range(used):
                if start[block + lane] == row:
                    x[:m, lane], x[m:, lane] = begin[block + lane, 0], 0.0
            _pull(x, nothing, b, pulls, f)
            _kick(z, f, 0.5 * h)
            for lane in range(used):
                if start[block + lane] + count[block + lane] == row:
                    for i in range(size):
                        out[block + lane, i] = x[i, lane] + z[i, lane]
                if start[block + lane] == row:
                    for i in range(m):
                        z[i, lane], z[m + i, lane] = begin[block + lane, 1, i], 0.0
            _kick(z, f, 0.5 * h)
            if row < high:
                _follow(table[row], 1.0, x, z, y, w)
                x, y = y, x
                z, w = w, z


@kernel()
def run_along(table: Any, pulls: Any, h: float, begin: Any, out: Any) -> None:
    """out (R + 1, 2, 2m): x and z at every row of the table, begun in out[0]."""
    size = table.shape[1]
    m, b = size // 2, _pulled(pulls.shape[0])
    f = np.zeros(m)
    for i in range(size):
        out[0, 0, i], out[0, 1, i] = begin[0, i], begin[1, i]
    for k in range(table.shape[0] + 1):
        x, z, pair = out[k, 0], out[k, 1], 0
        f[:] = 0.0
        for i in range(b):
            for j in range(i + 1):
                p = x[i] * x[j]
                for n in range(m):
                    f[n] += pulls[pair, n] * p
                pair += 1
        if k > 0:
            for n in range(m):
                z[m + n] -= 0.5 * h * f[n]
        if k == table.shape[0]:
            break
        for i in range(size):
            s, t = table[k, i, size], 0.0
            for j in range(size):
                pushed = z[j] - 0.5 * h * f[j - m] if j >= m else z[j]
                s += table[k, i, j] * x[j]
                t += table[k, i, j] * pushed
            out[k + 1, 0, i], out[k + 1, 1, i] = s, t


@kernel()
def forget(
    first: int,
    last: int,
    table: Any,
    pulls: Any,
    h: float,
    states: Any,
    off: Any,
    gram: Any,
    every: int,
    oldest: int,
    out: Any,
) -> None:
    """out (N + 1, oldest): error of the window of a + 1 frames that ends at frame k, root of qᵀ gram q.

    A frame has ``every`` rows. ``states`` (R + 1, 2m) are x of full dynamics, ``off`` (N + 1, 2, 2m) full
    dynamics less a window's start at each frame: x differs by x ← A x, z by what its forces differ as well.
    Starts ``first`` to ``last`` run side by side.
    """
    size, rows = table.shape[1], table.shape[0]
    m, b = size // 2, _pulled(pulls.shape[0])
    x, z = np.empty((size, WIDTH)), np.empty((size, WIDTH))
    y, w = np.empty((size, WIDTH)), np.empty((size, WIDTH))
    f, square = np.empty((m, WIDTH)), np.empty((1, WIDTH))
    for block in range(first, last, WIDTH):
        used = min(WIDTH, last - block)
        x[:, :] = 0.0
        z[:, :] = 0.0
        high = min(rows, (block + used - 1 + oldest) * every)
        for row in range(block * every, high + 1):
            frame = row // every
            here = row == frame * every
            fresh = frame - block if here and frame - block < used else -1
            if fresh >= 0:
                for i in range(size):
                    x[i, fresh] = off[frame, 0, i]
            _pull(x, states[row], b, pulls, f)
            _kick(z, f, -0.5 * h)
            if here:
                total = spread(x, 0.0)
                for i in range(m):
                    part = spread(x, 0.0)
                    for j in range(m):
                        part = fused(gram[i, j], load(x, j) + load(z, j), part)
                    total = fused(load(x, i) + load(z, i), part, total)
                store(square, 0, total)
                for lane in range(used):
                    age = frame - (block + lane)
                    if 1 <= age <= oldest:
                        out[frame, age - 1] = np.sqrt(max(square[0, lane], 0.0))
            if fresh >= 0:
                for i in range(size):
                    z[i, fresh] = off[frame, 1, i]
            _kick(z, f, -0.5 * h)
            if row < high:
                _follow(table[row], 0.0, x, z, y, w)
                x, y = y, x
                z, w = w, z
