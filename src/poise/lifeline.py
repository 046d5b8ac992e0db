"""A process that ends with whoever started it, whatever it is at and however that one ended, killed too.

A process that is killed tells nobody, but it lets go of what it held: a pipe that had only its other end
there. A thread waits for that and takes the process with it at once; compiled work does not hold it up. A
starter's own forks may hold the pipe open after it: so, where the system says who looks after a process, a
change of that counts as well. What is being written then is not there: files come whole or not at all.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import parent_process
from queue import SimpleQueue
from typing import Any

LOOK = 0.5
"""Who looks after this process is asked so often [s]."""
ORPHANED = 1
"""The status of a process whose starter has gone; there is nobody to read it."""


def end_with_parent() -> None:
    """Called first by a process that has something to do for its parent alone."""
    parent = parent_process()
    if parent is not None:
        _end_after(parent.join)
    if hasattr(os, "getppid"):
        _end_after(_adopted)


def while_parent_lives(work: Callable[..., None], *given: Any) -> None:
    """A target for a process: ``work(*given)``, as long as there is somebody to do it for."""
    end_with_parent()
    work(*given)


def end_with_input() -> None:
    """Called first by a program whose starter holds its standard input open, and says nothing there."""
    _end_after(_drained)
    end_with_parent()


def lines_until_gone(source: Iterable[str]) -> Iterator[str]:
    """What the starter says, line by line, without an end: when there is no more, so is this process."""
    heard: SimpleQueue[str] = SimpleQueue()

    def listen() -> None:
        for line in source:
            heard.put(line)

    _end_after(listen)
    end_with_parent()
    while True:
        yield heard.get()


def _end_after(wait: Callable[[], object]) -> None:
    def watch() -> None:
        wait()
        os._exit(ORPHANED)

    threading.Thread(target=watch, daemon=True, name="lifeline").start()


def _adopted() -> None:
    first = os.getppid()
    while os.getppid() == first:
        time.sleep(LOOK)


def _drained() -> None:
    while os.read(0, 1):
        pass
