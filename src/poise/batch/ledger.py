"""What has been done, one line per clip, appended as it happens: a stopped batch goes on from there.

A clip is done when its line names the same recipe and source, and its output is still what was written.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import msgspec

from poise.batch.job import source_digest
from poise.batch.outcome import Outcome
from poise.errors import InputError
from poise.reading import read_bytes

NAME = "batch.jsonl"


class Ledger:
    """The lines of a target folder; for one batch at a time, which holds the folder's lock."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / NAME
        self.outcomes: dict[str, Outcome] = {}
        data = read_bytes(self.path) if self.path.exists() else b""
        for line in data.splitlines():
            try:
                outcome = msgspec.json.decode(line, type=Outcome)
            except (ValueError, RecursionError):
                continue  # a line that a crash cut short, or of another Poise: its clip is done again
            self.outcomes[outcome.clip] = outcome
        self._torn = bool(data) and not data.endswith(b"\n")

    def add(self, outcome: Outcome) -> None:
        """One more clip; it is on the disk when this returns."""
        self.outcomes[outcome.clip] = outcome
        try:
            with self.path.open("ab") as file:
                file.write(b"\n" * self._torn + msgspec.json.encode(outcome) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            raise InputError(f"cannot write {self.path}: {problem.strerror or problem}") from None
        self._torn = False

    def done(self, clip: str, root: Path, recipe: str) -> Outcome | None:
        """The outcome of a clip that need not be done again."""
        known = self.outcomes.get(clip)
        if known is None or known.recipe != recipe or known.state not in ("done", "missed"):
            return None
        try:
            same = source_digest(root / clip) == known.source
            if known.output:
                written = read_bytes(self.folder / known.output)
                same = same and sha256(written).hexdigest() == known.sha256
        except (OSError, InputError):
            return None
        return known if same else None
