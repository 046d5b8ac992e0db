"""The path of the centre of mass: keys, and a template from each key to the next. A frozen document.

What a template gives back changes the keys *as they play*, never the document: ``resolved`` has both.

* Projectile II and Pendulum put the key at their end where they arrive, C_e′.
* Every template but the Hermite has velocities of its own at both ends. They go to the neighbours that take
  one there: to a Hermite on either side, and on to a Projectile II or Pendulum that follows. This goes before
  a velocity given at the key; a hint says so where it matters.
* Where two templates meet that both dictate the velocity it jumps, and a hint says by how much.
* A velocity that neither the user nor a neighbour gives is automatic. Between two Hermites it is the slope of
  the parabola through the key and its two neighbours; at the first and last key, and at the start of a
  Pendulum, it is zero; a Projectile II starts as Projectile I would.
* Projectile III knows how long it takes; keys that leave another time get a hint, and ``fixed`` moves them.

Edits return a new path; a key is named by its index in order of time, as on every track.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from poise.errors import InputError, UnknownNameError
from poise.gravity import EARTH
from poise.methods.key.path.hint import Hint
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.resolved import ResolvedPath, resolve
from poise.methods.key.path.templates import Hermite, ProjectileI, ProjectileIII, Template
from poise.methods.key.path.templates.template import Motion
from poise.methods.key.sheet.key import Keyed, as_time, in_order

VERSION = 1


@dataclass(frozen=True)
class Path(Keyed[PathKey]):
    """Keys of the centre of mass."""

    keys: tuple[PathKey, ...]
    """In order of time, whatever the order given."""
    gravity: float = EARTH
    """Magnitude [m/s²]; it points down, −z."""

    def __post_init__(self) -> None:
        for i, key in enumerate(self.keys):
            if not isinstance(key, PathKey):
                raise InputError(f"key {i} of the path must be a PathKey, not {key!r}")
        g = self.gravity
        if isinstance(g, bool) or not isinstance(g, int | float) or not math.isfinite(g) or g < 0:
            raise InputError(f"gravity of the path must be a finite magnitude [m/s²], not {g!r}")
        object.__setattr__(self, "keys", in_order(self.keys))
        object.__setattr__(self, "gravity", float(g))

    # What it means ---------------------------------------------------------------------------

    @cached_property
    def _resolved(self) -> ResolvedPath:
        return resolve(self.keys, self.gravity)

    def resolved(self) -> ResolvedPath:
        """The path as it plays; an impossible request is an error that names the key."""
        return self._resolved

    def at(self, times: ArrayLike) -> Motion:
        """Position, velocity and acceleration at times [s] (T,); outside, the ends are held still."""
        return self._resolved.at(times)

    @property
    def hints(self) -> tuple[Hint, ...]:
        """What could be better, in order of time."""
        return self._resolved.hints

    def fixed(self) -> Path:
        """The path timed as its hints ask: each end key is moved, and all keys after it with it."""
        path = self
        for _ in self.keys:  # each round settles the first of them; what is before it stays settled
            hint = next((h for h in path.hints if h.fixable), None)
            if hint is None:
                break
            path = path._retimed(hint)
        return path

    def _retimed(self, hint: Hint) -> Path:
        end = self.keys[hint.key].time
        start = max(key.time for key in self.live if key.time < end)
        scale = 1 + hint.amount / (end - start)

        def clock(t: float) -> float:
            if t >= end:
                return t + hint.amount
            return start + scale * (t - start) if t > start else t  # muted keys between keep their share

        return self.retimed(clock)

    # Edits: these beside insert, delete, copy, move and mute -----------------------------------

    def on_curve(self, time: float) -> PathKey:
        """A key on the curve; inserting it changes nothing but automatic velocities nearby."""
        time = as_time(time)
        motion = self.at([time])
        before = [key for key in self.live if key.time <= time]
        template = before[-1].template if before else Hermite()
        if isinstance(template, ProjectileIII):  # the rest of the arc has not that apex
            template = ProjectileI()
        velocity = tuple(motion.velocity[0].tolist()) if isinstance(template, Hermite) else None
        return PathKey(time, tuple(motion.position[0].tolist()), velocity, template)

    def shift(self, index: int, time: float) -> Path:
        """With a key at another time [s], and all keys after it shifted as much."""
        i, to = self._index(index), as_time(time)
        first = self.keys[i].time
        if i and to <= self.keys[i - 1].time:
            raise InputError(
                f"key {i} at {first:g} s and those after it cannot shift to {to:g} s: "
                f"key {i - 1} at {self.keys[i - 1].time:g} s stays"
            )
        return self.retimed(lambda t: t if t < first else to + (t - first))

    def with_position(self, index: int, position: ArrayLike) -> Path:
        """With a key elsewhere [m]."""
        return self._told(index, position=position)

    def with_velocity(self, index: int, velocity: ArrayLike | None) -> Path:
        """With another velocity handle at a key [m/s]; None: automatic."""
        return self._told(index, velocity=velocity)

    def with_template(self, index: int, template: Template) -> Path:
        """With another law from a key to the next."""
        return self._told(index, template=template)

    def _told(self, index: int, **fields: object) -> Path:
        i = self._index(index)
        try:
            return self.changed(i, **fields)
        except InputError as problem:
            raise InputError(f"key {i} of the path: {problem}") from None

    # Files -----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"version": VERSION, "gravity": self.gravity, "keys": [key.to_dict() for key in self.keys]}

    @classmethod
    def from_dict(cls, data: Any) -> Path:
        """The inverse of ``to_dict``; errors name the key and the field."""
        if not isinstance(data, Mapping):
            raise InputError(f"a path is written as a mapping, not {data!r}")
        names = ("version", "gravity", "keys")
        for name in data:
            if name not in names:
                raise UnknownNameError("field", name, names, where="a path")
        if data.get("version") != VERSION:
            raise InputError(f"a path of version {data.get('version')!r}; this Poise reads version {VERSION}")
        entries = data.get("keys")
        if not isinstance(entries, list | tuple):
            raise InputError(f"keys of a path must be a list, not {entries!r}")
        keys = []
        for i, entry in enumerate(entries):
            try:
                keys.append(PathKey.from_dict(entry))
            except InputError as problem:
                raise InputError(f"key {i} of the path: {problem}") from None
        return cls(tuple(keys), data.get("gravity", EARTH))
