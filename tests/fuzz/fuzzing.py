"""Fuzzing: many changed files through every reader, each within limits of time and memory.

An input is named by reader, seed and number and can be made again from them. Inputs are read in a child
process, so that a crash in a library is counted like any other failure and the rest goes on. A failure is
anything but success or one of ``poise.errors``, more than ``SECONDS`` of processor time, or more memory than
1 GB and 50 times the input's size.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from mmap import mmap
from pathlib import Path
from random import Random
from typing import Any

SECONDS = 5.0
"""Of processor time for an input."""
MEMORY, PER_BYTE = 1 << 30, 50
"""Bytes for an input, and for each of its own."""
STUCK = 30.0
"""Seconds of processor time after which a child that says nothing is killed."""
CORPUS = Path(__file__).parent / "corpus"
_STATE = struct.Struct("<qqqqqdq")
"""Of a child: inputs begun, done, accepted, refused; most memory, longest time, and whose they were."""


@dataclass(frozen=True)
class Failure:
    """An input that was not read as it should be."""

    reader: str
    number: int
    what: str
    data: bytes


@dataclass
class Figures:
    """What came of one reader's inputs."""

    reader: str
    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    slowest: float = 0.0
    """[s] of processor time"""
    memory: int = 0
    """Most that any took beyond what was there before [bytes]."""
    failures: list[Failure] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.reader:12} {self.inputs:9,} inputs {self.accepted:9,} read {self.refused:9,} refused "
            f"{len(self.failures):4} failed   slowest {self.slowest:6.3f} s   "
            f"most memory {self.memory / 2**20:6.1f} MB"
        )


class TooLongError(BaseException):
    """Not an Exception: nothing that a reader catches."""


class Inputs:
    """The inputs of one reader: its corpus first, then changed seeds, each made again from its number."""

    def __init__(self, reader: Any, sound: Sequence[bytes], seed: int) -> None:
        self.reader, self.seed = reader, seed
        folder = CORPUS / reader.name
        self.corpus = [p.read_bytes() for p in sorted(folder.iterdir())] if folder.is_dir() else []
        self.sound, self.seeds = list(sound), [*sound, *self.corpus]

    def __getitem__(self, number: int) -> bytes:
        if number < len(self.seeds):
            return self.seeds[number]
        rng = Random(f"{self.seed} {self.reader.name} {number}")
        data = rng.choice(self.seeds if rng.random() < 0.2 else self.sound)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            data = rng.choice(self.reader.mutations)(data, rng)
        return data


def fuzz(
    names: Sequence[str],
    count: int,
    *,
    seed: int = 1,
    first: int = 0,
    keep: Path | None = None,
    say: Any = None,
) -> list[Figures]:
    """``count`` inputs through each of the named readers; those that fail are written to ``keep``."""
    from readers import BESIDE, READERS
    from seeds import make

    found = []
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory(dir=place) as home:
        sound = make(Path(scratch))
        for name in names:
            reader = READERS[name]
            folder = Path(home) / name
            folder.mkdir()
            for other in reader.beside:
                (folder / BESIDE[other]).write_bytes(sound[other][1 if other == "poise" else 0])
            inputs = Inputs(reader, sound[name], seed)
            figures = Figures(name)
            for failure in _supervised(inputs, folder / reader.file, first, count, figures):
                figures.failures.append(failure)
                if keep is not None:
                    (keep / name).mkdir(parents=True, exist_ok=True)
                    (keep / name / f"{seed}-{failure.number}").write_bytes(failure.data)
            if say is not None:
                say(str(figures))
            found.append(figures)
    return found


