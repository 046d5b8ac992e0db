"""A constraint: a handle, a target, when it holds, how close, and how much it matters.

With e(t) = handle(q(t)) ⊖ target(t), every constraint reads

    lower ≤ e(t) ≤ upper        at each time of ``when``, component by component.

Equality is lower = upper = 0. With ``norm`` the length |e| is bounded instead (keep a distance,
stay within a sphere). With ``rate`` the handle's velocity d(handle)/dt takes the handle's place
(hit with this velocity, do not skid). Priority 0 is the strongest; weight counts within a
priority.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import FARTHEST, Array, checked, frozen
from poise.character import Character
from poise.constraints.target import Target, as_target
from poise.constraints.when import Time, When, as_when
from poise.errors import InputError, UnknownNameError
from poise.handles import Handle, handle_from_dict

if TYPE_CHECKING:
    from poise.kinematics import Kinematics

TOLERANCES = {"m": 1e-4, "rad": 1e-3, "m/s": 1e-2, "rad/s": 1e-2}
"""What counts as met, by unit, where the caller does not say; other units: 1e-3."""
LIGHTEST, HEAVIEST = 1e-12, 1e12
"""Weights between these can be told apart from one another in doubles."""
FINEST = 1e-15
"""No smaller tolerance means anything."""
MOST_PRIORITIES = 1000
"""Strict levels are solved one after the other: more is a mistake, not a wish."""


class Details(TypedDict, total=False):
    """What may be said of any constraint; as the fields of ``Constraint``."""

    name: str
    priority: int
    weight: float
    tolerance: float | None


class Bounds(Details, total=False):
    """The same of those that do not have bounds of their own."""

    lower: ArrayLike
    upper: ArrayLike
    norm: bool


class Measures(Bounds, total=False):
    """The same of those that may be about a handle or its rate."""

    rate: bool


@dataclass(frozen=True, eq=False)
class Constraint:
    """One requirement on a motion. Plain data; solvers read it, reports name it.

    Raises:
        InputError: A bound, weight, priority or tolerance is out of range; the message names the constraint.

    Examples:
        >>> height = poise.handles.PlaneDistance("RightHandCentre")
        >>> when = poise.constraints.At(0.85)
        >>> asked = poise.constraints.Constraint(height, poise.constraints.Fixed(1.4), when, tolerance=0.001)
    """

    handle: Handle
    """The quantity that is constrained."""
    target: Target
    """What it should be."""
    when: When
    """When it holds."""
    name: str = ""
    """Shown in reports. Default: the handle and the time, in words."""
    lower: ArrayLike = 0.0
    """Least error allowed, in the handle's unit: one number for all rows or one each."""
    upper: ArrayLike = 0.0
    """Greatest error allowed, likewise; at least ``lower``."""
    rate: bool = False
    """Whether the handle's velocity is constrained instead of its value [the handle's unit/s]."""
    norm: bool = False
    """Whether the bounds apply to the length of the error instead of each row."""
    priority: int = 0
    """0 is the strongest; a priority is met before the next one counts [0 … 999]."""
    weight: float = 1.0
    """How much it counts among constraints of the same priority [1e-12 … 1e12]."""
    tolerance: float | None = None
    """How far off still counts as met, in the handle's unit [≥ 1e-15]. Default: 0.1 mm, 0.001 rad, 0.01 m/s
    or 0.01 rad/s, by the unit."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not self.name:
            put(self, "name", f"{self.handle.label} {self.when}")
        for field in ("lower", "upper"):
            given = getattr(self, field)
            number = isinstance(given, int | float | np.number)
            value = checked(
                [given] if number else given, f"{self.name}: {field} bound", (None,), finite=False
            )
            if np.isnan(value).any():
                raise InputError(f"{self.name}: a bound is not a number")
            put(self, field, frozen(value))
        if 1 != len(np.asarray(self.lower)) != len(np.asarray(self.upper)) != 1:
            raise InputError(f"{self.name}: as many lower as upper bounds are needed")
        if np.any(np.asarray(self.lower) > np.asarray(self.upper)):
            raise InputError(f"{self.name}: the lower bound {self.lower} exceeds the upper one {self.upper}")
        if self.rate and self.handle.needs_velocity:
            raise InputError(f"{self.name}: the {self.handle.label} is a rate already; drop the rate option")
        if np.any(np.asarray(self.lower) > FARTHEST) or np.any(np.asarray(self.upper) < -FARTHEST):
            raise InputError(
                f"{self.name}: a lower bound must be at most {FARTHEST:g}, an upper one at "
                f"least {-FARTHEST:g}"
            )
        put(self, "weight", _positive(self.weight, f"{self.name}: a weight", LIGHTEST, HEAVIEST))
        put(self, "priority", _priority(self.priority, self.name))
        if self.tolerance is not None:
            put(self, "tolerance", _positive(self.tolerance, f"{self.name}: a tolerance", FINEST, FARTHEST))

    @property
    def equality(self) -> bool:
        """Whether both bounds coincide."""
        return bool(np.all(np.asarray(self.lower) == np.asarray(self.upper)))

    def dim(self, character: Character) -> int:
        """Rows per time; also checks names and numbers against the character."""
        handle = self.handle.bind(character)
        rows, size = handle.dim, handle.size
        wanted = rows if self.rate else size
        if self.target.dim not in (wanted, -1):
            raise InputError(f"{self.name}: the target has {self.target.dim} numbers, it needs {wanted}")
        rows = 1 if self.norm else rows
        for bound in (self.lower, self.upper):
            if len(np.asarray(bound)) not in (1, rows):
                raise InputError(f"{self.name}: {len(np.asarray(bound))} bounds for {rows} rows")
        return rows

    def unit(self, character: Character) -> str:
        """Unit of the error."""
        unit = self.handle.bind(character).unit
        return f"{unit}/s" if self.rate else unit

    def tolerance_for(self, character: Character) -> float:
        """The tolerance, in the unit of the error."""
        return self.tolerance or TOLERANCES.get(self.unit(character), 1e-3)

    def replaced(self, **changes: object) -> Constraint:
        """A copy with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]  # each is checked

    def error(self, kin: Kinematics, times: Array) -> Array:
        """e at poses ``kin`` (one per time), (T, dim)."""
        return self.error_of(self.value(kin), self.target_at(kin, times), kin.character)

    def error_of(self, value: Array, wanted: Array, character: Character) -> Array:
        """e of values against what they should be, (T, dim)."""
        e = self._components(value, wanted, character)
        return np.linalg.norm(e, axis=1, keepdims=True) if self.norm else e

    def jacobian(self, kin: Kinematics, times: Array) -> Array:
        """∂e/∂q at fixed v, (T, dim, nv).

        For a rate this is ∂(J v)/∂q, taken by central differences of J v over all directions at once.
        """
        if self.rate:
            return self._chained(kin, times, self._rate_jacobian(kin))
        return self._chained(
            kin, times, self.handle.bind(kin.character).error_jacobian(kin, self.target_at(kin, times))
        )

    def velocity_jacobian(self, kin: Kinematics, times: Array) -> Array:
        """∂e/∂v at fixed q, (T, dim, nv): of rates, and of handles that are rates themselves; else zero."""
        if self.rate:
            return self._chained(kin, times, self.handle.jacobian(kin))
        return self._chained(kin, times, self.handle.bind(kin.character).velocity_jacobian(kin))

    def _chained(self, kin: Kinematics, times: Array, j: Array) -> Array:
        """The Jacobian of the error, or of its length."""
        if not self.norm:
            return j
        e = self._components(self.value(kin), self.target_at(kin, times), kin.character)
        length = np.linalg.norm(e, axis=1, keepdims=True)
        # At e = 0 the length has no gradient; any unit direction is a subgradient, zero is safest.
        direction = np.divide(e, length, out=np.zeros_like(e), where=length > 0)
        return np.einsum("td,tdn->tn", direction, j)[:, None, :]

    def _rate_jacobian(self, kin: Kinematics) -> Array:
        from poise.kinematics import Kinematics

        character = kin.character
        v, nv, step = np.asarray(kin.v), character.nv, 1e-6
        moves = step * np.concatenate([np.eye(nv), -np.eye(nv)])  # (2 nv, nv)
        q = character.manifold.plus(kin.q[:, None], moves)  # (T, 2 nv, nq)
        moved = Kinematics(character, q.reshape(-1, character.nq), np.repeat(v, 2 * nv, axis=0))
        rate = np.einsum("tdn,tn->td", self.handle.jacobian(moved), np.asarray(moved.v))
        rate = rate.reshape(kin.frames, 2, nv, -1)
        return np.swapaxes(rate[:, 0] - rate[:, 1], 1, 2) / (2 * step)

    def violation(self, error: Array) -> Array:
        """How far the error lies outside its bounds: signed, zero inside, (T, dim)."""
        low, high = np.asarray(self.lower), np.asarray(self.upper)
        inside = np.where(np.isnan(error), np.nan, 0.0)  # what is no number is never inside
        return np.where(error < low, error - low, np.where(error > high, error - high, inside))

    def value(self, kin: Kinematics) -> Array:
        """What the target is compared with: the handle's value, or its rate, (T, …)."""
        return self.handle.rate(kin) if self.rate else self.handle.value(kin)

    def target_at(self, kin: Kinematics, times: Array) -> Array:
        """What the value should be at times, (T, …)."""
        handle = self.handle.bind(kin.character)
        if self.target.dim == -1:
            return np.zeros((len(times), handle.dim if self.rate else handle.size))
        return self.target.at(times) if self.rate else self.target.at(times, handle.between)

    def _components(self, value: Array, wanted: Array, character: Character) -> Array:
        self.dim(character)
        return value - wanted if self.rate else self.handle.bind(character).error(value, wanted)

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
    def from_dict(cls, data: Mapping[str, Any]) -> Constraint:
        """The inverse of ``to_dict``."""
        if not isinstance(data, Mapping):
            raise InputError(f"a constraint is written as a mapping, not {data!r}")
        fields = dict(data)
        names = [f.name for f in dataclasses.fields(cls)]
        for key in fields:
            if key not in names:
                raise UnknownNameError("field", str(key), names, where="a constraint")
        for key in ("handle", "target", "when"):
            if key not in fields:
                raise InputError(
                    f"a constraint needs a {key}; this one has only {', '.join(fields) or 'nothing'}"
                )
        fields["handle"] = handle_from_dict(fields["handle"])
        fields["target"] = Target.from_dict(fields["target"])
        fields["when"] = When.from_dict(fields["when"])
        try:
            for bound in ("lower", "upper"):
                given = fields.get(bound, 0.0)
                fields[bound] = [float(x) for x in given] if isinstance(given, list | tuple) else float(given)
            return cls(**fields)
        except (TypeError, ValueError) as problem:
            raise InputError(f"constraint {fields.get('name', '')!r}: {problem}") from None


