"""Where a verb writes a clip, and what it then says about what the file could not keep."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from poise.cli.inputs import FILES, STANDARD
from poise.cli.terminal import print
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.formats.options import WriteOptions
    from poise.motion import Clip

OUTPUT_HELP = "Output file; its extension sets the format. - writes BVH to standard output."
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help=OUTPUT_HELP, rich_help_panel=FILES)
]
"""The type of the parameter ``output`` of every verb that writes a clip."""
FRESH_HELP = (
    "Write a new GLB, glTF, FBX or USD file. By default, a clip read from one is written into a copy of it: "
    "only the animation changes."
)
Fresh = Annotated[bool, typer.Option("--fresh", help=FRESH_HELP, rich_help_panel=FILES)]
"""The type of the parameter ``fresh`` of every verb that writes a clip."""
Force = Annotated[
    bool, typer.Option("--force", "-f", help="Overwrite existing files.", rich_help_panel=FILES)
]
"""The type of the parameter ``force`` of every verb that writes."""
Told = Annotated[bool, typer.Option("--json", help="Print the report as JSON.", rich_help_panel=FILES)]
"""The type of the parameter ``as_json`` of every verb that reports."""
From = Annotated[float | None, typer.Option("--from", metavar="<s>", help="Start time.", show_default=False)]
To = Annotated[float | None, typer.Option("--to", metavar="<s>", help="End time.", show_default=False)]
"""The types of the parameters ``start`` and ``end`` of verbs that write a part of a motion."""
TEXT = ".bvh"
"""What is written to standard output."""


def is_standard(target: Path | None) -> bool:
    """Whether the clip goes to standard output."""
    return target is not None and str(target) == STANDARD


def reports_to(target: Path | None) -> TextIO:
    """Where reports are printed: not among the frames."""
    return sys.stderr if is_standard(target) else sys.stdout


def written(target: Path, save: Callable[[Path], object]) -> None:
    """Have a file written, or its text to standard output."""
    if not is_standard(target):
        save(target)
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"motion{TEXT}"
        save(path)
        print(path.read_text(encoding="utf-8"), end="")


def options_for(target: Path, *, fresh: bool) -> WriteOptions:
    """Options of writing that file."""
    from poise.formats.registry import IN_PLACE

    if fresh and target.suffix.lower() not in IN_PLACE:
        raise InputError(f"--fresh needs an output ending in {', '.join(IN_PLACE)}, not {target.name}")
    return {"fresh": True} if fresh else {}


def losses(clip: Clip, target: Path, *, fresh: bool = False) -> list[str]:
    """What a file of that name does not keep of the clip and of its own file."""
    from poise import formats

    kept = Path(f"standard output{TEXT}") if is_standard(target) else target
    return list(formats.losses(clip, kept, **options_for(target, fresh=fresh)))


def tell_losses(clip: Clip, target: Path, *, fresh: bool = False) -> None:
    """Say, on standard error, what is lost."""
    name = "standard output" if is_standard(target) else target.name
    for loss in losses(clip, target, fresh=fresh):
        print(f"poise: {name}: {loss}", file=sys.stderr)
