"""Curves of FBX: keys in time, each held, joined by lines, or by cubics whose slopes and weights are stored.

Between keys (t₀, y₀) and (t₁, y₁), with slopes m₀, m₁ [1/s] and weights w₀, w₁ (1/3 unless a file says so),
the curve is the Bézier cubic through

    (t₀, y₀),  (t₀ + w₀ h, y₀ + w₀ h m₀),  (t₁ − w₁ h, y₁ − w₁ h m₁),  (t₁, y₁),       h = t₁ − t₀
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray
from poise.formats.fbx.beyond import CONSTANT, Beyond, gone_on, read_beyond
from poise.formats.fbx.objects import FbxObject
from poise.formats.fbx.tangents import settled

HELD, LINE, CUBIC = 2, 4, 8
"""How a key goes on to the next, as the format numbers it."""
HELD_NEXT = 0x100
"""With ``HELD``: the value is the next key's."""
WEIGHTED_HERE, WEIGHTED_NEXT = 0x0100_0000, 0x0200_0000
"""Whose weights are stored: the key's own, the next one's."""
_THIRD = 1.0 / 3.0
"""The weight that makes a Bézier cubic a Hermite one."""
_WEIGHT_UNIT = 9999.0
"""Weights are whole numbers of so many parts."""
_HALVINGS = 60
"""Halvings of an interval of 1: to the last bit."""


@dataclass(frozen=True)
class Curve:
    """Keys of one number."""

    times: Array
    """(K,) [s]"""
    values: Array  # (K,)
    flags: IntArray
    """How each key goes on to the next (K,)."""
    slopes: Array
    """Leaving a key, and arriving at the next (K, 2) [1/s]."""
    weights: Array  # (K, 2)
    beyond: tuple[Beyond, Beyond] = (Beyond(), Beyond())
    """How it goes on before its first key, and after its last."""

    def at(self, times: Array) -> Array:
        """Values at times (T,), also beyond the keys."""
        if all(each.way == CONSTANT for each in self.beyond):
            return self._inside(times)
        ends = float(self.values[0]), float(self.values[-1])
        span = float(self.times[0]), float(self.times[-1])
        return gone_on(times, span, ends, self._end_slopes(), self.beyond, self._inside)

    def _end_slopes(self) -> tuple[float, float]:
        """Leaving the first key, and arriving at the last [1/s]."""
        if len(self.times) < 2:
            return 0.0, 0.0
        found = []
        for key, side in ((0, 0), (len(self.times) - 2, 1)):
            step, flags = float(self.times[key + 1] - self.times[key]), int(self.flags[key])
            line = float(self.values[key + 1] - self.values[key]) / step if step > 0 else 0.0
            found.append(0.0 if flags & HELD else float(self.slopes[key, side]) if flags & CUBIC else line)
        return found[0], found[1]

    def _inside(self, times: Array) -> Array:
        """Values at times (T,); before the first key and after the last the end value holds."""
        last = len(self.times) - 1
        i = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, last)
        j = np.minimum(i + 1, last)
        h = np.where(i == j, 1.0, self.times[j] - self.times[i])
        s = np.where(i == j, 0.0, np.clip((times - self.times[i]) / h, 0.0, 1.0))
        a, b, flags = self.values[i], self.values[j], self.flags[i]
        leave, arrive = self.slopes[i].T
        w0, w1 = self.weights[i].T
        u = _parameter(s, w0, w1)
        near, far = a + w0 * h * leave, b - w1 * h * arrive
        cubic = (1 - u) ** 3 * a + 3 * (1 - u) ** 2 * u * near + 3 * (1 - u) * u**2 * far + u**3 * b
        held = np.where((flags & HELD_NEXT > 0) & (s > 0), b, a)
        line = a + s * (b - a)
        out = np.select([flags & HELD > 0, flags & CUBIC > 0], [held, cubic], line)
        return np.where(s == 0, a, out)


def _parameter(s: Array, w0: Array, w1: Array) -> Array:
    """Where the cubic's time is s of the way: 3 (1−u)² u w₀ + 3 (1−u) u² (1 − w₁) + u³ = s."""
    plain = (np.abs(w0 - _THIRD) < 1e-6) & (np.abs(w1 - _THIRD) < 1e-6)
    if plain.all():
        return s
    low, high = np.zeros_like(s), np.ones_like(s)
    for _ in range(_HALVINGS):
        u = 0.5 * (low + high)
        below = 3 * (1 - u) ** 2 * u * w0 + 3 * (1 - u) * u**2 * (1 - w1) + u**3 < s
        low, high = np.where(below, u, low), np.where(below, high, u)
    return np.where(plain, s, 0.5 * (low + high))


def read_curve(curve: FbxObject, ticks: int) -> Curve | None:
    """The keys of a curve object; None where it has none. ``ticks``: of the file's clock in a second."""
    record = curve.record
    times, values = record.array("KeyTime") / ticks, record.array("KeyValueFloat")
    count = min(len(times), len(values))
    if count == 0 or not (np.isfinite(values[:count]).all() and np.all(np.diff(times[:count]) >= 0)):
        return None
    times, values = times[:count], values[:count]
    beyond = read_beyond(record, "Pre-Extrapolation"), read_beyond(record, "Post-Extrapolation")
    flags = record.array("KeyAttrFlags", "i")
    shares = np.maximum(record.array("KeyAttrRefCount", "i"), 0)
    data = record.value("KeyAttrDataFloat")
    raw = data.astype("<f4") if isinstance(data, np.ndarray) else np.zeros(0, "<f4")
    which = np.repeat(np.arange(len(shares)), np.minimum(shares, count))[:count]
    if not len(flags) or len(which) < count or which.max(initial=0) >= len(flags):
        straight, thirds = np.full(count, LINE), np.full((count, 2), _THIRD)
        return Curve(times, values, straight, np.zeros((count, 2)), thirds, beyond)
    numbers, weights = np.zeros((len(shares), 3)), np.full((len(shares), 2), _THIRD)
    known = min(len(raw) // 4, len(shares))
    rows = raw[: 4 * known].reshape(known, 4)
    numbers[:known] = np.nan_to_num(rows[:, :3].astype(np.float64))
    packed = np.ascontiguousarray(rows[:, 2]).view("<u2").reshape(known, 2) / _WEIGHT_UNIT
    for side, mark in enumerate((WEIGHTED_HERE, WEIGHTED_NEXT)):
        given = (flags[:known] & mark) > 0
        weights[:known, side] = np.where(given, np.clip(packed[:, side], 1e-4, 1.0), _THIRD)
    flags, weights = flags[which], weights[which]
    slopes = settled(times, values, flags, numbers[which], weights)
    return Curve(times, values, flags, slopes, weights, beyond)
