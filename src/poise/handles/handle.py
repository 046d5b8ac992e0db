"""A handle: any differentiable quantity of a pose that one can hold on to.

    value(q)              where the quantity is                            (F, size)
    error                 value ⊖ target                                   (F, dim)
    error_jacobian        ∂ error / ∂q along q ⊕ v, target fixed           (F, dim, nv)
    jacobian              the same with the value itself as target         (F, dim, nv)
    velocity_jacobian     ∂ value / ∂v, zero unless the quantity is a rate (F, dim, nv)

For most quantities ⊖ is the difference and size = dim. Where a value lives on a curved space (an
orientation, a pose, a shape up to rotation) it takes more numbers than it has freedoms, and ⊖ is
that space's own. A handle names things (joints, points), so it fits any character that has them;
``bind`` checks the names against one character. A few handles (a joint's value, a pose) only know
their dimensions once they are bound.

That is all a handle needs to be met by every solver: pose, key, adapt, hit. One that is asked for often may
also say its ``form``, and is then measured by compiled rows.

A handle is plain frozen data: it can be compared, hashed, and written as JSON (``to_dict``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, final

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError, UnknownNameError
from poise.extensions import extensions

if TYPE_CHECKING:
    from poise.handles.form import Form
    from poise.kinematics import Kinematics

_registry: dict[str, type[Handle]] = {}


class Handle(ABC):
    """The contract. Subclasses are frozen dataclasses with a ``kind``, which registers them.

    Examples:
        >>> punch = poise.clips.get("punch")
        >>> moved = poise.kinematics.Kinematics(punch.character, punch.q)
        >>> hand = poise.handles.PointPosition("RightHandCentre")
        >>> print(hand.label, hand.units, hand.value(moved)[0])
    """

    kind: ClassVar[str] = ""
    """Name in files."""
    needs_velocity: ClassVar[bool] = False
    """Whether ``Kinematics`` must be given velocities."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.kind:
            _registry[cls.kind] = cls

    def __str__(self) -> str:
        return self.label

    @property
    @abstractmethod
    def label(self) -> str:
        """What it is, in words, for reports: "position of LeftHand"."""

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """The unit of each row of an error, (dim,)."""

    @final
    @property
    def dim(self) -> int:
        """Rows of an error."""
        return len(self.units)

    @property
    def size(self) -> int:
        """Numbers in a value or target."""
        return self.dim

    @property
    def blocks(self) -> tuple[int, ...]:
        """What kind of numbers a target has, as ``ProductManifold`` counts them: so many plain ones, or a
        rotation (``ROTATION``), which takes four."""
        return (self.size,)

    @final
    @property
    def unit(self) -> str:
        """The unit of all rows, or the several units they have: "m, rad"."""
        return ", ".join(dict.fromkeys(self.units))

    @abstractmethod
    def check(self, character: Character) -> None:
        """Raise where the character lacks what the handle names."""

    def bind(self, character: Character) -> Self:
        """The handle with its names checked, and its dimensions known, on a character."""
        self.check(character)
        return self

    def form(self, character: Character) -> Form | None:
        """What compiled rows need to measure it (``poise.handles.form``).

        None: it speaks for itself, and every solver asks it for value, error and Jacobian.
        """
        return None

    @abstractmethod
    def value(self, kin: Kinematics) -> Array:
        """(F, size)"""

    @abstractmethod
    def jacobian(self, kin: Kinematics) -> Array:
        """(F, dim, nv)"""

    def error(self, value: Array, target: ArrayLike) -> Array:
        """value ⊖ target, (F, dim); one target (size,) for all frames or one each (F, size)."""
        return value - self.as_target(target, value)

    def error_jacobian(self, kin: Kinematics, target: ArrayLike) -> Array:
        """∂ error / ∂q, (F, dim, nv)."""
        return self.jacobian(kin)

    def velocity_jacobian(self, kin: Kinematics) -> Array:
        """∂ value / ∂v, (F, dim, nv)."""
        return np.zeros((kin.frames, self.bind(kin.character).dim, kin.character.nv))

    def rate(self, kin: Kinematics) -> Array:
        """How fast it changes, d value / dt at velocities ``kin.v``, (F, dim)."""
        return np.einsum("fdn,fn->fd", self.jacobian(kin), np.asarray(kin.v))

    def between(self, a: Array, b: Array, s: Array) -> Array:
        """Targets a fraction ``s`` (T,) of the way from a to b (T, size): straight, or as the space bends."""
        return a + s[:, None] * (b - a)

    @final
    def as_target(self, target: ArrayLike, value: Array) -> Array:
        """A target as an array that broadcasts against the value (F, size)."""
        array = np.asarray(target, dtype=np.float64)
        if array.ndim == 0 and value.shape[1] == 1:
            array = array[None]
        if array.shape not in (value.shape[1:], value.shape, (1, value.shape[1])):
            raise InputError(
                f"the target of the {self.label} must have {value.shape[1]} numbers "
                f"(or one row for each of {len(value)} frames), not shape {array.shape}"
            )
        return array

    @final
    def to_dict(self) -> dict[str, Any]:
        """Plain data for files: ``kind`` and the fields."""
        return {"kind": self.kind, **_plain(self)}


def kinds() -> dict[str, type[Handle]]:
    """Every kind of handle by its name in files, those of other packages too.

    Returns:
        dict[str, type[Handle]]: The classes by name.

    Examples:
        >>> print(poise.handles.kinds())
    """
    extensions("poise.handles")  # a class is known once it is there
    return dict(sorted(_registry.items()))


def handle_from_dict(data: Mapping[str, Any]) -> Handle:
    """A handle from plain data, as ``to_dict`` wrote it.

    Args:
        data: As ``to_dict`` writes it: ``kind`` and the fields of that kind.

    Returns:
        Handle: An equal handle.

    Raises:
        UnknownNameError: There is no such kind, or the kind has no such field.
        InputError: A field cannot be used.

    Examples:
        >>> hand = poise.handles.PointPosition("RightHandCentre", axes="xz")
        >>> assert poise.handles.handle_from_dict(hand.to_dict()) == hand
    """
    if not isinstance(data, Mapping):
        raise InputError(f"a handle is written as a mapping with a kind, not {data!r}")
    kind = data.get("kind")
    if not isinstance(kind, str) or (kind not in _registry and kind not in kinds()):
        raise UnknownNameError("kind of handle", str(kind), kinds())
    cls = _registry[kind]
    names = [f.name for f in fields(cls) if f.init]  # type: ignore[arg-type]  # all are dataclasses
    given = {key: value for key, value in data.items() if key != "kind"}
    for key in given:
        if key not in names:
            raise UnknownNameError("field", key, names, where=f"handle {kind!r}")
    try:
        return cls(**given)
    except (TypeError, ValueError) as problem:
        raise InputError(f"handle {kind!r} cannot be built from {given}: {problem}") from None


def _plain(item: Any) -> Any:
    """Dataclasses as dictionaries of their given fields, tuples as lists."""
    if is_dataclass(item):
        given = ((f.name, getattr(item, f.name)) for f in fields(item) if f.init)
        return {name: _plain(value) for name, value in given if value is not None}
    if isinstance(item, tuple | list):
        return [_plain(part) for part in item]
    return item
