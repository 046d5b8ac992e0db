"""Frame time as text ↔ the exact frame rate it stands for.

A frame time is printed rounded (0.0333333) or cut off (0.016666), often through single precision.
The rate is the nicest number that prints so: a whole number, else n·1000/1001 (television), else a
simple fraction; where none fits, the reciprocal of what is written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from poise.errors import InputError
from poise.reading.rational import LONGEST

CUSTOMARY = (24, 25, 30, 48, 50, 60, 90, 100, 120, 144, 200, 240)
"""Preferred where a short frame time leaves several whole numbers to choose from."""
_SIMPLE = 12  # largest denominator of a "simple" fraction
_LARGEST = 100_000
"""Frames per second: faster whole rates are not tried."""
SHORTEST, SLOWEST = 1e-9, 1e6
"""Frame times beyond these are no motion's [s]."""


def rate_of(text: str) -> Fraction:
    """The exact rate [1/s] that a frame time [s] stands for."""
    # As a float first: the exact value of "1e999999999" would not fit into any memory.
    try:
        rough = float(Fraction(text)) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        rough = math.nan
    if len(text) > LONGEST:
        raise InputError(f"Frame Time is {text[:20]!r}…, a number of more than {LONGEST} letters")
    if math.isnan(rough):
        raise InputError(f"Frame Time is {text!r}, not a number")
    if rough <= 0:
        raise InputError(f"Frame Time is {text!r}; it must be greater than 0")
    if not SHORTEST <= rough <= SLOWEST:
        raise InputError(f"Frame Time is {text!r}; it must lie between {SHORTEST:g} and {SLOWEST:g} s")
    time = Fraction(text)
    exact = 1 / time
    if exact.denominator <= 4:
        return exact
    mantissa, _, exponent = text.lower().partition("e")
    step = Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    rounded = (time - step / 2, time + step / 2)
    cut = (time, time + step)
    for low, high in (rounded, cut):
        if low <= 0:
            continue
        fits = [n for n in _whole(exact) if low <= Fraction(1, n) <= high]
        if fits:
            return Fraction(min(fits, key=lambda n: (n not in CUSTOMARY, abs(n - exact))))
        for rate in _television(exact):
            if low <= 1 / rate <= high:
                return rate
    for rate in (*map(Fraction, _whole(exact)), *_television(exact)):
        # Written from single precision: all digits of a float that is the nearest to 1/rate.
        if np.float32(float(time)) == np.float32(float(1 / rate)) and len(mantissa.lstrip("0.")) > 7:
            return rate
    # The more digits are given, the more complex a fraction can be before it fits by chance.
    digits = len(mantissa.replace(".", "").lstrip("0"))
    simple = exact.limit_denominator(max(_SIMPLE, 10 ** (digits // 3)))
    if simple > 0 and rounded[0] <= 1 / simple <= rounded[1]:
        return simple
    return exact


def _whole(exact: Fraction) -> list[int]:
    """Whole rates worth trying: the customary ones and those next to the exact one."""
    near = round(exact)
    return [n for n in dict.fromkeys((*CUSTOMARY, *range(near - 3, near + 4))) if 0 < n <= _LARGEST]


def _television(exact: Fraction) -> Iterable[Fraction]:
    near = round(exact * Fraction(1001, 1000))
    return [Fraction(n * 1000, 1001) for n in (near, near - 1, near + 1) if n > 0]


def frame_time_text(rate: Fraction) -> str:
    """The shortest frame time of at least eight decimals that reads back as exactly this rate."""
    time = 1 / rate
    text = ""
    for digits in range(8, 25):
        text = _rounded(time, digits)
        if Fraction(text) > 0 and rate_of(text) == rate:
            return text
    return text


def _rounded(value: Fraction, digits: int) -> str:
    """A fraction in decimals, rounded half up."""
    scaled = int(value * 10**digits + Fraction(1, 2))
    whole, part = divmod(scaled, 10**digits)
    return f"{whole}.{part:0{digits}d}"
