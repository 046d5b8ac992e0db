"""What was edited since the last save, kept beside the project file so that a crash loses nothing.

A text file that only grows: one line per event, each with a checksum, so that a line torn by a crash is known
as such and everything before it counts.

    {"poise": "journal", "version": …,        the version that events are in, the document that the file held
     "base": DIGEST, "file": SHA256}          when the journal began, and the file's bytes
    {"do": {…}}  {"undo": 1}  {"redo": 1}     what was done; a "do" with "step" begins a step of its own,
                                              one with "edit" has a name that whoever did it knows it by
    {"abandon": GESTURE}                      a gesture taken back as if it had never begun
    {"document": {…}}                         a document as a whole (an undo of something saved before)
    {"blob": SHA256, "base64": …}             a clip taken into the project
    {"saving": DIGEST, "file": SHA256}        about to be saved: what follows comes on top of that

When the file is the base, or one that was about to be saved, the events after it are what the file lacks
(:mod:`poise.project.recovery`). The journal begins anew after each save.
"""

from __future__ import annotations

import base64
import json
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poise.errors import InputError
from poise.files import forget_remains, write_bytes
from poise.operations.frozen_data import as_plain
from poise.project.command import Command
from poise.project.document import VERSION, Document
from poise.reading import json_from, read_bytes

DONE = "the edit is done, but "
SYNC = 1.0
"""Edits are forced to the disk at most so often [s]."""


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

    def begin(self, base: Document, file: str, now: Whole | None = None) -> None:
        """Begin anew on top of a document that was just read or saved, and of what there is since."""
        self.close()
        self.broken = True  # until it is there
        forget_remains(self.path)
        head = {"poise": "journal", "version": VERSION, "base": base.digest, "file": file}
        lines = [_line(event) for event in (head, *(now.events() if now else ()))]
        write_bytes(self.path, b"".join(lines), durable=True)
        try:
            self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        except OSError as problem:
            raise InputError(f"{self.path} cannot be opened: {problem.strerror or problem}") from None
        self.broken = False

    def resume(self, done: str = "") -> None:
        """Go on with a journal that was replayed; what was torn at its end is cut off.

        ``done`` is what to say first where that fails: what has been done all the same.
        """
        self.close()
        try:
            self._handle = os.open(self.path, os.O_RDWR | os.O_APPEND)
            os.ftruncate(self._handle, whole_events(read_bytes(self.path))[1])
        except OSError as problem:
            raise InputError(f"{done}{self.path} cannot be opened: {problem.strerror or problem}") from None
        self.broken = False

    def did(self, command: Command, *, fresh: bool, edit: str = "") -> None:
        """A command was done; ``fresh`` if as a step of its own."""
        step = {"step": 1} if fresh and command.gesture else {}  # without a gesture it always is
        name = {"edit": edit} if edit else {}
        self._write({"do": command.to_dict(), **step, **name})

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
        self._write(_blob(name, data))

    def is_all(self, now: Whole) -> None:
        """What there is, whatever was said before."""
        for event in now.events():
            self._write(event)

    def saving(self, document: Document, file: str) -> None:
        """The document is about to be saved, as a file of these bytes."""
        self._write({"saving": document.digest, "file": file}, done="")
        self.sync()

    def close(self, *, remove: bool = False) -> None:
        """Stop; with ``remove``, because nothing is left unsaved."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        if remove:
            self.path.unlink(missing_ok=True)

    def _write(self, event: Mapping[str, Any], done: str = DONE) -> None:
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


@dataclass(frozen=True, eq=False)
class Whole:
    """All of a project: its document and the clips that it keeps."""

    document: Document
    blobs: Mapping[str, bytes]

    def events(self) -> Iterator[dict[str, Any]]:
        for name, data in self.blobs.items():
            yield _blob(name, data)
        yield {"document": as_plain(self.document)}


def _blob(name: str, data: bytes) -> dict[str, Any]:
    return {"blob": name, "base64": base64.b64encode(data).decode()}


def _line(event: Mapping[str, Any]) -> bytes:
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def whole_events(data: bytes) -> tuple[list[dict[str, Any]], int]:
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
