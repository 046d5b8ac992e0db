"""Foot plants whose place the solver chooses: three more unknowns each, x, y and yaw.

    target of a point = (x, y, height) + R_z(yaw) mark,      price ½ w |place − estimate|²

They touch rows all over their interval, so they stand outside the band, as its border: with band A, border B
and corner D, the places follow from the small Schur complement D − Bᵀ A⁻¹ B.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.methods.adapt.solve.system import System
from poise.solvers.banded import solve

if TYPE_CHECKING:
    from poise.methods.adapt.problem.unknowns import Keys
    from poise.methods.adapt.rows.kernels import Entries

HOLD = 0.1
"""Price of moving a free plant by one metre: little, since moving the foot has its own."""
TURN = 0.15
"""Metres that a turn of a foot by one radian counts as."""


@dataclass(frozen=True, eq=False)
class FreeRows:
    """Rows of one block whose targets follow a place: two horizontal rows per time."""

    block: int
    plant: int
    mark: Array
    """Of the point in the footprint (2,) [m]."""


class FreePlaces:
    """The free plants of a problem."""

    def __init__(self, rows: Sequence[FreeRows] = (), estimate: Array | None = None) -> None:
        self.rows = tuple(rows)
        self.estimate = np.zeros((0, 3)) if estimate is None else np.asarray(estimate, dtype=np.float64)
        self.price = HOLD * np.array([1.0, 1.0, TURN**2])

    @property
    def count(self) -> int:
        """Plants."""
        return len(self.estimate)

    def cost(self, places: Array) -> float:
        """What it costs that plants are not where the clip has them."""
        return 0.5 * float(np.sum(self.price * (places - self.estimate) ** 2))

    def slope(self, places: Array, change: Array) -> float:
        """Its derivative along a change."""
        return float(np.sum(self.price * (places - self.estimate) * change))

    def curvature(self, change: Array) -> float:
        """Its second derivative along a change."""
        return float(np.sum(self.price * change**2))

    def set_targets(self, system: System, places: Array) -> None:
        """Move the targets of a system's rows to where the places are."""
        for row in self.rows:
            x, y, yaw = places[row.plant]
            a, b = row.mark
            c, s = np.cos(yaw), np.sin(yaw)
            at = system.table.rows_of(row.block)
            system.table.target[at[:, 0]], system.table.target[at[:, 1]] = (
                x + c * a - s * b,
                y + s * a + c * b,
            )

    def _touch(self, system: System, places: Array) -> tuple[IntArray, IntArray, Array]:
        """Rows that places move (R',), the plant of each, and ∂e/∂place (R', 3)."""
        found, owner, change = [], [], []
        for row in self.rows:
            at = system.table.rows_of(row.block)
            a, b = row.mark
            c, s = np.cos(places[row.plant, 2]), np.sin(places[row.plant, 2])
            moved = -np.array([[1.0, 0.0, -s * a - c * b], [0.0, 1.0, c * a - s * b]])
            found.append(at[:, :2].ravel())
            owner.append(np.full(2 * len(at), row.plant))
            change.append(np.tile(moved, (len(at), 1)))
        return np.concatenate(found), np.concatenate(owner), np.concatenate(change)

    def along(self, system: System, change: Array) -> Array | float:
        """∂e/∂place · change, (R,)."""
        if not self.count:
            return 0.0
        out = np.zeros(system.table.count)
        rows, owner, touch = self._linearised
        out[rows] = np.einsum("rk,rk->r", touch, change[owner])
        return out

    def step(
        self,
        system: System,
        factor: Array,
        gradient: Array,
        acting: Array,
        force: Array,
        places: Array,
        moved: Array,
    ) -> tuple[Array, Array]:
        """Newton's step of coefficients (n,) and places (P, 3)."""
        if not self.count:
            return -solve(factor, gradient), np.zeros((0, 3))
        self._linearised = rows, owner, touch = self._touch(system, places)
        size = 3 * self.count
        border = np.zeros((len(gradient), size), order="F")
        _add_border(
            rows, owner, touch * acting[rows][:, None], system.table.sample_of(rows), system.table.entries,
            system.value, system.keys, system.slot, border,
        )  # fmt: skip
        corner = np.diag(np.tile(self.price, self.count))
        pull = (self.price * (places + moved - self.estimate)).ravel()
        for r, p, t in zip(rows, owner, touch):
            if acting[r] > 0.0:
                span = slice(3 * p, 3 * p + 3)
                corner[span, span] += acting[r] * np.outer(t, t)
                pull[span] += force[r] * t
        inverse = solve(factor, np.column_stack([border, gradient]))
        schur = corner - border.T @ inverse[:, :-1]
        z = -np.linalg.solve(schur, pull - border.T @ inverse[:, -1])
        return -(inverse[:, -1] + inverse[:, :-1] @ z), np.asarray(z.reshape(-1, 3), dtype=np.float64)


@kernel()
def _add_border(
    rows: IntArray,
    owner: IntArray,
    touch: Array,
    sample: IntArray,
    entries: Entries,
    value: Array,
    keys: Keys,
    slot: IntArray,
    border: Array,
) -> None:
    """border += Σ (J_r in unknowns) (W ∂e_r/∂place)ᵀ."""
    for p in range(rows.size):
        r, s = rows[p], sample[p]
        for e in range(entries.start[r], entries.start[r + 1]):
            i = entries.dof[e]
            g = keys.group[i]
            for a in range(4):
                to = slot[i, keys.columns[g, s, a]]
                if to >= 0:
                    w = keys.weights[0, g, s, a] * value[e]
                    for k in range(3):
                        border[to, 3 * owner[p] + k] += w * touch[p, k]
