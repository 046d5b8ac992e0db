"""A foot plant put elsewhere."""

from __future__ import annotations

from typing import Annotated

from poise.operations.declare import PURE, Value, about, unit
from poise.operations.quantities import Degrees, Metres


class PlantMove(Value, frozen=True):
    """One of the places where feet stand, moved."""

    plant: Annotated[
        Annotated[int, unit(PURE, ge=1)] | str,
        about("Which: its number from 1, in order of time, or name."),
    ]
    by: Annotated[tuple[Metres, Metres], about("How far along x and y.")] = (0.0, 0.0)
    turn: Annotated[Degrees, about("By how much it is turned to the left.")] = 0.0
    lift: Annotated[Metres, about("How far up.")] = 0.0
