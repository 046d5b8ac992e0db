"""A helping hand on a root that is free."""

from __future__ import annotations

from typing import Annotated

from poise.errors import InputError
from poise.operations.declare import PURE, Value, about, unit


class Balance(Value, frozen=True):
    """Springs that keep a free root where it should be."""

    frequency: Annotated[
        Annotated[float, unit("Hz", ge=0, lt=50)],
        about("How fast the body would swing on them; 0: none.", slider=(0, 5)),
    ] = 1.5
    ratio: Annotated[
        Annotated[float, unit(PURE, ge=0, lt=20)],
        about("Damping ratio; 1 does not overshoot.", slider=(0, 2)),
    ] = 1.0

    def __post_init__(self) -> None:
        if not (0 <= self.frequency < 50 and 0 <= self.ratio < 20):
            raise InputError(
                "balance needs a frequency of 0 to 50 Hz and a damping ratio from 0 to 20, "
                f"not {self.frequency} and {self.ratio}"
            )
