"""``poise bake``: a project's motion as a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from poise.cli.inputs import FILES, read, refuse_overwriting
from poise.cli.outputs import Force, Fresh, From, To, is_standard, options_for
from poise.cli.progress import progress
from poise.cli.terminal import print
from poise.errors import FileFormatError, InputError

if TYPE_CHECKING:
    from poise.project import Baked, Project

PASSED_BY = 3
"""The exit status where a layer failed and the rest was made."""
COMMANDS_HELP = "JSON file with a list of commands to apply first; the project file does not change."

EXAMPLES = (
    "bake boxer.poise -o boxer.bvh",
    "bake boxer.poise -o part.glb --layer hit --fps 30 --from 0.2 --to 1.4",
)
"""Commands for the help."""


def bake(
    source: Annotated[Path, typer.Argument(metavar="PROJECT", help="A project file (.poise).")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Output file; its extension sets the format. A note is written next to it.",
            rich_help_panel=FILES,
        ),
    ],
    layer: Annotated[
        str | None, typer.Option(metavar="NAME", help="Bake this layer instead of the project's last one.")
    ] = None,
    fps: Annotated[
        str | None, typer.Option(metavar="<fps>|24000/1001", help="Resample to this frame rate.")
    ] = None,
    start: From = None,
    end: To = None,
    character: Annotated[
        str | None,
        typer.Option(metavar="CLIP|FILE|PRESET", help="Another character to perform the motion."),
    ] = None,
    commands: Annotated[Path | None, typer.Option(metavar="FILE", help=COMMANDS_HELP)] = None,
    recover: Annotated[
        bool, typer.Option("--recover", help="Include edits that a crash left unsaved.")
    ] = False,
    fresh: Fresh = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first layer that fails and write nothing.")
    ] = False,
    within: Annotated[
        list[Path] | None,
        typer.Option(metavar="FOLDER", help="Another folder from which the project may read clips."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the note as JSON.", rich_help_panel=FILES)
    ] = False,
    force: Force = False,
) -> None:
    """Evaluate a project's layers and write the motion, with a note of its sources and reports.

    Exit status 1 if a request of a layer was not met; the reports say which, by how much and why. A layer
    that fails is skipped, and the exit status is 3.
    """
    from poise import project as projects
    from poise.project.bake import note_path
    from poise.project.bypass import REMEDY

    if is_standard(output):
        raise InputError("-o needs a file name: bake also writes a note beside the motion")
    options_for(output, fresh=fresh)
    for path in (output, note_path(output)):
        refuse_overwriting(path, force)
    opened = projects.open(source, recover_edits=recover, within=within or ())
    if opened.recovery is not None:
        print(f"poise: {source} has {opened.recovery}; --recover bakes them too", file=sys.stderr)
    if commands is not None:
        _apply(opened, commands)
    who = None if character is None else _character(opened, character)
    try:
        with progress("baking") as step:
            baked = opened.bake(
                output,
                layer=layer,
                rate=fps,
                span=None if start is None and end is None else (start, end),
                character=who,
                fresh=fresh,
                strict=strict,
                progress=lambda name, part: step(round(1000 * part), 1000),
            )
    except InputError as problem:
        raise _about(source, problem) from None
    for notice in baked.notices:
        print(f"poise: {notice}", file=sys.stderr)
    for loss in baked.note["output"]["left_out"]:
        print(f"poise: {output.name}: {loss}", file=sys.stderr)
    if as_json:
        print(json.dumps(baked.note, indent=2, ensure_ascii=False))
    else:
        _tell(baked)
    for name, why in baked.failures.items():
        print(f"poise: layer {name!r} failed: {why}; {REMEDY}", file=sys.stderr)
    if baked.failures:
        raise typer.Exit(PASSED_BY)
    if not baked.met:
        raise typer.Exit(1)


def _about(source: Path, problem: InputError) -> InputError:
    """Complaints about layers and clips, led by the file they stand in."""
    inside = str(problem).startswith(("layer ", "clip ", "the project "))
    return FileFormatError(source, str(problem)) if inside else problem


def _tell(baked: Baked) -> None:
    for name, report in baked.reports.items():
        print(f"{name}:")
        for line in str(report).splitlines():
            print(f"  {line}")
    print(*baked.written, sep="\n")


def _apply(project: Project, path: Path) -> None:
    from poise.reading import blaming, read_json

    commands = read_json(path)
    with blaming(path, "a list of commands"):
        project.run(commands)


def _character(project: Project, name: str) -> Any:
    if name in project.document.clips:
        return project.assets.load(name, project.document.clips[name]).clip.character
    return read(name).character
