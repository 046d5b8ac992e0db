"""Where a character looks, and when."""

from __future__ import annotations

from typing import Annotated

from poise.operations.declare import PURE, Value, about, unit
from poise.operations.quantities import Place, Span, Time

_Part = Annotated[float, unit(PURE)]
Direction = tuple[_Part, _Part, _Part]
"""A vector of which only the direction counts."""


class Look(Value, frozen=True):
    """A look at a place."""

    place: Annotated[Place, about("What is looked at.", editor="place")]
    time: Annotated[Time | Span, about("When: a time, or from when to when.")]
    eyes: Annotated[str, about("The point that looks, by its name or role.", editor="joint")] = "head"
    axis: Annotated[
        Direction | None, about("Its line of sight in its own axes; left out, what faces forward at rest.")
    ] = None
