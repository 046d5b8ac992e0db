"""A track: keys on a manifold, with a curve through them. Poses, places, orientations and gains alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.errors import InputError
from poise.manifold import ProductManifold
from poise.methods.key.sheet import easing
from poise.methods.key.sheet.key import Keyed, TrackKey, in_order, keys_of

_UNIT = 1e-6  # how far from unit length a quaternion may be given


@dataclass(frozen=True)
class Track(Keyed[TrackKey]):
    """Values on a manifold over time; beyond its keys it holds its end values."""

    manifold: ProductManifold
    keys: tuple[TrackKey, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", in_order(_fitting(self.manifold, key) for key in self.keys))

    @staticmethod
    def of(manifold: ProductManifold, values: Mapping[float, Any] | Iterable[TrackKey] | Any) -> Track:
        """From ``{time: value}``, keys, or one value that is always meant."""
        if not isinstance(values, Mapping) and isinstance(values, Iterable):
            listed = list(values)
            if listed and all(isinstance(key, TrackKey) for key in listed):
                return Track(manifold, tuple(listed))
            values = listed
        return Track(manifold, keys_of(values))

    def at(self, times: ArrayLike) -> Array:
        """(T, nq): values at times [s]."""
        return self._curve(easing.interpolate, times)

    def velocity(self, times: ArrayLike) -> Array:
        """(T, nv): their velocities; rotations' in the body's own frame."""
        return self._curve(easing.velocity, times)

    def resolved(self, found: Callable[[Array], Array]) -> Track:
        """With values for the keys that have none: ``found(times)`` (n, nq)."""
        blank = [key for key in self.keys if key.value is None]
        if not blank:
            return self
        values = dict(zip(blank, found(np.array([key.time for key in blank]))))
        return replace(
            self, keys=tuple(replace(k, value=values[k]) if k.value is None else k for k in self.keys)
        )

    def _curve(self, evaluate: Callable[..., Array], times: ArrayLike) -> Array:
        at = checked(times, "times", (None,))
        keys = self.live
        if not keys:
            raise InputError("a track needs at least one key that is not muted to have a value")
        values = np.array([key.value for key in keys], dtype=np.float64)
        if values.ndim != 2:
            raise InputError("a key without a value has none until the whole document is evaluated")
        known = np.array([key.time for key in keys])
        return evaluate(self.manifold, known, values, [key.ease for key in keys], at)


def _fitting(manifold: ProductManifold, key: TrackKey) -> TrackKey:
    """The key with its quaternions of unit length, or an error that says what does not fit."""
    if key.value is None:
        return key
    if len(key.value) != manifold.nq:
        raise InputError(f"the value at {key.time:g} s has {len(key.value)} numbers, it needs {manifold.nq}")
    slots = manifold.rotation_slots[0]
    if not slots.size:
        return key
    length = np.linalg.norm(np.asarray(key.value)[slots], axis=-1)
    if np.abs(length - 1.0).max() > _UNIT:
        raise InputError(
            f"the value at {key.time:g} s holds a quaternion (w, x, y, z) of length {length.min():g}"
            if length.min() < 1.0 - _UNIT
            else f"the value at {key.time:g} s holds a quaternion (w, x, y, z) of length {length.max():g}"
        )
    exact = np.abs(length - 1.0).max() < 1e-14  # what is unit to rounding keeps its bits
    return key if exact else replace(key, value=tuple(manifold.normalise(np.asarray(key.value)).tolist()))
