"""How a verb ends: every exception becomes an exit status and one line on standard error.

| status | meaning |
|--------|---------|
| 0      | done |
| 1      | done, but a constraint was missed or a check failed (raised by the verb itself) |
| 2      | bad input, a file that cannot be read or written, or a mistake of Poise's own |
| 3      | done, but a layer of a project failed and was passed by (``poise bake``) |
| 4      | the workers of a cluster have gone; the same command goes on (``poise batch``) |
| 130    | stopped by the user |
| 141    | the reader of our output went away |

``--debug`` (or ``POISE_DEBUG`` in the environment) shows tracebacks; the status stays the same.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import ParamSpec

import typer

from poise.cli.interrupts import raising
from poise.cli.terminal import print
from poise.errors import CancelledError, PoiseError

P = ParamSpec("P")


class _Tracebacks:
    """Whether the current run shows them."""

    shown = False


def show_tracebacks(wanted: bool) -> None:
    """Say at the start of a run whether errors come with their tracebacks."""
    _Tracebacks.shown = wanted or bool(os.environ.get("POISE_DEBUG"))


def explained(verb: Callable[P, None]) -> Callable[P, None]:
    """The verb with its exceptions turned into exit statuses.

    This is done inside the program's own frame, because the library that parses the command line would
    answer an interrupt and a closed pipe itself, the latter with status 1.
    """

    @wraps(verb)
    def run(*arguments: P.args, **options: P.kwargs) -> None:
        try:
            with raising():
                verb(*arguments, **options)
                sys.stdout.flush()
        except typer.Exit:
            raise
        except BrokenPipeError:
            # The reader of a pipe went away (`poise info … | head`): not our error.
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(141) from None
        except KeyboardInterrupt:
            raise _end("stopped; no half-written files remain", 130) from None
        except PoiseError as problem:
            raise _end(str(problem), 130 if isinstance(problem, CancelledError) else 2) from None
        except OSError as problem:
            raise _end(told(problem), 2) from None
        except Exception as problem:
            what = f"{type(problem).__name__}: {problem}"
            raise _end(f"a bug in Poise: {what} (poise --debug … shows where)", 2) from None

    return run


def _end(message: str, status: int) -> typer.Exit:
    """Tell the user, and what to raise; called while the exception is being handled."""
    if _Tracebacks.shown:
        print(traceback.format_exc(), end="", file=sys.stderr)
    else:
        print(f"poise: {message}", file=sys.stderr)
    return typer.Exit(status)


def told(problem: Exception) -> str:
    """One line that names the file, where it is the system that complains."""
    if not isinstance(problem, OSError):
        return str(problem)
    reason = problem.strerror or str(problem) or type(problem).__name__
    return f"{problem.filename}: {reason}" if problem.filename is not None else reason
