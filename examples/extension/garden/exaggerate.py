"""Exaggerate: everything a motion does, done further."""

from __future__ import annotations

from typing import Annotated

from poise.operations.declare import Operation, about
from poise.operations.quantities import Factor


class Exaggerate(Operation, tag="exaggerate", frozen=True, kw_only=True):
    """Make a motion go further from its first pose, or less far."""

    factor: Annotated[Factor, about("How many times as far.", group="Change", main=True, slider=(0.5, 2))] = (
        1.5
    )

    RUN = "garden.exaggerating:exaggerate"
    EXAMPLES = (
        "exaggerate wave -o large.glb --factor 1.5",
        "exaggerate wave -o small.bvh --factor 0.7",
    )
