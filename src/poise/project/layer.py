"""A layer: one step of a project, from the motion before it to the next.

Each kind of layer is a frozen struct in its own file under ``kinds``, whose fields are what the project file
holds. What all kinds share is said here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from poise.errors import InputError, PoiseError
from poise.operations.frozen_data import freeze, thaw

if TYPE_CHECKING:
    from poise.arrays import Array
    from poise.character import Character
    from poise.constraints import Report
    from poise.motion import Clip
    from poise.project.kinds.attachment import Worn
    from poise.project.prop import Prop

Plain = dict[str, Any]
"""A free mapping, whose own reader checks it."""


@dataclass(frozen=True, eq=False)
class Made:
    """What a layer gave."""

    clip: Clip
    report: Report | None = None
    met: bool = True
    """Whether what was asked for is so."""
    attached: tuple[Worn, ...] = ()
    """What moves with the character without being part of it."""
    props: tuple[Prop, ...] = ()
    """What else is in the scene because of this layer."""


@dataclass(frozen=True, eq=False)
class Situation:
    """What a layer finds when it is evaluated."""

    input: Made | None
    """The motion it works on; None where it starts one."""
    clip: Callable[[str], Clip]
    """The project's clips by name."""
    character: Character | None
    """Who performs, where the project says so."""
    folder: Path
    """Where files stand that layers name themselves (music)."""
    before: tuple[Layer, Made] | None = None
    """For layers that replace the one before: that layer, and what it worked on."""
    progress: Callable[[float], None] = lambda part: None
    """Told the part done; raises ``CancelledError`` when the caller wants no more."""
    keep: Callable[[Any], None] = lambda found: None
    """Told the solver's own result, from which a quick answer to a small change can go on."""

    @property
    def motion(self) -> Clip:
        """The motion it works on."""
        if self.input is None:
            raise InputError("there is no motion to work on")
        return self.input.clip


class Layer(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="kind",
    tag="layer",
):
    """What every layer has."""

    name: str
    """Its own within the project."""
    muted: bool = False
    """Passes on what it is given."""
    solo: bool = False
    """While any layer is, only such layers (and where the motion starts) act."""
    weight: Annotated[float, msgspec.Meta(ge=0, le=1, description="0: as given … 1: in full")] = 1.0
    input: str | None = None
    """The layer whose motion it works on; None: the one before it."""

    FREE: ClassVar[tuple[str, ...]] = ()
    """Fields that hold plain data."""
    REFUSES: ClassVar[Mapping[str, str]] = {}
    """Kinds it cannot follow, and why."""
    REPLACES: ClassVar[str] = ""
    """The kind it must follow, whose work it does anew."""
    LAST: ClassVar[bool] = False
    """Whether only others like it may follow."""

    def __post_init__(self) -> None:
        for name in self.FREE:
            msgspec.structs.force_setattr(self, name, freeze(getattr(self, name), name))

    @property
    def kind(self) -> str:
        """The word in the file."""
        return str(self.__struct_config__.tag)

    @property
    def starts(self) -> bool:
        """Whether it makes motion out of nothing."""
        return False

    def plain(self, name: str) -> Any:
        """A free field as ordinary data."""
        return thaw(getattr(self, name))

    def check(self) -> None:
        """Whatever can be said without a motion; errors name the field."""

    def uses(self) -> tuple[str, ...]:
        """Clips of the project that it reads."""
        return ()

    def files(self) -> tuple[str, ...]:
        """Files beside the project that it reads itself."""
        return ()

    def make(self, at: Situation) -> Made:
        """Its motion."""
        raise InputError(f"layers of kind {self.kind!r} cannot be evaluated")

    def frames(self, at: Situation, frames: Sequence[int]) -> Array | None:
        """Some frames alone, (k, nq), to the bits that ``make`` gives; None if it must make them all."""
        return None


@contextmanager
def reading(field: str) -> Iterator[None]:
    """While plain data is made sense of: whatever fails is a mistake in the data, and said by field."""
    try:
        yield
    except PoiseError as problem:
        raise InputError(f"field {field!r}: {problem}") from None
    except (TypeError, ValueError, KeyError, AttributeError, IndexError) as problem:
        raise InputError(f"field {field!r} cannot be read: {type(problem).__name__} {problem}") from None


def unit(clip: Clip, q: Array) -> Array:
    """Configurations as a clip would hold them, (k, nq)."""
    from poise.motion import Clip

    return Clip(clip.character, q, clip.rate).q
