"""Load: a clip, where motion starts."""

from __future__ import annotations

from typing import Annotated

from poise.operations.declare import Operation, about


class Load(Operation, tag="load", frozen=True, kw_only=True):
    """Start with an unchanged clip."""

    clip: Annotated[
        str,
        about(
            "The clip: one of the project's clips, a file, or a bundled clip.",
            group="Clip",
            main=True,
            editor="clip",
            form="NAME|FILE",
        ),
    ]

    RUN = "poise.motion.operations:load"
    INPUT = "never"
    FUNCTION = False
    VERB = False
    EXAMPLES = ("load walk -o walk.bvh", "load take.fbx -o take.glb")

    @property
    def starts(self) -> bool:
        return True

    def uses(self) -> tuple[str, ...]:
        return (self.clip,)
