"""``poise fix``: repair what ``poise check`` finds, by the smallest change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.cli.check import FILTER_HELP, parse_filter
from poise.cli.inputs import INPUT_HELP, AnimationOption, ReadOptions, read, refuse_overwriting
from poise.cli.outputs import Fresh, write
from poise.cli.terminal import print

ONLY_HELP = "Make only this repair: time, floor, skate, path, spin or balance (repeatable)."


def fix(
    source: Annotated[str, typer.Argument(metavar="CLIP", help=INPUT_HELP)],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="File to write.")],
    only: Annotated[list[str] | None, typer.Option(help=ONLY_HELP)] = None,
    floor: Annotated[
        float | None,
        typer.Option(help="Height of the floor [m]; by default estimated from where the feet stand."),
    ] = None,
    filter_: Annotated[str, typer.Option("--filter", metavar="HZ", help=FILTER_HELP)] = "10",
    picture: Annotated[
        Path | None, typer.Option(help="Also draw one page of curves, before and after (PNG, PDF, SVG).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    animation: AnimationOption = None,
    read_options: ReadOptions = None,
    fresh: Fresh = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace outputs that exist.")] = False,
) -> None:
    """Fix a clip: its time scale, feet that sink, float or slide, flights, spins, balance.

    Only frames that are at fault change, and a short blend around them; a repair that would make anything
    less plausible is not made. Exit status 1 if something could not be repaired; the report says what, and
    why.
    """
    from poise import repair

    for path in (output, picture):
        if path is not None:
            refuse_overwriting(path, force)
    cutoff = parse_filter(filter_)
    result = repair.fix(read(source, read_options, animation), only, floor=floor, cutoff=cutoff)
    write(result.clip, output, fresh=fresh)
    if picture is not None:
        result.plot(picture)
    written = "\n".join(str(path) for path in (output, picture) if path is not None)
    print(result.to_json() if as_json else f"{result}\n{written}")
    if not result.mended:
        raise typer.Exit(1)
