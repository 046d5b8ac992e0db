"""``poise serve``: requests of a host program (Blender and others) over standard input and output."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from poise.errors import InputError

EXAMPLES = ("serve --stdio",)
"""Commands for the help."""


def serve(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Talk over standard input and output, in frames.")
    ] = False,
) -> None:
    """Answer a host program that starts this one and talks to it in frames; people do not type it."""
    if not stdio:
        raise InputError("serve needs --stdio: host programs start it and talk over its standard streams")
    from poise.serve.server import serve_stdio

    status = serve_stdio()
    os._exit(status)  # threads in a compiled loop cannot be told to stop, and nothing is left to be written
