"""What an operation finds when it is done: in a call from Python, as a layer, as a step of a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.errors import InputError

if TYPE_CHECKING:
    from poise.character import Character
    from poise.contacts.given import ClipContacts
    from poise.dynamics.elastic import Surface
    from poise.markers import Markers
    from poise.motion import Clip
    from poise.operations.result import Result


def _no_clip(name: str) -> Clip:
    raise InputError(f"there is no clip named {name!r} here")


def _no_capture(name: str, up: str | None) -> Markers:
    raise InputError(f"there is no capture named {name!r} here")


def _no_surface(name: str) -> Surface:
    raise InputError(f"there is no mesh named {name!r} here")


@dataclass(frozen=True, eq=False)
class Situation:
    """The motion at hand, and what else can be asked for."""

    input: Result | None = None
    """What it works on; None where it starts a motion."""
    clip: Callable[[str], Clip] = _no_clip
    """Clips by name."""
    surface: Callable[[str], Surface] = _no_surface
    """Meshes by the names of their files."""
    character: Character | None = None
    """Who performs, where that is said."""
    folder: Path = Path()
    """Where files stand that an operation names itself (music)."""
    progress: Callable[[float], None] = lambda part: None
    """Told the part done; raises ``CancelledError`` when the caller wants no more."""
    keep: Callable[[Any], None] = lambda found: None
    """Told the solver's own result, from which a quick answer to a small change can go on."""
    objects: dict[str, Any] | None = None
    """What Python callers gave by itself rather than by name or as data, by option."""
    contacts: ClipContacts | None = None
    """What carries the motion, where the user says so; None: it is found."""
    world: Any = None
    """The project's world, as its document has it; None: it has none."""
    capture: Callable[[str, str | None], Markers] = _no_capture
    """Markers by the names of their files, with the up axis where that is said."""
    mesh: bool = False
    """Whether a mesh that moves will do in place of a motion: a layer or a step cannot hand one on."""

    @property
    def motion(self) -> Clip:
        """The motion it works on."""
        if self.input is None:
            raise InputError("there is no motion to work on")
        return self.input.clip

    @property
    def footing(self) -> Clip:
        """The motion whose feet say where they stand: the animation, where what is worked on was loosened."""
        found = self.input.footing if self.input is not None else None
        return found if found is not None and found.frames == self.motion.frames else self.motion

    def given(self, option: str) -> Any:
        """An object that was given for an option; None where there is none."""
        return (self.objects or {}).get(option)
