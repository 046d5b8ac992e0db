"""Array hygiene: validated, frozen copies of what callers hand in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.errors import InputError

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]


def frozen(values: ArrayLike, *, dtype: Any = np.float64) -> NDArray[Any]:
    """A read-only, C-contiguous copy of ``values``."""
    copy = np.array(values, dtype=dtype, order="C", copy=True)
    copy.flags.writeable = False
    return copy


FARTHEST = 1e9
"""No place, angle or rate that anybody means is larger [m, rad, m/s …].

Beyond it a double knows no micrometres, and squares of squares leave its range: solvers could neither meet
nor report what is asked there."""


def checked(
    values: ArrayLike,
    name: str,
    shape: Sequence[int | None],
    *,
    finite: bool = True,
    most: float = float("inf"),
) -> Array:
    """``values`` as a float64 array of the given shape (None: any length), none larger than ``most``."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{name} must be numbers: {problem}") from None
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape)):
        wanted = "(" + ", ".join("…" if n is None else str(n) for n in shape) + ")"
        raise InputError(f"{name} must have shape {wanted}, not {array.shape}")
    if finite and not np.isfinite(array).all():
        raise InputError(f"{name} {_first(array, ~np.isfinite(array))}; all values must be finite")
    if most < float("inf") and (np.abs(array) > most).any():
        found = _first(array, np.abs(array) > most)
        raise InputError(f"{name} {found}; numbers from {-most:g} to {most:g} can be used")
    return array


def _first(array: Array, wrong: NDArray[np.bool_]) -> str:
    """What is wrong, and where: the first of several numbers, or the only one."""
    where = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"holds {array[where]:g} at index {where}" if where else f"is {array[where]:g}"
