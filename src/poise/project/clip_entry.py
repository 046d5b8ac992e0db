"""A clip (or a character: one at rest) that a project uses: a file, a bundled one, or kept in the project."""

from __future__ import annotations

from typing import Annotated

import msgspec

from poise.errors import InputError
from poise.operations.frozen_data import freeze

Option = bool | int | float | str
Sha = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$", description="SHA-256 of the file's bytes")]


class ClipEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Exactly one of ``file``, ``bundled`` and ``inside`` says where it is."""

    file: Annotated[str, msgspec.Meta(description="Path, relative to the project")] = ""
    bundled: Annotated[str, msgspec.Meta(description="Name of a bundled clip or preset character")] = ""
    inside: Annotated[Sha, msgspec.Meta(description="Kept in the project's container, by its SHA-256")] = ""
    sha256: Sha = ""
    """Of the file when it was last looked at; empty: any content will do."""
    read: dict[str, Option] | None = None
    """Options of the format's reader."""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "read", freeze(self.read, "read"))

    def check(self) -> None:
        """That it says one place, and nothing that does not belong to it."""
        given = [f for f in ("file", "bundled", "inside") if getattr(self, f)]
        if len(given) != 1:
            said = " and ".join(given) or "none"
            raise InputError(f"a clip is given by one of file, bundled and inside; this has {said}")
        if given != ["file"]:
            for field in ("sha256", "read"):
                if getattr(self, field):
                    raise InputError(f"field {field!r} belongs to files, this clip is {given[0]}")
