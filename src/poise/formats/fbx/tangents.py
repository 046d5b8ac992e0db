"""Slopes of cubic keys that files do not state: automatic ones, and those of tension, continuity and bias.

With the neighbours' values y₋, y₊ at times t₋, t₊ of a key (t, y), the slopes to and from them
s₋ = (y − y₋)/(t − t₋), s₊ = (y₊ − y)/(t₊ − t), and λ = (t − t₋)/(t₊ − t₋), an automatic slope is

    m = (y₊ − y₋)/(t₊ − t₋)                                     where it does not depend on time,
    m = ½ (y₊ − y₋)/(t₊ − t₋) + ½ ((1 − λ) s₋ + λ s₊)           elsewhere,

there pulled by a bias b towards s₊ (b > 0) or s₋: (1 − |b|) m + |b| s±, and on by 40 (|b| − 5)² where
|b| > 5. Keys that are clamped lie flat beside an equal value; progressively clamped ones lead no handle past
a neighbour's value. A first or last key goes straight to its neighbour, or is flat if progressively clamped.

Slopes by tension τ, continuity c and bias b, halved between two neighbours:

    arriving  (1 − τ)((1 + b)(1 − c) s₋ + (1 − b)(1 + c) s₊),    leaving with −c in place of c
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray

CUBIC, BY_TENSION, STATED = 0x8, 0x200, 0x400
"""Of a key: that a cubic follows, and where its slopes are from; neither of the last two: automatic."""
CLAMPED, TIMELESS, PROGRESSIVE = 0x1000, 0x2000, 0x4000
"""Of automatic slopes: how they are clamped, and whether times count."""
EQUAL = 1e-5
"""Values of neighbours are equal that are no further apart."""
ALIKE = 1e-4
"""Biases of both sides are one that are no further apart."""
FULL = 100.0
"""A bias that is a neighbour's slope, in the unit of files."""
HARDEST = 1e4
"""No bias of a sound file is greater, nor a tension."""
STRONG, STEEP = 5.0, 40.0
"""From where on a bias steepens by itself, and how much."""


def settled(times: Array, values: Array, flags: IntArray, data: Array, weights: Array) -> Array:
    """Slopes leaving each key, and arriving at the next (K, 2) [1/s].

    ``data`` (K, 3) are the numbers of keys as files have them: slopes, biases, or tension, continuity and
    bias. ``weights`` (K, 2) are those of handles, leaving each key and arriving at the next.
    """
    cubic = flags & CUBIC > 0
    tense = cubic & (flags & BY_TENSION > 0)
    automatic = cubic & ~tense & (flags & STATED == 0)
    out = np.array(data[:, :2], dtype=np.float64)
    if not (tense | automatic).any():
        return out
    out[tense, 1] = 0.0
    before, after = _secants(times, values)
    biases = np.where(automatic[:, None], np.clip(data[:, :2], -HARDEST, HARDEST), 0.0)  # of others: slopes
    data = np.clip(data, -HARDEST, HARDEST)
    for arriving in (True, False):
        slope = _by_tension(data, before, after, arriving=arriving)
        auto = _automatic((times, values), flags, (before, after), _bias(biases, arriving=arriving), weights)
        slope = np.where(automatic, auto, slope)
        which = tense | automatic
        if arriving:  # is kept with the key before
            out[:-1, 1] = np.where(which[1:], slope[1:], out[:-1, 1])
        else:
            out[:, 0] = np.where(which, slope, out[:, 0])
    return out


def _secants(times: Array, values: Array) -> tuple[Array, Array]:
    """Slopes from the key before, and to the next (K,); NaN where there is none."""
    gap, rise = np.diff(times), np.diff(values)
    secant = np.where(gap > 0, rise / np.where(gap > 0, gap, 1.0), np.nan)
    return np.r_[np.nan, secant], np.r_[secant, np.nan]


def _bias(biases: Array, *, arriving: bool) -> Array:
    """Biases (K,) of a side; one for both where they agree."""
    left = -np.r_[0.0, biases[:-1, 1]]
    right = biases[:, 0]
    same = np.abs(right - left) <= ALIKE
    return np.where(same, right, left if arriving else right) / FULL


def _by_tension(data: Array, before: Array, after: Array, *, arriving: bool) -> Array:
    tension, continuity, bias = data.T
    side = 1.0 if arriving else -1.0
    share = np.where(np.isnan(before) | np.isnan(after), 1.0, 0.5) * (1.0 - tension)
    old = (1.0 + bias) * (1.0 - side * continuity) * np.nan_to_num(before)
    new = (1.0 - bias) * (1.0 + side * continuity) * np.nan_to_num(after)
    return np.asarray(share * (old + new))


def _automatic(
    keys: tuple[Array, Array], flags: IntArray, secants: tuple[Array, Array], bias: Array, weights: Array
) -> Array:
    """Automatic slopes (K,) under a bias each."""
    before, after = secants
    alone = np.isnan(before) | np.isnan(after)
    gap = np.diff(keys[0])
    left, right = np.r_[0.0, gap], np.r_[gap, 0.0]
    one, other = np.nan_to_num(before), np.nan_to_num(after)
    whole = np.where(alone, 1.0, left + right)
    even = (one * left + other * right) / whole
    share = left / whole
    timeless = flags & TIMELESS > 0
    slope = np.where(timeless, even, 0.5 * even + 0.5 * ((1.0 - share) * one + share * other))
    slope = np.where(alone, one + other, slope)
    slope = np.where(timeless, slope, _pulled(slope, one, other, bias, alone))
    rises = np.abs(np.diff(keys[1]))
    least = np.fmin(np.r_[np.nan, rises], np.r_[rises, np.nan])
    slope = np.where((flags & CLAMPED > 0) & (least <= EQUAL), 0.0, slope)
    way = np.where(slope >= 0, 1.0, -1.0)
    heavy = np.r_[1.0, weights[:-1, 1]], weights[:, 0]
    most = [np.maximum(way * s, 0.0) / np.maximum(w, 1e-9) for s, w in zip((one, other), heavy, strict=True)]
    within = np.where(alone, 0.0, way * np.minimum(np.abs(slope), np.minimum(*most)))
    return np.where(flags & PROGRESSIVE > 0, within, slope)


def _pulled(slope: Array, before: Array, after: Array, bias: Array, alone: NDArray[np.bool_]) -> Array:
    """Slopes towards a neighbour's."""
    size = np.abs(bias)
    aim = np.where(bias > 0, after, before)
    way = np.where(np.abs(aim - slope) > EQUAL, aim - slope, bias)
    way = np.where(alone, bias, way)
    pulled = np.where(alone, slope, slope + size * (aim - slope))
    steeper = STEEP * np.maximum(size - STRONG, 0.0) ** 2
    return np.asarray(pulled + np.where(way > 0, steeper, -steeper))
