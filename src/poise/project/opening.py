"""Projects from files: read, locked for writing, and with what a crash left in the journal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from poise.project.allowance import allowed
from poise.project.container import unpacked
from poise.project.lock import Lock
from poise.project.project import Project
from poise.project.recovery import recover
from poise.reading import read_bytes


def open_project(
    path: str | Path, *, writing: bool = False, recover_edits: bool = False, within: Sequence[str | Path] = ()
) -> Project:
    """Read a project file of this version or an older one.

    ``writing`` makes this process its one writer and keeps a journal. Edits that a crash kept from being
    saved are in ``Project.recovery``, to be taken in with ``recover`` (at once with ``recover_edits``) or
    thrown away with ``discard``. Files that it names are read where they lie in its own folder, those below,
    or those of ``within``; and those that the user had it read before.
    """
    path = Path(path)
    lock = Lock(path).take() if writing and path.exists() else None
    try:
        project = _read(path)
        project._lock = lock
        project.assets.within += [
            *allowed(path, project._disk.file),
            *(Path(folder).expanduser().resolve() for folder in within),
        ]
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
    data = read_bytes(path)
    contents = unpacked(data, path)
    project = Project(contents.document)
    project.evaluator.assets.folder = path.parent
    project.assets.blobs.update(contents.blobs)
    project.path, project._disk = path, contents
    project.recovery = recover(path, contents)
    return project
