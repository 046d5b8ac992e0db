"""The program: collects the verbs. What is done to motions is made from its declaration."""

from __future__ import annotations

import sys
from inspect import cleandoc
from types import ModuleType
from typing import Annotated

import typer

from poise.cli import bake, batch, bench, convert, demo, doctor, info, render, serve, studio, warm
from poise.cli.compiling import compiling_for
from poise.cli.exit_status import explained, show_tracebacks
from poise.cli.lenient import leniently
from poise.cli.operation_verb import verb
from poise.cli.option_help import EVERYTHING, examples, plain
from poise.cli.plain_help import PlainCommand, PlainGroup
from poise.cli.terminal import print
from poise.operations.registry import operations
from poise.version import __version__

app = typer.Typer(
    name="poise",
    cls=PlainGroup,
    help="Character animation that obeys the animator to the frame and still has weight.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help", EVERYTHING]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"poise {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """What stands before the verb."""
    show_tracebacks(debug)


_FIRST: dict[str, ModuleType] = {"info": info, "convert": convert, "render": render}
_LAST: dict[str, ModuleType] = {"bake": bake, "batch": batch, "studio": studio, "serve": serve, "demo": demo}
_LAST |= {"warm": warm, "doctor": doctor, "bench": bench}
_ALONE = ("studio", "serve", "demo", "warm", "doctor", "bench")
"""Verbs that do something without being told what."""


def _command(name: str) -> None:
    module = _FIRST.get(name) or _LAST.get(name)
    found = verb(operations()[name.replace("-", "_")]) if module is None else getattr(module, name)
    words = cleandoc(found.__doc__ or "")
    if module is not None:
        words = plain(f"{words}\n\n{examples(*module.EXAMPLES)}")
    made = explained(compiling_for(name, leniently(found)))
    app.command(name, cls=PlainCommand, help=words, no_args_is_help=name not in _ALONE)(made)


def collect() -> None:
    """Give the program its verbs: only the one that was asked for, if one was, for the others take time."""
    motions = [name.replace("_", "-") for name, each in operations().items() if each.VERB]
    every = [*_FIRST, *motions, *_LAST]
    asked = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    for name in [asked] if asked in every else every:
        _command(name)


collect()
