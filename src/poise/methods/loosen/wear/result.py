"""A motion that wears something soft."""

from __future__ import annotations

from typing import Any, ClassVar

from poise.methods.loosen.wear.worn import QUICK_REACH, Worn
from poise.operations.result import Result


class WearResult(Result):
    """The motion, and what it wears: ``worn`` was put on last, ``attached`` are all."""

    whole: ClassVar[bool] = True

    @property
    def worn(self) -> Worn:
        """What was put on."""
        last: Worn = self.attached[-1]
        return last

    def facts(self) -> dict[str, Any]:
        made = self.worn.attachment
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

    def __str__(self) -> str:
        made, far = self.worn.attachment, self.worn.farthest
        words = f"{self.report}\n" if self.report is not None else ""
        words += (
            f"{made.name} on {made.bone}: {len(made.surface.points)} vertices in "
            f"{len(made.body.lattice.cells)} elements, {made.body.total_mass:.2g} kg, "
            f"{made.frequencies[0]:.2g} Hz; sways by up to {100 * far:.1f} cm"
        )
        if not self.worn.thoroughly and far > QUICK_REACH * made.diameter:
            part = 100 * far / made.diameter
            words += f"\n! that is {part:.0f} % of its size; beyond {100 * QUICK_REACH:.0f} % use --large"
        return words
