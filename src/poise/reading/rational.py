"""Exact fractions from what people and files write: 30, 23.976, "24000/1001"; never more digits than memory.

The exact value of "1e999999999" has a billion digits, so a number's size is looked at as a float before it is
made.
"""

from __future__ import annotations

import math
from fractions import Fraction

from poise.errors import InputError

LONGEST = 64
"""Letters of a number, which is more than any rate needs."""


def bounded_fraction(value: Fraction | float | str, what: str, low: float, high: float) -> Fraction:
    """The exact value of what was written, if it is a number from ``low`` to ``high``."""
    refused = InputError(f"{what} must be a positive number from {low:g} to {high:g}, not {_shown(value)}")
    if isinstance(value, str) and len(value) > LONGEST:
        raise refused
    try:
        rough = _rough(value)
        if not low <= rough <= high:
            raise refused
        return Fraction(value)
    except (ValueError, ArithmeticError, TypeError):
        raise refused from None


def _rough(value: Fraction | float | str) -> float:
    if not isinstance(value, str):
        return float(value)
    above, bar, below = value.partition("/")
    return float(above) / float(below) if bar else float(value)


def _shown(value: object) -> str:
    if isinstance(value, int) and abs(value) > 10**LONGEST:
        return f"a whole number of {round(math.log10(abs(value)))} digits"
    if isinstance(value, Fraction):  # Python refuses to write one of very many digits
        below = "" if value.denominator == 1 else f" over {_shown(value.denominator)}"
        return f"{_shown(value.numerator)}{below}"
    return repr(value) if len(repr(value)) <= LONGEST + 2 else f"{repr(value)[:LONGEST]}…"
