"""``poise check``: what in a clip real bodies do not do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.cli.inputs import INPUT_HELP, AnimationOption, ReadOptions, read, refuse_overwriting
from poise.cli.terminal import print
from poise.errors import InputError

FILTER_HELP = "Cut-off of the low-pass filter against capture noise [Hz], or off."


def check(
    source: Annotated[str, typer.Argument(metavar="CLIP", help=INPUT_HELP)],
    floor: Annotated[
        float | None,
        typer.Option(help="Height of the floor [m]; by default estimated from where the feet stand."),
    ] = None,
    filter_: Annotated[str, typer.Option("--filter", metavar="HZ", help=FILTER_HELP)] = "10",
    plot: Annotated[Path | None, typer.Option(help="Also draw one page of curves (PNG, PDF, SVG).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    animation: AnimationOption = None,
    read_options: ReadOptions = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace the plot if it exists.")] = False,
) -> None:
    """Check a clip: flights and the gravity they imply, contacts, skate, balance, forces, torques.

    Exit status 1 if something in it is impossible; the report says what, when and by how much.
    """
    from poise import plausibility

    if plot is not None:
        refuse_overwriting(plot, force)
    cutoff = parse_filter(filter_)
    report = plausibility.check(read(source, read_options, animation), floor=floor, cutoff=cutoff)
    if plot is not None:
        report.plot(plot)
    print(report.to_json() if as_json else f"{report}\n{plot}" if plot is not None else str(report))
    if not report.plausible:
        raise typer.Exit(1)


def parse_filter(text: str) -> float | None:
    """A cut-off as typed: hertz, or off."""
    if text.strip().lower() in ("off", "none", "no"):
        return None
    try:
        return float(text)
    except ValueError:
        raise InputError(f'--filter takes a frequency in Hz, or "off", not {text!r}') from None
