"""The loop of ``poise serve --stdio``: reads requests, has them done in threads, sends what comes of them.

The channel is a private copy of descriptor 1, which itself is made to point to standard error: whatever a
library prints cannot come between two frames. The process ends when its standard input does, and with it
whatever was under way; it opens no socket and no file of its own accord.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from numpy.typing import NDArray

from poise.errors import CancelledError, InputError, PoiseError
from poise.serve import frames
from poise.serve.requests import IN_ORDER, Answer, Request, answer
from poise.serve.session import Session
from poise.version import __version__
from poise.watching import watcher

PROTOCOL = 1
"""Raised when a host that knows the last version would misunderstand this one."""
AT_ONCE = 4
"""Requests that are worked on at a time: a bake, a drag beside it, and two more."""
MOST_IN_FLIGHT = 64
"""Requests that may wait; a host that asks for more does not listen."""
EVERY = 0.05
"""Seconds between two words on how far a request is."""
BROKEN = 2
"""The status of a process whose host sent what is no frame."""


class Server:
    """One host's requests over two streams."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source, self._sink = source, sink
        self._session = Session()
        self._lock = threading.Lock()
        self._under_way: dict[int, threading.Event] = {}
        """Requests that are not answered, and what tells them to stop."""
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="request")

    def serve(self) -> int:
        """Greet, and answer until the host closes its pipe; the status to end with."""
        self._send(
            {
                "poise": __version__,
                "protocol": PROTOCOL,
                "most_head": frames.MOST_HEAD,
                "most_body": frames.MOST_BODY,
                "most_in_flight": MOST_IN_FLIGHT,
            }
        )
        try:
            while (message := frames.read(self._source)) is not None:
                self._take(*message)
            return 0
        except frames.BrokenFrameError as problem:
            print(f"poise: serve: {problem}", file=sys.stderr, flush=True)
            return BROKEN
        finally:
            for stop in list(self._under_way.values()):
                stop.set()
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _take(self, head: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        number = head.get("id")
        if type(number) is not int:
            self._send(_failure(None, InputError(f"field 'id' must be a whole number, not {number!r:.40}")))
        elif head.get("ask") == "cancel":
            self._cancel(number, head.get("request"))
        elif number in self._under_way:
            self._send(_failure(number, InputError(f"request {number} is under way already")))
        elif len(self._under_way) >= MOST_IN_FLIGHT:
            self._send(
                _failure(number, InputError(f"{MOST_IN_FLIGHT} requests are under way; wait for them"))
            )
        else:
            stop = self._under_way[number] = threading.Event()
            if head.get("ask") in IN_ORDER:
                self._do(number, head, arrays, stop)
            else:
                self._pool.submit(self._do, number, head, arrays, stop)

    def _cancel(self, number: int, other: Any) -> None:
        if type(other) is not int:
            self._send(
                _failure(number, InputError(f"field 'request' must be a whole number, not {other!r:.40}"))
            )
            return
        event = self._under_way.get(other)
        if event is not None:
            event.set()
        self._send({"id": number, "done": True, "cancelled": event is not None})

    def _do(
        self, number: int, head: dict[str, Any], arrays: dict[str, NDArray[Any]], stop: threading.Event
    ) -> None:
        """One request, whatever becomes of it: nothing that fails in it ends the others."""
        told = time.monotonic()

        def tell(part: float) -> None:
            nonlocal told
            if time.monotonic() - told > EVERY:
                told = time.monotonic()
                self._send({"id": number, "progress": round(part, 4)})

        try:
            watch = watcher(str(head.get("ask")), tell, stop.is_set)
            watch(0.0)
            found = answer(self._session, Request(head, arrays, watch))
            if stop.is_set():
                raise CancelledError(f"{head.get('ask')} was cancelled")
            message = frames.packed({"id": number, "done": True, **found.head}, found.arrays)
        except BaseException as problem:
            message = frames.packed(_failure(number, problem), {})
        self._under_way.pop(number, None)
        self._put(message)

    def _send(self, head: Mapping[str, Any]) -> None:
        self._put(frames.packed(head, {}))

    def _put(self, message: bytes) -> None:
        """One message, whole; a host that is gone hears nothing."""
        with self._lock:
            try:
                self._sink.write(message)
                self._sink.flush()
            except (OSError, ValueError):
                for stop in list(self._under_way.values()):
                    stop.set()


def _failure(number: int | None, problem: BaseException) -> dict[str, Any]:
    """What went wrong, in words; of what nobody foresaw the log has the rest."""
    if isinstance(problem, PoiseError):
        words = str(problem)
    else:
        traceback.print_exception(problem, file=sys.stderr)
        words = f"Poise failed, and the fault is its own: {type(problem).__name__}: {problem}"
    return {"id": number, "error": words, "kind": type(problem).__name__}


def serve_stdio() -> int:
    """Serve whoever started this process, over its standard input and output."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    source = os.fdopen(os.dup(0), "rb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return Server(source, channel).serve()


__all__ = ["Answer", "Server", "serve_stdio"]
