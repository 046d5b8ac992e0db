"""Projects from files: read, locked for writing, and with what a crash left in the journal."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from poise.errors import FileFormatError
from poise.project.container import unpacked
from poise.project.journal import recover
from poise.project.lock import Lock
from poise.project.project import Project


def open_project(path: str | Path, *, writing: bool = False, recover_edits: bool = False) -> Project:
    """Read a project file of this version or an older one.

    ``writing`` makes this process its one writer and keeps a journal. Edits that a crash kept from being
    saved are in ``Project.recovery``, to be taken in with ``recover`` (at once with ``recover_edits``) or
    thrown away with ``discard``.
    """
    path = Path(path)
    lock = Lock(path).take() if writing and path.exists() else None
    try:
        project = _read(path)
        project._lock = lock
        if recover_edits and project.recovery is not None:
            project.recover()
        elif lock is not None and project.recovery is None:
            project._begin_journal()
    except BaseException:
        if lock is not None:
            lock.release()
        raise
    return project


def _read(path: Path) -> Project:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileFormatError(path, "no such file") from None
    except OSError as problem:
        raise FileFormatError(path, f"cannot be read: {problem.strerror or problem}") from None
    contents = unpacked(data, path)
    project = Project(contents.document)
    project.evaluator.assets.folder = path.parent
    project.assets.blobs.update(contents.blobs)
    project.path, project._saved = path, contents.document
    project._on_disk = sha256(data).hexdigest()
    project.recovery = recover(path, contents.document)
    return project
