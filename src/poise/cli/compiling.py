"""What a verb does about kernels: it counts those it has to compile, and has the rest compiled after it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import typer

from poise.cli import background_warming
from poise.kernels import compile_log

P = ParamSpec("P")


def compiling_for(name: str, verb: Callable[P, None]) -> Callable[P, None]:
    """The verb; when it is done, the first one has the kernels of all others compiled in the background."""

    @wraps(verb)
    def run(*arguments: P.args, **options: P.kwargs) -> None:
        compile_log.work_on(name, lambda: _left(name))
        if name in ("studio", "serve"):  # they go on for hours
            background_warming.start(name)
        try:
            verb(*arguments, **options)
        except typer.Exit:
            background_warming.start(name)
            raise
        background_warming.start(name)

    return run


def _left(name: str) -> int:
    from poise.kernels.stock import left

    return left(name)
