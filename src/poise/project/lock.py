"""One writer at a time: a lock beside the project file, which the system lets go when its holder dies."""

from __future__ import annotations

import getpass
import json
import os
import platform
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from poise.errors import InputError
from poise.reading import read_json


class LockedError(InputError):
    """Somebody else has the project open for writing; says who."""

    def __init__(self, path: Path, holder: str) -> None:
        self.path, self.holder = path, holder
        super().__init__(f"{path} is open for writing elsewhere ({holder}): close it there, or save a copy")


class Lock:
    """Held from ``take`` to ``release``, or within a ``with`` block."""

    def __init__(self, path: Path) -> None:
        self.path = path
        real = Path(os.path.realpath(path))
        self.file = real.with_name(f".{real.name}.lock")
        self._open: IO[str] | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds it."""
        return self._open is not None

    def take(self, *, patience: float = 0.0) -> Lock:
        """Hold it, waiting at most so long [s]; ``LockedError`` if somebody else does."""
        end = time.monotonic() + patience
        while not self.held:
            try:
                file = self.file.open("a+", encoding="utf-8")
            except OSError as problem:
                raise InputError(f"cannot write beside {self.path}: {problem.strerror or problem}") from None
            if _locked(file):
                if not self._current(file):  # its holder has just removed it: what we hold is nobody's
                    file.close()
                    continue
                self._open = file
                holder = {"pid": os.getpid(), "host": platform.node(), "user": _user()}
                with suppress(OSError):  # on a full disk nobody learns who holds it; it is held all the same
                    os.ftruncate(file.fileno(), 0)
                    os.write(file.fileno(), json.dumps(holder).encode())
            else:
                file.close()
                if time.monotonic() >= end:
                    raise LockedError(self.path, self._holder())
                time.sleep(0.005)
        return self

    def release(self) -> None:
        """Let go, and leave nothing behind."""
        if self._open is not None:
            with suppress(OSError):
                self.file.unlink()  # while it is held: nobody can hold another of this name
            self._open.close()
            self._open = None

    def _current(self, file: IO[str]) -> bool:
        """Whether an open file is still the one of its name."""
        try:
            return os.path.samestat(os.fstat(file.fileno()), os.stat(self.file))
        except OSError:
            return False

    def __enter__(self) -> Lock:
        return self.take()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _holder(self) -> str:
        try:
            said = read_json(self.file)
            return f"process {said['pid']} of {said['user']} on {said['host']}"
        except (InputError, KeyError, TypeError):
            return "another process"


def _locked(file: IO[str]) -> bool:
    """Take the system's lock on an open file if it is free."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "somebody"
