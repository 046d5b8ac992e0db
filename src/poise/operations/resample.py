"""Resample: another frame rate for the same motion."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal

from poise.operations.declare import Operation, about
from poise.operations.decoding import reading
from poise.operations.quantities import FrameRate


class Resample(Operation, tag="resample", frozen=True, kw_only=True):
    """Change the frame rate of a motion."""

    fps: Annotated[
        FrameRate,
        about("Frames per second.", group="Rate", main=True, form="<fps>|24000/1001", slider=(12, 120)),
    ]
    interpolation: Annotated[
        Literal["cubic", "linear", "step"],
        about(
            "Interpolation between frames.",
            group="Rate",
            choices={
                "cubic": "a smooth curve",
                "linear": "straight from one frame to the next",
                "step": "hold the previous frame",
            },
        ),
    ] = "cubic"
    keep: Annotated[
        Literal["rate", "period"],
        about(
            "What a loop keeps if its period is not a whole number of new frames.",
            group="Rate",
            choices={"rate": "the requested frame rate", "period": "its exact period"},
        ),
    ] = "rate"
    cover: Annotated[
        bool,
        about("Add a last frame for an end that falls between frames.", group="Rate"),
    ] = False

    RUN = "poise.motion.operations:resample"
    KEEPS_VERDICT = True
    EXAMPLES = ("resample walk -o walk30.bvh --fps 30", "resample take.bvh -o take.glb --fps 24000/1001")
    IN_PYTHON = """\
at_24 = poise.resample(poise.clips.get("walk"), 24).clip
"""

    def check(self) -> None:
        from poise.motion.frame_times import exact_rate

        with reading("fps"):
            exact_rate(self.fps)

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        fps = options.get("fps")
        return options | ({"fps": str(fps)} if isinstance(fps, Fraction) else {})
