"""Projects that were never saved: each has a hidden file in the workspace, so that no crash loses them.

The file holds the project as it began; edits go into its journal, as with any project. It goes when
the project is saved under a name, or closed as it began.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from poise import project as projects
from poise.errors import PoiseError
from poise.project import Project
from poise.project.journal import journal_path
from poise.project.lock import Lock, LockedError

STEM = ".untitled"
MANY = 20
"""Unnamed projects that a workspace keeps at once."""


def is_draft(path: Path | None) -> bool:
    """Whether a project's file is not one that somebody named."""
    return path is not None and path.name.startswith(STEM)


def begun(project: Project, folder: Path) -> Project:
    """A new project with nothing to undo, journalled from here on where the folder can be written to."""
    for number in range(1, MANY):
        path = folder / f"{STEM}{f'-{number}' if number > 1 else ''}.poise"
        try:
            path.touch(exist_ok=False)  # of two that begin at once, one has it
        except OSError:
            continue
        with suppress(PoiseError, OSError):
            project.save(path)
            project.begin_here().lock()
            if not path.exists():  # another studio has taken it for one that nobody needs, before it was held
                project.save()
            return project
        with suppress(OSError):
            if not path.stat().st_size:
                path.unlink()
    return project.begin_here()


def left(folder: Path) -> Project | None:
    """A project with unsaved edits that an earlier studio left; empty ones are cleared away."""
    for path in sorted(folder.glob(f"{STEM}*.poise")):
        try:
            project = projects.open(path, writing=True)
        except LockedError:
            continue  # another studio is at it
        except PoiseError:
            continue
        if project.recovery is not None:
            return project
        project.close()
        forget(path)
    return None


def forget(path: Path) -> None:
    """Remove a draft that nobody needs any more."""
    with suppress(PoiseError, OSError), Lock(path):
        path.unlink(missing_ok=True)
        journal_path(path).unlink(missing_ok=True)


def waiting(folder: Path, besides: Path | None = None) -> list[dict[str, str]]:
    """Unsaved projects that somebody left for another one: file, name and what is unsaved, in words."""
    found = []
    for path in sorted(folder.glob(f"{STEM}*.poise")):
        if path == besides:
            continue
        with suppress(PoiseError, OSError):
            project = projects.open(path)
            if project.recovery is not None:
                document = project.recovery.document
                about = ", ".join(list(document.clips)[:2])  # untitled ones must be told apart
                name = document.name or (f"untitled: {about}" if about else "untitled")
                found.append({"file": path.name, "name": name, "words": str(project.recovery)})
    return found
