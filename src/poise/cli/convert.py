"""``poise convert``: from any format to any other."""

from __future__ import annotations

from typing import Annotated

import typer

from poise.cli import captures
from poise.cli.inputs import INPUT_HELP, AnimationOption, ReadOptions, counted, read, refuse_overwriting
from poise.cli.outputs import (
    Force,
    Fresh,
    Output,
    is_standard,
    losses,
    options_for,
    reports_to,
    written,
)
from poise.cli.terminal import print

EXAMPLES = (
    "convert walk -o walk.glb",
    "convert take.bvh -o take.npz --read scale=0.02",
)
"""Commands for the help."""


def convert(
    source: Annotated[str, typer.Argument(metavar="CLIP", help=INPUT_HELP)],
    output: Output,
    animation: AnimationOption = None,
    read_options: ReadOptions = None,
    fresh: Fresh = False,
    force: Force = False,
) -> None:
    """Convert a clip to another format without changing its frames."""
    refuse_overwriting(output, force)
    if captures.writes_markers(output) and (markers := captures.capture(source, read_options)) is not None:
        print(captures.convert(markers, output))
        return
    clip = read(source, read_options, animation)
    options = options_for(output, fresh=fresh)
    written(output, lambda path: clip.save(path, **options))
    name = "standard output" if is_standard(output) else str(output)
    out = reports_to(output)
    print(f"{name}: {counted(clip.frames, 'frame')} at {clip.fps:g} fps", file=out)
    told = [*(clip.source.notes if clip.source else ()), *losses(clip, output, fresh=fresh)]
    for note in dict.fromkeys(told):
        print(f"  note  {note}", file=out)
