"""A motion that wears something soft."""

from __future__ import annotations

from math import pi
from typing import Any, ClassVar

from poise.methods.loosen.wear.draped import Draped
from poise.methods.loosen.wear.worn import QUICK_REACH, Worn
from poise.operations.result import Result

TORN = 0.3
"""Cloth that is stretched by more is pulled by what no cloth survives."""


class WearResult(Result):
    """The motion, and what it wears: ``worn`` was put on last, ``attached`` are all.

    Examples:
        >>> dressed = poise.wear(poise.clips.get("punch"))
        >>> print(dressed.worn, len(dressed.attached))
    """

    whole: ClassVar[bool] = True

    @property
    def worn(self) -> Any:
        """What was put on: ``Worn``, something solid, or ``Draped``, something thin."""
        last: Worn | Draped = self.attached[-1]
        return last

    def facts(self) -> dict[str, Any]:
        made = self.worn.attachment
        if isinstance(self.worn, Draped):
            return super().facts() | {"attachment": self._thin(self.worn)}
        return super().facts() | {
            "attachment": {
                "name": made.name,
                "bone": made.bone,
                "vertices": len(made.surface.points),
                "elements": len(made.body.lattice.cells),
                "mass_kg": made.body.total_mass,
                "frequencies_hz": [round(float(f), 4) for f in made.frequencies],
                "largest_sway_m": self.worn.farthest,
            }
        }

    @staticmethod
    def _thin(worn: Draped) -> dict[str, Any]:
        made = worn.attachment
        return {
            "name": made.name,
            "bone": made.bone,
            "vertices": len(made.sheet.points),
            "held": len(made.sheet.held),
            "frequencies_hz": [round(made.sheet.slowest / (2 * pi), 4)],
            "window_s": worn.drape.window,
            "largest_sway_m": worn.farthest,
            "largest_stretch": worn.stretch,
            "largest_stretch_at": worn.tightest,
            "deepest_in_body_m": worn.depth,
        }

    @staticmethod
    def _torn(told: dict[str, Any]) -> str:
        """What to do about cloth that no cloth could be."""
        if told["largest_stretch"] <= TORN:
            return ""
        return (
            f"\n! no cloth stretches so far: look at frame {told['largest_stretch_at']}, where it is pinched "
            "or pulled by the body or the motion is too fast for it; try --no-collide, or change the motion"
        )

    def __str__(self) -> str:
        made, far = self.worn.attachment, self.worn.farthest
        words = f"{self.report}\n" if self.report is not None else ""
        if isinstance(self.worn, Draped):
            told = self._thin(self.worn)
            return (
                f"{words}{made.name} on {made.bone}: {told['vertices']} vertices, {told['held']} held, "
                f"{told['frequencies_hz'][0]:.2g} Hz; goes up to {100 * far:.0f} cm from its modelled shape, "
                f"stretched by {100 * told['largest_stretch']:.1f} % and "
                f"{1e3 * told['deepest_in_body_m']:.1f} mm into the body at most"
            ) + self._torn(told)
        words += (
            f"{made.name} on {made.bone}: {len(made.surface.points)} vertices in "
            f"{len(made.body.lattice.cells)} elements, {made.body.total_mass:.2g} kg, "
            f"{made.frequencies[0]:.2g} Hz; sways by up to {100 * far:.1f} cm"
        )
        if not self.worn.thoroughly and far > QUICK_REACH * made.diameter:
            part = 100 * far / made.diameter
            words += f"\n! that is {part:.0f} % of its size; beyond {100 * QUICK_REACH:.0f} % use --large"
        return words
