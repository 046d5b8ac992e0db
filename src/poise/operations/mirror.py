"""Mirror: left does what right did."""

from __future__ import annotations

from typing import Annotated, Literal

from poise.operations.declare import Operation, about
from poise.operations.quantities import Ratio


class Mirror(Operation, tag="mirror", frozen=True, kw_only=True):
    """Swap left and right; the way goes to the other side."""

    plane: Annotated[
        Literal["y", "x"],
        about(
            "The plane that a motion is reflected in, by its normal.",
            group="Plane",
            main=True,
            choices={"y": "from left to right", "x": "from front to back"},
        ),
    ] = "y"
    asymmetry: Annotated[
        Ratio,
        about(
            "How uneven the rest pose of a character may be, over its reach.",
            group="Plane",
            expert=True,
            slider=(0, 0.2),
        ),
    ] = 0.05

    RUN = "poise.motion.operations:mirror"
    KEEPS_VERDICT = True
    EXAMPLES = ("mirror walk -o mirrored.bvh", "mirror punch -o left.glb")
