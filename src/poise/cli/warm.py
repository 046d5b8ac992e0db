"""``poise warm``: kernels compiled before anybody waits for them."""

from __future__ import annotations

from typing import Annotated

import typer

from poise.cli.progress import progress
from poise.cli.terminal import print
from poise.errors import InputError

EXAMPLES = (
    "warm --jobs 4",
    "warm loosen hit",
)
"""Commands for the help."""


def warm(
    verbs: Annotated[
        list[str] | None,
        typer.Argument(metavar="VERB", help="Commands to compile for. Default: all."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="<number>", min=1, help="Number of processes. Default: one per core."),
    ] = None,
    background: Annotated[bool, typer.Option(hidden=True)] = False,
) -> None:
    """Compile all kernels now, so that later commands start without waiting."""
    from poise.kernels import warming
    from poise.kernels.roster import roster
    from poise.workers import thread_count

    known = roster().verbs
    for verb in verbs or ():
        if verb not in known:
            raise InputError(
                f"no kernels are known for {verb!r}; verbs that need any: {', '.join(sorted(known))}"
            )
    if background:
        from poise.cli.background_warming import finished

        warming.be_humble()
    with progress("compiling kernels") as step:
        done = warming.warm(verbs or (), jobs=jobs or thread_count(), progress=step)
    if background:
        finished()
    print(done)
    if done.failed:
        raise typer.Exit(1)
