"""The solver's own process: makes documents, answers questions, and sends what the stage needs.

A process, not a thread: solving holds the interpreter for milliseconds at a time, and the socket would feel
it. It does one task at a time as they come through a pipe (``solver`` decides which), and says when each is
done.
``stop`` is a number shared with the server: work that began under another one is cancelled.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import signal
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from poise.errors import CancelledError, PoiseError
from poise.kernels import compile_log
from poise.kernels.compile_log import working_time
from poise.operations.frozen_data import encoded
from poise.studio.server.messages import Answer, Problem, Progress, Solved


class Solve(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Make a document; ``live``: quickly, as something is dragged; ``glance``: nobody has seen anything."""

    revision: int
    document: bytes
    live: bool = False
    glance: bool = False
    look: int = -1
    """The frame that somebody looks at."""
    number: int = 0


class Home(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Where the project's files are, and the clips kept inside it."""

    folder: str
    blobs: dict[str, bytes]
    within: list[str] = []
    """Where else files that the project names may be read."""


class Question(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Something to look up that changes nothing."""

    question: str
    about: dict[str, Any]
    document: bytes
    number: int = 0


class Everything(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """All that is on the stage, for somebody who has seen nothing yet."""


class Weigh(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What the motion on the stage stands on; it takes a moment, so it comes after the motion."""


TEXT, BINARY, DONE = b"t", b"b", b"d"
"""How what comes back begins: JSON for the browser, a packet, or nothing more of this task."""
END = b""
"""What is sent to a process that is to end."""
Task = Solve | Home | Question | Everything | Weigh
_DECODER = msgspec.msgpack.Decoder(Task)
_ENCODER = msgspec.msgpack.Encoder()
Tell = Callable[[msgspec.Struct | bytes], None]
BEAT = 0.25
"""A process that runs shows it so often [s]."""
OFTEN = 0.1
"""Progress is told at most so often [s]."""
M_MMAP_THRESHOLD, LARGE = -3, 2**20
"""The C library's name for it, and what is large [bytes]."""


def encode(task: Task) -> bytes:
    """A task for the pipe."""
    return _ENCODER.encode(task)


def main(pipe: Connection, stop: Any, pulse: Any) -> None:
    """What the process does until it is told to end, or the pipe is closed; ``pulse`` shows that it lives."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the server's to hear
    threading.Thread(target=beat, args=(pulse,), daemon=True).start()
    _own_pages()
    from poise.studio.server.stage_data import StageData

    stage = StageData()
    compile_log.work_on("studio", _kernels_left)

    def tell(message: msgspec.Struct | bytes) -> None:
        if isinstance(message, bytes):
            pipe.send_bytes(BINARY + message)
        else:
            pipe.send_bytes(TEXT + encoded(message))

    with contextlib.suppress(EOFError, OSError):  # the server is gone
        while (asked := pipe.recv_bytes()) != END:
            with compile_log.listening(_compiling(tell)):
                _perform(stage, _DECODER.decode(asked), tell, stop)
            pipe.send_bytes(DONE)


def beat(pulse: Any) -> None:
    """Count while this process runs: one that is busy and one that stands still can be told apart."""
    while True:
        pulse.value += 1
        time.sleep(BEAT)


def _kernels_left() -> int:
    from poise.kernels.stock import left

    return left("studio")


def _compiling(tell: Tell) -> Callable[[str, int, int], None]:
    """Who tells the browser that a kernel is being compiled, and how many are left."""

    def heard(kernel: str, number: int, total: int) -> None:
        part = (number - 1) / max(number, total)
        tell(Progress(what=compile_log.sentence(number, total), part=part, kernels=(number, total)))

    return heard


def _own_pages() -> None:
    """Large arrays have pages of their own, which the system gets back when a result is forgotten.

    The C library's own threshold grows with what it has freed once: then results of megabytes lie among small
    things, and what a long session forgets leaves holes.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):  # other systems do as they do
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE)


def _give_back() -> None:
    """Circles of what is forgotten, and the holes that small things leave, go back to the system too.

    The collector comes by counts of objects, and a few objects may hold all frames of a motion.
    """
    gc.collect()
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _perform(stage: Any, task: Task, tell: Tell, stop: Any) -> None:
    begun, compiled = stop.value, compile_log.compilations()
    number = task.number if isinstance(task, Question) else 0  # an edit was answered when it was made
    last = 0.0

    def progress(what: str, part: float) -> None:
        nonlocal last
        now = perf_counter()
        if now - last > OFTEN:
            last = now
            tell(Progress(what=what, part=part))

    def cancelled() -> bool:
        return bool(stop.value != begun)

    try:
        match task:
            case Home(folder=folder, blobs=blobs, within=within):
                stage.move(Path(folder), blobs, [Path(place) for place in within])
            case Everything():
                for packet in stage.everything():
                    tell(packet)
            case Weigh():
                for packet in stage.weighed():
                    tell(packet)
                _give_back()  # nobody waits now
            case Question(question=question, about=about, document=document):
                value = stage.answer(question, about, document, progress, cancelled)
                tell(Answer(question=question, value=value, number=number))
            case Solve():
                tell(_solved(stage, task, tell, progress, cancelled))
    except CancelledError:
        pass  # who cancels knows
    except ConnectionError:
        raise  # the server is gone, and nobody is there to be told
    except PoiseError as problem:
        from poise.project.bypass import LayerError  # which the stage has read by now

        layer = problem.layer.name if isinstance(problem, LayerError) else ""
        tell(Problem(text=str(problem), layer=layer, number=number))
    except MemoryError:
        tell(Problem(text="there is not enough memory for this", number=number))
    except Exception as problem:  # a mistake of ours must not end the session
        traceback.print_exc()
        tell(Problem(text=f"an error of Poise itself: {problem!r}", number=number))
    if last or compile_log.compilations() > compiled:
        tell(Progress(what="", part=1.0))


def _solved(stage: Any, task: Solve, tell: Tell, progress: Any, cancelled: Callable[[], bool]) -> Solved:
    started = working_time()
    found = stage.solve(
        task.document,
        task.revision,
        live=task.live,
        glance=task.glance,
        progress=progress,
        cancel=cancelled,
        show=tell,
        look=task.look,
    )
    for packet in found.packets:
        tell(packet)
    return Solved(
        revision=task.revision,
        live=task.live,
        seconds=working_time() - started,
        met=found.met,
        reports=found.reports,
        notices=found.notices,
        carried=found.carried,
        failures=found.failures,
        checks=found.checks,
        window=found.window,
        number=task.number,
    )
