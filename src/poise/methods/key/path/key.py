"""A key of the centre-of-mass path: where it is at a time, and by what law it goes on from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import FARTHEST, checked
from poise.errors import InputError, UnknownNameError
from poise.methods.key.path.templates import Hermite, Template, template_from_dict
from poise.methods.key.sheet.key import as_time

HERMITE = Hermite()
_FIELDS = ("time", "position", "velocity", "template", "muted")


@dataclass(frozen=True)
class PathKey:
    """One key; plain data."""

    time: float
    """[s]"""
    position: ArrayLike
    """Centre of mass [m], (3,), kept as a tuple; a template before it may overwrite it."""
    velocity: ArrayLike | None = None
    """Velocity handle [m/s], (3,); None: automatic."""
    template: Template = HERMITE
    """The law from here to the next key."""
    muted: bool = False
    """A muted key is kept but plays no part."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "time", as_time(self.time))
        put(self, "position", tuple(checked(self.position, "position", (3,), most=FARTHEST).tolist()))
        if self.velocity is not None:
            put(self, "velocity", tuple(checked(self.velocity, "velocity", (3,), most=FARTHEST).tolist()))
        if not isinstance(self.template, Template):
            raise InputError(f"a template is one of poise.methods.key.path.templates, not {self.template!r}")
        if not isinstance(self.muted, bool):
            raise InputError(f"muted must be true or false, not {self.muted!r}")

    def to_dict(self) -> dict[str, Any]:
        """As plain data; what is at its default is left out."""
        data: dict[str, Any] = {"time": self.time, "position": np.asarray(self.position).tolist()}
        if self.velocity is not None:
            data["velocity"] = np.asarray(self.velocity).tolist()
        data["template"] = self.template.to_dict()
        if self.muted:
            data["muted"] = True
        return data

    @classmethod
    def from_dict(cls, data: Any) -> PathKey:
        """The inverse of ``to_dict``; errors name the field."""
        if not isinstance(data, Mapping):
            raise InputError(f"a key is written as a mapping, not {data!r}")
        for name in data:
            if name not in _FIELDS:
                raise UnknownNameError("field", name, _FIELDS)
        for name in ("time", "position"):
            if name not in data:
                raise InputError(f"a {name} is missing")
        fields = dict(data)
        if "template" in fields:
            fields["template"] = template_from_dict(fields["template"])
        return cls(**fields)
