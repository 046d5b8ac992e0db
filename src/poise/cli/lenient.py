"""``--lenient``: one option for every verb that reads clips, for those too that options name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from poise.cli.inputs import FILES

_READ = "read_options"
_HELP = "Read as much as possible of an invalid file; notes say what was skipped."
_PARAMETER = Parameter(
    "lenient",
    Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, typer.Option("--lenient", help=_HELP, rich_help_panel=FILES)],
)


def leniently(verb: Callable[..., None]) -> Callable[..., None]:
    """A verb that takes ``--read``, with ``--lenient`` beside it; any other as it is."""
    known = signature(verb, eval_str=True)
    if _READ not in known.parameters:
        return verb

    @wraps(verb)
    def run(*arguments: Any, lenient: bool, **options: Any) -> None:
        from poise.reading import forgiving

        with forgiving() if lenient else nullcontext():
            verb(*arguments, **options)

    # The parser of the command line reads signatures, and type hints of what was wrapped.
    parameters = [*known.parameters.values(), _PARAMETER]
    run.__signature__ = known.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run
