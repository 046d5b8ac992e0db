"""Fix: repair what a check finds, by the smallest change."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from poise.operations.check import Check
from poise.operations.declare import about

RepairName = Literal["time", "floor", "skate", "path", "spin", "balance"]


class Fix(Check, tag="fix", frozen=True, kw_only=True):
    """Fix a motion: its time scale, feet that sink, float or slide, flights, spins, balance."""

    only: Annotated[
        tuple[RepairName, ...] | None,
        about(
            "Repairs to make; left out: all.",
            group="Repairs",
            main=True,
            choices={
                "time": "the speed at which it plays",
                "floor": "feet that sink into the floor or float above it",
                "skate": "feet that slide",
                "path": "the way of the body in flight",
                "spin": "its rotation in flight",
                "balance": "a body that is not over its feet",
            },
        ),
    ] = None

    RUN = "poise.repair.fix:fix"
    PLOTS = True
    RESULT = "poise.repair.result:FixResult"
    MAKES = "motion"
    LAYER = True
    EXAMPLES = ("fix walk.bvh -o fixed.bvh", "fix walk.bvh -o fixed.bvh --only skate --only floor --floor 0")

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        given = super().accepting(options)
        return given | ({"only": [given["only"]]} if isinstance(given.get("only"), str) else {})
