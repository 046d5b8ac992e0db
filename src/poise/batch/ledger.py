"""What has been done, one line per clip, appended as it happens: a stopped batch goes on from there.

A clip is done when its line names the same recipe and source, and its output is still what was written.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

NAME = "batch.jsonl"


class Ledger:
    """The lines of a target folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self.lines: dict[str, dict[str, Any]] = {}
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8", errors="replace").splitlines():
                try:
                    told = json.loads(line)
                    self.lines[told["clip"]] = told
                except (ValueError, KeyError, TypeError):
                    continue  # the line a crash cut short: its clip is done again
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, told: dict[str, Any]) -> None:
        """One more clip; on the disk before the next begins."""
        self.lines[told["clip"]] = told
        fresh = not self.path.exists() or self.path.stat().st_size == 0
        with self.path.open("a", encoding="utf-8") as file:
            if not fresh and not _ends_with_newline(self.path):
                file.write("\n")
            file.write(json.dumps(told, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def done(self, clip: str, source: Path, target: Path, recipe: str) -> dict[str, Any] | None:
        """The line of a clip that need not be done again."""
        told = self.lines.get(clip)
        if told is None or told.get("recipe") != recipe or told.get("state") not in ("done", "missed"):
            return None
        try:
            if sha256(source.read_bytes()).hexdigest() != told["source"]:
                return None
            output = (target / clip).parent / told["output"] if told.get("output") else None
            if output is not None and sha256(output.read_bytes()).hexdigest() != told["sha256"]:
                return None
        except (OSError, KeyError):
            return None
        return told


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
