"""Flight: where nothing touches and the centre of mass follows a parabola.

    c(t) = c₀ + u t − ½ g t² (0, 0, 1)        fitted by least squares, horizontally with an acceleration too

The fit starts in the middle third and grows as long as the motion agrees with it, so that a foot that was
taken for lifted a little early does no harm. The implied gravity g tells the time scale: played r times too
fast, distances stay and accelerations grow by r², so r = √(g / 9.81).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.gravity import EARTH

SHORTEST = 0.05
"""A flight lasts at least this long [s] …"""
FEWEST = 5
"""… and this many frames, else no curvature can be told."""
WEAKEST = 0.15
"""Falling slower than with this share of gravity is hanging, not flying."""
AGREES = 0.003
"""How far the centre of mass of a body of 1.75 m may be off the parabola [m] …"""
SAGITTA = 0.08
"""… or this share of the parabola's own height."""
SIDEWAYS = 0.4
"""Horizontal acceleration over the vertical one, at most."""

NOISE = 0.005
"""Of the centre of mass, beside masses: markers on skin, joints that slide [m]."""
ASIDE = 1.0
"""Horizontal accelerations of flights, standard deviation [m/s²]."""


@dataclass(frozen=True)
class Parabola:
    """A fit to the centre of mass over some frames."""

    start: int
    end: int
    """First and last frame of the fit (of the take or of the clip, as said by who holds it)."""
    origin: tuple[float, float, float]
    """Centre of mass at the first of them [m]."""
    velocity: tuple[float, float, float]
    """There [m/s]."""
    gravity: float
    """Implied: downward acceleration [m/s²]."""
    uncertainty: float
    """Of the gravity, one standard deviation [m/s²]."""
    drift: tuple[float, float]
    """Horizontal acceleration; there should be none [m/s²]."""
    residual: float
    """Root mean square distance of the heights from the parabola [m]."""

    @property
    def ratio(self) -> float:
        """How many times too fast the motion plays (below 1: too slow)."""
        return math.sqrt(max(self.gravity, 0.0) / EARTH)

    def height(self, times: Array) -> Array:
        """Height of the fitted centre of mass, times counted from ``start`` [s] → [m]."""
        return np.asarray(self.origin[2] + self.velocity[2] * times - 0.5 * self.gravity * times**2)


def parabola(com: Array, dt: float, start: int, end: int) -> Parabola:
    """The least-squares fit over frames start … end."""
    x = com[start : end + 1]
    n = len(x)
    t = np.arange(n) * dt
    # Around the middle the three powers are nearly orthogonal.
    s = t - 0.5 * t[-1]
    basis = np.stack([np.ones(n), s, 0.5 * s**2], axis=1)
    fit, *_ = np.linalg.lstsq(basis, x, rcond=None)  # (3, 3): position, velocity, acceleration in the middle
    left = x - basis @ fit
    residual = float(np.sqrt(np.mean(left[:, 2] ** 2)))
    a, half = fit[2], 0.5 * t[-1]
    origin = fit[0] - half * fit[1] + 0.5 * half**2 * a
    velocity = fit[1] - half * a
    return Parabola(
        start,
        end,
        (float(origin[0]), float(origin[1]), float(origin[2])),
        (float(velocity[0]), float(velocity[1]), float(velocity[2])),
        float(-a[2]),
        _uncertainty(x[:, 2], s, basis, left[:, 2]),
        (float(a[0]), float(a[1])),
        residual,
    )


def _uncertainty(z: Array, s: Array, basis: Array, left: Array) -> float:
    """Standard deviation of the curvature: scatter, which goes on over several frames, shape, masses.

    The shape's share is how far the fit of the middle two thirds is from that of the whole. Masses that are
    wrong bend the path of the centre of mass smoothly, about as much as it is seen to be rough: a bulge of
    twice the residual.
    """
    n = len(z)
    if n <= 3:
        return math.inf
    scatter = float(left @ left) / (n - 3) * float(np.linalg.inv(basis.T @ basis)[2, 2])
    correlation = float(left[1:] @ left[:-1]) / max(float(left @ left), 1e-30)
    inflated = scatter * (1 + max(correlation, 0.0)) / max(1 - max(correlation, 0.0), 0.1)
    inner = np.abs(s) <= (2 / 3) * s[-1] + 1e-12
    shape = 0.0
    if np.count_nonzero(inner) >= FEWEST:
        part, *_ = np.linalg.lstsq(basis[inner], z[inner], rcond=None)
        whole, *_ = np.linalg.lstsq(basis, z, rcond=None)
        shape = 0.5 * abs(float(part[2] - whole[2]))
    bulge = 16 * float(np.sqrt(np.mean(left**2))) / float(s[-1] - s[0]) ** 2
    return math.sqrt(inflated + shape**2 + bulge**2)


