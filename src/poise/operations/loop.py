"""Loop: a motion closed into a cycle."""

from __future__ import annotations

from typing import Annotated

from poise.operations.adapt import Change
from poise.operations.declare import about, unit


class Loop(Change, tag="loop", frozen=True, kw_only=True):
    """Close a motion into a seamless loop, with feet planted across the seam."""

    search: Annotated[
        Annotated[float, unit("s", ge=0)],
        about(
            "How far from either end to search for the best matching frames.",
            group="Seam",
            main=True,
            slider=(0, 2),
        ),
    ] = 0.0

    RUN = "poise.methods.adapt.operations:loop"
    EXAMPLES = ("loop walk.bvh -o cycle.bvh", "loop walk.bvh -o cycle.glb --search 0.6")
    IN_PYTHON = """\
cycle = poise.loop(poise.clips.get("walk"), search=0.3).clip
"""
