"""What a check finds in the motion, repaired by the smallest change."""

from __future__ import annotations

from poise.errors import UnknownNameError
from poise.project.layer import Layer, Made, Situation


class FixLayer(Layer, tag="fix", frozen=True, kw_only=True):
    """Options are those of ``poise.fix``."""

    repairs: tuple[str, ...] | None = None
    """Some of time, floor, skate, path, spin, balance; None: all."""
    floor: float | None = None
    """Height of the floor [m]; None: where the motion stands."""

    FREE = ("repairs",)

    def check(self) -> None:
        from poise.repair.fix import REPAIRS

        for name in self.repairs or ():
            if name not in REPAIRS:
                raise UnknownNameError("repair", name, REPAIRS, where="field 'repairs'")

    def make(self, at: Situation) -> Made:
        from poise import repair

        result = repair.fix(at.motion, self.plain("repairs"), floor=self.floor, progress=at.progress)
        return Made(result.clip, met=result.mended)
