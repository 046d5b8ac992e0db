"""``poise bench``: this machine's Poise beside named peers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.cli.inputs import FILES, refuse_overwriting
from poise.cli.outputs import Force
from poise.cli.progress import progress
from poise.cli.terminal import print
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.speed.result import Row

EXAMPLES = (
    "bench -o out",
    "bench kinematics loosen --seconds 10 --plot speed.png",
)
"""Commands for the help."""
NUMBERS, PICTURE = "bench.json", "bench.png"
"""What is written into a folder."""
COLUMNS = f"{'what':<37} {'time of one':<13} {'peer':<25} {'Poise':>9} {'peer':>9} {'ratio':>6}"


def bench(
    subjects: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SUBJECT",
            help="What to compare: kinematics, dynamics, loosen, hit, key, adapt, gpu. Default: all.",
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(metavar="<s>", help="Time budget for the comparison, not counting compilation."),
    ] = 60.0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help=f"Write the numbers ({NUMBERS}) and the plot ({PICTURE}) there.",
            rich_help_panel=FILES,
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="PNG|PDF|SVG", help="Save a plot of the ratios.", rich_help_panel=FILES
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the numbers as JSON.", rich_help_panel=FILES)
    ] = False,
    force: Force = False,
) -> None:
    """Compare this machine's Poise with MuJoCo, Pinocchio, mink, pink, SciPy and published methods.

    Both sides of a row do the same work in turn; the shortest time of each counts. Peers that are not
    installed are listed with the command that installs them. Exit status 1 if a comparison failed.
    """
    from poise.files import write_text
    from poise.speed import plot
    from poise.speed.machine import warning
    from poise.speed.short_form import bench as compare

    pictures = [each for each in (picture, output and output / PICTURE) if each is not None]
    for target in (*pictures, *([output / NUMBERS] if output else ())):
        refuse_overwriting(target, force)
    for target in pictures:
        plot.checked(target)
    if output is not None:
        _made(output)
    told: list[Row] = []

    def heard(row: Row) -> None:
        if not as_json:
            if not told:
                print(COLUMNS)
            _tell(row)
        told.append(row)

    with progress("comparing") as step:
        found = compare(subjects or (), seconds=seconds, heard=heard, progress=step)
    if busy := warning(found.machine["load"]):
        print(f"poise: {busy}", file=sys.stderr)
    if as_json:
        print(found.to_json(), end="")
    if output is not None:
        write_text(output / NUMBERS, found.to_json())
        _told(output / NUMBERS, as_json)
    for target in pictures if found.of("measured") else ():
        plot.plot(found, target)
        _told(target, as_json)
    if pictures and not found.of("measured"):
        print("poise: nothing was measured, so there is no plot", file=sys.stderr)
    if found.of("failed"):
        raise typer.Exit(1)


def _tell(row: Row) -> None:
    """One line of the table."""
    from poise.speed.result import spoken, times

    start = f"{row.name:<37} {row.unit:<13} {row.peer:<25}"
    if row.ours is not None and row.theirs is not None and row.ratio is not None:
        note = f"  {row.note}" if row.note else ""
        print(
            f"{start} {spoken(row.ours):>9} {spoken(row.theirs):>9} {times(row.ratio):>6}{note}", flush=True
        )
    else:
        remedy = f" → {row.remedy}" if row.remedy else ""
        print(f"{start} {row.state}: {row.note}{remedy}", flush=True)


def _made(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"cannot make the folder {folder}: {problem.strerror or problem}") from None


def _told(path: Path, as_json: bool) -> None:
    print(path, file=sys.stderr if as_json else sys.stdout)
