"""The wrench that a motion needs of its surroundings, from momentum between frames, with exact derivatives.

Between neighbouring frames f and f + 1, with s = q_{f+1} ⊖ q_f, a motion has the momentum (p, k) of the pose
q_f ⊕ ½s at the velocity s/dt, with the centre of mass c. About a fixed point o,

    w_f = (L_{f+½} − L_{f−½}) / dt + (m g ẑ, (c_f − o) × m g ẑ),      L = (p, k + (c − o) × p),

in weights m g, and moments over ``arm``. It is of second order, exact for parabolas, and a motion that keeps
it at zero keeps its discrete momentum to rounding.

The derivative is exact, not that of the limit dt → 0: for a ball joint with s = log(R_fᵀ R_{f+1}),

    δs = J_r⁻¹(s) δ_{f+1} − J_r⁻¹(−s) δ_f,       δ(q_f ⊕ ½s) = exp(−½s) δ_f + ½ J_r(½s) δs,

and δ_f = J_r(d_f) δd_f for a displacement d_f.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.compilation import kernel
from poise.gravity import EARTH
from poise.kinematics import Kinematics
from poise.manifold import so3


class Halves(NamedTuple):
    """Momentum between frames, and its derivatives in the displacements of the frame before and after."""

    momentum: Array
    """(p, k) (H, 6)."""
    com: Array
    """c (H, 3)."""
    slope: Array
    """∂(p, k, c)/∂(d_f, d_{f+1}) (H, 2, 9, m)."""


@dataclass(frozen=True, eq=False)
class Wrenches:
    """Wrenches in S samples, and their derivatives in the displacements of three frames."""

    need: Array
    """[weights, weights · arm] (S, 6)."""
    slope: Array | None
    """(S, 3, 6, m)"""


@dataclass(frozen=True, eq=False)
class Stride:
    """How frames of a grid follow each other: G frames, ``dt`` apart."""

    character: Character
    dt: float
    loop: bool
    travel: Array
    """How far a loop goes in a cycle [m] (3,)."""
    dofs: IntArray
    """Degrees of freedom that are solved for (m,)."""
    arm: float

    @property
    def weight(self) -> float:
        """m g [N]."""
        return float(self.character.total_mass * EARTH)

    def samples(self, grid: int) -> IntArray:
        """Frames of the grid at which wrenches are known: all of a loop, else all but the first and last."""
        return np.arange(grid) if self.loop else np.arange(1, grid - 1)

    def followed(self, q: Array) -> Array:
        """Frames with the one after the last, which a loop has (G + 1, nq)."""
        if not self.loop:
            return q
        after = q[:1].copy()
        after[:, :3] += self.travel
        return np.concatenate([q, after])

    def turned(self, jacobian: Array, turn: Array) -> Array:
        """Columns (…, nv) in tangent vectors → in displacements of those solved for (…, m)."""
        slots = self.character.manifold.rotation_slots[1]
        place = np.full(self.character.nv, -1)
        place[self.dofs] = np.arange(len(self.dofs))
        rows = np.ascontiguousarray(jacobian).reshape(len(jacobian), -1, self.character.nv)
        out = np.empty((*rows.shape[:2], len(self.dofs)))
        _turned(rows, np.ascontiguousarray(slots).reshape(-1, 3), turn, place, self.dofs, out)
        return out.reshape(*jacobian.shape[:-1], len(self.dofs))


def wrenches(
    stride: Stride, q: Array, d: Array, about: Array, kin: Kinematics, *, slope: bool = True
) -> Wrenches:
    """Wrenches of frames q = base ⊕ d (G, nq) about points (S, 3); ``kin`` of these frames."""
    rows = stride.samples(len(q))
    halves = _halves(stride, q, d, slope)
    weight, arm = stride.weight, stride.arm
    before, after = (rows - 1) % len(halves.com), rows
    back = np.where((rows == 0)[:, None], -stride.travel, 0.0) if stride.loop else np.zeros((len(rows), 3))
    p1, p0 = halves.momentum[after, :3], halves.momentum[before, :3]
    arm1, arm0 = halves.com[after] - about, halves.com[before] + back - about
    moment = halves.momentum[after, 3:] - halves.momentum[before, 3:]
    moment = moment + np.cross(arm1, p1) - np.cross(arm0, p0)
    up = np.array([0.0, 0.0, weight])
    need = np.concatenate(
        [(p1 - p0) / stride.dt + up, moment / stride.dt + np.cross(kin.com[rows] - about, up)], 1
    )
    need /= weight
    need[:, 3:] /= arm
    if not slope:
        return Wrenches(need, None)
    turn = so3.right_jacobian(d[:, stride.character.manifold.rotation_slots[1]])
    here = stride.turned(np.asarray(kin.com_jacobian), turn)[rows]
    out = np.empty((len(rows), 3, 6, len(stride.dofs)))
    _slopes(halves.slope, before, after, arm0, arm1, p0, p1, here, np.array([stride.dt, weight, arm]), out)
    return Wrenches(need, out)


def _halves(stride: Stride, q: Array, d: Array, slope: bool) -> Halves:
    character = stride.character
    manifold = character.manifold
    q, d = stride.followed(q), (np.concatenate([d, d[:1]]) if stride.loop else d)
    s = manifold.minus(q[1:], q[:-1])
    v = s / stride.dt
    kin = Kinematics(character, manifold.plus(q[:-1], 0.5 * s), v)
    if not slope:
        return Halves(kin.momentum, kin.com, np.empty((0, 2, 9, 0)))
    by_pose = np.concatenate([kin.momentum_jacobian, kin.com_jacobian], axis=1)  # (H, 9, nv)
    by_rate = np.zeros_like(by_pose)
    by_rate[:, :6] = kin.momentum_matrix / stride.dt
    out = np.stack([0.5 * by_pose - by_rate, 0.5 * by_pose + by_rate], axis=1)  # of lines, all but balls
    slots = manifold.rotation_slots[1]
    if len(slots):
        turns = s[:, slots]
        after, before = so3.right_jacobian_inverse(turns), so3.right_jacobian_inverse(-turns)
        half = 0.5 * so3.right_jacobian(0.5 * turns)
        back = so3.to_matrix(so3.exp(-0.5 * turns))
        own = so3.right_jacobian(d[:, slots])
        maps = np.stack(
            [
                np.stack([(back - half @ before) @ own[:-1], -before @ own[:-1]]),
                np.stack([half @ after @ own[1:], after @ own[1:]]),
            ]
        )  # (which frame, pose or rate, H, balls, 3, 3)
        _balls(by_pose, by_rate, np.ascontiguousarray(slots), maps, out)
    return Halves(kin.momentum, kin.com, np.ascontiguousarray(out[..., stride.dofs]))


@kernel()
def _turned(rows: Array, slots: IntArray, turn: Array, place: IntArray, dofs: IntArray, out: Array) -> None:
    for f in range(rows.shape[0]):
        for r in range(rows.shape[1]):
            for i in range(dofs.size):
                out[f, r, i] = rows[f, r, dofs[i]]
            for b in range(slots.shape[0]):
                x, y, z = rows[f, r, slots[b, 0]], rows[f, r, slots[b, 1]], rows[f, r, slots[b, 2]]
                for j in range(3):
                    to = place[slots[b, j]]
                    if to >= 0:
                        out[f, r, to] = x * turn[f, b, 0, j] + y * turn[f, b, 1, j] + z * turn[f, b, 2, j]


@kernel()
def _balls(by_pose: Array, by_rate: Array, slots: IntArray, maps: Array, out: Array) -> None:
    """Columns of ball joints: by pose and by rate, each through its own map."""
    for h in range(by_pose.shape[0]):
        for b in range(slots.shape[0]):
            for e in range(2):
                pose, rate = maps[e, 0, h, b], maps[e, 1, h, b]
                for r in range(9):
                    for j in range(3):
                        total = 0.0
                        for i in range(3):
                            total += by_pose[h, r, slots[b, i]] * pose[i, j]
                            total += by_rate[h, r, slots[b, i]] * rate[i, j]
                        out[h, e, r, slots[b, j]] = total


@kernel()
def _slopes(
    slope: Array,
    before: IntArray,
    after: IntArray,
    arm0: Array,
    arm1: Array,
    p0: Array,
    p1: Array,
    com: Array,
    units: Array,
    out: Array,
) -> None:
    """∂w/∂(d_{f−1}, d_f, d_{f+1}) from those of the halves; units: dt, weight, arm."""
    dt, weight, arm = units[0], units[1], units[2]
    m = slope.shape[3]
    column = np.empty(6)
    for s in range(before.size):
        for j in range(m):
            for e in range(3):
                for r in range(6):
                    out[s, e, r, j] = 0.0
        for side in range(2):
            h = before[s] if side == 0 else after[s]
            sign = -1.0 if side == 0 else 1.0
            a, p = (arm0[s], p0[s]) if side == 0 else (arm1[s], p1[s])
            for e in range(2):
                own = slope[h, e]
                for j in range(m):
                    x, y, z = own[0, j], own[1, j], own[2, j]
                    u, v, w = own[6, j], own[7, j], own[8, j]
                    column[0], column[1], column[2] = x, y, z
                    column[3] = own[3, j] + a[1] * z - a[2] * y + v * p[2] - w * p[1]
                    column[4] = own[4, j] + a[2] * x - a[0] * z + w * p[0] - u * p[2]
                    column[5] = own[5, j] + a[0] * y - a[1] * x + u * p[1] - v * p[0]
                    for r in range(6):
                        out[s, side + e, r, j] += sign * column[r] / dt
        for j in range(m):  # the moment of the weight
            out[s, 1, 3, j] += com[s, 1, j] * weight
            out[s, 1, 4, j] -= com[s, 0, j] * weight
        for e in range(3):
            for j in range(m):
                for r in range(3):
                    out[s, e, r, j] /= weight
                    out[s, e, r + 3, j] /= weight * arm
