"""``poise studio``: the workbench in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.cli.terminal import print

EXAMPLES = (
    "studio boxer.poise",
    "studio walk.bvh --port 8765 --no-browser",
)
"""Commands for the help."""


def studio(
    source: Annotated[
        Path | None,
        typer.Argument(metavar="PROJECT|CLIP", help="A project file, or a clip to start a new project with."),
    ] = None,
    workspace: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The only folder the studio may read and write. Default: the file's own folder.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(metavar="<number>", help="Port on this machine; 0 takes a free one.")
    ] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> None:
    """Open a project or clip in the browser. Only this machine can reach it, at the printed address."""
    from poise.studio.server.serve import serve

    serve(source, workspace=workspace, port=port, browser=browser, say=lambda line: print(line, flush=True))
