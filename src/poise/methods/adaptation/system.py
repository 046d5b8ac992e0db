"""All rows over a stretch of a clip, ready to be evaluated and summed: one layer, one window.

Samples are the frames that some row looks at, then times between frames. Rows stand sample by sample, and
each keeps the degrees of freedom that it feels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.kinematics import Kinematics
from poise.kinematics.layout import layout
from poise.manifold import so3
from poise.methods.adaptation.band import Chunks, add_rows
from poise.methods.adaptation.displaced import place_samples
from poise.methods.adaptation.moving import velocity_change
from poise.methods.adaptation.row_kernels import OTHER, evaluate_rows
from poise.methods.adaptation.rows import Block
from poise.methods.adaptation.space import Space, Stencil
from poise.workers import for_frames

NEARLY = 0.02
"""Instants that miss by less [m] can be met."""
FAR = 0.25
"""Rows farther off than this [m] pull no harder: what is out of reach shall not tear the rest along."""
GRAIN = 48
"""Samples worth waking a thread for."""


@dataclass(frozen=True, eq=False)
class Base:
    """What a layer displaces, at some samples."""

    q: Array
    """(S, nq)"""
    v: Array | None
    """(S, nv), where rows feel velocities."""
    above: Array
    """Displacement of the layers on top (S, nv), or (0, nv) where there is none."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Which times some blocks look at within a window."""

    frames: IntArray
    """Frames (S1,), increasing."""
    extra: Array
    """Times between frames [s] (S2,)."""
    blocks: tuple[int, ...]
    """Blocks that have times in the window."""
    chosen: tuple[IntArray, ...]
    """Of each of them, which of its times these are."""
    index: tuple[IntArray, ...]
    """… and which samples."""

    @property
    def count(self) -> int:
        """S = S1 + S2."""
        return len(self.frames) + len(self.extra)


def samples_of(blocks: Sequence[Block], window: tuple[float, float] | None) -> Samples:
    """The samples of blocks whose times lie in the window [s]."""
    low, high = (-np.inf, np.inf) if window is None else (window[0] - 1e-9, window[1] + 1e-9)
    numbers, chosen, own = [], [], []
    for number, block in enumerate(blocks):
        if block.times[0] <= high and block.times[-1] >= low:
            first, last = np.searchsorted(block.times, [low, high])
            if last > first:
                numbers.append(number)
                chosen.append(np.arange(first, last))
                own.append(block.frames[first:last])
    every = np.concatenate(own) if own else np.zeros(0, dtype=np.int64)
    frames = np.unique(every[every >= 0])
    extras: list[Array] = []
    index, count = [], len(frames)
    for number, pick, of in zip(numbers, chosen, own):
        place = np.searchsorted(frames, of)
        off = np.flatnonzero(of < 0)
        if len(off):
            place[off] = count + np.arange(len(off))
            count += len(off)
            extras.append(blocks[number].times[pick[off]])
        index.append(place)
    extra = np.concatenate(extras) if extras else np.zeros(0)
    return Samples(frames, extra, tuple(numbers), tuple(chosen), tuple(index))


