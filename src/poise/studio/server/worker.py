"""The solver's own process: evaluates documents and sends what the stage needs, newest request first.

A process, not a thread: solving holds the interpreter for milliseconds at a time, which the socket would feel. Tasks
come through a pipe; of several waiting solves only the last is done. ``stop`` is a number shared with the
server: work that began under another one is cancelled.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from poise.errors import CancelledError, PoiseError
from poise.studio.server.messages import Answer, Problem, Progress, Solved


class Solve(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Evaluate a document."""

    revision: int
    document: bytes
    live: bool = False
    number: int = 0


class Home(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Where the project's files are, and the clips kept inside it."""

    folder: str
    blobs: dict[str, bytes]


class Question(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Something to look up that changes nothing."""

    question: str
    about: dict[str, Any]
    document: bytes
    number: int = 0


class Forget(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Send everything anew: somebody else is watching."""


TEXT, BINARY = b"t", b"b"
"""How answers in the pipe begin: JSON for the browser, or a packet."""
Task = Solve | Home | Question | Forget
_DECODER = msgspec.msgpack.Decoder(Task)
_ENCODER = msgspec.msgpack.Encoder()


def encode(task: Task) -> bytes:
    """A task for the pipe."""
    return _ENCODER.encode(task)


def main(pipe: Connection, stop: Any) -> None:
    """What the process does until the pipe is closed."""
    from poise.studio.server.stage_data import StageData

    stage = StageData()

    def tell(message: msgspec.Struct | bytes) -> None:
        text = isinstance(message, msgspec.Struct)
        pipe.send_bytes(TEXT + msgspec.json.encode(message) if text else BINARY + bytes(message))

    waiting: list[Task] = []
    while True:
        try:
            if not waiting:
                waiting.append(_DECODER.decode(pipe.recv_bytes()))
            while pipe.poll():
                waiting.append(_DECODER.decode(pipe.recv_bytes()))
        except (EOFError, OSError):
            return
        task = waiting.pop(0)
        if isinstance(task, Solve) and any(isinstance(later, Solve) for later in waiting):
            continue
        try:
            _perform(stage, task, tell, stop)
        except (BrokenPipeError, OSError):
            return


def _perform(stage: Any, task: Task, tell: Callable[[Any], None], stop: Any) -> None:
    begun = stop.value
    number = getattr(task, "number", 0)
    last = 0.0

    def progress(what: str, part: float) -> None:
        nonlocal last
        now = perf_counter()
        if now - last > 0.1:
            last = now
            tell(Progress(what=what, part=part))

    def cancelled() -> bool:
        return bool(stop.value != begun)

    try:
        match task:
            case Home(folder=folder, blobs=blobs):
                stage.move(Path(folder), blobs)
            case Forget():
                stage.forget()
            case Question(question=question, about=about, document=document):
                value = stage.answer(question, about, document, progress, cancelled)
                tell(Answer(question=question, value=value, number=number))
            case Solve(revision=revision, document=document, live=live):
                started = perf_counter()
                found = stage.solve(document, revision, live=live, progress=progress, cancel=cancelled)
                for packet in found.packets:
                    tell(packet)
                tell(
                    Solved(
                        revision=revision,
                        live=live,
                        seconds=perf_counter() - started,
                        met=found.met,
                        reports=found.reports,
                        notices=found.notices,
                    )
                )
    except CancelledError:
        tell(Problem(text="cancelled", number=number))
    except PoiseError as problem:
        tell(Problem(text=str(problem), layer=_layer(str(problem)), number=number))
    except Exception as problem:  # a mistake of ours must not end the session
        traceback.print_exc()
        tell(Problem(text=f"an error of Poise itself: {problem!r}", number=number))
    if last:
        tell(Progress(what="", part=1.0))


def _layer(text: str) -> str:
    """The layer that a complaint names first: ``layer 2 ('loose'): …``."""
    head, quote, rest = text.partition("('")
    return rest.partition("')")[0] if quote and head.startswith("layer ") else ""
