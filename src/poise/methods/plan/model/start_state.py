"""The state a segment starts from: a true pose and velocity, told in modes so that nothing jumps.

A pose asks of each bone a turn φ_i = log(W_i). What modes can say of it is x = Φᵀ M u; what they cannot,
because they keep held things in place only to first order, is left over: e_i = φ_i − Θ̂_i x. The left-over
is handed to the warp as it is and eased out over the segment, so the segment starts exactly where the last
one ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.plan.model.affine_figure import AffineFigure
from poise.methods.plan.model.linear_dynamics import Footing
from poise.methods.plan.model.modal_spline import ModalSpline
from poise.methods.plan.scene import hold
from poise.methods.plan.scene.hold import Hold

SOON = 0.2
"""Rates that modes do not say are eased out within this time [s]."""


@dataclass(frozen=True, eq=False)
class StartState:
    """Modal state and left-over turns at the start of a segment."""

    modal: Array
    """ω and ω̇ of all modes, (modes, 2)."""
    turns: Array
    """e: what modes do not say of each bone's turn [rad] (n, 3)."""
    rates: Array
    """ė [rad/s] (n, 3)."""
    spin: Array
    """In the air: rotation of the whole at the start, (3, 3); the identity on the ground."""

    def left_over(self, times: Array, duration: float) -> tuple[Array, Array]:
        """e(t) and ė(t), (T, n, 3): from (e, ė) smoothly to nothing, places over all of it, rates sooner."""
        s = (times / duration)[:, None, None]
        soon = min(duration, SOON)
        u = np.minimum(times / soon, 1.0)[:, None, None]
        value = (1 + 2 * s) * (1 - s) ** 2 * self.turns + soon * u * (1 - u) ** 3 * self.rates
        slope = -6 * s * (1 - s) / duration * self.turns + (1 - u) ** 2 * (1 - 4 * u) * self.rates
        return value, slope


class Stretch(NamedTuple):
    """What a segment's equations are about: unknown splines from a known start."""

    footing: Footing
    spline: ModalSpline
    start: StartState
    duration: float  # [s]


def at_rest(footing: Footing) -> StartState:
    """In the reference pose, at rest."""
    still = np.zeros((footing.figure.bones, 3))
    return StartState(np.zeros((len(footing.modes), 2)), still, still, np.eye(3))


def from_motion(footing: Footing, q: Array, v: Array) -> StartState:
    """From a true pose (nq,) and velocity (nv,) in the figure's own frame."""
    figure = footing.figure
    kin = Kinematics(figure.character, q, v)
    turns = kin.rotations[0] @ np.swapaxes(figure.rotations, 1, 2)  # W_i (n, 3, 3)
    rates = kin.velocities[0, :, 3:]  # ω_i, world axes (n, 3)
    spin = np.eye(3)
    if footing.airborne:
        spin, rates = _without_momentum(footing, turns, rates)
        turns = spin.T @ turns
    angles = _unwrapped(figure, so3.log(so3.from_matrix(turns)))
    angle_rates = _angle_rates(angles, rates)
    modal = np.stack([_modal(footing, angles), _modal(footing, angle_rates)], axis=1)
    said = footing.turning @ modal  # (3n, 2)
    return StartState(
        modal, angles - said[:, 0].reshape(-1, 3), angle_rates - said[:, 1].reshape(-1, 3), spin
    )


def _modal(footing: Footing, turns: Array) -> Array:
    """Modal coordinates of bone turns, or of their rates (n, 3).

    The root's shift is the one that keeps what is held to first order: the true one, an arc, would not.
    """
    figure, still = footing.figure, np.zeros(3)
    u = figure.displacement(turns, still)
    if footing.holds:
        rows = hold.rows(figure, [Hold(h.what, turn=False) for h in footing.holds])
        u = figure.displacement(turns, -(rows @ u).reshape(-1, 3).mean(axis=0))
    return footing.modes.coordinates(u)


def _unwrapped(figure: AffineFigure, angles: Array) -> Array:
    """The same turns (n, 3), each counted on through full circles to be nearest its parent's."""
    out, parents = angles.copy(), figure.character.parents
    if np.linalg.norm(angles - angles[np.maximum(parents, 0)], axis=1).max() < np.pi:
        return out  # all are within half a circle of their parents
    for i, up in enumerate(parents.tolist()):
        size = float(np.linalg.norm(out[i]))
        if up < 0 or size < 1e-6:
            continue
        axis = out[i] / size
        circles = np.round((out[up] @ axis - size) / (2 * np.pi))
        out[i] = axis * (size + 2 * np.pi * circles)
    return out


def _angle_rates(angles: Array, rates: Array) -> Array:
    """θ̇ of angular velocities in fixed axes: W = exp θ, Ẇ = hat(ω) W, θ̇ = J_r(−θ)⁻¹ ω."""
    return np.einsum("nab,nb->na", so3.right_jacobian_inverse(-angles), rates)


def _without_momentum(footing: Footing, turns: Array, rates: Array) -> tuple[Array, Array]:
    """The rotation of the whole that leaves no turn to the six rigid modes, and bone rates seen from it."""
    figure = footing.figure
    matrix = figure.kin.momentum_matrix[0, 3:]  # (3, nv) angular
    inertia = figure.kin.inertia[0]
    spin, still = np.eye(3), np.zeros(3)

    def rigid(angles: Array) -> Array:
        return np.linalg.solve(inertia, matrix @ figure.displacement(angles, still))

    for _ in range(50):
        turn = rigid(_unwrapped(figure, so3.log(so3.from_matrix(spin.T @ turns))))
        spin = spin @ so3.to_matrix(so3.exp(turn))
        if np.abs(turn).max() < 1e-13:
            break
    angles = _unwrapped(figure, so3.log(so3.from_matrix(spin.T @ turns)))
    # The rates left, rigid(θ̇) = 0, are linear in the angular velocity Ω of the whole.
    seen = rates @ spin  # in the turned frame
    at_rest = rigid(_angle_rates(angles, seen))
    per_unit = [rigid(_angle_rates(angles, np.tile(axis, (len(seen), 1)))) for axis in np.eye(3)]
    omega = np.linalg.solve(np.stack(per_unit, axis=1), at_rest)
    return spin, seen - omega
