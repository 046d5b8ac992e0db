"""A point of a pose that stays, or goes somewhere."""

from __future__ import annotations

from typing import Annotated

from poise.operations.declare import Value, about
from poise.operations.quantities import Place


class PosePin(Value, frozen=True):
    """A point held by a pose."""

    point: Annotated[str, about("Which.", editor="joint")]
    place: Annotated[Place | None, about("Where; left out, it stays.", editor="place")] = None
