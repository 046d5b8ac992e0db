"""The configuration manifold of a whole character: a product of lines and rotations.

A configuration ``q`` (nq numbers) is a row of blocks, each either k plain coordinates or one unit
quaternion; a tangent vector ``v`` (nv numbers) has the same blocks with 3 numbers per rotation.

    q ⊕ v   coordinates add, rotations R ↦ R exp(v)         ``plus``
    b ⊖ a   the tangent vector with a ⊕ (b ⊖ a) = b          ``minus``

Everything is vectorised over leading axes (frames first).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.errors import InputError
from poise.manifold import so3

ROTATION = 0
"""The block that is one rotation; any positive number k is a block of k plain coordinates."""


class ProductManifold:
    """R^k and SO(3) blocks side by side; ``blocks`` holds k or ``ROTATION`` in order.

    Args:
        blocks: How many plain coordinates, or ``ROTATION``, in order.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> space = walk.character.manifold
        >>> change = space.minus(walk.q[1], walk.q[0])
        >>> again = space.plus(walk.q[0], change)
    """

    def __init__(self, blocks: Sequence[int]) -> None:
        self.blocks = tuple(int(b) for b in blocks)
        nq = nv = 0
        lines_q: list[int] = []
        lines_v: list[int] = []
        rotations_q: list[int] = []
        rotations_v: list[int] = []
        for size in self.blocks:
            if size == ROTATION:
                rotations_q.append(nq)
                rotations_v.append(nv)
                nq, nv = nq + 4, nv + 3
            else:
                lines_q += range(nq, nq + size)
                lines_v += range(nv, nv + size)
                nq, nv = nq + size, nv + size
        self.nq, self.nv = nq, nv
        self._lines_q: IntArray = frozen(lines_q, dtype=np.int64)
        self._lines_v: IntArray = frozen(lines_v, dtype=np.int64)
        start_q = np.array(rotations_q, dtype=np.int64).reshape(-1, 1)
        start_v = np.array(rotations_v, dtype=np.int64).reshape(-1, 1)
        self._rotations_q: IntArray = frozen(start_q + np.arange(4), dtype=np.int64)  # (r, 4)
        self._rotations_v: IntArray = frozen(start_v + np.arange(3), dtype=np.int64)  # (r, 3)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProductManifold) and self.blocks == other.blocks

    def __hash__(self) -> int:
        return hash(self.blocks)

    def __repr__(self) -> str:
        return f"ProductManifold(nq={self.nq}, nv={self.nv})"

    @property
    def rotation_slots(self) -> tuple[IntArray, IntArray]:
        """Where rotations lie: indices into q (r, 4) and into v (r, 3)."""
        return self._rotations_q, self._rotations_v

    @property
    def line_slots(self) -> tuple[IntArray, IntArray]:
        """Where plain coordinates lie: indices into q and into v, each (k,)."""
        return self._lines_q, self._lines_v

    def neutral(self) -> Array:
        """Zero coordinates and identity rotations, (nq,)."""
        q = np.zeros(self.nq)
        q[self._rotations_q[:, 0]] = 1.0
        return q

    def normalise(self, q: ArrayLike) -> Array:
        """The same configurations with unit quaternions, (…, nq); a zero quaternion is an error."""
        q = np.array(q, dtype=np.float64)
        if self._rotations_q.size:
            turns = q[..., self._rotations_q]
            length = np.linalg.norm(turns, axis=-1, keepdims=True)
            if not np.all(length > 1e-8):
                where = np.argwhere(~(length[..., 0] > 1e-8))[0]
                raise InputError(
                    f"rotation {int(where[-1])} is a zero quaternion at index {tuple(where[:-1])}"
                )
            q[..., self._rotations_q] = turns / length
        return q

    def plus(self, q: ArrayLike, v: ArrayLike) -> Array:
        """``q ⊕ v``, (…, nq); leading axes broadcast."""
        q, v = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
        lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
        out = np.array(np.broadcast_to(q, (*lead, self.nq)), order="C")
        out[..., self._lines_q] += v[..., self._lines_v]
        if self._rotations_q.size:
            turned = so3.multiply(out[..., self._rotations_q], so3.exp(v[..., self._rotations_v]))
            out[..., self._rotations_q] = so3.normalise(turned)
        return out

    def minus(self, b: ArrayLike, a: ArrayLike) -> Array:
        """``b ⊖ a``, (…, nv): the tangent vector at a that leads to b the shorter way."""
        b, a = np.asarray(b, dtype=np.float64), np.asarray(a, dtype=np.float64)
        lead = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
        out = np.empty((*lead, self.nv))
        out[..., self._lines_v] = b[..., self._lines_q] - a[..., self._lines_q]
        if self._rotations_q.size:
            out[..., self._rotations_v] = so3.difference(b[..., self._rotations_q], a[..., self._rotations_q])
        return out

    def interpolate(self, a: ArrayLike, b: ArrayLike, s: ArrayLike) -> Array:
        """The configuration a fraction ``s`` of the geodesic from a to b, (…, nq)."""
        return self.plus(a, np.asarray(s, dtype=np.float64)[..., None] * self.minus(b, a))

    def velocity(self, q: ArrayLike, dt: float, *, loop: bool = False) -> Array:
        """Velocities (F, nv) of sampled motion (F, nq) by central differences, second order.

        Angular velocities are in the body frame at each sample. Ends use one-sided differences of
        the same order, or wrap round for a loop whose last frame precedes its first.
        """
        q = checked(q, "q", (None, self.nq))
        frames = len(q)
        if frames < 2:
            return np.zeros((frames, self.nv))
        steps = self.minus(q[1:], q[:-1]) / dt  # velocity at midpoints, (F−1, nv)
        v = np.empty((frames, self.nv))
        v[1:-1] = 0.5 * (steps[1:] + steps[:-1])
        if loop:
            seam = self.minus(q[:1], q[-1:])[0] / dt
            v[0], v[-1] = 0.5 * (seam + steps[0]), 0.5 * (steps[-1] + seam)
        elif frames == 2:
            v[:] = steps[0]
        else:
            v[0] = 1.5 * steps[0] - 0.5 * steps[1]
            v[-1] = 1.5 * steps[-1] - 0.5 * steps[-2]
        return v

    def random(self, rng: np.random.Generator, count: int | None = None, *, spread: float = 1.0) -> Array:
        """Random configurations: normal coordinates and rotation vectors of the given spread."""
        shape = (self.nv,) if count is None else (count, self.nv)
        return self.plus(self.neutral(), spread * rng.normal(size=shape))
