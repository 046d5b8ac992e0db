"""Whether a file that came from a browser can be used: read in the solver's process, within limits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.errors import FileFormatError
from poise.studio.server.answers import Read

if TYPE_CHECKING:
    from poise.motion import Clip

PLACES = 20_000_000
"""Frames times bodies of a clip: an hour of a hundred bodies at sixty frames a second."""
SOUNDS = (".wav", ".mid")


def checked_file(path: Path, *, beside: bool) -> Read:
    """Read a file as it would be used. ``beside``: files in its own folder may be part of it."""
    from poise import project as projects

    suffix = path.suffix.lower()
    if suffix == ".poise":
        document = projects.open(path).document
        return Read(path=path.name, frames=0, bodies=len(document.layers))
    if suffix in SOUNDS:
        return Read(path=path.name, frames=0, bodies=0)
    if suffix == ".json":
        from poise.formats.scenery import load_world

        return Read(path=path.name, frames=0, bodies=len(load_world(path).surfaces))
    clip = checked_clip(path, beside=beside)
    return Read(path=path.name, frames=clip.frames, bodies=len(clip.character.bodies))


def checked_clip(path: Path, *, beside: bool, animation: int | None = None) -> Clip:
    """The clip of a file, not larger than the studio takes."""
    from poise import formats

    if path.suffix.lower() in (".gltf", ".glb", ".vrm", ".vrma") and not beside:
        _refuse_references(path)
    clip = formats.load(path) if animation is None else formats.load(path, animation=animation)
    bodies = len(clip.character.bodies)
    if clip.frames * bodies > PLACES:
        raise FileFormatError(path, f"{clip.frames} frames of {bodies} bodies are more than the studio takes")
    return clip


def _refuse_references(path: Path) -> None:
    """What comes from elsewhere has to be one file: it may not ask for others that happen to be here."""
    from poise.formats.gltf.container import read_document

    document = read_document(path)
    for kind in ("buffers", "images"):
        for item in document.items(kind):
            uri: Any = item.get("uri")
            if uri is not None and not str(uri).startswith("data:"):
                raise FileFormatError(path, f"it refers to another file ({str(uri)[:80]!r}): save it as .glb")
