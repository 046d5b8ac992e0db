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


class Oscillation(NamedTuple):
    """What an oscillator does over a while, by itself and under control.

    Examples:
        >>> swing = poise.curves.oscillation(stiffness=40.0, damping=2.0, duration=0.1)
        >>> print(swing.transition)
    """

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
    """Φ, G and Γ for λ [1/s²], δ [1/s] and T ≥ 0 [s], which broadcast against one another.

    Args:
        stiffness: λ of ẍ + 2δẋ + λx = u [1/s²].
        damping: δ [1/s].
        duration: T [s, ≥ 0].

    Returns:
        Oscillation: With as many leading axes as the arguments have together.

    Raises:
        InputError: A duration is negative, or the shapes do not fit.

    Examples:
        >>> swing = poise.curves.oscillation(stiffness=40.0, damping=2.0, duration=[0.1, 0.2])
    """
    return _oscillation(stiffness, damping, duration, steered=True)


def transition(stiffness: ArrayLike, damping: ArrayLike, duration: ArrayLike) -> Array:
    """Φ alone (…, 2, 2)."""
    return _oscillation(stiffness, damping, duration, steered=False).transition


def _oscillation(
    stiffness: ArrayLike, damping: ArrayLike, duration: ArrayLike, *, steered: bool
) -> Oscillation:
    from poise.curves.oscillator_kernel import oscillations

    given = (np.asarray(v, dtype=np.float64) for v in (stiffness, damping, duration))
    lam, delta, time = np.broadcast_arrays(*given)
    count = lam.size
    found = np.empty((count, 2, 2))
    gramian, response = np.empty((count * steered, 2, 2)), np.empty((count * steered, 2))
    lams, deltas, times = (np.array(v, order="C").reshape(-1) for v in (lam, delta, time))
    oscillations(lams, deltas, times, found, gramian, response)
    lead = lam.shape
    if not steered:
        return Oscillation(found.reshape(*lead, 2, 2), gramian, response)
    return Oscillation(found.reshape(*lead, 2, 2), gramian.reshape(*lead, 2, 2), response.reshape(*lead, 2))
