"""A clip by whatever name people give it: a file, a bundled clip or face, a preset character at rest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from poise import clips
from poise.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from poise.formats.options import ReadOptions
    from poise.motion import Clip


def is_file(name: str) -> bool:
    """Whether a name means a file."""
    from poise import formats

    path = Path(name)
    return path.exists() or path.suffix.lower() in formats.extensions() or "/" in name


def clip_named(name: str, **read: Unpack[ReadOptions]) -> Clip:
    """The clip of that name; ``read`` are options of its format, which only files take."""
    from poise import formats

    if is_file(name):
        return formats.load(Path(name), **read)
    if read:
        raise InputError(f"{name} is bundled, not a file: {next(iter(read))} does not apply to it")
    return bundled(name)


def bundled(name: str) -> Clip:
    """A bundled clip or face, or a preset character in its rest pose."""
    from poise.character import presets
    from poise.clips import faces
    from poise.motion import Clip

    if name in clips.names():
        return clips.get(name)
    if name in faces.names():
        return faces.get(name)
    if name in presets.names():
        character = presets.get(name)
        return Clip(character, [character.rest_pose()], 30, name=name)
    known = (*clips.names(), *faces.names(), *presets.names())
    raise UnknownNameError("file, bundled clip or preset", name, known)
