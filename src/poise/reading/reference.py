"""Files that a document refers to: beside it, or where the user says.

Whoever gets a file from somebody else opens it without having read it. What it names may therefore lie only
in its own folder (and those below), not even through links; a user who wants more says so:

    with trusting("../meshes"):
        clip = poise.load("robot.xml")

or ``--read within=../meshes`` on the command line. The studio trusts its workspace.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from poise.errors import InputError

_TRUSTED: ContextVar[tuple[Path, ...]] = ContextVar("trusted", default=())


@contextmanager
def trusting(*folders: str | Path) -> Iterator[None]:
    """Within it, documents may refer to files in these folders (and those below) too."""
    real = tuple(Path(os.path.realpath(Path(folder).expanduser())) for folder in folders)
    token = _TRUSTED.set((*_TRUSTED.get(), *real))
    try:
        yield
    finally:
        _TRUSTED.reset(token)


def beside(folder: str | Path, name: str, what: str) -> Path:
    """The file ``name`` as a document in ``folder`` refers to it, links followed; refused where it leads out.

    ``what`` is for complaints: "the include", "clip 'walk'". Whether there is such a file is not looked at.
    """
    home = Path(os.path.realpath(folder))
    if "\0" in name:
        raise InputError(f"{what} has a name that no file can have: {name[:80]!r}")
    found = Path(os.path.realpath(home / name))
    if not any(found.is_relative_to(place) for place in (home, *_TRUSTED.get())):
        raise InputError(
            f"{what} lies at {name[:200]!r}, outside the folder {str(home)!r}: copy it there, or say that "
            "the folder it is in may be read (within=FOLDER)"
        )
    return found
