"""Ground: the smallest change of a motion such that what it touches can carry it."""

from __future__ import annotations

from typing import Annotated, Literal

from poise.operations.declare import about
from poise.operations.in_world import InWorld
from poise.operations.quantities import Duration, Factor, Hertz


class Ground(InWorld, tag="ground", frozen=True, kw_only=True):
    """Give a motion weight on the ground: the smallest change after which contact forces can carry it."""

    most_force: Annotated[
        Factor,
        about(
            "Largest total vertical force, in body weights.",
            group="Forces",
            main=True,
            slider=(1.5, 8),
        ),
    ] = 5.0
    filter: Annotated[
        Hertz | Literal["auto", "off"],
        about(
            "Cut-off frequency of the low-pass filter for capture noise, where frames change.",
            group="Change",
            slider=(3, 30),
            choices={"auto": "10 Hz for clips that jitter", "off": "no filter"},
        ),
    ] = "auto"
    stretch_flights: Annotated[
        bool,
        about(
            "Let flights that fall too fast or too slowly last as long as they must: the clip gets more "
            "or fewer frames.",
            group="Change",
            main=True,
        ),
    ] = False
    key_spacing: Annotated[
        Duration,
        about("Time between keys of the change.", group="Change", expert=True, slider=(0.03, 0.2)),
    ] = 0.05

    RUN = "poise.methods.ground.operations:ground"
    PLOTS = True
    RESULT = "poise.methods.ground.result:GroundResult"
    MAKES = "motion"
    LAYER = True
    EXAMPLES = ("ground walk.bvh -o carried.bvh", "ground jump.glb -o carried.glb --floor 0 --most-force 4")
    IN_PYTHON = """\
carried = poise.ground(poise.clips.get("walk"))
print(carried.report)
"""
