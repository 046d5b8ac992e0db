"""Where a verb writes a clip, and what it then says about what the file could not keep."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.cli.inputs import FILES
from poise.cli.terminal import print
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.motion import Clip

FRESH_HELP = (
    "Write a new GLB or glTF document. Without it a clip that came from one changes its animation there, and "
    "everything else in it stays."
)
Fresh = Annotated[bool, typer.Option("--fresh", help=FRESH_HELP, rich_help_panel=FILES)]
"""The type of the parameter ``fresh`` of every verb that writes a clip."""
DOCUMENTS = (".glb", ".gltf")


def write(clip: Clip, target: Path, *, fresh: bool = False) -> Path:
    """Write the clip and say, on standard error, what its file does not keep."""
    path = clip.save(target, **options_for(target, fresh=fresh))
    tell_losses(clip, target, fresh=fresh)
    return path


def options_for(target: Path, *, fresh: bool) -> dict[str, bool]:
    """Options of writing that file."""
    if fresh and target.suffix.lower() not in DOCUMENTS:
        raise InputError(f"--fresh is about {' and '.join(DOCUMENTS)} documents; {target.name} is none")
    return {"fresh": True} if fresh else {}


def tell_losses(clip: Clip, target: Path, *, fresh: bool = False) -> None:
    """Say, on standard error, what a file of that name does not keep of the clip and of its own file."""
    from poise import formats

    for loss in formats.losses(clip, target, **options_for(target, fresh=fresh)):
        print(f"poise: {target.name}: {loss}", file=sys.stderr)
