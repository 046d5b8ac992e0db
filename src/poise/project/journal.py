"""What was edited since the last save, kept beside the project file so that a crash loses nothing.

A text file that only grows: one line per event, each with a checksum, so that a line torn by a crash is known
as such and everything before it counts.

    {"poise": "journal", "base": DIGEST}      the document that the file held when the journal began
    {"do": {…}}  {"undo": 1}  {"redo": 1}     what was done; a "do" with "step" begins a step of its own
    {"abandon": GESTURE}                      a gesture taken back as if it had never begun
    {"document": {…}}                         a document as a whole (an undo of something saved before)
    {"blob": SHA256, "base64": …}             a clip taken into the project
    {"saving": DIGEST}                        about to be saved: what follows comes on top of that

When the file's document is the base, or one that was about to be saved, the events after it are what the file
lacks. The journal begins anew after each save.
"""

from __future__ import annotations

import base64
import json
import os
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from poise.errors import InputError
from poise.files import forget_remains, write_bytes
from poise.operations.frozen_data import as_plain
from poise.project.commands import Command, command_from
from poise.project.decoding import document_from
from poise.project.document import Document
from poise.project.history import History
from poise.reading import blaming, json_from, read_bytes

SYNC = 1.0
"""Edits are forced to the disk at most so often [s]."""


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

    def __str__(self) -> str:
        lost = "; the journal breaks off there" if self.torn else ""
        return f"{self.events} edit{'s' if self.events != 1 else ''} not saved{lost}"


def journal_path(path: Path) -> Path:
    """Where the journal of a project file is."""
    real = Path(os.path.realpath(path))
    return real.with_name(f".{real.name}.journal")


class Journal:
    """Writes events; call it only while holding the project's lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.broken = False
        """Whether an event is missing, as the disk was full or failed: what follows would not fit."""
        self._handle: int | None = None
        self._synced = 0.0

    def begin(self, base: Document) -> None:
        """Begin anew on top of a document that was just read or saved."""
        self.close()
        self.broken = True  # until it is there
        forget_remains(self.path)
        write_bytes(self.path, _line({"poise": "journal", "base": base.digest}), durable=True)
        try:
            self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        except OSError as problem:
            raise InputError(f"{self.path} cannot be opened: {problem.strerror or problem}") from None
        self.broken = False

    def resume(self) -> None:
        """Go on with a journal that was replayed; what was torn at its end is cut off."""
        self.close()
        try:
            self._handle = os.open(self.path, os.O_RDWR | os.O_APPEND)
            os.ftruncate(self._handle, _whole(read_bytes(self.path))[1])
        except OSError as problem:
            raise InputError(f"{self.path} cannot be opened: {problem.strerror or problem}") from None
        self.broken = False

    def did(self, command: Command, *, fresh: bool) -> None:
        """A command was done; ``fresh`` if as a step of its own."""
        step = {"step": 1} if fresh and command.gesture else {}  # without a gesture it always is
        self._write({"do": command.to_dict(), **step})

    def undid(self) -> None:
        """A step was undone that is in this journal."""
        self._write({"undo": 1})

    def redid(self) -> None:
        """And done again."""
        self._write({"redo": 1})

    def abandoned(self, gesture: str) -> None:
        """A gesture was abandoned that is in this journal."""
        self._write({"abandon": gesture})

    def became(self, document: Document) -> None:
        """The document is another one altogether."""
        self._write({"document": as_plain(document)})

    def kept(self, name: str, data: bytes) -> None:
        """A clip was taken into the project."""
        self._write({"blob": name, "base64": base64.b64encode(data).decode()})

    def saving(self, document: Document) -> None:
        """The document is about to be saved."""
        self._write({"saving": document.digest}, done="")
        self.sync()

    def close(self, *, remove: bool = False) -> None:
        """Stop; with ``remove``, because nothing is left unsaved."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        if remove:
            self.path.unlink(missing_ok=True)

    def _write(self, event: Mapping[str, Any], done: str = "the edit is done, but ") -> None:
        if self._handle is None:
            return
        line = memoryview(_line(event))
        try:
            while line:  # the system takes it all at once, as a rule
                line = line[os.write(self._handle, line) :]
        except OSError as problem:
            self.broken = True
            said = problem.strerror or problem
            raise InputError(f"{done}{self.path} cannot be written: {said}") from None
        if time.monotonic() - self._synced > SYNC:
            self.sync()

    def sync(self) -> None:
        """What the system has taken survives a crash of this program; forced to the disk, also its own."""
        if self._handle is not None:
            try:
                os.fsync(self._handle)
            except OSError as problem:
                said = problem.strerror or problem
                raise InputError(f"{self.path} is not safely on the disk: {said}") from None
            self._synced = time.monotonic()


def recover(path: Path, base: Document) -> Recovery | None:
    """What the journal of a project has on top of the file's document; None if nothing."""
    try:
        data = read_bytes(journal_path(path))
    except InputError:
        return None
    events, end = _whole(data)
    digest = base.digest
    # The earliest match: a later one of the same document would lack the steps that could be undone.
    known = (k for k, e in enumerate(events) if digest in (e.get("base"), e.get("saving")))
    start = next(known, None)
    if start is None:
        return None  # about another document: the file was replaced by other means
    history, count, torn = History(base), 0, end < len(data)
    blobs: dict[str, bytes] = {}
    for event in events[start + 1 :]:
        try:
            with blaming(path, "an edit"):
                history, counted = _replayed(history, event, blobs)
        except InputError:
            torn = True
            break
        count += counted
    if not count or history.document.digest == digest:
        return None
    return Recovery(history.document, count, history, blobs, torn)


def _replayed(history: History, event: Mapping[str, Any], blobs: dict[str, bytes]) -> tuple[History, int]:
    """The history after an event, and how many edits it was."""
    match event:
        case {"do": command}:
            if "step" in event:
                history.seal()
            history.do(command_from(command))
        case {"undo": _}:
            history.undo()
        case {"redo": _}:
            history.redo()
        case {"abandon": str(gesture)}:
            history.abandon(gesture)
        case {"document": data}:
            return History(document_from(data)), 1
        case {"blob": str(name), "base64": str(data)}:
            blobs[name] = base64.b64decode(data)
            return history, 0
        case {"saving": _}:
            history.seal()
            return history, 0
        case _:
            raise InputError(f"unknown: {', '.join(event)}")
    return history, 1


def _line(event: Mapping[str, Any]) -> bytes:
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _whole(data: bytes) -> tuple[list[dict[str, Any]], int]:
    """Events up to the first line that is torn or damaged, and where they end."""
    events, end = [], 0
    for line in data.splitlines(keepends=True):
        check, _, text = line.rstrip(b"\n").partition(b" ")
        try:
            sound = line.endswith(b"\n") and int(check, 16) == zlib.crc32(text)
            event = json_from(text, "the journal") if sound else None
        except (ValueError, InputError):
            event = None
        if not isinstance(event, dict):
            break
        events.append(event)
        end += len(line)
    return events, end
