"""Operations that look at what carries a motion: its world is given, or found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from poise.errors import InputError
from poise.operations.declare import Operation, about
from poise.operations.quantities import Metres
from poise.operations.values.world import FORM, plain_world, world_around, world_file, world_of

if TYPE_CHECKING:
    from poise.motion import Clip
    from poise.world import World


class InWorld(Operation, frozen=True, kw_only=True):
    """Something done to a motion among surfaces."""

    floor: Annotated[
        Metres | None,
        about(
            "Floor height, if the world is one level floor. Default: detected from the motion.",
            group="World",
        ),
    ] = None
    world: Annotated[
        str | dict[str, Any] | None,
        about(
            (
                "The surfaces of the world: a file (JSON, glTF, MJCF, USD) or a list. Nothing is "
                "added to them."
            ),
            group="World",
            form=FORM,
            takes="poise.world:World",
        ),
    ] = None
    FREE: ClassVar[Sequence[str]] = ("world",)

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them: a world may be one, or a path."""
        return plain_world(super().accepting(dict(options)))

    def check(self) -> None:
        if self.floor is not None and self.world is not None:
            raise InputError("a floor and a world were given: make the floor one of the world's surfaces")
        if self.world is not None and not world_file(self.world):
            self.surfaces()

    def files(self) -> tuple[str, ...]:
        return world_file(self.world)

    def surfaces(self, folder: Path = Path(), clip: Clip | None = None) -> World | None:
        """The world that is given, files relative to a folder; None: it is to be found.

        Around a clip, props are where its bodies carry them."""
        if self.floor is not None:
            from poise.world import World

            return World.flat(self.floor)
        if self.world is None:
            return None
        return world_of(self.world, folder) if clip is None else world_around(self.world, folder, clip)
