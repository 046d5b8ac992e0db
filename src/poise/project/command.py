"""What every edit is: data that takes a document to the next."""

from __future__ import annotations

from typing import Any

import msgspec

from poise.errors import InputError
from poise.operations.frozen_data import as_plain
from poise.project.document import Document


class Command(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="do",
    tag="nothing",
):  # fmt: skip
    """One edit."""

    gesture: str = ""
    """What belongs together (one drag) has the same one."""

    @property
    def target(self) -> tuple[str, ...]:
        """What it changes: in one gesture a later edit of the same target takes the place of the earlier."""
        return ()

    def apply(self, document: Document) -> Document:
        """The document after it."""
        raise InputError(f"{type(self).__name__} is not an edit")

    def to_json(self) -> str:
        """As one line."""
        return msgspec.json.encode(self.to_dict()).decode()

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        found: dict[str, Any] = as_plain(self)
        return found
