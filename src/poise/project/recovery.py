"""Edits that a crash kept from being saved: read from the journal, brought up to date, replayed.

A journal belongs to a file by its bytes, or by the digest of the document they hold: also of the document as
an older version had it, since what is brought up to date on the way in has another one. A journal that
belongs to no file here is somebody's work all the same: before another begins it is put aside, not replaced.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from poise.errors import InputError
from poise.project.commands import command_from
from poise.project.container import Contents
from poise.project.decoding import document_from
from poise.project.document import VERSION, Document
from poise.project.history import History
from poise.project.journal import journal_path, whole_events
from poise.project.migration import migrated_event
from poise.project.old_obstacles import LAST, LayerWorlds
from poise.reading import blaming, read_bytes

_EDITS = {"do", "undo", "redo", "abandon", "document"}


@dataclass(frozen=True, eq=False)
class Recovery:
    """Edits that a journal has and the file has not."""

    document: Document
    """With them."""
    events: int
    """How many edits they are."""
    history: History
    blobs: dict[str, bytes] = field(default_factory=dict)
    torn: bool = False
    """Whether the journal breaks off: what came after is lost."""
    understood: bool = True
    """Whether every event that is whole could be replayed."""
    version: int = VERSION
    """That the journal is in."""

    def __str__(self) -> str:
        lost = "; the journal breaks off there" if self.torn else ""
        return f"{self.events} edit{'s' if self.events != 1 else ''} not saved{lost}"


def recover(path: Path, contents: Contents) -> Recovery | None:
    """What the journal of a project has on top of the file; None if nothing."""
    found = _read(path, contents)
    return None if found is None or _adds_nothing(found, contents) else found


def _adds_nothing(found: Recovery, contents: Contents) -> bool:
    return not found.events or found.document.digest == contents.document.digest


def _read(path: Path, contents: Contents) -> Recovery | None:
    """What of a journal can be replayed, be it nothing; None if it is about another document."""
    try:
        data = read_bytes(journal_path(path))
    except InputError:
        return None
    events, end = whole_events(data)
    # The earliest match: a later one of the same document would lack the steps that could be undone.
    start = next((k for k, event in enumerate(events) if _marks(event) & contents.marks), None)
    if start is None:
        return None  # about another document: the file was replaced by other means
    older = contents.version if contents.older in _marks(events[start]) else VERSION
    version = events[0].get("version", older)  # older journals do not say it
    base = contents.document
    history, edits, torn, understood = History(base), 0, end < len(data), True
    blobs: dict[str, bytes] = {}
    worlds = LayerWorlds(contents.plain)
    for event in events[start + 1 :]:
        try:
            with blaming(path, "an edit"):
                now = migrated_event(event, version)
                if version <= LAST:
                    worlds.heed(event)
                history, counted = _replayed(history, now, blobs)
        except InputError:
            torn, understood = True, False
            break
        edits += counted
    return Recovery(history.document, edits, history, blobs, torn, understood, version)


def put_aside(path: Path, saved: Contents, now: Document) -> Path | None:
    """Rename a journal that has edits which neither the file nor the document has that there is now.

    To be called by the one writer, before another journal begins. Its new place, in the open, where nobody
    writes again; None if there was nothing to keep.
    """
    journal = journal_path(path)
    try:
        data = read_bytes(journal)
    except InputError:
        return None
    events, end = whole_events(data)
    if any(_marks(event) & saved.marks for event in events):
        found = _read(path, saved)
        if found is None:
            return None
        if found.understood and (_adds_nothing(found, saved) or found.document.digest == now.digest):
            return None
    elif end == len(data) and not any(_EDITS & event.keys() for event in events):
        return None
    names = (journal.with_name(f"{journal.name.removeprefix('.')}-{k}") for k in count(1))
    aside = next(name for name in names if not name.exists())
    try:
        return journal.rename(aside)
    except OSError as problem:
        raise InputError(f"{journal} cannot be put aside: {problem.strerror or problem}") from None


def _marks(event: Mapping[str, Any]) -> set[str]:
    """Of the file that an event names."""
    found = (event.get(name) for name in ("base", "saving", "file"))
    return {mark for mark in found if isinstance(mark, str)}


def _replayed(history: History, event: Mapping[str, Any], blobs: dict[str, bytes]) -> tuple[History, int]:
    """The history after an event, and how many edits it was."""
    match event:
        case {"do": command}:
            if "step" in event:
                history.seal()
            history.do(command_from(command), str(event.get("edit", "")))
        case {"undo": _}:
            history.undo()
        case {"redo": _}:
            history.redo()
        case {"abandon": str(gesture)}:
            history.abandon(gesture)
        case {"document": data}:
            other = History(document_from(data))
            other.edits.extend(history.edits)
            return other, 1
        case {"blob": str(name), "base64": str(data)}:
            blobs[name] = base64.b64decode(data)
            return history, 0
        case {"saving": _}:
            history.seal()
            return history, 0
        case _:
            raise InputError(f"unknown: {', '.join(event)}")
    return history, 1
