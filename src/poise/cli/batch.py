"""``poise batch``: one recipe over a whole folder of clips."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.cli.progress import progress
from poise.cli.terminal import harmless, print

if TYPE_CHECKING:
    from poise.batch import Summary

DESERTED = 4
"""The exit status of a batch whose cluster has gone."""
SCHEDULER_HELP = "A running Dask scheduler (tcp://host:8786); its workers must see the same folders."
DEVICE_HELP = "Device for steps that do not name one. Default: POISE_DEVICE, else the processor."

EXAMPLES = (
    "batch clean.json captures -o cleaned",
    "batch clean.json captures -o cleaned --workers 4 --limit 600 --again",
)
"""Commands for the help."""


def batch(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="Recipe: a JSON file with the steps.")],
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Clips or folders of clips, including subfolders.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Output folder for clips and the report.")
    ],
    workers: Annotated[
        int | None,
        typer.Option(metavar="<number>", help="Number of processes. Default: one per core."),
    ] = None,
    scheduler: Annotated[str, typer.Option(metavar="ADDRESS", help=SCHEDULER_HELP)] = "",
    again: Annotated[bool, typer.Option("--again", help="Redo clips that are already done.")] = False,
    limit: Annotated[float | None, typer.Option(metavar="<s>", help="Time limit per clip.")] = None,
    device: Annotated[str | None, typer.Option(metavar="cpu|cuda|auto", help=DEVICE_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcomes as JSON.")] = False,
) -> None:
    """Run a recipe on many clips; one bad clip does not stop the rest.

    To resume a stopped batch, run the same command again. Exit status 1 if a clip failed or a request was
    not met; 4 if the cluster has no workers left.
    """
    import msgspec

    from poise import batch as batches
    from poise.batch.page import write_page

    ended, status = "", 0
    with progress(str(folder)) as step:
        try:
            summary = batches.run(
                recipe,
                folder,
                output,
                workers=workers,
                scheduler=scheduler,
                again=again,
                limit=limit,
                device=device,
                progress=lambda done, total, outcome: step(done, total),
            )
        except batches.Stopped as stopped:
            summary, ended, status = stopped.summary, "stopped; the same command goes on from here", 130
        except batches.Deserted as deserted:
            summary, ended, status = deserted.summary, str(deserted), DESERTED
    page = write_page(summary, output / "batch.html", f"{recipe.stem}: {folder}")
    if as_json:
        print(json.dumps(msgspec.to_builtins(summary), indent=2, ensure_ascii=False))
    else:
        _table(summary)
        print(f"{summary}\n{page}")
    if ended:
        print(f"poise: {ended}", file=sys.stderr)
        raise typer.Exit(status)
    if not summary.fine:
        raise typer.Exit(1)


def _table(summary: Summary) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("clip", "outcome", "plausible", "what", box=None, pad_edge=False)
    for outcome in summary.outcomes:
        repaired = [f"repaired {text}" for text in outcome.repaired]
        said = [outcome.problem, *outcome.missed, *outcome.findings, *repaired]
        plausible = {True: "yes", False: "no", None: ""}[outcome.plausible]
        told = [*[text for text in said if text][:1], *outcome.left_out]
        row = (outcome.clip, outcome.state, plausible, "\n".join(told))
        table.add_row(*(escape(harmless(text)) for text in row))
    Console(file=sys.stdout, highlight=False).print(table)
