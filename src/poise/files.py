"""The one way in which files are written: whole or not at all.

A temporary file beside the target is filled, then renamed. Whatever happens on the way (a full disk, one that
fails, a kill), the target is what it was or what it should be. A target that is no file but a way somewhere
else (a pipe, a terminal, ``/dev/stdout``) stays what it is: it is handed the whole. A writer holds its
temporary file (``flock``), so that the next one can tell what a killed writer left from what another is at:
it removes the former.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

from poise.errors import InputError

_HOLDS = os.name == "posix"
"""Elsewhere an open file cannot be renamed, so nobody holds any."""
_TRIES = 100
"""Names that are tried for a temporary file before giving up."""
_AT_WORK: set[Path] = set()
"""Temporary files that this process is filling."""
_MARK = ".poise-is-writing-"
"""In the names of temporary files: nobody calls a file so who wants to keep it."""
_TEMPORARY = re.compile(rf"(\..*{re.escape(_MARK)})[0-9a-f]{{16}}(\.[^.]*|)")


@contextmanager
def replacing(path: str | Path, *, durable: bool = False) -> Iterator[Path]:
    """A temporary path with the same extension: it becomes ``path`` on success and is removed on failure.

    A link stays a link (what it points to is replaced) and the file keeps its permissions. ``durable`` waits
    until the disk has it, so that not even a loss of power leaves less than the old file or the new one.
    Within another one, for its temporary path, it is that path: one file has one temporary file, whose name
    tells whose remains it is.
    """
    target = Path(os.path.realpath(path))
    if target in _AT_WORK:
        yield target
        return
    if target.is_dir():
        raise InputError(f"cannot write {path}: this is a folder")
    if _leads_elsewhere(path):
        with _handing_over(path) as handed:
            yield handed
        return
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {target.parent}")
    if _HOLDS:
        forget_remains(target)
    temporary, handle = None, -1
    try:
        temporary, handle = _begun(target)
        _AT_WORK.add(temporary)
        yield temporary
        if target.exists():
            temporary.chmod(target.stat().st_mode)
        if durable:
            _settle(temporary)
        os.replace(temporary, target)
        if durable and os.name == "posix":  # the rename itself; elsewhere folders cannot be opened
            _settle(target.parent)
    except OSError as problem:
        raise InputError(f"cannot write {path}: {problem.strerror or problem}") from None
    finally:
        with suppress(OSError):  # a disk that fails must not hide what went wrong
            if temporary is not None:
                _AT_WORK.discard(temporary)
                temporary.unlink(missing_ok=True)
        if handle >= 0:
            os.close(handle)


def write_text(path: str | Path, text: str, *, durable: bool = False) -> Path:
    """Write a text file in UTF-8, whole or not at all."""
    with replacing(path, durable=durable) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return Path(path)


def write_bytes(path: str | Path, data: bytes | memoryview, *, durable: bool = False) -> Path:
    """Write a file, whole or not at all."""
    with replacing(path, durable=durable) as temporary:
        temporary.write_bytes(data)
    return Path(path)


def forget_remains(*paths: str | Path) -> None:
    """Remove the temporary files that killed writers of these paths left; those of others at work stay.

    Where files cannot be held, only for one who knows that nobody else is writing: the holder of a lock.
    """
    targets = [Path(os.path.realpath(path)) for path in paths]
    ours = {(target.parent, _prefix(target), target.suffix) for target in targets}
    for folder in {target.parent for target in targets}:
        with suppress(OSError):
            for name in os.listdir(folder):
                found = _TEMPORARY.fullmatch(name)
                if found and (folder, found[1], found[2]) in ours:
                    _forget(folder / name)


def _begun(target: Path) -> tuple[Path, int]:
    """A new temporary file and the handle by which it is held, -1 where that cannot be."""
    for _ in range(_TRIES):
        temporary = target.with_name(f"{_prefix(target)}{token_hex(8)}{target.suffix}")
        handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if not _HOLDS:
            os.close(handle)
            return temporary, -1
        # Between these lines another writer may have taken it for remains, and removed it.
        if _held(handle) is not False and os.fstat(handle).st_nlink:
            return temporary, handle
        os.close(handle)
    raise InputError(f"cannot write {target}: another program keeps deleting the unfinished file")


def _forget(remains: Path) -> None:
    """Remove a temporary file unless somebody holds it."""
    with suppress(OSError):
        if not _HOLDS:
            remains.unlink()
            return
        handle = os.open(remains, os.O_RDWR | os.O_NOFOLLOW)
        try:
            if _held(handle):
                remains.unlink()
        finally:
            os.close(handle)


def _held(handle: int) -> bool | None:
    """Take hold of an open file: False if somebody else has, None where the disk knows no such thing."""
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _prefix(target: Path) -> str:
    """What names of temporary files begin with; cut by bytes, as systems count them."""
    return f".{target.stem.encode('utf-8', 'surrogateescape')[:80].decode('utf-8', 'ignore')}{_MARK}"


def _leads_elsewhere(path: str | Path) -> bool:
    """Whether there is something at a path that is not a file: what is written there goes somewhere."""
    try:
        mode = os.stat(path).st_mode  # not its real path: that of a pipe is no path at all
    except OSError:
        return False
    if stat.S_ISBLK(mode):
        raise InputError(f"cannot write {path}: this is a device, not a file")
    return not stat.S_ISREG(mode)


@contextmanager
def _handing_over(path: str | Path) -> Iterator[Path]:
    """A temporary path whose contents go into a pipe, a terminal or another device on success."""
    with TemporaryDirectory(prefix="poise-") as folder:
        temporary = Path(os.path.realpath(folder)) / Path(path).name
        _AT_WORK.add(temporary)
        try:
            yield temporary
            # A pipe that nobody reads would keep us waiting for ever: opened so, it says so.
            handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
            os.set_blocking(handle, True)
            with temporary.open("rb") as whole, open(handle, "wb") as way:
                shutil.copyfileobj(whole, way)
        except OSError as problem:
            nobody = problem.errno == errno.ENXIO
            why = "nobody reads from it" if nobody else problem.strerror or problem
            raise InputError(f"cannot write {path}: {why}") from None
        finally:
            _AT_WORK.discard(temporary)


def _settle(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
