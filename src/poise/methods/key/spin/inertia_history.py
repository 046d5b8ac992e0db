"""What free flight needs to know of a motion: its inertia I(t) and angular momentum h(t) about its centre of
mass.

The motion is any smooth q(t) that can be asked for at any times. Over short panels it is read at Chebyshev
points in local coordinates, q(t) = q_mid ⊕ v(t); its velocity is the derivative of the polynomial through
them,

    q̇ = J_r(v) v̇   (on rotations; v̇ elsewhere),    h = A(q) q̇,

so nothing depends on a frame rate and no difference reaches over a place where the motion has a corner: the
*breaks* (keys, frames) are ends of panels. A panel is halved until the last coefficients of v, I and h are
below the accuracy asked for, or no longer shrink, which is where the motion's own noise begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

import numpy as np
from numpy.polynomial import chebyshev

from poise.arrays import Array, checked
from poise.character import Character
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3

NODES = 13
"""Chebyshev points of a panel."""
SHORTEST = 1e-4
"""Shortest panel [s]."""
NOISE = 0.7
"""A panel whose half is rougher than this share of it is as smooth as it gets."""

_X = -np.cos(np.pi * np.arange(NODES) / (NODES - 1))  # both ends and the middle among them
_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(_X, NODES - 1))  # of T_0 … from values at the points
_DERIVATIVE = chebyshev.chebval(_X, chebyshev.chebder(_COEFFICIENTS)).T  # dv/dx from v

Poses = Callable[[Array], Array]
"""``motion(times)``: configurations (T, nq) at times (T,)."""


class InertiaHistory:
    """I(t) [kg·m²] and h(t) [kg·m²/s] between two times, as polynomials over panels; axes as the motion's."""

    def __init__(self, edges: Array, inertia: Array, momentum: Array, roughness: float) -> None:
        self.edges = edges
        """Ends of the panels [s] (P + 1,)."""
        self.roughness = roughness
        """Largest last coefficient on any panel [rad]."""
        values = np.concatenate([inertia.reshape(*inertia.shape[:2], 9), momentum], axis=2)  # (P, NODES, 12)
        self._coefficients = np.einsum("kj,pjc->pkc", _COEFFICIENTS, values)

    def towards_rigid(self, share: float) -> InertiaHistory:
        """The same flight with a share of its changes of shape: 0 is a rigid body of the mean inertia."""
        blend = copy(self)
        mean = self.at(np.linspace(self.edges[0], self.edges[-1], 65))[0].mean(axis=0).ravel()
        blend._coefficients = share * self._coefficients
        blend._coefficients[:, 0, :9] += (1 - share) * mean
        return blend

    def at(self, times: Array) -> tuple[Array, Array]:
        """Inertia (T, 3, 3) and angular momentum (T, 3) at times between the ends."""
        panel = np.clip(np.searchsorted(self.edges, times, side="right") - 1, 0, len(self.edges) - 2)
        left, right = self.edges[panel], self.edges[panel + 1]
        basis = chebyshev.chebvander((2 * times - left - right) / (right - left), NODES - 1)
        values = np.einsum("tk,tkc->tc", basis, self._coefficients[panel])
        return values[:, :9].reshape(-1, 3, 3), values[:, 9:]


def inertia_history(
    character: Character,
    motion: Poses,
    start: float,
    end: float,
    *,
    breaks: Sequence[float] = (),
    accuracy: float = 1e-10,
) -> InertiaHistory:
    """Read a motion between two times."""
    corners = np.unique([start, end, *(t for t in breaks if start < t < end)])
    corners = corners[np.concatenate([[True], np.diff(corners) > 1e-9])]  # two names of one time
    corners[-1] = end
    pending = np.stack([corners[:-1], corners[1:]], axis=1)  # (P, 2)
    before = np.full(len(pending), np.inf)
    done: list[tuple[Array, Array, Array, Array]] = []
    while len(pending):
        length = pending[:, 1] - pending[:, 0]
        times = pending[:, :1] + (0.5 * length)[:, None] * (_X + 1)  # (P, NODES)
        times[:, -1] = pending[:, 1]
        q = checked(motion(times.ravel()), "the motion's configurations", (times.size, character.nq))
        q = q.reshape(*times.shape, -1)
        v = character.manifold.minus(q, q[:, [NODES // 2]])  # (P, NODES, nv)
        rate = np.einsum("kj,pjc->pkc", _DERIVATIVE, v) * (2 / length)[:, None, None]
        _to_body_rates(character, v, rate)
        kin = Kinematics(character, q.reshape(-1, character.nq), rate.reshape(-1, character.nv))
        inertia = kin.inertia.reshape(-1, NODES, 3, 3)
        momentum = kin.momentum[:, 3:].reshape(-1, NODES, 3)
        tail = _roughness(v, inertia, momentum, length)
        split = (tail > accuracy) & (length > 2 * SHORTEST) & (tail < NOISE * before)
        kept = ~split
        if kept.any():
            done.append((pending[kept], inertia[kept], momentum[kept], tail[kept]))
        middle = pending[split].mean(axis=1)
        halves = np.stack([pending[split, 0], middle, middle, pending[split, 1]], axis=1)
        pending, before = halves.reshape(-1, 2), np.repeat(tail[split], 2)
    panels, inertia, momentum, tails = (np.concatenate(parts) for parts in zip(*done))
    order = np.argsort(panels[:, 0])
    edges = np.append(panels[order, 0], end)
    return InertiaHistory(edges, inertia[order], momentum[order], float(tails.max()))


def _roughness(v: Array, inertia: Array, momentum: Array, length: Array) -> Array:
    """The last coefficients on each panel (P,), all as rotations [rad]: of v, I/tr I and ∫h dt/tr I."""
    size = np.maximum(np.trace(inertia, axis1=2, axis2=3).mean(axis=1), 1e-300)[:, None, None]
    shape = inertia.reshape(*inertia.shape[:2], 9) / size
    values = np.concatenate([v, shape, momentum * length[:, None, None] / size], axis=2)
    return np.abs(np.einsum("kj,pjc->pkc", _COEFFICIENTS[-2:], values)).max(axis=(1, 2))


def _to_body_rates(character: Character, v: Array, rate: Array) -> None:
    """Derivatives of local coordinates to velocities, in place: J_r(v) v̇ on rotations."""
    slots = character.manifold.rotation_slots[1]
    if slots.size:
        turned = np.einsum("...ij,...j->...i", so3.right_jacobian(v[..., slots]), rate[..., slots])
        rate[..., slots] = turned


def require_inertia(history: InertiaHistory, axes: str) -> None:
    """Raise where a body has no inertia about an axis it is to turn about."""
    inertia, _ = history.at(history.edges)
    least = inertia[:, 1, 1] if axes == "y" else np.linalg.eigvalsh(inertia)[:, 0]
    if not (least > 1e-9 * np.maximum(np.trace(inertia, axis1=1, axis2=2), 1e-300)).all():
        raise InputError(
            "the body has no inertia about some axis, so its spin there is undefined: check its masses"
        )
