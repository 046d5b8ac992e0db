"""Check: what in a motion real bodies do not do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from poise.errors import InputError
from poise.operations.declare import Operation, about
from poise.operations.quantities import Hertz, Metres
from poise.operations.values.world import FORM, plain_world, world_around, world_file, world_of

if TYPE_CHECKING:
    from poise.motion import Clip
    from poise.world import World

CUTOFF = 10.0
"""Of the low-pass filter [Hz]: people move below it, markers and solvers jitter above it."""


class Check(Operation, tag="check", frozen=True, kw_only=True):
    """Check a motion: what carries it, flights and their gravity, depth, skate, jumps, joints, torques."""

    floor: Annotated[
        Metres | None,
        about(
            "Height of the floor: level ground and nothing else; left out: found in the motion.",
            group="World",
        ),
    ] = None
    world: Annotated[
        str | dict[str, Any] | None,
        about(
            "The surfaces that are there: a file (JSON, glTF, MJCF, USD), surfaces, or what a file holds; "
            "nothing is added to them.",
            group="World",
            form=FORM,
            takes="poise.world:World",
        ),
    ] = None
    confirm: Annotated[
        tuple[str, ...],
        about("What was assumed and is so: names of questions, or all.", group="World", form="NAME|all"),
    ] = ()
    filter: Annotated[
        Hertz | Literal["off"],
        about(
            "Cut-off of the low-pass filter against capture noise.",
            group="Judgement",
            slider=(3, 30),
            choices={"off": "the frames as they are"},
        ),
    ] = CUTOFF

    RUN = "poise.plausibility.result:check"
    PLOTS = True
    RESULT = "poise.plausibility.result:CheckResult"
    MAKES = "report"
    LAYER = False
    FREE: ClassVar[Sequence[str]] = ("world",)
    EXAMPLES = ("check stairs.bvh --confirm all", "check jump.glb --floor 0 --filter off --film jump.mp4")

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them: a world may be one, or a path; one name may stand alone."""
        given = plain_world(super().accepting(dict(options)))
        if isinstance(given.get("confirm"), str):
            given["confirm"] = [given["confirm"]]
        return given

    def check(self) -> None:
        if self.floor is not None and self.world is not None:
            raise InputError("a floor and a world were given: say the floor among the world's surfaces")
        if self.world is not None and not world_file(self.world):
            self.surfaces()

    def files(self) -> tuple[str, ...]:
        return world_file(self.world)

    @property
    def cutoff(self) -> float | None:
        """Of the filter [Hz]; None: no filter."""
        return None if self.filter == "off" else self.filter

    def surfaces(self, folder: Path = Path(), clip: Clip | None = None) -> World | None:
        """The world that is given, files relative to a folder; None: it is to be found.

        Around a clip, props are where its bodies carry them."""
        if self.floor is not None:
            from poise.world import World

            return World.flat(self.floor)
        if self.world is None:
            return None
        return world_of(self.world, folder) if clip is None else world_around(self.world, folder, clip)
