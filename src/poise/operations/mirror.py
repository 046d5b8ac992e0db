"""Mirror: left does what right did."""

from __future__ import annotations

from typing import Annotated, Literal

from poise.operations.declare import Operation, about
from poise.operations.quantities import Ratio


class Mirror(Operation, tag="mirror", frozen=True, kw_only=True):
    """Swap left and right, including the direction of travel."""

    plane: Annotated[
        Literal["y", "x"],
        about(
            "Normal of the mirror plane.",
            group="Plane",
            main=True,
            choices={"y": "from left to right", "x": "from front to back"},
        ),
    ] = "y"
    asymmetry: Annotated[
        Ratio,
        about(
            "Tolerated asymmetry of the rest pose, relative to the character's reach.",
            group="Plane",
            expert=True,
            slider=(0, 0.2),
        ),
    ] = 0.05

    RUN = "poise.motion.operations:mirror"
    KEEPS_VERDICT = True
    EXAMPLES = ("mirror walk -o mirrored.bvh", "mirror punch -o left.glb")
    IN_PYTHON = """\
mirrored = poise.mirror(poise.clips.get("punch")).clip
"""
