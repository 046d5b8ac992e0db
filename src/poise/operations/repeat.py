"""Repeat: a loop, round after round."""

from __future__ import annotations

from typing import Annotated

from poise.operations.declare import Operation, about
from poise.operations.quantities import Count


class Repeat(Operation, tag="repeat", frozen=True, kw_only=True):
    """Repeat a loop several times. The result travels on and is no longer a loop."""

    cycles: Annotated[Count, about("Number of repetitions.", group="Cycles", main=True, slider=(1, 20))]
    closing: Annotated[
        bool, about("Add the first frame once more at the end.", group="Cycles", expert=True)
    ] = True

    RUN = "poise.motion.operations:repeat"
    KEEPS_VERDICT = True
    EXAMPLES = ("repeat walk -o walks.bvh --cycles 4", "repeat run -o runs.glb --cycles 10")
    IN_PYTHON = """\
walks = poise.repeat(poise.clips.get("walk"), 4).clip
"""
