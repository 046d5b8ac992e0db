"""All rows of a window in the order of their samples, each with the degrees of freedom that it feels.

The loss of a row is ½ W dist(e, [lower, upper])², but grows only in proportion beyond ``FAR``. What many rows
share (the point they measure, their weight) stands once, as a *detail*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.methods.adapt.problem.samples import Samples
from poise.methods.adapt.problem.unknowns import Space
from poise.methods.adapt.rows.kernels import Details, Entries
from poise.methods.adapt.rows.rows import LIMITS, Block

FAR, REST = 0.25, 0.01
"""Rows farther off than this [m] pull no harder: what is out of reach shall not tear the rest along.
The second is for displacements on top, which only finish."""
NEARLY, OUT = 0.02, 1.0
"""Instants that miss by less [m] can be met; rows that are farther off at the outset most likely cannot."""

BEYOND, TIGHTER = 5e-3, 10.0
"""Limits that are exceeded by more [rad] become so much dearer."""


class RowTable:
    """Rows lower ≤ e ≤ upper of blocks over samples."""

    def __init__(
        self, space: Space, blocks: Sequence[Block], samples: Samples, strength: float, *, far: float = FAR
    ) -> None:
        self.blocks, self.samples = [blocks[k] for k in samples.blocks], samples
        parts = [_rows(b, pick, at) for b, pick, at in zip(self.blocks, samples.chosen, samples.index)]
        sizes = [len(b.kind) * _repeats(b, pick) for b, pick in zip(self.blocks, samples.chosen)]
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        sample, detail = _joined([p[0] for p in parts]), _joined([p[1] + f for p, f in zip(parts, first)])
        order = np.argsort(sample, kind="stable")
        self.row_of: IntArray = np.empty(len(order), dtype=np.int64)
        """Where each row went that stood block by block."""
        self.row_of[order] = np.arange(len(order))
        row_start: IntArray = np.searchsorted(sample[order], np.arange(samples.count + 1))
        self.detail: IntArray = detail[order]
        self.target, self.lower, self.upper = (
            _joined([p[k] for p in parts], float)[order] for k in (2, 3, 4)
        )
        self.asked = self.lower.copy(), self.upper.copy()
        """The bounds that were asked for; ``lower`` and ``upper`` may be aimed past them."""
        shared = [_shared(b, pick) for b, pick in zip(self.blocks, samples.chosen)]
        self.details = Details(
            _joined([s[0] for s in shared]),
            _joined([s[1] for s in shared]).reshape(-1, 3),
            _joined([s[2] for s in shared], float).reshape(-1, 9),
        )
        weight, lever, tolerance = (_joined([s[k] for s in shared], float)[self.detail] for k in (3, 4, 5))
        self.limits = np.repeat([b.name == LIMITS for b in self.blocks], sizes).astype(bool)[self.detail]
        """Rows of joint limits (R,)."""
        self.held = np.repeat([b.held for b in self.blocks], sizes).astype(bool)[self.detail]
        """Rows that hold something in its place over an interval (R,)."""
        self.weight, self.lever, self.tolerance = strength * weight, lever, tolerance
        self.far = far / self.lever
        self.entries = self._entries(space, row_start)

    def _entries(self, space: Space, row_start: IntArray) -> Entries:
        """Degrees of freedom of every row, from the patterns that the tree gives them."""
        starts, dofs, ends = [0], [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        known: dict[tuple[int, ...], int] = {}
        patterns: list[IntArray] = []
        for block, pick in zip(self.blocks, self.samples.chosen):
            own = []
            for component in range(len(block.kind)):
                key, (dof, end) = space.felt(block, component)
                if key not in known:
                    known[key] = len(starts) - 1
                    dofs.append(dof)
                    ends.append(end)
                    starts.append(starts[-1] + len(dof))
                own.append(known[key])
            patterns.append(np.tile(np.array(own, dtype=np.int64), _repeats(block, pick)))
        pattern = _joined(patterns)[self.detail]
        counts = np.diff(starts)[pattern] if len(pattern) else np.zeros(0, dtype=np.int64)
        start: IntArray = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        place = np.arange(start[-1])
        place += np.repeat(np.array(starts)[pattern] - start[:-1], counts)
        return Entries(row_start, start, np.concatenate(dofs)[place], np.concatenate(ends)[place])

    @property
    def count(self) -> int:
        """R."""
        return len(self.detail)

    def rows_of(self, number: int) -> IntArray:
        """Rows (T, D) of one of the problem's blocks; (0, D) where none of its times is here."""
        first = 0
        for own, block, pick in zip(self.samples.blocks, self.blocks, self.samples.chosen):
            size = len(pick) * len(block.kind)
            if own == number:
                return self.row_of[first : first + size].reshape(len(pick), -1)
            first += size
        return np.zeros((0, 3), dtype=np.int64)

    def sample_of(self, rows: IntArray) -> IntArray:
        """The sample of each of some rows."""
        return np.searchsorted(self.entries.row_start, rows, side="right") - 1

    @property
    def aimed(self) -> NDArray[np.bool_]:
        """Rows whose bounds were moved past what was asked (R,)."""
        return (self.lower != self.asked[0]) | (self.upper != self.asked[1])

    def violation(self, error: Array) -> Array:
        """Signed distance of errors from their bounds, zero inside (R,)."""
        return np.maximum(error - self.upper, 0.0) + np.minimum(error - self.lower, 0.0)

    def loss(self, error: Array) -> float:
        """Of all rows."""
        return float(_loss(error, self.lower, self.upper, self.weight, self.far))

    def pull(self, error: Array, expected: Array | None = None) -> tuple[Array, Array]:
        """Curvature (of the touching parabola) and slope of the loss (R,), zero inside the bounds.

        ``expected`` errors, rather than these, say whether a row is outside and pulls towards its bound.
        """
        told = error if expected is None else expected
        above, below = told > self.upper, told < self.lower
        off = np.where(above, error - self.upper, np.where(below, error - self.lower, 0.0))
        size = np.abs(off)
        acting = np.where(above | below, self.weight, 0.0)
        acting *= np.where(size > self.far, self.far / np.maximum(size, 1e-300), 1.0)
        return acting, acting * off

    def unsettled(self, error: Array, acting: Array) -> float:
        """Loss of the rows that are outside and do not act, or act and are inside."""
        off = np.maximum(error - self.upper, self.lower - error)  # inside: how far, negative
        changed = (off > 0.0) != (acting > 0.0)
        return 0.5 * float(self.weight[changed] @ off[changed] ** 2)

    def aim_past(self, error: Array) -> float:
        """Move the bounds of instants by what they miss, so that elastic rows end where they were asked to.

        This is the method of multipliers, on the few rows where it is worth a step. The farthest miss of
        these in tolerances; 0 where all are met, or so far off that they cannot be.
        """
        lower, upper = self.asked
        miss = np.maximum(error - upper, 0.0) + np.minimum(error - lower, 0.0)
        size = np.abs(miss)
        rows = np.zeros(self.count, dtype=bool)
        for number, block in zip(self.samples.blocks, self.blocks):
            if block.tolerance > 0:
                own = self.rows_of(number)  # (T, D): met together or not at all
                near = (size[own] * self.lever[own] < NEARLY).all(axis=1, keepdims=True)
                rows[own] = near & (size[own] > 0.3 * block.tolerance)
        self.lower[rows] -= miss[rows]
        self.upper[rows] -= miss[rows]
        return float(np.max(size[rows] / self.tolerance[rows], initial=0.0))

    def brace(self, error: Array, *, finishing: bool) -> bool:
        """Prepare for what is out of reach; False where nothing is.

        Far targets wind joints up, so limits are dearer from the start. A displacement that only
        finishes leaves alone what those before it could not come near.
        """
        off = np.where(self.limits, 0.0, np.abs(self.violation(error) * self.lever))
        if finishing:
            self.weight[off > OUT] = 0.0
        if not (off > (FAR if finishing else OUT)).any():
            return False
        self.weight[self.limits] *= TIGHTER**2
        return True

    def far_off(self, error: Array) -> bool:
        """Whether something that pulls is still far from where it should be."""
        return bool((np.abs(self.violation(error) * self.lever)[self.weight > 0] > FAR).any())

    def tighten(self, error: Array) -> bool:
        """Make joint limits dearer where they are exceeded. False where they are not.

        Such prices from the start would only make the way there longer.
        """
        if not (np.abs(self.violation(error)[self.limits]) > BEYOND).any():
            return False
        self.weight[self.limits] *= TIGHTER
        return True


