"""What callers hand in, checked: each refusal names the field and what it holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from poise.errors import InputError


def number(value: Any, what: str, *, above: float | None = None, least: float | None = None) -> None:
    """Refuse what is not a finite number, not above a bound, or less than one."""
    plain = isinstance(value, (int, float)) or hasattr(value, "__float__")
    if isinstance(value, (bool, str)) or not plain or not math.isfinite(value):
        raise InputError(f"{what} must be a finite number, not {value!r}")
    if above is not None and not value > above:
        raise InputError(f"{what} must be more than {above:g}, not {value:g}")
    if least is not None and not value >= least:
        raise InputError(f"{what} must be at least {least:g}, not {value:g}")


def count(value: Any, what: str, *, least: int = 1) -> None:
    """Refuse what is not a whole number."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
        raise InputError(f"{what} must be a whole number of at least {least}, not {value!r}")


def several(value: Any, what: str) -> None:
    """Refuse what is not a list: a lone name, too, for its letters are names of nothing."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InputError(f"{what} must be a list, not {value!r}")
