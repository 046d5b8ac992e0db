"""``poise convert``: from any format to any other, with the usual operations on the way."""

from __future__ import annotations

from typing import Annotated

import typer

from poise.cli.inputs import INPUT_HELP, AnimationOption, ReadOptions, counted, read, refuse_overwriting
from poise.cli.outputs import (
    Force,
    Fresh,
    From,
    Output,
    To,
    is_standard,
    losses,
    options_for,
    reports_to,
    written,
)
from poise.cli.terminal import print

EXAMPLES = (
    "convert walk -o walk.glb --cycles 4",
    "convert take.bvh -o part.bvh --fps 30 --from 0.5 --to 2.5 --mirror",
)
"""Commands for the help."""


def convert(
    source: Annotated[str, typer.Argument(metavar="CLIP", help=INPUT_HELP)],
    output: Output,
    fps: Annotated[
        str | None, typer.Option(metavar="<fps>|24000/1001", help="Resample to this frame rate.")
    ] = None,
    start: From = None,
    end: To = None,
    mirror: Annotated[bool, typer.Option("--mirror", help="Swap left and right.")] = False,
    cycles: Annotated[
        int | None, typer.Option(metavar="<number>", help="Write a loop this many times in a row.")
    ] = None,
    animation: AnimationOption = None,
    read_options: ReadOptions = None,
    fresh: Fresh = False,
    force: Force = False,
) -> None:
    """Convert a clip to another format, rate or length; what is not edited stays as it was."""
    from poise.motion import operators

    refuse_overwriting(output, force)
    clip = read(source, read_options, animation)
    if cycles is not None:
        clip = operators.unroll(clip, cycles)
    if start is not None or end is not None:
        clip = operators.trim(clip, start, end)
    if mirror:
        clip = operators.mirror(clip)
    if fps is not None:
        clip = operators.resample(clip, fps)
    options = options_for(output, fresh=fresh)
    written(output, lambda path: clip.save(path, **options))
    name = "standard output" if is_standard(output) else str(output)
    out = reports_to(output)
    print(f"{name}: {counted(clip.frames, 'frame')} at {clip.fps:g} fps", file=out)
    told = [*(clip.source.notes if clip.source else ()), *losses(clip, output, fresh=fresh)]
    for note in dict.fromkeys(told):
        print(f"  note  {note}", file=out)
