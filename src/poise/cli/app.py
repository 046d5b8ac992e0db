"""The program: collects the verbs and turns exceptions into exit codes."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from poise.cli import convert, demo, hit, info, loosen, render
from poise.errors import CancelledError, PoiseError
from poise.version import __version__

app = typer.Typer(
    name="poise",
    help="Character animation that obeys the animator to the frame and still has weight.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"poise {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """What stands before the verb."""
    if debug:
        os.environ["POISE_DEBUG"] = "1"


app.command("info")(info.info)
app.command("convert")(convert.convert)
app.command("render")(render.render)
app.command("loosen")(loosen.loosen)
app.command("hit")(hit.hit)
app.command("demo")(demo.demo)


def main(arguments: list[str] | None = None) -> None:
    """Run the program and exit with its status."""
    try:
        app(args=arguments, prog_name="poise")
    except PoiseError as problem:
        if os.environ.get("POISE_DEBUG"):
            raise
        print(f"poise: {problem}", file=sys.stderr)
        sys.exit(130 if isinstance(problem, CancelledError) else 2)
    except KeyboardInterrupt:
        print("poise: stopped; nothing was half written", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe went away (`poise info … | head`): not our error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
