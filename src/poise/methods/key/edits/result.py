"""A motion changed by hand, and whether its keys are as they were set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from poise.constraints.report import report_on
from poise.operations.result import Result

if TYPE_CHECKING:
    from poise.constraints import Constraint
    from poise.motion import Clip


class RetouchResult(Result):
    """The motion; feet stand where they stood before it was edited.

    Examples:
        >>> turned = {"time": 0.5, "joints": {"Head": [0.98, 0.0, 0.2, 0.0]}}
        >>> nodding = poise.retouch(poise.clips.get("walk"), [turned])
        >>> print(nodding.report)
    """

    def __init__(
        self, clip: Clip, before: Clip, keys: tuple[Constraint, ...], notes: tuple[str, ...] = ()
    ) -> None:
        super().__init__(clip, replace(report_on(keys, clip), warnings=notes), demands=keys)
        self.footing = before
