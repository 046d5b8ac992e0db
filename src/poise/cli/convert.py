"""``poise convert``: from any format to any other, with the usual operations on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.cli.inputs import INPUT_HELP, AnimationOption, ReadOptions, counted, read, refuse_overwriting
from poise.cli.outputs import Fresh, options_for
from poise.cli.terminal import print


def convert(
    source: Annotated[str, typer.Argument(metavar="CLIP", help=INPUT_HELP)],
    target: Annotated[
        Path, typer.Argument(metavar="OUTPUT", help="File to write; its extension says the format.")
    ],
    fps: Annotated[str | None, typer.Option(help="Resample to this rate: 30, 23.976, 24000/1001.")] = None,
    start: Annotated[float | None, typer.Option("--from", help="Keep from this time on [s].")] = None,
    end: Annotated[float | None, typer.Option("--to", help="Keep up to this time [s].")] = None,
    mirror: Annotated[bool, typer.Option("--mirror", help="Swap left and right.")] = False,
    cycles: Annotated[int | None, typer.Option(help="Write a loop this many times in a row.")] = None,
    animation: AnimationOption = None,
    read_options: ReadOptions = None,
    fresh: Fresh = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace OUTPUT if it exists.")] = False,
) -> None:
    """Convert a clip to another format, rate or length; what is not edited stays as it was."""
    from poise import formats
    from poise.motion import operators

    refuse_overwriting(target, force)
    clip = read(source, read_options, animation)
    if cycles is not None:
        clip = operators.unroll(clip, cycles)
    if start is not None or end is not None:
        clip = operators.trim(clip, start, end)
    if mirror:
        clip = operators.mirror(clip)
    if fps is not None:
        clip = operators.resample(clip, fps)
    options = options_for(target, fresh=fresh)
    path = clip.save(target, **options)
    print(f"{path}: {counted(clip.frames, 'frame')} at {clip.fps:g} fps")
    for note in dict.fromkeys(
        [*(clip.source.notes if clip.source else ()), *formats.losses(clip, target, **options)]
    ):
        print(f"  note  {note}")
