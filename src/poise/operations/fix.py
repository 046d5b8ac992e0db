"""Fix: repair what a check finds, by the smallest change."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from poise.operations.check import Check
from poise.operations.declare import about

MAY = {
    "time": "playback speed, of the clip or of one flight",
    "pops": "frames that jump, rebuilt from their neighbours",
    "limits": "limbs in impossible places: an elbow bent backwards, an arm inside the trunk",
    "body": "position of a whole body that sinks, floats, drifts or spins",
    "feet": "feet and hands that sink, hover or slide",
    "flight": "path of the body in the air",
    "spin": "rotation of the body in the air",
}
"""What may be changed, in the order in which it is looked at."""
RepairName = Literal["time", "pops", "limits", "body", "feet", "flight", "spin"]


class Fix(Check, tag="fix", frozen=True, kw_only=True):
    """Repair a motion: wrong speed, pops, limbs, feet that sink, float or slide, flights, spins."""

    may: Annotated[
        tuple[RepairName, ...] | None,
        about("Repairs that are allowed. Default: all.", group="Repairs", main=True, choices=MAY),
    ] = None

    RUN = "poise.repair.fix:fix"
    PLOTS = True
    RESULT = "poise.repair.result:FixResult"
    MAKES = "motion"
    LAYER = True
    EXAMPLES = ("fix walk.bvh -o fixed.bvh", "fix walk.bvh -o fixed.bvh --may feet --may pops --floor 0")
    IN_PYTHON = """\
fixed = poise.fix(poise.clips.get("jump"), floor=0.0)
print(fixed.report)
"""

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        given = super().accepting(options)
        return given | ({"may": [given["may"]]} if isinstance(given.get("may"), str) else {})
