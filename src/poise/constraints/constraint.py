"""A constraint: a handle, a target, when it holds, how close, and how much it matters.

With e(t) = handle(q(t)) ⊖ target(t), every constraint reads

    lower ≤ e(t) ≤ upper        at each time of ``when``, component by component.

Equality is lower = upper = 0. With ``norm`` the length |e| is bounded instead (keep a distance,
stay within a sphere). With ``rate`` the handle's velocity d(handle)/dt takes the handle's place
(hit with this velocity, do not skid). Priority 0 is the strongest; weight counts within a
priority.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, frozen
from poise.constraints.target import Target, as_target
from poise.constraints.when import When, as_when
from poise.errors import InputError
from poise.handles import Handle, handle_from_dict
from poise.kinematics import Kinematics

TOLERANCES = {"m": 1e-4, "rad": 1e-3, "m/s": 1e-2, "rad/s": 1e-2}
"""What counts as met, by unit, where the caller does not say; other units: 1e-3."""


@dataclass(frozen=True, eq=False)
class Constraint:
    """One requirement on a motion. Plain data; solvers read it, reports name it."""

    handle: Handle
    target: Target
    when: When
    name: str = ""
    lower: ArrayLike = 0.0
    upper: ArrayLike = 0.0
    """Bounds on the error, per component, in the handle's unit."""
    rate: bool = False
    norm: bool = False
    priority: int = 0
    weight: float = 1.0
    tolerance: float | None = None
    """How far off still counts as met, in the handle's unit."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "target", as_target(self.target))
        put(self, "when", as_when(self.when))
        if not self.name:
            put(self, "name", f"{self.handle} {self.when}")
        if self.target.dim != self.handle.dim:
            raise InputError(
                f"{self.name}: the target has {self.target.dim} numbers, the handle needs {self.handle.dim}"
            )
        for field in ("lower", "upper"):
            value = np.broadcast_to(np.asarray(getattr(self, field), dtype=np.float64), (self.dim,))
            if np.isnan(value).any():
                raise InputError(f"{self.name}: a bound is not a number")
            put(self, field, frozen(value))
        if np.any(np.asarray(self.lower) > np.asarray(self.upper)):
            raise InputError(f"{self.name}: the lower bound {self.lower} exceeds the upper one {self.upper}")
        if self.rate and self.handle.needs_velocity:
            raise InputError(f"{self.name}: {self.handle} depends on velocity already and cannot be a rate")
        if not (self.weight > 0 and np.isfinite(self.weight)):
            raise InputError(f"{self.name}: a weight must be positive and finite, not {self.weight}")
        if self.priority < 0:
            raise InputError(f"{self.name}: priorities count from 0 (strongest), not {self.priority}")
        tolerance = TOLERANCES.get(self.unit, 1e-3) if self.tolerance is None else float(self.tolerance)
        if not tolerance > 0:
            raise InputError(f"{self.name}: a tolerance must be positive, not {tolerance}")
        put(self, "tolerance", tolerance)

    @property
    def dim(self) -> int:
        """Rows per time."""
        return 1 if self.norm else self.handle.dim

    @property
    def unit(self) -> str:
        """Unit of the error."""
        return f"{self.handle.unit}/s" if self.rate else self.handle.unit

    @property
    def equality(self) -> bool:
        """Whether both bounds coincide."""
        return bool(np.array_equal(np.asarray(self.lower), np.asarray(self.upper)))

    def replaced(self, **changes: Any) -> Constraint:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def error(self, kin: Kinematics, times: Array) -> Array:
        """e at poses ``kin`` (one per time), (T, dim)."""
        e = self._components(kin, self.target.at(times))
        return np.linalg.norm(e, axis=1, keepdims=True) if self.norm else e

    def jacobian(self, kin: Kinematics, times: Array) -> Array:
        """∂e/∂q, (T, dim, nv); for a rate constraint ∂e/∂v."""
        wanted = self.target.at(times)
        if self.rate:
            j = self.handle.jacobian(kin)
        else:
            j = self.handle.error_jacobian(kin, wanted)
        if not self.norm:
            return j
        e = self._components(kin, wanted)
        length = np.linalg.norm(e, axis=1, keepdims=True)
        # At e = 0 the length has no gradient; any unit direction is a subgradient, zero is safest.
        direction = np.divide(e, length, out=np.zeros_like(e), where=length > 0)
        return np.einsum("td,tdn->tn", direction, j)[:, None, :]

    def violation(self, error: Array) -> Array:
        """How far the error lies outside its bounds: signed, zero inside, (T, dim)."""
        low, high = np.asarray(self.lower), np.asarray(self.upper)
        return np.where(error < low, error - low, np.where(error > high, error - high, 0.0))

    def _components(self, kin: Kinematics, wanted: Array) -> Array:
        if self.rate:
            if kin.v is None:
                raise InputError(f"{self.name}: a rate constraint needs velocities")
            return np.einsum("tdn,tn->td", self.handle.jacobian(kin), kin.v) - wanted
        return self.handle.error(self.handle.value(kin), wanted)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "name": self.name,
            "handle": self.handle.to_dict(),
            "target": self.target.to_dict(),
            "when": self.when.to_dict(),
            "lower": [_plain(x) for x in np.asarray(self.lower)],
            "upper": [_plain(x) for x in np.asarray(self.upper)],
            "rate": self.rate,
            "norm": self.norm,
            "priority": self.priority,
            "weight": self.weight,
            "tolerance": self.tolerance,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Constraint:
        """The inverse of ``to_dict``."""
        fields = dict(data)
        fields["handle"] = handle_from_dict(fields["handle"])
        fields["target"] = Target.from_dict(fields["target"])
        fields["when"] = When.from_dict(fields["when"])
        for bound in ("lower", "upper"):
            fields[bound] = [float(x) for x in fields[bound]]
        return cls(**fields)


def _plain(x: float) -> float | str:
    """A number for JSON, which has no infinity."""
    return float(x) if np.isfinite(x) else ("inf" if x > 0 else "-inf")
