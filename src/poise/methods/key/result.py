"""Key-frames turned into motion, and how well it keeps what was keyed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.methods.key.sheet.report import physics_kept
from poise.operations.result import Result

if TYPE_CHECKING:
    from poise.arrays import Array
    from poise.constraints import Report
    from poise.methods.key.sheet.keyframes import Keyframes
    from poise.motion import Clip


class KeyResult(Result):
    """The motion; met where centre of mass and inertia are as they were keyed, at every frame.

    Examples:
        >>> hop = poise.key(poise.Keyframes.load("hop.json"))
        >>> print(hop.keyframes.name, hop.met)
    """

    def __init__(
        self, keyframes: Keyframes, clip: Clip, report: Report, again: Callable[[Array], Report]
    ) -> None:
        super().__init__(clip, report, met=physics_kept(report))
        self._again = again
        self.keyframes = keyframes
        """The key-frames as they were played: retimed, where that was asked for."""

    @property
    def measurable(self) -> bool:
        """Pins, path and inertia are known at every frame, whoever moves it later."""
        return True

    def measured_on(self, clip: Clip) -> Report:
        """What was keyed, in the frames of another clip."""
        told: Report = self.report
        return replace(told, outcomes=self._again(np.asarray(clip.q)).outcomes)

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"met": self.met}

    def __str__(self) -> str:
        count = f"{self.clip.frames} frame{'' if self.clip.frames == 1 else 's'}"
        return f"{self.report}\n{count} at {self.clip.fps:g} fps"
