"""Check: what in a motion real bodies do not do."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from poise.operations.declare import about
from poise.operations.in_world import InWorld
from poise.operations.quantities import Hertz

CUTOFF = 10.0
"""Of the low-pass filter [Hz]: people move below it, markers and solvers jitter above it."""


class Check(InWorld, tag="check", frozen=True, kw_only=True):
    """Check whether a motion is physically plausible: contacts, flights, sliding, pops, joints, torques."""

    confirm: Annotated[
        tuple[str, ...],
        about(
            "Assumptions to confirm: the names of questions in the report, or all.",
            group="World",
            form="NAME|all",
        ),
    ] = ()
    filter: Annotated[
        Hertz | Literal["off"],
        about(
            "Cut-off frequency of the low-pass filter for capture noise.",
            group="Judgement",
            slider=(3, 30),
            choices={"off": "no filter"},
        ),
    ] = CUTOFF
    metrics: Annotated[
        bool,
        about(
            (
                "Also report metrics used in papers (foot skating ratio, Penetrate, Float, Skate, FS,"
                " jitter, PFC) with their parameters."
            ),
            group="Judgement",
        ),
    ] = False

    RUN = "poise.plausibility.result:check"
    PLOTS = True
    RESULT = "poise.plausibility.result:CheckResult"
    MAKES = "report"
    LAYER = False
    EXAMPLES = ("check stairs.bvh --confirm all", "check jump.glb --floor 0 --filter off --film jump.mp4")
    IN_PYTHON = """\
verdict = poise.check(poise.clips.get("jump"))
print(verdict.report)
"""

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them: one name may stand alone."""
        given = super().accepting(options)
        if isinstance(given.get("confirm"), str):
            given["confirm"] = [given["confirm"]]
        return given

    @property
    def cutoff(self) -> float | None:
        """Of the filter [Hz]; None: no filter."""
        return None if self.filter == "off" else self.filter
