"""Compiled: Φ, G and Γ of many oscillators, one after the other (see :mod:`poise.curves.oscillator`)."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compilation import kernel

TERMS = 14
"""Of the Taylor series: enough for double precision where ‖A‖h is about STEP."""
STEP = 0.125
"""‖A‖h that the series is used for; longer steps are halved until it is so, then doubled."""


@kernel()
def oscillations(
    stiffness: Array, damping: Array, duration: Array, transition: Array, gramian: Array, response: Array
) -> None:
    """For λ, δ, T (n,): Φ (n, 2, 2) and, where there is room for them, G (n, 2, 2) and Γ (n, 2)."""
    steered = len(gramian) > 0
    for i in range(len(stiffness)):
        lam, delta, time = stiffness[i], damping[i], duration[i]
        # Velocities are measured in units of s, so that both rows of A are of like size.
        s = max(np.sqrt(abs(lam)), 2 * abs(delta))
        s = max(s, 1.0 / time) if time > 0 else 1.0
        doublings = 0
        while s * time > STEP * 2.0**doublings:
            doublings += 1
        h = time / 2.0**doublings
        a01, a10, a11 = s * h, -lam / s * h, -2 * delta * h
        x, v = 0.0, 1.0  # (Ah)^j B / j!
        first_x, first_v = 1.0, 0.0  # (Ah)^j (1, 0) / j!
        e00 = e01 = e10 = e11 = 0.0  # Φ − 1
        r0, r1 = 0.0, h
        for j in range(1, TERMS):
            x, v = a01 * v / j, (a10 * x + a11 * v) / j
            first_x, first_v = a01 * first_v / j, (a10 * first_x + a11 * first_v) / j
            e00, e10, e01, e11 = e00 + first_x, e10 + first_v, e01 + x, e11 + v
            r0, r1 = r0 + h * x / (j + 1), r1 + h * v / (j + 1)
        g00, g01, g11 = 0.0, 0.0, h
        if steered:
            t00, t01, t11 = 0.0, 0.0, h  # dG/dt = A G + G Aᵀ + B Bᵀ, term by term
            for j in range(2, TERMS + 2):
                t00, t01, t11 = (
                    2 * a01 * t01 / j, (a01 * t11 + a10 * t00 + a11 * t01) / j,
                    2 * (a10 * t01 + a11 * t11) / j,
                )  # fmt: skip
                g00, g01, g11 = g00 + t00, g01 + t01, g11 + t11
        for _ in range(doublings):
            if steered:
                m00, m01 = g00 + e00 * g00 + e01 * g01, g01 + e00 * g01 + e01 * g11  # Φ G
                m10, m11 = g01 + e10 * g00 + e11 * g01, g11 + e10 * g01 + e11 * g11
                g00 += m00 + m00 * e00 + m01 * e01  # + Φ G Φᵀ
                g01 += 0.5 * (m01 + m00 * e10 + m01 * e11 + m10 + m10 * e00 + m11 * e01)
                g11 += m11 + m10 * e10 + m11 * e11
                r0, r1 = 2 * r0 + e00 * r0 + e01 * r1, 2 * r1 + e10 * r0 + e11 * r1
            f00, f01 = 2 * e00 + e00 * e00 + e01 * e10, 2 * e01 + e00 * e01 + e01 * e11
            f10, f11 = 2 * e10 + e10 * e00 + e11 * e10, 2 * e11 + e10 * e01 + e11 * e11
            e00, e01, e10, e11 = f00, f01, f10, f11
        transition[i, 0, 0], transition[i, 0, 1] = 1.0 + e00, e01 / s
        transition[i, 1, 0], transition[i, 1, 1] = e10 * s, 1.0 + e11
        if steered:
            gramian[i, 0, 0], gramian[i, 0, 1] = g00 / (s * s), g01 / s
            gramian[i, 1, 0], gramian[i, 1, 1] = g01 / s, g11
            response[i, 0], response[i, 1] = r0 / s, r1
