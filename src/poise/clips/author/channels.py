"""Animation channels: a few keys in, smooth samples out.

Keys are ``(time, value)`` pairs, each channel with times of its own: what arrives staggered looks
alive. Between keys the curve is monotone (PCHIP: no overshoot, flat at extremes), then rounded by
a short Gaussian so that accelerations have no jumps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from poise.arrays import Array

Keys = Sequence[tuple[float, Any]]


def channel(keys: Keys, times: Array, *, rounding: float = 0.02) -> Array:
    """Values at ``times``, (T,) or (T, k); ``rounding`` is the Gaussian's σ [s]."""
    at = np.array([k[0] for k in keys], dtype=np.float64)
    values = np.array([k[1] for k in keys], dtype=np.float64)
    if len(at) == 1:
        return np.repeat(values, len(times), axis=0)
    # Held before the first key and after the last, so that motion starts and ends at rest.
    held = np.concatenate([[at[0] - 1.0], at, [at[-1] + 1.0]])
    curve = PchipInterpolator(held, np.concatenate([values[:1], values, values[-1:]]))
    step = float(times[1] - times[0])
    # Rounded on a finer grid that reaches beyond the ends, so that the result does not depend on
    # the frame rate and the ends keep their values.
    fine = min(step / 4, 0.002)
    grid = np.arange(times[0] - 5 * rounding, times[-1] + 5 * rounding + fine, fine)
    dense = curve(np.clip(grid, at[0], at[-1]))
    if rounding > 0:
        dense = gaussian_filter1d(dense, rounding / fine, axis=0, mode="nearest")
    if dense.ndim == 1:
        return np.interp(times, grid, dense)
    return np.stack([np.interp(times, grid, column) for column in dense.T], axis=-1)


def harmonics(mean: float, terms: Sequence[tuple[float, float, int]], phase: Array) -> Array:
    """mean + Σ amplitude · cos 2π n (phase − phase of the maximum), for cyclic motion."""
    out = np.full_like(phase, mean)
    for amplitude, peak, n in terms:
        out += amplitude * np.cos(2 * np.pi * n * (phase - peak))
    return out


def periodic(keys: Keys, phase: Array, *, order: int = 5) -> Array:
    """Keys over one cycle (phase 0 … 1) as a Fourier series of the given order: as smooth as it gets."""
    at = np.array([k[0] for k in keys], dtype=np.float64)
    values = np.array([k[1] for k in keys], dtype=np.float64)
    curve = PchipInterpolator(np.concatenate([at - 1, at, at + 1]), np.tile(values, 3))
    count = 720
    spectrum = np.fft.rfft(curve(np.arange(count) / count)) / count
    out = np.full_like(phase, spectrum[0].real)
    for n in range(1, order + 1):
        angle = 2 * np.pi * n * phase
        out += 2 * (spectrum[n].real * np.cos(angle) - spectrum[n].imag * np.sin(angle))
    return out


def smoothstep(x: Array) -> Array:
    """0 … 1 with two vanishing derivatives at both ends."""
    x = np.clip(x, 0.0, 1.0)
    return x * x * x * (x * (6 * x - 15) + 10)


def quintic(t: Array, duration: float, start: Sequence[float], end: Sequence[float]) -> Array:
    """The quintic with position, velocity and acceleration ``start`` at 0 and ``end`` at duration."""
    d = duration
    rows = np.array(
        [
            [1, 0, 0, 0, 0, 0],
            [0, 1, 0, 0, 0, 0],
            [0, 0, 2, 0, 0, 0],
            [1, d, d**2, d**3, d**4, d**5],
            [0, 1, 2 * d, 3 * d**2, 4 * d**3, 5 * d**4],
            [0, 0, 2, 6 * d, 12 * d**2, 20 * d**3],
        ],
        dtype=np.float64,
    )
    return np.polyval(np.linalg.solve(rows, [*start, *end])[::-1], t)