class System:
    """Rows of blocks over samples, in the unknowns of a space (``slot`` says which are free here)."""

    def __init__(
        self,
        space: Space,
        blocks: Sequence[Block],
        samples: Samples,
        base: Base,
        slot: IntArray,
        bandwidth: int,
        strength: float,
    ) -> None:
        self.space, self.samples, self.base, self.slot = space, samples, base, slot
        self.blocks = [blocks[k] for k in samples.blocks]
        character = space.clip.character
        self.stencil = space.stencil.at(samples.frames)
        if len(samples.extra):
            self.stencil = self.stencil.followed_by(space.stencil_at(samples.extra))
        self.stencil = Stencil(*(np.ascontiguousarray(a) for a in self.stencil))
        self._collect(strength)
        count, bodies, nv = samples.count, len(character.bodies), character.nv
        self.chunks = Chunks(*space.reach(self.stencil, slot), bandwidth)
        self.displacement = np.empty((count, nv))
        self.q = np.empty((count, character.nq))
        self._placement = (
            np.empty((count, bodies, 3)),
            np.empty((count, bodies, 3, 3)),
            np.empty((count, nv, 3)),
        )
        self.error = np.zeros(self.count)
        self.value = np.zeros(len(self.entry_dof))

    def _collect(self, strength: float) -> None:
        """All rows in the order of their samples; what rows share stands once, as a *detail*."""
        details: list[tuple[Array, ...]] = []
        rows: list[tuple[Array, ...]] = []
        starts, dofs, ends = [0], [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        known: dict[tuple[int, ...], int] = {}
        count = 0
        for block, pick, at in zip(self.blocks, self.samples.chosen, self.samples.index):
            width = len(block.kind)
            shape = (len(pick), width)
            repeat = 1 if len(block.numbers) == 1 else len(pick)
            patterns = []
            for d in range(width):
                key, entry = self.space.felt(block, d)
                if key not in known:
                    known[key] = len(starts) - 1
                    dofs.append(entry[0])
                    ends.append(entry[1])
                    starts.append(starts[-1] + len(entry[0]))
                patterns.append(known[key])
            shared = (block.kind, block.what, patterns, strength * block.weight, block.lever)
            details.append(
                (
                    *(np.tile(x, (repeat, 1) if np.ndim(x) == 2 else repeat) for x in shared),
                    _at(block.numbers, pick).reshape(-1, 9),
                    np.full(repeat * width, block.tolerance),
                )
            )
            own = count + (np.arange(width) if repeat == 1 else np.arange(repeat * width).reshape(shape))
            count += repeat * width
            rows.append(
                (
                    np.repeat(at, width),
                    np.broadcast_to(own, shape).ravel(),
                    block.target[pick].ravel(),
                    np.broadcast_to(_at(block.lower, pick), shape).ravel(),
                    np.broadcast_to(_at(block.upper, pick), shape).ravel(),
                )
            )
        if not rows:
            rows, details = [(np.zeros(0),) * 5], [(*[np.zeros(0)] * 5, np.zeros((0, 9)), np.zeros(0))]
        sample, detail, target, lower, upper = (np.concatenate(p) for p in zip(*rows))
        kind, what, pattern, weight, lever, self.numbers, tolerance = (np.concatenate(p) for p in zip(*details))
        order = np.argsort(sample, kind="stable")
        self.row_of = np.empty(len(order), dtype=np.int64)
        """Where each row went that stood block by block."""
        self.row_of[order] = np.arange(len(order))
        self.row_start: IntArray = np.searchsorted(sample[order], np.arange(self.samples.count + 1))
        self.detail: IntArray = detail[order].astype(np.int64)
        self.kind, self.what = kind.astype(np.int64), what.astype(np.int64).reshape(-1, 3)
        self.target, self.lower, self.upper = target[order], lower[order], upper[order]
        self.weight, self.lever, self.tolerance = (x[self.detail] for x in (weight, lever, tolerance))
        self.far = FAR / self.lever
        self.asked = self.lower.copy(), self.upper.copy()
        """The bounds that were asked for; ``lower`` and ``upper`` may be aimed past them."""
        own_pattern = pattern.astype(np.int64)[self.detail]
        counts = np.diff(starts)[own_pattern]
        self.entry_start: IntArray = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        place = np.arange(self.entry_start[-1])
        place += np.repeat(np.array(starts)[own_pattern] - self.entry_start[:-1], counts)
        self.entry_dof: IntArray = np.concatenate(dofs)[place]
        self.entry_end: IntArray = np.concatenate(ends)[place]

    @property
    def count(self) -> int:
        """Rows."""
        return len(self.detail)

    def rows_of(self, number: int) -> IntArray:
        """Rows (T, D) of one of the problem's blocks; (0, D) where none lies in the window."""
        first = 0
        for own, block, pick in zip(self.samples.blocks, self.blocks, self.samples.chosen):
            size = len(pick) * len(block.kind)
            if own == number:
                return self.row_of[first : first + size].reshape(len(pick), -1)
            first += size
        return np.zeros((0, 3), dtype=np.int64)

    def evaluate(self, coefficients: Array, *, jacobian: bool = True) -> Array:
        """Errors (R,) at coefficients (K, m); with ``jacobian`` also the entries ``value``."""
        space, base = self.space, self.base
        tree = layout(space.clip.character)
        for_frames(
            place_samples, self.samples.count, tree, base.q, base.above, space.dofs, space.group,
            *self.stencil[:1], self.stencil.weights[0], coefficients, self.displacement, self.q,
            *self._placement, grain=GRAIN,
        )  # fmt: skip
        error = np.empty(self.count)
        for_frames(
            evaluate_rows, self.samples.count, tree, self.row_start, self.detail, self.kind, self.what,
            self.numbers, self.target, self.entry_start, self.entry_dof, self.entry_end, jacobian, space.dofs,
            space.clip.character.dof_body, self.q, *self._placement, error, self.value, grain=GRAIN,
        )  # fmt: skip
        first = 0
        for block, pick, at in zip(self.blocks, self.samples.chosen, self.samples.index):
            size = len(pick) * len(block.kind)
            if len(pick) and block.kind[0] == OTHER:
                self._ask(block, pick, at, self.row_of[first : first + size], coefficients, jacobian, error)
            first += size
        self.error = error
        return error

    def violation(self, error: Array) -> Array:
        """Signed distance of errors from their bounds, zero inside (R,)."""
        return np.maximum(error - self.upper, 0.0) + np.minimum(error - self.lower, 0.0)

    def loss(self, error: Array) -> float:
        """½ Σ W dist², beyond ``far`` growing only in proportion to the distance."""
        return float(_loss(error, self.lower, self.upper, self.weight, self.far))

    def pull(self, error: Array) -> tuple[Array, Array]:
        """Curvature and slope of the loss, row by row (R,); both zero inside the bounds."""
        off = self.violation(error)
        size = np.abs(off)
        acting = np.where(off != 0.0, self.weight, 0.0)
        acting *= np.where(size > self.far, self.far / np.maximum(size, 1e-300), 1.0)
        return acting, acting * off

    def along(self, change: Array) -> Array:
        """J · change (R,) for a change of coefficients (K, m)."""
        out = np.empty(self.count)
        for_frames(
            _along, self.samples.count, self.row_start, self.entry_start, self.entry_dof, self.value,
            self.space.group, *self.stencil, change, out, grain=GRAIN,
        )  # fmt: skip
        return out

    def add_to(self, band: Array, gradient: Array, weight: Array, force: Array) -> None:
        """band += Jᵀ W J and gradient += Jᵀ force."""
        self.chunks.run(
            add_rows, self.row_start, self.entry_start, self.entry_dof, self.value, weight, force,
            self.space.group, *self.stencil, self.slot, band, gradient,
        )  # fmt: skip

    def _ask(
        self, block: Block, pick: IntArray, at: IntArray, rows: IntArray, c: Array, jacobian: bool, error: Array
    ) -> None:
        """Errors and Jacobians of a handle that speaks for itself."""
        constraint, space = block.constraint, self.space
        assert constraint is not None  # blocks of OTHER rows are made from constraints
        character, times = space.clip.character, block.times[pick]
        v, to_v, to_rate = None, None, None
        if block.rates:
            assert self.base.v is not None
            v, to_v, to_rate = velocity_change(character, space, self.stencil.at(at), c, self.base, at, jacobian)
        kin = Kinematics(character, self.q[at], v)
        error[rows] = constraint.error(kin, times).ravel()
        if not jacobian:
            return
        slots = character.manifold.rotation_slots[1]
        change = np.array(constraint.jacobian(kin, times))  # (T, dim, nv)
        d = self.displacement[at][:, slots]
        turn = so3.right_jacobian(d)
        if len(self.base.above):
            turn = so3.to_matrix(so3.exp(-self.base.above[at][:, slots])) @ turn
        change[:, :, slots] = np.einsum("tdri,trij->tdrj", change[:, :, slots], turn)
        parts = [change]
        if to_v is not None and to_rate is not None:
            felt_v = constraint.velocity_jacobian(kin, times)
            parts = [change + felt_v @ to_v, felt_v @ to_rate]
        entries = np.concatenate([p[:, :, space.dofs] for p in parts], axis=2)
        width = entries.shape[2]
        self.value[self.entry_start[rows][:, None] + np.arange(width)] = entries.reshape(-1, width)


@kernel()
def _loss(error: Array, lower: Array, upper: Array, weight: Array, far: Array) -> float:
    total = 0.0
    for r in range(error.size):
        off = max(error[r] - upper[r], lower[r] - error[r])
        if off > far[r]:
            total += weight[r] * far[r] * (off - 0.5 * far[r])
        elif off > 0.0:
            total += 0.5 * weight[r] * off * off
    return total


@kernel()
def _along(
    first: int,
    last: int,
    row_start: IntArray,
    entry_start: IntArray,
    entry_dof: IntArray,
    value: Array,
    group: IntArray,
    columns: IntArray,
    weights: Array,
    change: Array,
    out: Array,
) -> None:
    """J · change, row by row."""
    m = group.size
    moved = np.empty(2 * m)
    for s in range(first, last):
        for i in range(m):
            g = group[i]
            for order in range(2):
                total = 0.0
                for a in range(4):
                    total += weights[order, g, s, a] * change[columns[g, s, a], i]
                moved[order * m + i] = total
        for r in range(row_start[s], row_start[s + 1]):
            total = 0.0
            for e in range(entry_start[r], entry_start[r + 1]):
                total += value[e] * moved[entry_dof[e]]
            out[r] = total


def aim_past(system: System) -> bool:
    """Move the bounds of instants by what they miss, so that elastic rows end where they were asked to.

    (The method of multipliers, on the few rows where it is worth a step.) False where all are met, or so far
    off that they cannot be.
    """
    lower, upper = system.asked
    miss = np.maximum(system.error - upper, 0.0) + np.minimum(system.error - lower, 0.0)
    rows = (np.abs(miss) > 0.3 * system.tolerance) & (system.tolerance > 0) & (np.abs(miss) * system.lever < NEARLY)
    system.lower[rows] -= miss[rows]
    system.upper[rows] -= miss[rows]
    return bool(rows.any())


def _at(values: Array, pick: IntArray) -> Array:
    return values if len(values) == 1 else values[pick]
