"""A project as bytes: JSON text or, where it keeps clips of its own, a zip archive of the text and the clips.

    project.json          the document, indented, UTF-8
    clips/SHA256.npz      clips kept in the project, each in Poise's own format

Nothing in it is executable. The same project always gives the same bytes.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b, sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from poise.errors import FileFormatError, InputError
from poise.operations.frozen_data import encoded
from poise.project.decoding import document_from
from poise.project.document import VERSION, Document
from poise.project.migration import migrated
from poise.reading import Archive, blaming, json_from

WIDTH = 110
"""Characters of a line."""

TEXT = "project.json"


@dataclass(frozen=True, eq=False)
class Contents:
    """What a file holds."""

    document: Document
    blobs: dict[str, bytes] = field(default_factory=dict)
    version: int = VERSION
    """That the file had."""
    file: str = ""
    """SHA-256 of its bytes."""
    older: str = ""
    """Digest of the document as that version had it."""
    plain: Mapping[str, Any] = field(default_factory=dict)
    """The document in the words of that version."""

    @property
    def marks(self) -> set[str]:
        """By any of these a journal may know it."""
        return {self.document.digest, self.file, self.older} - {""}


def packed(document: Document, blobs: Mapping[str, bytes]) -> bytes:
    """The bytes of a file; only clips that the document names are kept."""
    text = readable(document.to_dict()) + "\n"
    wanted = sorted({entry.inside for entry in document.clips.values() if entry.inside})
    if not wanted:
        return text.encode()
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(TEXT), text.encode())
        for name in wanted:
            if name not in blobs:
                raise InputError(f"a clip kept in the project, {name[:12]}…, is missing")
            archive.writestr(zipfile.ZipInfo(f"clips/{name}.npz"), blobs[name])
    return buffer.getvalue()


def unpacked(data: bytes, path: Path) -> Contents:
    """What the bytes of a file mean; ``path`` is for complaints."""
    blobs: dict[str, bytes] = {}
    text = data
    if data.startswith(b"PK"):
        text, blobs = _archive(data, path)
    if not text.strip():
        raise FileFormatError(path, "the file is empty")
    plain = json_from(text, path, what="a project of Poise's")
    with blaming(path, "a project of Poise's"):
        found, version = migrated(plain)
        document = document_from(found)
    older = document.digest if version == VERSION else _digest(plain)
    return Contents(document, blobs, version, sha256(data).hexdigest(), older, plain)


def _digest(old: dict[str, Any]) -> str:
    """That a document had in its own version, whose words it is in: files say what digests are made of."""
    plain = {k: v for k, v in old.items() if k not in ("poise", "version")}
    return blake2b(encoded(plain), digest_size=16).hexdigest()


def _archive(data: bytes, path: Path) -> tuple[bytes, dict[str, bytes]]:
    archive = Archive(data, path)
    if TEXT not in archive.names:
        raise archive.error(f"it has no {TEXT}")
    text = archive.read(TEXT)
    blobs = {Path(n).stem: archive.read(n) for n in archive.names if n.startswith("clips/")}
    for name, blob in blobs.items():
        if sha256(blob).hexdigest() != name:
            raise FileFormatError(path, f"clips/{name}.npz is damaged: its contents do not match its name")
    return text, blobs


def readable(data: Any, depth: int = 0) -> str:
    """JSON text; the same data always gives the same."""
    line = json.dumps(data, ensure_ascii=False, allow_nan=False)
    if len(line) + depth <= WIDTH or not isinstance(data, dict | list | tuple) or not data:
        return line
    if not isinstance(data, dict) and not any(isinstance(item, dict | list | tuple) for item in data):
        return line  # a pose is one thing, however long
    space = " " * (depth + 1)
    if isinstance(data, dict):
        parts = [f"{json.dumps(k, ensure_ascii=False)}: {readable(v, depth + 1)}" for k, v in data.items()]
        opening, closing = "{", "}"
    else:
        parts = [readable(item, depth + 1) for item in data]
        opening, closing = "[", "]"
    inner = f",\n{space}".join(parts)
    return f"{opening}\n{space}{inner}\n{' ' * depth}{closing}"
