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
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from poise.errors import FileFormatError, InputError
from poise.project.decoding import document_from
from poise.project.document import VERSION, Document
from poise.project.migration import migrated
from poise.project.readable import readable

TEXT = "project.json"
LARGEST = 2**31
"""Bytes of anything in an archive: more is no project, but an attack on memory."""


@dataclass(frozen=True, eq=False)
class Contents:
    """What a file holds."""

    document: Document
    blobs: dict[str, bytes] = field(default_factory=dict)
    version: int = VERSION
    """That the file had."""


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
                raise InputError(f"a clip kept in the project, {name[:12]}…, is not at hand")
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
    try:
        plain = json.loads(text.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError:
        raise FileFormatError(path, "neither JSON nor an archive: no project of Poise's") from None
    except json.JSONDecodeError as problem:
        raise FileFormatError(path, f"not JSON: {problem.msg}", line=problem.lineno) from None
    except (ValueError, RecursionError) as problem:
        raise FileFormatError(path, f"not JSON: {problem}") from None
    try:
        found, version = migrated(plain)
        return Contents(document_from(found), blobs, version)
    except InputError as problem:
        raise FileFormatError(path, str(problem)) from None


def _archive(data: bytes, path: Path) -> tuple[bytes, dict[str, bytes]]:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            if sum(info.file_size for info in archive.infolist()) > LARGEST:
                raise FileFormatError(path, "the archive holds more than a project can")
            if TEXT not in archive.namelist():
                raise FileFormatError(path, f"a damaged or incomplete archive: it has no {TEXT}")
            text = archive.read(TEXT)
            blobs = {Path(n).stem: archive.read(n) for n in archive.namelist() if n.startswith("clips/")}
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError) as problem:
        raise FileFormatError(path, f"a damaged or incomplete archive: {problem}") from None
    for name, blob in blobs.items():
        if sha256(blob).hexdigest() != name:
            raise FileFormatError(path, f"clips/{name}.npz is damaged: its bytes are not what its name says")
    return text, blobs


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number")
