"""What a user has let a project read from outside its own folder, remembered for the next time it is opened.

Who adds a clip says with it that its file may be read. That is kept for this user and this project on this
machine, one small file for each project, not in the project: a document cannot allow itself anything, and one
that comes from somebody else finds nothing here.
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
from poise.reading import read_json


class Allowance(msgspec.Struct, frozen=True):
    """Files, by their full paths, that a project may name."""

    project: str
    files: tuple[str, ...]


def allowed(project: Path) -> list[Path]:
    """Files outside its folder that this user has let a project read."""
    try:
        told = msgspec.convert(read_json(_place(project)), Allowance)
    except (PoiseError, OSError, RuntimeError, msgspec.ValidationError):
        return []  # nothing is remembered, or it cannot be read: the user is asked again
    return [Path(file) for file in told.files] if told.project == os.path.realpath(project) else []


def allow(project: Path, files: Iterable[Path]) -> None:
    """Remember files that the user has named; where nothing can be kept, the user is asked again."""
    home = Path(os.path.realpath(project)).parent
    outside = {file for file in files if not file.is_relative_to(home)}
    known = set(allowed(project))
    if outside <= known:
        return
    told = Allowance(os.path.realpath(project), tuple(sorted(map(str, outside | known))))
    with suppress(PoiseError, OSError, RuntimeError):
        place = _place(project)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_bytes(place, msgspec.json.encode(told))


def _place(project: Path) -> Path:
    root = os.environ.get("XDG_STATE_HOME")
    state = Path(root) if root else Path.home() / ".local" / "state"
    name = sha256(os.fsencode(os.path.realpath(project))).hexdigest()[:32]
    return state / "poise" / "allowances" / f"{name}.json"
