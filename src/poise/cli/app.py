"""The program: collects the verbs."""

from __future__ import annotations

from typing import Annotated

import typer

from poise.cli import (
    adapt,
    bake,
    batch,
    beat,
    check,
    convert,
    demo,
    fix,
    hit,
    info,
    loosen,
    pose,
    render,
    studio,
    synth,
)
from poise.cli.exit_status import explained, show_tracebacks
from poise.cli.lenient import leniently
from poise.cli.terminal import print
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
        print(f"poise {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """What stands before the verb."""
    show_tracebacks(debug)


app.command("info")(explained(leniently(info.info)))
app.command("convert")(explained(leniently(convert.convert)))
app.command("render")(explained(leniently(render.render)))
app.command("loosen")(explained(leniently(loosen.loosen)))
app.command("hit")(explained(leniently(hit.hit)))
app.command("check")(explained(leniently(check.check)))
app.command("fix")(explained(leniently(fix.fix)))
app.command("pose")(explained(leniently(pose.pose)))
app.command("beat")(explained(leniently(beat.beat)))
app.command("adapt")(explained(leniently(adapt.adapt)))
app.command("synth")(explained(leniently(synth.synth)))
app.command("bake")(explained(leniently(bake.bake)))
app.command("batch")(explained(leniently(batch.batch)))
app.command("studio")(explained(leniently(studio.studio)))
app.command("demo")(explained(leniently(demo.demo)))
