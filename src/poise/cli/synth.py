"""``poise synth``: a scene of a few key-frames in, planned motion out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.cli.inputs import read, refuse_overwriting
from poise.cli.terminal import print

SCENE_HELP = "A scene file (JSON), or a bundled scene: four punches, walk, side jump, somersault, lamp jump …"


def synth(
    scene: Annotated[str, typer.Argument(metavar="SCENE", help=SCENE_HELP)],
    target: Annotated[
        Path, typer.Argument(metavar="OUTPUT", help="File to write; .json writes the scene itself.")
    ],
    character: Annotated[
        str | None, typer.Option(help="Another character: a file or a preset (names must fit the scene).")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Frames per second; the scene's, or 60, by default.")
    ] = None,
    modes: Annotated[int | None, typer.Option(help="How many modes are steered.")] = None,
    gamma: Annotated[float | None, typer.Option(help="How much keys weigh against effort.")] = None,
    stiffness: Annotated[
        str | None, typer.Option(help="Springs for characters that have none: standing, loose or stiff.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Also draw a strobed still (PNG).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace outputs that exist.")] = False,
) -> None:
    """Synthesise motion from a few partial key-frames.

    Exit status 1 if a key was missed; the report says which, by how much and why.
    """
    from poise.methods.plan import Scene
    from poise.methods.plan.scene import bundled as scenes

    for path in (target, picture):
        if path is not None:
            refuse_overwriting(path, force)
    source = Path(scene)
    is_file = source.suffix.lower() == ".json" or source.exists()
    found = Scene.load(source) if is_file else scenes.get(scene)
    if target.suffix.lower() == ".json":
        found.save(target)
        return
    options = {"modes": modes, "gamma": gamma, "stiffness": stiffness, "rate": rate}
    given = {name: value for name, value in options.items() if value is not None}
    who = read(character).character if character is not None else None
    result = found.play(who, **given)
    result.clip.save(target)
    if picture is not None:
        from poise import pictures

        pictures.save_png(pictures.strobe(result.clip, count=9), picture)
    print(result.report.to_json() if as_json else str(result.report))
    if not result.report.met:
        raise typer.Exit(1)