def _supervised(inputs: Inputs, path: Path, first: int, count: int, figures: Figures) -> Iterator[Failure]:
    """Children one after the other, each from where the last one failed."""
    start, end = first, first + count
    board = mmap(-1, 1 << 16)
    while start < end:
        _write(board, (start, start, 0, 0, 0, 0.0, -1), b"")
        child = os.fork()
        if child == 0:
            status = 1
            try:
                _work(inputs, path, start, end, board)
                status = 0
            finally:
                os._exit(status)
        ending = _watch(child, board)
        begun, done, accepted, refused, memory, slowest, _ = _STATE.unpack_from(board)
        said = bytes(
            board[_STATE.size + 4 : _STATE.size + 4 + struct.unpack_from("<I", board, _STATE.size)[0]]
        )
        figures.accepted += accepted
        figures.refused += refused
        figures.memory = max(figures.memory, memory)
        figures.slowest = max(figures.slowest, slowest)
        if ending == 0:
            figures.inputs += end - start
            break
        figures.inputs += begun + 1 - start
        what = said.decode("utf-8", "replace") or f"the process ended with {ending}"
        yield Failure(inputs.reader.name, begun, what, inputs[begun])
        start = begun + 1
        del done
    board.close()


def _watch(child: int, board: mmap) -> int:
    """Wait for a child; killed where an input takes much longer than it may, deaf to its own alarm."""
    ticks = os.sysconf("SC_CLK_TCK")
    last, since = -1, 0.0
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        begun = _STATE.unpack_from(board)[0]
        words = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
        used = (int(words[11]) + int(words[12])) / ticks
        if begun != last:
            last, since = begun, used
        elif used - since > STUCK:
            os.kill(child, signal.SIGKILL)
            _write(board, _STATE.unpack_from(board), b"it does not end, not even when asked to")
        time.sleep(0.02)


def _write(board: mmap, state: tuple[Any, ...], said: bytes) -> None:
    _STATE.pack_into(board, 0, *state)
    struct.pack_into("<I", board, _STATE.size, len(said[:4000]))
    board[_STATE.size + 4 : _STATE.size + 4 + len(said[:4000])] = said[:4000]


def _work(inputs: Inputs, path: Path, start: int, end: int, board: mmap) -> None:
    """Read inputs until one fails; the board tells which, and why."""
    from poise.errors import PoiseError

    def too_long(number: int, frame: Any) -> None:
        raise TooLongError

    signal.signal(signal.SIGPROF, too_long)
    faulthandler.disable()
    sys.setrecursionlimit(1000)
    warnings.simplefilter("ignore")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    page = resource.getpagesize()
    accepted = refused = memory = worst = 0
    slowest = 0.0
    parent = os.getppid()
    for number in range(start, end):
        if os.getppid() != parent:  # nobody waits any more
            os._exit(4)
        _STATE.pack_into(board, 0, number, number, accepted, refused, memory, slowest, worst)
        data = inputs[number]
        path.write_bytes(data)
        sizes = Path("/proc/self/statm").read_text().split()
        spaces, resident = int(sizes[0]) * page, int(sizes[1]) * page
        before = resource.getrusage(resource.RUSAGE_SELF)
        limit = spaces + MEMORY + PER_BYTE * len(data)
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        problem = ""
        try:
            inputs.reader.read(path)
            accepted += 1
        except PoiseError as said:
            refused += 1
            if not str(said).strip():
                problem = f"an error without a word: {type(said).__name__}"
        except TooLongError:
            problem = f"more than {SECONDS:g} s"
        except MemoryError:
            problem = f"more than {(MEMORY + PER_BYTE * len(data)) / 2**20:,.0f} MB"
        except BaseException:
            problem = traceback.format_exc(limit=-6)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        after = resource.getrusage(resource.RUSAGE_SELF)
        if after.ru_maxrss > before.ru_maxrss:
            memory = max(memory, after.ru_maxrss * 1024 - resident)
        slowest = max(slowest, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        state = (number, number, accepted, refused, memory, slowest, worst)
        if problem:
            _write(board, state, problem.encode("utf-8", "replace"))
            os._exit(3)
    _STATE.pack_into(board, 0, end - 1, end, accepted, refused, memory, slowest, worst)
