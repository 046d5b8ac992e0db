"""Solve markers: the motion of a character out of a capture."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from poise.operations.declare import Operation, about
from poise.operations.quantities import Mass


class SolveMarkers(Operation, tag="solve_markers", frozen=True, kw_only=True):
    """Fit a character to captured markers: proportions, marker positions and motion."""

    capture: Annotated[
        str,
        about(
            "The markers: a C3D or TRC file, or an NPZ or JSON file from Poise.",
            group="Capture",
            main=True,
            form="FILE",
            takes="poise.markers.capture:Markers",
        ),
    ]
    character: Annotated[
        str,
        about(
            "The character to fit: a preset or a file.",
            group="Character",
            main=True,
            editor="character",
            form="PRESET|FILE",
            takes="poise.character:Character",
        ),
    ] = "humanoid"
    scaling: Annotated[
        Literal["segments", "whole", "none"],
        about(
            "What is scaled to the person's proportions.",
            group="Character",
            choices={
                "segments": "every bone, left and right alike",
                "whole": "the figure as a whole",
                "none": "nothing; the rig stays as it is",
            },
        ),
    ] = "segments"
    attach: Annotated[
        dict[str, str],
        about(
            "Joints that carry markers with unknown names. Default: found from the motion.",
            group="Capture",
            form="MARKER=JOINT,…|@FILE",
            editor="joint_map",
        ),
    ] = {}  # noqa: RUF012  msgspec copies it
    up: Annotated[
        Literal["auto", "y", "z"],
        about(
            "Up axis of the file.",
            group="Capture",
            choices={
                "auto": "as in the file, or found from the markers",
                "y": "y points up",
                "z": "z points up",
            },
        ),
    ] = "auto"
    mass: Annotated[
        Mass | None,
        about("The person's mass. Default: estimated from the size.", group="Character"),
    ] = None

    RUN = "poise.methods.markers.operations:solve_markers"
    RESULT = "poise.methods.markers.result:MarkerResult"
    INPUT = "never"
    LAYER = False
    ARGUMENT = "capture"
    ARGUMENT_HELP = "A capture: C3D, TRC, or markers as NPZ or JSON."
    FREE = ("attach",)
    EXAMPLES = (
        "solve-markers captured.trc -o walk.bvh --mass 75.3",
        "solve-markers captured.c3d -o walk.glb --character hero.glb --scaling none",
    )
    IN_PYTHON = """\
captured = poise.solve_markers("captured.trc", mass=75.3).clip
"""

    @property
    def starts(self) -> bool:
        return True

    @classmethod
    def from_argument(cls, text: str) -> dict[str, Any] | None:
        return {"capture": text}

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        given = dict(options)
        if hasattr(given.get("capture"), "__fspath__"):
            given["capture"] = str(given["capture"])
        return given

    def files(self) -> tuple[str, ...]:
        return (self.capture,)
