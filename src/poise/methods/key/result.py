"""Key-frames turned into motion, and how well it keeps what was keyed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poise.methods.key.sheet.report import physics_kept
from poise.operations.result import Result

if TYPE_CHECKING:
    from poise.constraints import Report
    from poise.methods.key.sheet.keyframes import Keyframes
    from poise.motion import Clip


class KeyResult(Result):
    """The motion; met where centre of mass and inertia are as they were keyed, at every frame."""

    def __init__(self, keyframes: Keyframes, clip: Clip, report: Report) -> None:
        super().__init__(clip, report, met=physics_kept(report))
        self.keyframes = keyframes
        """The key-frames as they were played: retimed, where that was asked for."""

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"met": self.met}

    def __str__(self) -> str:
        count = f"{self.clip.frames} frame{'' if self.clip.frames == 1 else 's'}"
        return f"{self.report}\n{count} at {self.clip.fps:g} fps"
