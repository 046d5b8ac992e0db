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

    place: Annotated[Place, about("The place to look at.", editor="place")]
    time: Annotated[Time | Span, about("A time or an interval.")]
    eyes: Annotated[str, about("The point that looks, by name or role.", editor="joint")] = "head"
    axis: Annotated[
        Direction | None, about("Line of sight in the point's own axes. Default: what faces forward at rest.")
    ] = None
