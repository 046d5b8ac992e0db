"""What a user has let a project read from outside its own folder, remembered for the next time it is opened.

Who adds a clip says with it that its file may be read. That is kept for this user and this project on this
machine, one small file for each project, not in the project: a document cannot allow itself anything. It
holds for the project's file as this user's Poise has seen it, by its bytes: one that comes from somebody else
finds nothing here, even where it was saved over the user's own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from poise.errors import PoiseError
from poise.files import write_bytes
from poise.project.lock import Lock
from poise.reading import read_json

SAVES = 100
"""So many of a project's files are known again: undone by other means, one of them may come back."""
PATIENCE = 2.0
"""How long to wait for another of this user's projects [s]."""


class Allowance(msgspec.Struct, frozen=True):
    """Files, by their full paths, that a project may name."""

    project: str
    files: tuple[str, ...]
    saves: tuple[str, ...]
    """SHA-256 of the project's file, each time that this user saved it or allowed it something."""


def allowed(project: Path, saved: str) -> list[Path]:
    """Files outside its folder that this user has let a project read whose file has this SHA-256."""
    told = _told(project)
    return [Path(file) for file in told.files] if told is not None and saved in told.saves else []


def allow(project: Path, files: Iterable[Path], saved: str, before: str) -> None:
    """Remember files that the user has named; where nothing can be kept, the user is asked again.

    ``saved`` is the SHA-256 of the project's file, ``before`` the one it had when what it may read was known.
    """
    home = Path(os.path.realpath(project)).parent
    outside = {str(file) for file in files if not file.is_relative_to(home)}
    with suppress(PoiseError, OSError, RuntimeError):
        place = _place(project)
        if not outside and not place.exists():
            return
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with Lock(place).take(patience=PATIENCE):
            told = _told(project)
            ours = told is not None and {saved, before} & set(told.saves)
            files_then, saves = (told.files, told.saves) if told is not None and ours else ((), ())
            latest = (*(save for save in saves if save != saved), saved)[-SAVES:]
            made = Allowance(os.path.realpath(project), tuple(sorted(outside.union(files_then))), latest)
            if made != told:
                write_bytes(place, msgspec.json.encode(made))


def _told(project: Path) -> Allowance | None:
    """What is remembered; None where that is nothing, or cannot be read: the user is asked again."""
    try:
        told = msgspec.convert(read_json(_place(project)), Allowance)
    except (PoiseError, OSError, RuntimeError, msgspec.ValidationError):
        return None
    return told if told.project == os.path.realpath(project) else None


def _place(project: Path) -> Path:
    root = os.environ.get("XDG_STATE_HOME")
    state = Path(root) if root else Path.home() / ".local" / "state"
    name = sha256(os.fsencode(os.path.realpath(project))).hexdigest()[:32]
    return state / "poise" / "allowances" / f"{name}.json"
