"""Steps of the small model as matrices.

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
def _turn(turn: Any, half: float, term: Any, after: Any, out: Any) -> None:
    """out (m, m): e^{−h/2 W}, four terms."""
    m = turn.shape[0]
    for i in range(m):
        for j in range(m):
            out[i, j] = term[i, j] = 1.0 if i == j else 0.0
    for order in range(1, 5):
        for i in range(m):
            for j in range(m):
                after[i, j] = 0.0
            for k in range(m):
                w = -half * turn[i, k] / order
                for j in range(m):
                    after[i, j] += w * term[k, j]
        for i in range(m):
            for j in range(m):
                term[i, j] = after[i, j]
                out[i, j] += after[i, j]


@kernel(inline=True)
def _kick(x: Any, coupling: Any, turned: Any, half: float, turn_first: bool, after: Any) -> None:
    """Columns of x (2m, k): q̇ −= h/2 P q, and q̇ ← e^{−h/2 W} q̇."""
    m, columns = coupling.shape[0], x.shape[1]
    for stage in range(2):
        if (stage == 0) == turn_first:
            for i in range(m):
                for k in range(columns):
                    after[i, k] = 0.0
                for j in range(m):
                    w = turned[i, j]
                    for k in range(columns):
                        after[i, k] += w * x[m + j, k]
            for i in range(m):
                for k in range(columns):
                    x[m + i, k] = after[i, k]
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
    turned, term, other = np.empty((m, m)), np.empty((m, m)), np.empty((m, m))
    x, after = np.empty((2 * m, 2 * m + 1)), np.empty((m, 2 * m + 1))
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
            _turn(turn, 0.5 * h, term, other, turned)
            _kick(x, coupling, turned, 0.5 * h, False, after)
            for i in range(m):
                lean = force[i] / eigenvalues[i]
                for c in range(2 * m + 1):
                    shift = lean if c == 2 * m else 0.0
                    q, v = x[i, c] - shift, x[m + i, c]
                    x[i, c] = exact[i, 0, 0] * q + exact[i, 0, 1] * v + shift
                    x[m + i, c] = exact[i, 1, 0] * q + exact[i, 1, 1] * v
            _kick(x, coupling, turned, 0.5 * h, True, after)
        out[row, :, :] = x


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
