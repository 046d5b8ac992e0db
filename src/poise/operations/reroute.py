"""Reroute: a motion along another way on the ground."""

from __future__ import annotations

from typing import Annotated

from poise.errors import InputError
from poise.operations.adapt import Change
from poise.operations.declare import about
from poise.operations.quantities import Degrees, Metres


class Reroute(Change, tag="reroute", frozen=True, kw_only=True):
    """Bend the route of a motion. Steps get longer or shorter; feet stay planted."""

    turn: Annotated[
        Degrees, about("How far the route bends to the left.", group="Route", main=True, slider=(-180, 180))
    ] = 0.0
    route: Annotated[
        tuple[tuple[Metres, Metres], ...] | None,
        about(
            "Points on the ground that the route passes through, instead of a turn.",
            group="Route",
            editor="route",
            form="X,Y;X,Y;…",
        ),
    ] = None

    RUN = "poise.methods.adapt.operations:reroute"
    FREE = (*Change.FREE, "route")
    EXAMPLES = (
        "reroute walk.bvh -o left.bvh --turn 45",
        'reroute walk.bvh -o round.bvh --route "0,0;2,0;3.4,1.4"',
    )
    IN_PYTHON = """\
steps = poise.repeat(poise.clips.get("walk"), 3)
left = poise.reroute(steps, turn=45).clip
"""

    def check(self) -> None:
        super().check()
        if self.route is not None and self.turn:
            raise InputError("field 'route': it sets the direction; leave 'turn' out")
        if self.route is not None and len(self.route) < 2:
            raise InputError("field 'route': a route needs at least two places on the ground")