def flight_within(com: Array, dt: float, start: int, end: int, *, scale: float = 1.0) -> Parabola | None:
    """The ballistic part of frames start … end, during which nothing touches; None if they are no flight."""
    n = end - start + 1
    if n < FEWEST or (n - 1) * dt < SHORTEST - 1e-9:
        return None
    third, tenth = max((n - FEWEST) // 3, 0), max(min(n - FEWEST, n // 5), 0) // 2
    grown = _grown(com, dt, start, end, start + third, end - third, scale)
    if _is_flight(grown, dt, n, scale):
        return grown
    # Captures of quick turns jump about so much that only the whole arc shows what it is.
    whole = parabola(com, dt, start + tenth, end - tenth)
    return whole if _is_flight(whole, dt, n, scale) else None


def reweighed(fit: Parabola, com: Array, dt: float, doubt: Array, start: int, *, scale: float) -> Parabola:
    """The same flight with the gravity that agrees best if masses are what they may be: ``doubt`` (n, K, 3)
    are ways of the centre of mass in frames ``start`` …, during which nothing touches, each for one standard
    deviation of what was guessed.

        min |c − (x₀ + u s + ½ a s²) − D ε|² / NOISE² + |ε|² + |a_xy|² / ASIDE²

    The fit grows again where that explains more. Its path stays that of the centre of mass as it is.
    """
    if not doubt.shape[1] or fit.end - fit.start + 1 < FEWEST:
        return fit
    end, whole = start + len(doubt) - 1, np.array(com)
    for _ in range(2):
        guess = _masses(com[fit.start : fit.end + 1], dt, doubt[fit.start - start : fit.end + 1 - start])
        whole[start : end + 1] = com[start : end + 1] - np.einsum("fki,k->fi", doubt, guess)
        grown = _grown(whole, dt, start, end, fit.start, fit.end, scale)
        if (grown.start, grown.end) == (fit.start, fit.end):
            break
        fit = parabola(com, dt, grown.start, grown.end)
    mended = parabola(whole, dt, fit.start, fit.end)
    s = (np.arange(fit.end - fit.start + 1)) * dt
    line = np.polyfit(s, com[fit.start : fit.end + 1, 2] + 0.5 * mended.gravity * s**2, 1)
    return replace(
        fit,
        origin=(fit.origin[0], fit.origin[1], float(line[1])),
        velocity=(fit.velocity[0], fit.velocity[1], float(line[0])),
        gravity=mended.gravity,
        uncertainty=mended.uncertainty,
    )


def _masses(x: Array, dt: float, doubt: Array) -> Array:
    """ε (K,) of a path (n, 3)."""
    n, count = len(x), doubt.shape[1]
    s = (np.arange(n) - 0.5 * (n - 1)) * dt
    rows = np.zeros((3 * n + count + 2, 9 + count))
    for j in range(3):
        rows[j * n : (j + 1) * n, 3 * j : 3 * j + 3] = np.stack([np.ones(n), s, 0.5 * s**2], axis=1)
        rows[j * n : (j + 1) * n, 9:] = doubt[:, :, j]
    rows[3 * n : 3 * n + count, 9:] = NOISE * np.eye(count)
    rows[3 * n + count, 2] = rows[3 * n + count + 1, 5] = NOISE / ASIDE
    found, *_ = np.linalg.lstsq(rows, np.concatenate([x.T.ravel(), np.zeros(count + 2)]), rcond=None)
    return np.asarray(found[9:])


def _grown(com: Array, dt: float, start: int, end: int, a: int, b: int, scale: float) -> Parabola:
    """The fit to frames a … b, extended within start … end as long as the motion agrees."""
    fit = parabola(com, dt, a, b)
    for _ in range(end - start + 1):
        seconds = dt * np.arange(start - fit.start, end + 1 - fit.start, dtype=np.float64)
        off = np.abs(com[start : end + 1, 2] - fit.height(seconds)) < _tolerance(fit, dt, scale)
        a_new, b_new = a, b
        while a_new > start and off[a_new - 1 - start]:
            a_new -= 1
        while b_new < end and off[b_new + 1 - start]:
            b_new += 1
        if (a_new, b_new) == (a, b):
            break
        a, b = a_new, b_new
        fit = parabola(com, dt, a, b)
    return fit


def _tolerance(fit: Parabola, dt: float, scale: float) -> float:
    lasting = (fit.end - fit.start) * dt
    return max(AGREES * scale, SAGITTA * abs(fit.gravity) * lasting**2 / 8)


def _is_flight(fit: Parabola, dt: float, frames: int, scale: float) -> bool:
    sideways = math.hypot(*fit.drift)
    return (
        fit.gravity >= WEAKEST * EARTH
        and fit.end - fit.start + 1 >= max(FEWEST, 0.6 * frames)
        and (fit.end - fit.start) * dt >= SHORTEST - 1e-9
        and sideways <= SIDEWAYS * fit.gravity + 1.0
        and fit.residual <= _tolerance(fit, dt, scale)
    )
