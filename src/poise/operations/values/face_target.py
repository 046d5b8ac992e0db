"""What a loosened face shall be like at a time, as data."""

from __future__ import annotations

from typing import Annotated, Any

from poise.errors import InputError
from poise.operations.declare import PURE, Value, about, unit
from poise.operations.quantities import Length, Place, Time

MARK = "region"
"""Entries among constraints that have this field are targets of faces."""
WHOLE = "*"
"""The region of the whole face."""
Weight = Annotated[float, unit(PURE)]


class FaceTarget(Value, frozen=True):
    """A shape of a face at a time, or how fast it changes, in a region; by default as animated."""

    region: Annotated[
        str | tuple[str | Annotated[int, unit(PURE, ge=0)], ...],
        about("Morph targets, by name or pattern (* is the whole face), or vertices by their numbers."),
    ]
    at: Annotated[Time, about("Time.")]
    shape: Annotated[
        dict[str, Weight] | tuple[Place, ...] | Weight | None,
        about(
            "Morph target weights by name, or a position per vertex. Default: as animated. For a "
            "rate: weights per second, velocities, or 0 for rest."
        ),
    ] = None
    rate: Annotated[bool, about("Target the velocity instead of the shape.")] = False
    name: Annotated[str, about("Name.")] = ""
    tolerance: Annotated[
        Length | None, about("Tolerance (m/s for a rate). Default: 1/10000 of the face.")
    ] = None

    @property
    def label(self) -> str:
        """Its name, or what it is."""
        return self.name or label_of(self.region, self.at, rate=self.rate)


def label_of(region: Any, time: float, *, rate: bool) -> str:
    """What a target without a name goes by."""
    where = region if isinstance(region, str) else "a region"
    what = "face" if where == WHOLE else where
    return f"{'velocity of ' if rate else ''}{what} at {time:g} s"


def is_for_face(entry: Any) -> bool:
    """Whether an entry among constraints is a target of a face."""
    return isinstance(entry, dict) and MARK in entry


def face_targets(entries: list[Any]) -> list[FaceTarget]:
    """Entries as targets of a face; constraints of a body are refused."""
    from poise.operations.decoding import converted

    for number, entry in enumerate(entries):
        if not is_for_face(entry):
            raise InputError(
                f"field 'constraints': entry {number} is for a body; targets of a face name a region and a "
                'time, {"region": "mouth*", "at": 0.8}'
            )
    return [converted(entry, FaceTarget, f"constraints: entry {k}") for k, entry in enumerate(entries)]