def constrain(
    handle: Handle, target: Target | ArrayLike, when: Time, **options: Unpack[Measures]
) -> Constraint:
    """A constraint from plain values: a number or vector as target, a time or a pair of times as when.

    Args:
        handle: The quantity that is constrained.
        target: What it should be, in the handle's unit: a number, a vector or a `Target`.
        when: A time [s], a pair (start, end) [s], or a `When`.
        **options: ``name``, ``lower``, ``upper``, ``norm``, ``rate``, ``priority``, ``weight`` and
            ``tolerance``, as the fields of `Constraint`.

    Returns:
        Constraint: The constraint, as data.

    Raises:
        InputError: The target is no number or vector, or an option is out of range.

    Examples:
        >>> gaze = poise.handles.Direction.of_body("Head", (1, 0, 0))
        >>> level = poise.handles.Angle(gaze, (0, 0, 1))
        >>> asked = poise.constraints.constrain(level, 1.57, (0.2, 0.6), tolerance=0.02)
    """
    try:
        wanted = as_target(target)
    except InputError as problem:
        raise InputError(f"{options.get('name') or handle.label}: {problem}") from None
    return Constraint(handle, wanted, as_when(when), **options)


def _positive(value: Any, what: str, least: float, most: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be a number, not {value!r}") from None
    if not least <= number <= most:
        raise InputError(f"{what} must be positive, from {least:g} to {most:g}, not {number:g}")
    return number


def _priority(value: Any, name: str) -> int:
    whole = isinstance(value, int | np.integer) or (isinstance(value, float) and value.is_integer())
    if not whole or isinstance(value, bool) or not 0 <= value < MOST_PRIORITIES:
        raise InputError(f"{name}: a priority is 0 (strongest), 1, 2 … {MOST_PRIORITIES - 1}, not {value!r}")
    return int(value)


def _plain(x: float) -> float | str:
    """A number for JSON, which has no infinity."""
    return float(x) if np.isfinite(x) else ("inf" if x > 0 else "-inf")
