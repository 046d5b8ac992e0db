"""A pin: a handle pulled to a target, more or less firmly over time.

Its **targets** are keys in world space: places [m] of a point, unit quaternions of a body's orientation. A
target of None means where the pose track, carried along by the centre of mass's path, has it at that key's
time. Its **gains** run from 0 (absent) to 1 (as good as exact; only what physics says is stronger). Between
keys both go as their easings say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError
from poise.handles import Handle, On, PointPosition
from poise.manifold import ProductManifold
from poise.methods.key.sheet.key import TICK, TrackKey, as_time
from poise.methods.key.sheet.track import Track

NUMBER = ProductManifold([1])
"""The space of gains, and of other single numbers."""


@dataclass(frozen=True)
class Pin:
    """Handle, targets over time, gains over time."""

    handle: Handle
    targets: Track
    gains: Track
    name: str = ""
    muted: bool = False

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not self.name:
            put(self, "name", self.handle.label)
        if self.handle.needs_velocity:
            raise InputError(
                f"pin {self.name!r}: the {self.handle.label} is a rate; a pin holds what a pose has"
            )
        for what, track in (("target", self.targets), ("gain", self.gains)):
            if not track.keys:
                raise InputError(f"pin {self.name!r} needs at least one {what} key")
        for key in self.gains.keys:
            if key.value is None or not 0.0 <= key.value[0] <= 1.0:
                raise InputError(
                    f"pin {self.name!r}: the gain at {key.time:g} s must lie between 0 and 1, not {key.value}"
                )

    def check(self, character: Character) -> None:
        """Raise where the character lacks what the pin names."""
        self.handle.check(character)

    @property
    def acts(self) -> bool:
        """Whether anything of it is heeded at all."""
        return not self.muted and bool(self.targets.live and self.gains.live)

    def gain(self, times: ArrayLike) -> Array:
        """(T,): how firmly it pulls at times [s]."""
        return self.gains.at(times)[:, 0]

    def replaced(self, **changes: object) -> Pin:
        """A copy with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]  # each is checked


def hold(
    what: str | On | Handle,
    *,
    at: tuple[float, float] | None = None,
    to: Mapping[float, Any] | ArrayLike | None = None,
    gain: float = 1.0,
    fade: float | tuple[float, float] = 0.1,
    name: str = "",
) -> Pin:
    """Hold a point (or any handle) from one time to another, with a gain that fades in before and out after.

    ``at``: (start, end) [s], or None for always; ``to``: the place, ``{time: place}``, or None for where the
    carried pose has it at the start (say where, if it is not there yet: a heel that follows the ball down);
    ``fade`` [s]: how long the gain takes to rise before the start and to fall after the end, one for both or
    (rise, fall).
    """
    handle = what if isinstance(what, Handle) else PointPosition(what)
    if not name:
        name = handle.label if not isinstance(what, str) else what
    if at is None:
        return Pin(handle, _targets(handle, to, 0.0), Track.of(NUMBER, gain), name)
    try:
        start, end = (as_time(t) for t in at)
    except (TypeError, ValueError):
        raise InputError(f"pin {name!r}: an interval is a pair (start, end) of seconds, not {at!r}") from None
    if end < start:
        raise InputError(f"pin {name!r}: the interval ends ({end:g} s) before it starts ({start:g} s)")
    fades = np.ravel(fade)
    if not (len(fades) in (1, 2) and np.isfinite(fades).all() and (fades >= 0.0).all()):
        raise InputError(
            f"pin {name!r}: a fade is a time of zero or more seconds, or (rise, fall), not {fade!r}"
        )
    rise, fall = (max(float(fades[k]), 2.0 * TICK) for k in (0, -1))
    held = {start - rise: 0.0, start: gain, end + fall: 0.0}
    if end - start > TICK:
        held[end] = gain
    return Pin(handle, _targets(handle, to, start), Track.of(NUMBER, held), name)


def space_of(handle: Handle) -> ProductManifold:
    """The manifold that a handle's targets lie on."""
    return ProductManifold(handle.blocks)


def _targets(handle: Handle, to: Any, start: float) -> Track:
    if isinstance(to, Mapping):
        return Track.of(space_of(handle), to)
    return Track(space_of(handle), (TrackKey(start, None if to is None else tuple(np.ravel(to).tolist())),))
