"""Decimal text to float64, compiled: every number exactly as ``float()`` reads it, or flagged.

A decimal with mantissa m ≤ 2⁵³ and power |p| ≤ 22 is m·10^p with both factors exact, so one
multiplication or division rounds it correctly. Longer numbers are flagged for the caller.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.compilation import kernel

_POWERS = np.array([10.0**p for p in range(23)])
_LARGEST = 1 << 53
"""Whole numbers up to here are doubles exactly."""


@kernel(fast=False)
def count_tokens(text: Any) -> int:
    """How many runs of non-blank bytes there are in ``text`` (uint8)."""
    count = 0
    blank = True
    for byte in text:
        now = byte <= 32
        if blank and not now:
            count += 1
        blank = now
    return count


@kernel(fast=False)
def parse_tokens(text: Any, values: Any, starts: Any, ends: Any) -> None:
    """Fill values, starts and ends of all tokens; what is no plain short decimal becomes NaN."""
    size = len(text)
    at = 0
    for n in range(len(values)):
        while text[at] <= 32:
            at += 1
        starts[n] = at
        negative = text[at] == 45
        if negative or text[at] == 43:
            at += 1
        mantissa = 0
        digits = 0
        power = 0
        good = True
        while at < size and 48 <= text[at] <= 57:
            mantissa = mantissa * 10 + (text[at] - 48)
            good = good and mantissa <= _LARGEST
            digits += 1
            at += 1
        if at < size and text[at] == 46:
            at += 1
            while at < size and 48 <= text[at] <= 57:
                mantissa = mantissa * 10 + (text[at] - 48)
                good = good and mantissa <= _LARGEST
                digits += 1
                power -= 1
                at += 1
        if good and digits > 0 and at < size and (text[at] == 101 or text[at] == 69):
            at += 1
            minus = at < size and text[at] == 45
            if at < size and (minus or text[at] == 43):
                at += 1
            exponent = 0
            shown = 0
            while at < size and 48 <= text[at] <= 57:
                exponent = min(exponent * 10 + (text[at] - 48), 10000)
                shown += 1
                at += 1
            good = shown > 0
            power += -exponent if minus else exponent
        good = good and digits > 0 and -22 <= power <= 22 and (at == size or text[at] <= 32)
        while at < size and text[at] > 32:
            at += 1
        ends[n] = at
        if good:
            value = mantissa / _POWERS[-power] if power < 0 else mantissa * _POWERS[power]
            values[n] = -value if negative else value
        else:
            values[n] = np.nan
