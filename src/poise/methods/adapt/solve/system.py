"""Rows over a stretch of a clip, evaluated and summed in the unknowns of one displacement."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.kinematics import Kinematics
from poise.kinematics.layout import layout
from poise.manifold import so3
from poise.methods.adapt.problem.unknowns import Keys, Space, Stencil
from poise.methods.adapt.rows.displaced_pose import Placed, place_samples
from poise.methods.adapt.rows.kernels import OTHER, Entries, Freedoms, evaluate_rows
from poise.methods.adapt.rows.rows import Block
from poise.methods.adapt.rows.table import RowTable
from poise.methods.adapt.rows.velocity import velocity_change
from poise.methods.adapt.solve.banded_matrix import Chunks, add_rows
from poise.workers import for_frames

GRAIN = 48
"""Samples worth waking a thread for."""


@dataclass(frozen=True, eq=False)
class Base:
    """What is displaced, at some samples."""

    q: Array
    """(S, nq)"""
    v: Array | None
    """(S, nv), where rows feel velocities."""
    above: Array
    """What those on top add (S, nv), or (0, nv) where there is none."""


class System:
    """Rows of blocks over samples, in the unknowns of a space (``slot`` says which are free here)."""

    def __init__(self, space: Space, table: RowTable, base: Base, slot: IntArray) -> None:
        self.space, self.table, self.base, self.slot = space, table, base, slot
        character, samples = space.clip.character, table.samples
        stencil = space.stencil.at(samples.frames)
        if len(samples.extra):
            stencil = stencil.followed_by(space.stencil_at(samples.extra))
        self.stencil = Stencil(np.ascontiguousarray(stencil.columns), np.ascontiguousarray(stencil.weights))
        self.keys = Keys(space.group, *self.stencil)
        self.chunks = Chunks(*space.reach(self.stencil, slot), space.bandwidth)
        self._freedoms = Freedoms(space.dofs, character.dof_body)
        count, bodies, nv = samples.count, len(character.bodies), character.nv
        self.displacement = np.empty((count, nv))
        self._placed = Placed(
            np.empty((count, character.nq)),
            np.empty((count, bodies, 3)),
            np.empty((count, bodies, 3, 3)),
            np.empty((count, nv, 3)),
        )
        self.value = np.zeros(len(table.entries.dof))
        """Jacobian entries of the rows, as last evaluated."""
        self.expected: Array | None = None
        """Errors where the last direction of a descent led (R,); None: there was none, or it led astray."""

    def within(self, slot: IntArray) -> System:
        """The same rows with other unknowns free; what was evaluated last is shared."""
        part = copy(self)
        part.slot = slot
        part.chunks = Chunks(*self.space.reach(self.stencil, slot), self.space.bandwidth)
        return part

    def evaluate(self, coefficients: Array, *, jacobian: bool = True) -> Array:
        """Errors (R,) at coefficients (K, m); with ``jacobian`` also the entries ``value``."""
        space, base, table = self.space, self.base, self.table
        character, count = space.clip.character, table.samples.count
        tree = layout(character)
        for_frames(
            place_samples, count, tree, base.q, base.above, space.dofs, self.keys, coefficients,
            self.displacement, self._placed, grain=GRAIN,
        )  # fmt: skip
        error = np.empty(table.count)
        for_frames(
            evaluate_rows, count, tree, table.entries, table.detail, table.details, table.target, jacobian,
            self._freedoms, self._placed, error, self.value, grain=GRAIN,
        )  # fmt: skip
        for number, block, pick, at in zip(
            table.samples.blocks, table.blocks, table.samples.chosen, table.samples.index
        ):
            if block.kind[0] == OTHER:
                rows = table.rows_of(number).ravel()
                self._ask(block, block.times[pick], at, rows, coefficients, jacobian, error)
        return error

    def along(self, change: Array) -> Array:
        """J · change (R,) for a change of coefficients (K, m)."""
        table = self.table
        out = np.empty(table.count)
        for_frames(
            _along, table.samples.count, table.entries, self.value, self.keys, change, out, grain=GRAIN,
        )  # fmt: skip
        return out

    def add_to(self, band: Array, gradient: Array, weight: Array, force: Array) -> None:
        """band += Jᵀ W J and gradient += Jᵀ force."""
        table = self.table
        self.chunks.run(
            add_rows, table.entries, self.value, weight, force, self.keys, self.slot, band, gradient,
        )  # fmt: skip

    def _ask(
        self, block: Block, times: Array, at: IntArray, rows: IntArray, c: Array, jacobian: bool, error: Array
    ) -> None:
        """Errors and Jacobians of a handle that speaks for itself."""
        constraint, space, base = block.constraint, self.space, self.base
        assert constraint is not None  # blocks of such rows are made from constraints
        character = space.clip.character
        moving = None
        if block.rates and base.v is not None:
            moving = velocity_change(space, self.stencil.at(at), c, base.v[at], jacobian)
        kin = Kinematics(character, self._placed.q[at], None if moving is None else moving.v)
        error[rows] = constraint.error(kin, times).ravel()
        if not jacobian:
            return
        slots = character.manifold.rotation_slots[1]
        change = np.array(constraint.jacobian(kin, times))  # (T, dim, nv)
        turn = so3.right_jacobian(self.displacement[at][:, slots])
        if len(base.above):
            turn = so3.to_matrix(so3.exp(-base.above[at][:, slots])) @ turn
        change[:, :, slots] = np.einsum("tdri,trij->tdrj", change[:, :, slots], turn)
        parts = [change]
        if moving is not None:
            felt = constraint.velocity_jacobian(kin, times)
            parts = [change + felt @ moving.by_displacement, felt @ moving.by_rate]
        entries = np.concatenate([p[:, :, space.dofs] for p in parts], axis=2)
        width = entries.shape[2]
        self.value[self.table.entries.start[rows][:, None] + np.arange(width)] = entries.reshape(-1, width)


@kernel()
def _along(
    first: int,
    last: int,
    entries: Entries,
    value: Array,
    keys: Keys,
    change: Array,
    out: Array,
) -> None:
    """J · change, row by row."""
    m = keys.group.size
    moved = np.empty(2 * m)
    for s in range(first, last):
        for i in range(m):
            g = keys.group[i]
            for order in range(2):
                total = 0.0
                for a in range(4):
                    total += keys.weights[order, g, s, a] * change[keys.columns[g, s, a], i]
                moved[order * m + i] = total
        for r in range(entries.row_start[s], entries.row_start[s + 1]):
            total = 0.0
            for e in range(entries.start[r], entries.start[r + 1]):
                total += value[e] * moved[entries.dof[e]]
            out[r] = total
