"""Pictures, films and sounds of what came of an operation."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from poise.cli.progress import progress
from poise.cli.terminal import print
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.operations.result import Result

LOUD = ".mp4"
"""Films that can have sound."""


def refuse_silent(film: Path | None, sound: Path | None) -> None:
    """Sound that nobody would hear is a mistake, and said so."""
    if film is not None and sound is not None and film.suffix.lower() != LOUD:
        raise InputError(f"--sound is for {LOUD} films: {film.name} is silent")


def draw(result: Result, path: Path) -> None:
    """A strobed still."""
    from poise import pictures

    pictures.save_png(pictures.strobe(result.shown, **result.drawn()), path)


def film(result: Result, path: Path, sound: Path | None) -> None:
    """A film, with what is heard: the sound of a file that is there, else the result's own."""
    from poise import pictures

    meshes = [worn.mesh for worn in result.attached]
    with TemporaryDirectory() as folder, progress(f"filming {path.name}") as told:
        heard = sound if sound is not None and sound.is_file() else None
        if heard is None:
            heard = result.sound(Path(folder) / "sound.wav" if sound is None else sound)
        loud = path.suffix.lower() == LOUD
        pictures.video(result.shown, path, meshes=meshes, sound=heard if loud else None, progress=told)
    if heard is not None and not loud:
        print(f"poise: {path.name} is silent; write an {LOUD} to hear it", file=sys.stderr)


def hear(result: Result, path: Path) -> None:
    """The sound alone."""
    if result.sound(path) is None:
        raise InputError("--sound: there is nothing to hear; a note is played for every key of a script")
