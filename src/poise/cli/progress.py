"""Progress of long work, on standard error, only where a person is watching."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from poise.cli.terminal import harmless

Progress = Callable[[int, int], None]


@contextmanager
def progress(label: str) -> Iterator[Progress]:
    """A bar to be called as ``step(done, total)``; silent when standard error is no terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(harmless(label)), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