def _rows(block: Block, pick: IntArray, at: IntArray) -> tuple[Any, ...]:
    """Sample, detail, target, lower and upper of a block's rows, (T · D,) each."""
    shape = (len(pick), len(block.kind))
    detail = np.arange(_repeats(block, pick) * shape[1]).reshape(-1, shape[1])
    return (
        np.repeat(at, shape[1]),
        np.broadcast_to(detail, shape).ravel(),
        block.target[pick].ravel(),
        np.broadcast_to(_at(block.lower, pick), shape).ravel(),
        np.broadcast_to(_at(block.upper, pick), shape).ravel(),
    )


def _shared(block: Block, pick: IntArray) -> tuple[Any, ...]:
    """Kind, what, numbers, weight, lever and tolerance of a block's details."""
    times, width = _repeats(block, pick), len(block.kind)
    return (
        np.tile(block.kind, times),
        np.tile(block.what, (times, 1)).ravel(),
        _at(block.numbers, pick).ravel(),
        np.tile(block.weight, times),
        np.tile(block.lever, times),
        np.full(times * width, block.tolerance),
    )


def _repeats(block: Block, pick: IntArray) -> int:
    """How often a block's components stand among the details: once, or for each time."""
    return 1 if len(block.numbers) == 1 else len(pick)


def _at(values: Array, pick: IntArray) -> Array:
    return values if len(values) == 1 else values[pick]


def _joined(parts: Sequence[Any], kind: Any = np.int64) -> Any:
    return np.concatenate(parts).astype(kind, copy=False) if parts else np.zeros(0, dtype=kind)


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
