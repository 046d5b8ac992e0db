"""General rows: tasks whose handles speak for themselves.

A handle without a form, of another package or rarely asked for, is measured by its own code at every pose
that the solver tries: errors and Jacobian are handed to it as plain arrays, and from there on they are rows
like all others, with levels, multipliers, weights and limits. Their curvature, without which targets out of
reach would not settle, is told by differences of the Jacobian.

One pose is measured at a time: batched code of a stranger may round by the size of the batch, and a frame's
bits must depend on that frame alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.handles import Handle
from poise.handles.form import GENERAL, Form
from poise.kinematics import Kinematics
from poise.manifold import so3

PLAIN_UNITS = {"m", "rad"}
STEP = 1e-5
"""Of the differences that give curvature [rad, m]."""


def general_form(handle: Handle, character: Character) -> Form:
    """A row of its own; what is neither metres nor radians counts by how much the body moves it at rest."""
    return Form(GENERAL, scale=_scale(handle, character))


def _scale(handle: Handle, character: Character) -> float:
    if set(handle.units) <= PLAIN_UNITS:
        return 1.0
    q = character.rest_pose()
    if handle.needs_velocity:
        still = Kinematics(character, q, np.zeros(character.nv))
        change = handle.velocity_jacobian(still)
    else:
        kin = Kinematics(character, q)
        change = handle.error_jacobian(kin, handle.value(kin))
    most = float(np.abs(change).max(initial=0.0))
    return 1.0 / most if most > 0.0 and np.isfinite(most) else 1.0


class GeneralTask(NamedTuple):
    """One of them, and where its numbers stand."""

    handle: Handle
    """Bound to the character."""
    rows: slice
    numbers: slice
    """Of its target among all numbers of targets."""
    scale: float


class GeneralRows:
    """All tasks of a solver that speak for themselves."""

    def __init__(self, character: Character, tasks: list[GeneralTask]) -> None:
        self._character, self._tasks = character, tasks

    def __len__(self) -> int:
        return len(self._tasks)

    def put(self, q: Array, goal: Array, before: Array, dt: float, e: Array, j: Array) -> None:
        """Write errors into e (m,) and Jacobians into j (m, nv) at the pose q (nq,), for targets ``goal``.

        Rates are those of the step from the pose ``before`` (1, nq), dt [s] earlier; (0, nq): there is none.
        """
        kin = Kinematics(self._character, q)
        for handle, rows, numbers, scale in self._tasks:
            target = goal[None, numbers]
            if handle.needs_velocity:
                error, change = self._rates(handle, q, target, before, dt)
            else:
                error = handle.error(handle.value(kin), target)
                change = handle.error_jacobian(kin, target)
            e[rows], j[rows] = scale * error[0], scale * change[0]

    def bend(self, q: Array, goal: Array, y: Array, out: Array) -> None:
        """Σ y ∂²e at the pose q (nq,), by forces y (m,) on rows in their own scale, into ``out`` (nv, nv).

        (H + Hᵀ)/2 of H_kl = Σ y ∂_k J_l is the second derivative along q ⊕ v. Rates are taken as straight.
        """
        nv = self._character.nv
        moves = STEP * np.concatenate([np.eye(nv), -np.eye(nv)])
        kin = Kinematics(self._character, self._character.manifold.plus(q, moves))
        pull = np.zeros((2 * nv, nv))
        for handle, rows, numbers, scale in self._tasks:
            if not handle.needs_velocity:
                change = handle.error_jacobian(kin, goal[None, numbers])  # (2 nv, dim, nv)
                pull += np.einsum("d,fdn->fn", scale * y[rows], change)
        slope = (pull[:nv] - pull[nv:]) / (2 * STEP)
        out[:] = 0.5 * (slope + slope.T)

    def _rates(
        self, handle: Handle, q: Array, target: Array, before: Array, dt: float
    ) -> tuple[Array, Array]:
        """Errors (1, dim) and Jacobian (1, dim, nv) of a handle of velocities v = (q ⊖ before) / dt."""
        manifold = self._character.manifold
        way = manifold.minus(q, before)  # (1, nv)
        kin = Kinematics(self._character, before, way / dt)
        change = np.array(handle.velocity_jacobian(kin)) / dt
        slots = manifold.rotation_slots[1]
        turn = so3.right_jacobian_inverse(way[:, slots])  # ∂(q ⊖ before)/∂q
        change[:, :, slots] = np.einsum("tdri,trij->tdrj", change[:, :, slots], turn)
        return handle.error(handle.value(kin), target), change
