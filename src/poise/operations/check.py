"""Check: what in a motion real bodies do not do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from poise.errors import InputError
from poise.operations.declare import Operation, about
from poise.operations.frozen_data import thaw
from poise.operations.quantities import Hertz, Metres

if TYPE_CHECKING:
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
            "The surfaces that are there: a file (JSON) or what one holds; nothing is added to them.",
            group="World",
            form="FILE",
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
        given = super().accepting(dict(options))
        world = given.get("world")
        if world is not None and hasattr(world, "to_dict"):
            given["world"] = world.to_dict()
        elif hasattr(world, "__fspath__"):
            given["world"] = str(world)
        if isinstance(given.get("confirm"), str):
            given["confirm"] = [given["confirm"]]
        return given

    def check(self) -> None:
        if self.floor is not None and self.world is not None:
            raise InputError("a floor and a world were given: say the floor among the world's surfaces")
        if self.world is not None and not isinstance(self.world, str):
            self.surfaces()

    def files(self) -> tuple[str, ...]:
        return (self.world,) if isinstance(self.world, str) else ()

    @property
    def cutoff(self) -> float | None:
        """Of the filter [Hz]; None: no filter."""
        return None if self.filter == "off" else self.filter

    def surfaces(self, folder: Path = Path()) -> World | None:
        """The world that is given, files relative to a folder; None: it is to be found."""
        from poise.world import World

        if self.floor is not None:
            return World.flat(self.floor)
        if self.world is None:
            return None
        if isinstance(self.world, str):
            from poise.reading import blaming, read_json

            path = folder / self.world
            with blaming(path, "a world"):
                return World.from_dict(read_json(path, what="a world"))
        return World.from_dict(thaw(self.world))
