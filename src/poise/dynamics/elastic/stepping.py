"""Steps of the small model as matrices, windows as chains of them, and vertices in their places.

One step of length h under a constant drive is split (Strang): half a kick by what couples modes, the exact
motion of the damped oscillators under their constant force, half a kick. Without a drive it is exact: free
vibration neither gains nor loses by the step. As everything is linear, the step is x ← A x + b with
x = (q, q̇). A step's bits depend on its own drive alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel
from poise.dynamics.elastic.inertia import Drive
from poise.dynamics.elastic.reduced import ReducedModel


def oscillators(eigenvalues: Array, drag: Array, h: float) -> Array:
    """e^{hA} of each mode's oscillator, A = [[0, 1], [−λ, −c]], (m, 2, 2)."""
    from scipy.linalg import expm

    out = [expm(h * np.array([[0.0, 1.0], [-k, -c]])) for k, c in zip(eigenvalues, drag)]
    return np.array(out)


@kernel(inline=True)
def _kick(x: Any, coupling: Any, turn: Any, half: float, turn_first: bool) -> None:
    """Columns of x (2m, k): q̇ −= h/2 P q, and q̇ ← e^{−h/2 W} q̇ (four terms)."""
    m, columns = coupling.shape[0], x.shape[1]
    for stage in range(2):
        if (stage == 0) == turn_first:
            term = x[m:].copy()
            for order in range(1, 5):
                after = np.zeros((m, columns))
                for i in range(m):
                    for j in range(m):
                        w = -half * turn[i, j] / order
                        for k in range(columns):
                            after[i, k] += w * term[j, k]
                for i in range(m):
                    for k in range(columns):
                        x[m + i, k] += after[i, k]
                        term[i, k] = after[i, k]
        else:
            for i in range(m):
                for j in range(m):
                    w = -half * coupling[i, j]
                    for k in range(columns):
                        x[m + i, k] += w * x[j, k]


@kernel()
def fill_transitions(
    first: int,
    last: int,
    exact: Any,
    eigenvalues: Any,
    gains: Any,
    couplings: Any,
    coriolis: Any,
    channels: Any,
    spins: Any,
    h: float,
    per_row: int,
    out: Any,
) -> None:
    """out (R, 2m, 2m + 1): A and b of ``per_row`` steps in a row each, by their drives."""
    m = eigenvalues.shape[0]
    coupling, turn, force = np.empty((m, m)), np.empty((m, m)), np.empty(m)
    x = np.empty((2 * m, 2 * m + 1))
    for row in range(first, last):
        x[:, :] = 0.0
        for i in range(2 * m):
            x[i, i] = 1.0
        for k in range(row * per_row, (row + 1) * per_row):
            for i in range(m):
                force[i] = 0.0
                for c in range(12):
                    force[i] -= channels[k, c] * gains[c, i]
                for j in range(m):
                    p = 0.0
                    for c in range(12):
                        p += channels[k, c] * couplings[c, i, j]
                    coupling[i, j] = p
                    turn[i, j] = (
                        spins[k, 0] * coriolis[0, i, j]
                        + spins[k, 1] * coriolis[1, i, j]
                        + spins[k, 2] * coriolis[2, i, j]
                    )
            _kick(x, coupling, turn, 0.5 * h, False)
            for i in range(m):
                lean = force[i] / eigenvalues[i]
                for c in range(2 * m + 1):
                    shift = lean if c == 2 * m else 0.0
                    q, v = x[i, c] - shift, x[m + i, c]
                    x[i, c] = exact[i, 0, 0] * q + exact[i, 0, 1] * v + shift
                    x[m + i, c] = exact[i, 1, 0] * q + exact[i, 1, 1] * v
            _kick(x, coupling, turn, 0.5 * h, True)
        out[row, :, :] = x


@kernel()
def run_chains(first: int, last: int, table: Any, start: Any, count: Any, begin: Any, out: Any) -> None:
    """out (W, 2m): windows through a table, ``count`` rows from ``start`` on, begun in begin (W, 2m)."""
    size = table.shape[1]
    x, y = np.empty(size), np.empty(size)
    for w in range(first, last):
        x[:] = begin[w]
        for k in range(start[w], start[w] + count[w]):
            a = table[k]
            for i in range(size):
                s = a[i, size]
                for j in range(size):
                    s += a[i, j] * x[j]
                y[i] = s
            x[:] = y
        out[w, :] = x


@kernel()
def run_along(table: Any, begin: Any, out: Any) -> None:
    """out (R + 1, 2m): every state along the table, from begin (2m,)."""
    size = table.shape[1]
    out[0] = begin
    for k in range(table.shape[0]):
        for i in range(size):
            s = table[k, i, size]
            for j in range(size):
                s += table[k, i, j] * out[k, j]
            out[k + 1, i] = s


@kernel()
def forget(table: Any, off: Any, gram: Any, oldest: int, out: Any) -> None:
    """out (R + 1, oldest): error of the window of a + 1 rows that ends at row k, root of qᵀ gram q.

    ``off`` (R + 1, 2m) is full dynamics less the window's start at each row: differences obey x ← A x.
    """
    size, rows = table.shape[1], table.shape[0]
    m = size // 2
    x, y = np.empty(size), np.empty(size)
    for begin in range(rows):
        x[:] = off[begin]
        for age in range(min(oldest, rows - begin)):
            a = table[begin + age]
            for i in range(size):
                s = 0.0
                for j in range(size):
                    s += a[i, j] * x[j]
                y[i] = s
            x[:] = y
            square = 0.0
            for i in range(m):
                for j in range(m):
                    square += x[i] * gram[i, j] * x[j]
            out[begin + age + 1, age] = np.sqrt(max(square, 0.0))


@kernel()
def place_points(
    first: int,
    last: int,
    q: Any,
    bending: Any,
    rest: Any,
    modes: Any,
    bends: Any,
    rotations: Any,
    positions: Any,
    out: Any,
) -> None:
    """out (F, P, 3): points in the world. q (F, m); rest (3, P), modes (m, 3, P), bends (r, 3, P)."""
    m, b, points = q.shape[1], bending.shape[1], rest.shape[1]
    local = np.empty((3, points))
    for f in range(first, last):
        local[:, :] = rest
        for k in range(m + bends.shape[0]):
            if k < m:
                share, field = q[f, k], modes[k]
            else:
                share, field = 0.0, bends[k - m]
                for i in range(b):
                    for j in range(b):
                        share += 0.5 * bending[k - m, i, j] * q[f, i] * q[f, j]
            for i in range(3):
                for p in range(points):
                    local[i, p] += share * field[i, p]
        R, at = rotations[f], positions[f]
        for p in range(points):
            x, y, z = local[0, p], local[1, p], local[2, p]
            for i in range(3):
                out[f, p, i] = at[i] + R[i, 0] * x + R[i, 1] * y + R[i, 2] * z


def transitions(model: ReducedModel, drive: Drive, h: float, per_row: int) -> Array:
    """A and b of rows of ``per_row`` steps of length h, (R, 2m, 2m + 1)."""
    from poise.workers import for_ranges

    m, rows = len(model), len(drive.spin) // per_row
    channels = drive.channels.copy()
    channels[:, :3] -= model.load
    out = np.empty((rows, 2 * m, 2 * m + 1))
    exact = oscillators(model.eigenvalues, model.drag, h)
    for_ranges(
        fill_transitions, rows, exact, model.eigenvalues, model.gains, model.couplings, model.coriolis,
        channels, drive.spin, h, per_row, out, grain=32,
    )  # fmt: skip
    return out
