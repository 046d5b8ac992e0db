"""What a verb may be pointed at: a file, a bundled clip, or a preset character."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from poise.motion import Clip

INPUT_HELP = (
    "A file (BVH, GLB/glTF, ASF/AMC, MJCF, NPZ), a bundled clip (walk, punch …) or a preset character."
)


def read(name: str, **options: Any) -> Clip:
    """The clip of that name: an existing file first, then a bundled clip, then a preset at rest."""
    from poise import clips, formats
    from poise.character import presets
    from poise.motion import Clip

    given = {k: v for k, v in options.items() if v is not None}
    path = Path(name)
    if path.exists() or path.suffix.lower() in formats.extensions() or "/" in name:
        return formats.load(path, **given)
    if name in clips.names():
        return clips.get(name)
    if name in presets.names():
        character = presets.get(name)
        return Clip(character, [character.rest_pose()], 30, name=name)
    raise UnknownNameError("file, bundled clip or preset", name, [*clips.names(), *presets.names()])


def refuse_overwriting(path: Path, force: bool) -> None:
    """Existing work is replaced only when asked."""
    if path.exists() and not force:
        raise InputError(f"{path} exists already; give another name, or --force to replace it")
