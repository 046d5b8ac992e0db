"""``poise serve``: requests of a host program (Blender and others) over standard input and output."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from poise.errors import InputError

EXAMPLES = ("serve --stdio", "serve --stdio 2> poise.log")
"""Commands for the help."""


def serve(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Communicate over standard input and output.")
    ] = False,
) -> None:
    """Serve a host program such as Blender. Host programs start this themselves."""
    if not stdio:
        raise InputError("serve needs --stdio: host programs start it and talk over its standard streams")
    from poise.serve.server import serve_stdio

    status = serve_stdio()
    os._exit(status)  # threads in a compiled loop cannot be told to stop, and nothing is left to be written
