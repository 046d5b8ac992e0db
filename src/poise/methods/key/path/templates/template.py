"""A template: the law that the centre of mass obeys between two keys.

Table of what each takes from the keys (×) and what it gives back:

| template       | C_s | C_e | V_s | V_e | ΔT | height or pivot | C_e′ | t_e′ |
|----------------|-----|-----|-----|-----|----|-----------------|------|------|
| Hermite        |  ×  |  ×  |  ×  |  ×  | ×  |                 |      |      |
| Projectile I   |  ×  |  ×  |     |     | ×  |                 |      |      |
| Projectile II  |  ×  |     |  ×  |     | ×  |                 |  ×   |      |
| Projectile III |  ×  |  ×  |     |     | ×  |        ×        |      |  ×   |
| Pendulum       |  ×  |     |  ×  |     | ×  |        ×        |  ×   |      |

C are positions [m], V velocities [m/s], ΔT the time between the keys [s]; s the start, e the end. A velocity
that a template does not take it dictates: both ends of every template but the Hermite have a velocity of
their own (C_e′ is where it ends, t_e′ when it had better end), and neighbours that take one there are given
it (``path``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.errors import InputError, UnknownNameError

UP = np.array([0.0, 0.0, 1.0])
UP.flags.writeable = False

_registry: dict[str, type[Template]] = {}


class Motion(NamedTuple):
    """A moving point at T times."""

    position: Array
    """[m] (T, 3)."""
    velocity: Array
    """[m/s] (T, 3)."""
    acceleration: Array
    """[m/s²] (T, 3)."""


@dataclass(frozen=True, eq=False)
class Given:
    """What the keys tell a template."""

    start: Array  # (3,) C_s
    end: Array  # (3,) C_e, as the user placed it
    duration: float  # ΔT
    gravity: float  # [m/s²], downwards
    start_velocity: Array | None = None  # (3,) V_s, where the template takes one
    end_velocity: Array | None = None  # (3,) V_e


class Arc(ABC):
    """The curve a template makes, over seconds since its start."""

    duration: float

    @abstractmethod
    def at(self, seconds: Array) -> Motion:
        """The motion at times since the start (T,)."""


@dataclass(frozen=True)
class Template(ABC):
    """The contract. Subclasses are frozen dataclasses with a ``kind``, which registers them."""

    kind: ClassVar[str] = ""
    """Name in files."""
    label: ClassVar[str] = ""
    """In words: "the projectile"."""
    takes_start_velocity: ClassVar[bool] = False
    takes_end_velocity: ClassVar[bool] = False
    moves_end: ClassVar[bool] = False
    """Whether the end key is put where the arc ends."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.kind:
            _registry[cls.kind] = cls

    @abstractmethod
    def arc(self, given: Given) -> Arc:
        """The curve; an impossible request is an error."""

    def own_velocity(self, given: Given) -> Array:
        """V_s where nobody gives one, (3,): at rest."""
        return np.zeros(3)

    def admitted(self, velocity: Array, given: Given) -> Array:
        """The part of a given V_s that the template can take, (3,)."""
        return velocity

    def wanted_duration(self, given: Given) -> float | None:
        """How long the template would take by itself [s], t_e′ − t_s; None where ΔT is free."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """As plain data: the kind and its fields."""
        return {"kind": self.kind, **{f.name: _plain(getattr(self, f.name)) for f in fields(self)}}


def template_from_dict(data: Any) -> Template:
    """The template that ``to_dict`` described; errors name the field."""
    if not isinstance(data, Mapping) or "kind" not in data:
        raise InputError(f"template must be a mapping with a kind, not {data!r}")
    kind = data["kind"]
    if not isinstance(kind, str) or kind not in _registry:
        raise UnknownNameError("template", kind, kinds())
    cls = _registry[kind]
    names = [f.name for f in fields(cls)]
    for name in data:
        if name != "kind" and name not in names:
            raise UnknownNameError("field", name, names, where=f"template {kind!r}")
    for name in names:
        if name not in data:
            raise InputError(f"template {kind!r} needs a {name}")
    return cls(**{name: data[name] for name in names})


def kinds() -> tuple[str, ...]:
    """Names of all templates."""
    return tuple(_registry)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
