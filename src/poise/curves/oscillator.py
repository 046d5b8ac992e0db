"""The damped oscillator between two instants, and the least effort that steers it.

    ẍ + 2δ ẋ + λ x + g = f,      state (x, ẋ),      A = [[0, 1], [−λ, −2δ]],   B = (0, 1)

    state(T) = Φ state(0) − Γ g + ∫ e^{A(T−t)} B f dt,      Φ = e^{AT},   Γ = ∫ e^{At} B dt

Among all forces that lead from one state to another the one of least ½ ∫ f² dt costs ½ rᵀ G⁻¹ r, where
r = state(T) − Φ state(0) + Γ g and G = ∫ e^{At} B Bᵀ e^{Aᵀt} dt is the controllability Gramian. One formula
serves every regime: undamped, critical, overdamped, falling (λ < 0), free (λ = 0), and cubic (λ = δ = 0).

Φ, Γ and G are Taylor series on a step h = T/2ᵏ, then doubled k times,

    G ← G + Φ G Φᵀ,   Γ ← Γ + Φ Γ,   Φ ← Φ²,

so nothing overflows however stiff the oscillator. Φ is kept as Φ − 1, which loses no digits when h is tiny.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array

TERMS = 15
"""Terms of the Taylor series: enough for double precision where ‖A‖h ≤ STEP."""
STEP = 0.25


class Oscillation(NamedTuple):
    """What an oscillator does over a while, by itself and under control."""

    transition: Array
    """Φ (…, 2, 2)."""
    gramian: Array
    """G (…, 2, 2)."""
    response: Array
    """Γ (…, 2): the state that a unit force leads to from rest."""

    @property
    def factor(self) -> Array:
        """L with G = L Lᵀ, lower triangular (…, 2, 2): state(T) = Φ state(0) − Γ g + L z costs ½ |z|²."""
        g = self.gramian
        out = np.zeros_like(g)
        out[..., 0, 0] = np.sqrt(g[..., 0, 0])
        with np.errstate(divide="ignore", invalid="ignore"):
            out[..., 1, 0] = np.where(g[..., 0, 0] > 0, g[..., 1, 0] / out[..., 0, 0], 0.0)
        out[..., 1, 1] = np.sqrt(np.maximum(g[..., 1, 1] - out[..., 1, 0] ** 2, 0.0))
        return out


def oscillation(stiffness: ArrayLike, damping: ArrayLike, duration: ArrayLike) -> Oscillation:
    """Φ, G and Γ for λ [1/s²], δ [1/s] and T ≥ 0 [s], which broadcast against one another."""
    lam, delta, time = np.broadcast_arrays(
        *(np.asarray(v, dtype=np.float64) for v in (stiffness, damping, duration))
    )
    with np.errstate(divide="ignore"):
        # Velocity is measured in units of s, so that both rows of A are of like size.
        s = np.maximum(np.sqrt(np.abs(lam)), np.maximum(2 * np.abs(delta), 1 / np.maximum(time, 1e-300)))
    s = np.where(time > 0, s, 1.0)
    doublings = np.ceil(np.log2(np.maximum(s * time / STEP, 1.0))).astype(np.int64)
    h = time / np.exp2(doublings)
    a = np.zeros((*time.shape, 2, 2))
    a[..., 0, 1], a[..., 1, 0], a[..., 1, 1] = s * h, -lam / s * h, -2 * delta * h  # A h, scaled

    ahead = np.zeros((*time.shape, TERMS, 2))  # (A h)^j B / j!
    ahead[..., 0, 1] = 1.0
    term = np.broadcast_to(np.eye(2), a.shape)
    change = np.zeros_like(a)  # Φ − 1
    for j in range(1, TERMS):
        ahead[..., j, :] = np.einsum("...ab,...b->...a", a, ahead[..., j - 1, :]) / j
        term = term @ a / j
        change = change + term
    orders = np.arange(TERMS)
    weights = 1.0 / (orders[:, None] + orders + 1)
    gram = h[..., None, None] * (np.swapaxes(ahead, -1, -2) @ weights @ ahead)
    reply = h[..., None] * np.einsum("...ja,j->...a", ahead, 1.0 / (orders + 1))

    for left in range(int(doublings.max(initial=0)), 0, -1):
        now = doublings >= left
        moved = gram + change @ gram
        doubled = gram + moved + moved @ np.swapaxes(change, -1, -2)
        gram = np.where(now[..., None, None], doubled, gram)
        reply = np.where(now[..., None], 2 * reply + np.einsum("...ab,...b->...a", change, reply), reply)
        change = np.where(now[..., None, None], 2 * change + change @ change, change)

    unit = np.stack([np.ones_like(s), s], axis=-1)  # back from velocities in units of s; B was (0, 1) there
    transition = (np.eye(2) + change) * unit[..., :, None] / unit[..., None, :]
    gram = gram * unit[..., :, None] * unit[..., None, :] / (s * s)[..., None, None]
    gram = 0.5 * (gram + np.swapaxes(gram, -1, -2))
    return Oscillation(transition, gram, reply * unit / s[..., None])
