"""Files are written whole or not at all: a temporary one beside the target, then a rename."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from poise.errors import InputError

_TEMPORARY = re.compile(r"(\..*-)[0-9a-f]{8}(\.[^.]*|)")


@contextmanager
def replacing(path: str | Path, *, durable: bool = False) -> Iterator[Path]:
    """A temporary path with the same extension: it becomes ``path`` on success and is removed on failure.

    A link stays a link (what it points to is replaced) and the file keeps its permissions. ``durable`` waits
    until the disk has it, so that not even a loss of power leaves less than the old file or the new one.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"cannot write {path}: this is a folder")
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {target.parent}")
    temporary = target.with_name(f"{_prefix(target)}{token_hex(4)}{target.suffix}")
    try:
        temporary.open("xb").close()
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
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str, *, durable: bool = False) -> Path:
    """Write a text file in UTF-8, whole or not at all."""
    with replacing(path, durable=durable) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return Path(path)


def write_bytes(path: str | Path, data: bytes, *, durable: bool = False) -> Path:
    """Write a file, whole or not at all."""
    with replacing(path, durable=durable) as temporary:
        temporary.write_bytes(data)
    return Path(path)


def forget_remains(*paths: str | Path) -> None:
    """Remove the temporary files that killed writers of these paths left.

    Only for one who knows that nobody else is writing them now: the holder of a lock.
    """
    targets = [Path(os.path.realpath(path)) for path in paths]
    ours = {(target.parent, _prefix(target), target.suffix) for target in targets}
    for folder in {target.parent for target in targets}:
        with suppress(OSError):
            for remains in folder.iterdir():
                name = _TEMPORARY.fullmatch(remains.name)
                if name and (folder, name[1], name[2]) in ours:
                    remains.unlink(missing_ok=True)


def _prefix(target: Path) -> str:
    """What names of temporary files begin with."""
    return f".{target.stem[:80]}-"


def _settle(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
