"""Which kernels of the roster are there, and where: shipped, kept by this user, or to be compiled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from poise.kernels.cache import folders
from poise.kernels.roster import Roster, RosterEntry, roster


def left(*verbs: str) -> int:
    """How many kernels of these verbs have to be compiled."""
    held = roster()
    return len(missing(held, held.needed(verbs)))


def missing(held: Roster, entries: Iterable[RosterEntry]) -> list[RosterEntry]:
    """Those that no cache has."""
    return [entry for entry in entries if where(held, entry) is None]


def where(held: Roster, entry: RosterEntry) -> int | None:
    """The number of the folder that has a kernel; None if none has, or the kernel is no more."""
    try:
        name = file_name(held, entry)
    except LookupError:
        return None
    return next((number for number, folder in enumerate(folders()) if folder.holds(name)), None)


def file_name(held: Roster, entry: RosterEntry) -> str:
    """Of its file, in whatever folder."""
    from numba.core.registry import cpu_target

    kernel: Any = held.dispatcher(entry)
    name: str = kernel._cache.file_name(held.signature(entry), cpu_target.target_context.codegen())
    return name
