"""Check: what in a motion real bodies do not do."""

from __future__ import annotations

from typing import Annotated, Literal

from poise.operations.declare import Operation, about
from poise.operations.quantities import Hertz, Metres

CUTOFF = 10.0
"""Of the low-pass filter [Hz]: people move below it, markers and solvers jitter above it."""


class Check(Operation, tag="check", frozen=True, kw_only=True):
    """Check a motion: flights and the gravity they imply, contacts, skate, balance, forces, torques."""

    floor: Annotated[
        Metres | None,
        about("Height of the floor; left out: estimated from where the feet stand.", group="Judgement"),
    ] = None
    filter: Annotated[
        Hertz | Literal["off"],
        about(
            "Cut-off of the low-pass filter against capture noise.",
            group="Judgement",
            slider=(3, 30),
            choices={"off": "the frames as they are"},
        ),
    ] = CUTOFF

    RUN = "poise.plausibility.result:check"
    PLOTS = True
    RESULT = "poise.plausibility.result:CheckResult"
    MAKES = "report"
    LAYER = False
    EXAMPLES = ("check walk.bvh", "check jump.glb --floor 0 --filter off --plot jump.png")

    @property
    def cutoff(self) -> float | None:
        """Of the filter [Hz]; None: no filter."""
        return None if self.filter == "off" else self.filter
