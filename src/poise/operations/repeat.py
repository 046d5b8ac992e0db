"""Repeat: a loop, round after round."""

from __future__ import annotations

from typing import Annotated

from poise.operations.declare import Operation, about
from poise.operations.quantities import Count


class Repeat(Operation, tag="repeat", frozen=True, kw_only=True):
    """Write a loop several times in a row, as a plain motion that travels on."""

    cycles: Annotated[Count, about("How many times.", group="Cycles", main=True, slider=(1, 20))]
    closing: Annotated[
        bool, about("Whether the first frame comes round once more at the end.", group="Cycles", expert=True)
    ] = True

    RUN = "poise.motion.operations:repeat"
    KEEPS_VERDICT = True
    EXAMPLES = ("repeat walk -o walks.bvh --cycles 4", "repeat run -o runs.glb --cycles 10")
