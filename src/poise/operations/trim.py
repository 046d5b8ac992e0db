"""Trim: a part of a motion."""

from __future__ import annotations

from typing import Annotated

from poise.errors import InputError
from poise.operations.declare import PURE, Operation, about, unit
from poise.operations.quantities import Time

Frame = Annotated[int, unit(PURE)]


class Trim(Operation, tag="trim", frozen=True, kw_only=True):
    """Keep part of a motion. A loop can be cut anywhere, over several cycles too."""

    start: Annotated[
        Time | None,
        about("Start time. Default: the start.", group="Part", main=True, flag="from"),
    ] = None
    end: Annotated[Time | None, about("End time. Default: the end.", group="Part", main=True, flag="to")] = (
        None
    )
    frames: Annotated[
        tuple[Frame, Frame] | None,
        about(
            "First and last frame to keep, instead of times.",
            group="Part",
            form="FIRST,LAST",
        ),
    ] = None

    fit: Annotated[bool, about("Accept an end time after the motion's end.", group="Part")] = False

    RUN = "poise.motion.operations:trim"
    KEEPS_VERDICT = True
    EXAMPLES = ("trim walk -o part.bvh --from 0.5 --to 1.25", "trim walk.bvh -o part.bvh --frames 10,20")
    IN_PYTHON = """\
part = poise.trim(poise.clips.get("walk"), start=0.5, end=1.0).clip
"""

    def check(self) -> None:
        if self.frames is not None and (self.start is not None or self.end is not None):
            raise InputError("field 'frames': trim by times or by frames, not both")
