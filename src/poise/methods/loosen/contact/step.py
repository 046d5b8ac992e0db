"""One step of springs and contacts in MuJoCo, by the two schemes of ``dynamics.windows``.

MuJoCo gives accelerations; the step is ours. With A v̇ = τ + Jᵀλ, A = M + armature, λ the contact forces that
MuJoCo finds for a state (q, v), and stages as in ``dynamics.windows``:

*Order 1*: A₁ = M + h Kd + h² Kp, one stage.
*Order 2*: A₂ = M + γh Kd + (γh)² Kp, stages at (t, q, v) and at (t + h, q ⊕ h k_q, v + h k_v), half of each.

Without contact both are the compiled schemes to rounding. Contacts enter as Heun's method would take them,
which is stable up to steps of about the contact's ``give``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.dynamics.window_steps import GAMMA
from poise.methods.loosen.contact.model import HEAVY, ContactModel


class Touch(NamedTuple):
    """One contact point during one stage of a step."""

    row: int
    """The step runs from this row of the grid to the next."""
    body: int
    obstacle: int
    force: Array
    """From the obstacle on the body, its share of the step's mean [N], world axes, (3,)."""
    position: Array
    depth: float
    """How far the shapes overlap at the start of the step [m]."""


class Table(NamedTuple):
    """The reference on consecutive rows of the grid, obstacles on paths included; gains may have one row."""

    first: int
    q: Array
    v: Array
    stiffness: Array
    damping: Array
    feed: Array

    def springs(self, k: int) -> tuple[Array, Array, Array]:
        """Kp, Kd and fed-forward force at a row."""
        at = [rows[k if len(rows) > 1 else 0] for rows in (self.stiffness, self.damping, self.feed)]
        return at[0], at[1], at[2]


class Stepper:
    """The state of one run along a table."""

    def __init__(
        self,
        built: ContactModel,
        data: Any,
        table: Table,
        armature: Array,
        *,
        h: float,
        order: int,
        follow: float,
    ) -> None:
        self._built, self._data, self._table, self._armature = built, data, table, armature
        self._h, self._order, self._follow = h, order, follow
        self._nv = len(armature)
        self._own = np.setdiff1d(np.arange(self._nv), built.told_v)
        self._error, self._force = np.zeros(built.model.nv), np.zeros(built.model.nv)
        self.touches: list[Touch] = []

    def start(self, row: int, *, touching: bool) -> None:
        """Put the run on the reference, with nothing remembered."""
        self._built.reset(self._data, touching=touching)
        k = row - self._table.first
        self._data.qpos[:], self._data.qvel[:] = self._table.q[k], self._table.v[k]
        self._soften(*self._table.springs(k)[:2])

    def step(self, row: int) -> None:
        """From the row before to ``row``."""
        k, h = row - self._table.first, self._h
        q, v = self._data.qpos.copy(), self._data.qvel.copy()
        rate, after = self._first_order(k, v) if self._order == 1 else self._second_order(k, q, v)
        self._move(q, rate)
        self._data.qvel[:] = after
        self._put_told(k)
        self._data.time += h

    def _first_order(self, k: int, v: Array) -> tuple[Array, Array]:
        kp, kd, feed = self._table.springs(k)
        if len(self._table.stiffness) > 1:
            self._soften(kp, kd)
        nv, h = self._nv, self._h
        error = self._difference(k)
        self._force[:nv] = (
            kp * error - (kd + h * kp) * v[:nv] + self._follow * kd * self._table.v[k, :nv] + feed
        )
        after = v + h * self._acceleration(k, 1.0, first=True)
        return after, after

    def _second_order(self, k: int, q: Array, v: Array) -> tuple[Array, Array]:
        kp, kd, feed = self._table.springs(k - 1)
        if len(self._table.stiffness) > 1:
            self._soften(kp, kd)
        nv, h, gh, sigma = self._nv, self._h, GAMMA * self._h, self._follow
        aim, aim1 = self._table.v[k - 1, :nv], self._table.v[k, :nv]
        drift = kp * aim + (sigma / h) * kd * (aim1 - aim)
        error = self._difference(k - 1)
        self._force[:nv] = kp * error - kd * (v[:nv] - sigma * aim) + feed + gh * (drift - kp * v[:nv])
        slow = self._acceleration(k, 0.5, first=True)
        rate, ahead = v + gh * slow, v + h * slow
        self._move(q, rate)
        self._data.qvel[:] = ahead
        self._put_told(k)
        ahead = self._data.qvel.copy()
        error = self._difference(k)
        kp1, kd1, feed = self._table.springs(k)
        inner = kp * (2 * rate[:nv] - ahead[:nv] + 2 * gh * slow[:nv]) + 2 * kd * slow[:nv] - drift
        self._force[:nv] = kp1 * error - kd1 * (ahead[:nv] - sigma * aim1) + feed + gh * inner
        fast = self._acceleration(k, 0.5, first=False)
        spin = ahead - 2 * gh * slow + gh * fast
        return 0.5 * (rate + spin), v + 0.5 * h * (slow + fast)

    def _soften(self, kp: Array, kd: Array) -> None:
        """Springs as inertia."""
        s = self._h if self._order == 1 else GAMMA * self._h
        self._built.put_armature(self._own, (self._armature + s * (kd + s * kp))[self._own])

    def _difference(self, k: int) -> Array:
        """q_K(row) ⊖ q, (nv,)."""
        built, data = self._built, self._data
        built.mujoco.mj_differentiatePos(built.model, self._error, 1.0, data.qpos, self._table.q[k])
        return self._error[: self._nv]

    def _acceleration(self, k: int, share: float, *, first: bool) -> Array:
        """v̇ under the forces set, told ones included."""
        built, data, told = self._built, self._data, self._built.told_v
        self._force[told] = (self._table.v[k, told] - self._table.v[k - 1, told]) * (HEAVY / self._h)
        data.qfrc_applied[:] = self._force
        built.mujoco.mj_forward(built.model, data)
        data.qacc_warmstart[:] = data.qacc
        if data.ncon:
            self._note_touches(self._table.first + k - 1, share, first)
        return np.array(data.qacc)

    def _move(self, q: Array, rate: Array) -> None:
        self._data.qpos[:] = q
        self._built.mujoco.mj_integratePos(self._built.model, self._data.qpos, rate, self._h)

    def _put_told(self, k: int) -> None:
        told_q, told_v = self._built.told_q, self._built.told_v
        self._data.qpos[told_q], self._data.qvel[told_v] = self._table.q[k, told_q], self._table.v[k, told_v]

    def _note_touches(self, row: int, share: float, first: bool) -> None:
        """Contact points that push."""
        built, data, wrench = self._built, self._data, np.zeros(6)
        for i in range(data.ncon):
            contact = data.contact[i]
            built.mujoco.mj_contactForce(built.model, data, i, wrench)
            if wrench[0] <= 0:
                continue
            body, obstacle, sign = built.pair(contact)
            push = (share * sign) * (np.asarray(contact.frame).reshape(3, 3).T @ wrench[:3])
            depth = max(0.0, -float(contact.dist)) if first else 0.0
            self.touches.append(Touch(row, body, obstacle, push, np.array(contact.pos), depth))
