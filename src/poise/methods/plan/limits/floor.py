"""Soles stay out of what the scene's world holds, in the motion that is exported.

Heights h above the plane that the figure stands on are looked at at some instants, more of them near both
ends of a segment, where contacts are made and broken. The search punishes  c = min(h − s, 0);  a finite price
leaves soles a little below, and true poses differ a little from warped ones, so after each search it aims
higher, as multipliers do for inequalities:

    s′ = max(s − d_true, 0)

d is how far soles are from the nearest surface of the world: on level ground their height, on a step what is
left of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.constraints.report import Outcome
from poise.methods.plan.limits.soles import Soles
from poise.methods.plan.model.affine_figure import AffineFigure
from poise.methods.plan.solve.rows import Rows
from poise.world import World

CHECKS = 80
"""Instants per segment at which soles are looked at."""
FARTHEST = 1e3
"""Where there is nothing, soles are this far from it [m]."""
FINER = 4
"""Instants that are measured in the end, for each that is searched."""
TOLERANCE = 1e-3
"""Soles may be this far below the ground [m]."""


class Floor:
    """What a segment of a duration [s] must keep above the ground."""

    def __init__(
        self,
        figure: AffineFigure,
        above: Sequence[str],
        duration: float,
        world: World,
        checks: int = CHECKS,
    ) -> None:
        self.world = world
        self.soles = Soles.of(figure, above)
        self.columns = self.soles.columns(figure)  # of the balls' centres, (1 + 3n, s)
        self.times = 0.5 * duration * (1 - np.cos(np.pi * np.arange(1, checks + 1) / (checks + 1)))  # (T,)
        self.aim = np.zeros((checks, len(self.soles.radii)))
        """How high soles must be in the search [m] (T, s)."""

    def raise_aim(self, heights: Array) -> None:
        """Aim higher where the exported motion was too low."""
        self.aim = np.maximum(self.aim - np.minimum(heights, FARTHEST), 0.0)

    @property
    def looked_at(self) -> Array:
        """Instants at which the motion that is handed out is measured, closer together (n,) [s]."""
        known = np.concatenate([[0.0], self.times, [self.times[-1] + self.times[0]]])
        return np.interp(np.arange(0, len(known) - 1 + 1e-9, 1 / FINER), np.arange(len(known)), known)[1:-1]

    def outcome(self, heights: Array, begins: float, segment: str) -> Outcome:
        """How deep the deepest is, of soles at the instants looked at (n, s)."""
        when, which = np.unravel_index(int(heights.argmin()), heights.shape)
        low = float(heights[when, which])
        time = begins + float(self.looked_at[when])
        met = low >= -TOLERANCE
        name = self.soles.names[which]
        reason = f"{name} is {-1e3 * low:.1f} mm below the ground: give it more time, or a key that lifts it"
        return Outcome(
            f"{segment}: {name} above the ground", f"{time:.3f} s", (0.0,), (low,), max(-low, 0.0), "m",
            TOLERANCE, met, time, reason="" if met else reason,
        )  # fmt: skip


def heights_of(floor: Floor) -> list[Rows]:
    """Rows that are the heights of all soles, instant by instant, where the ground is at z = 0."""
    count = len(floor.soles.radii)
    up: Array = np.zeros((count, 3 * count))
    up[np.arange(count), 2::3] = np.eye(count)
    none, still = np.zeros((count, 3)), np.zeros(3)
    return [
        Rows(time, floor.columns, up, np.zeros_like(up), floor.soles.radii, none, still)
        for time in floor.times.tolist()
    ]
