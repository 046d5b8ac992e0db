"""The file a clip was read from, as a document that can be edited and written again, in one file.

What the document refers to by name (buffers, images) is kept with it. It stays a reference where the very
same bytes lie beside the new file under that name, and goes into the file everywhere else.
"""

from __future__ import annotations

import base64
import json
import mimetypes
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from poise.errors import FileFormatError, InputError
from poise.formats.gltf.container import (
    BINARY_CHUNK,
    JSON_CHUNK,
    MAGIC,
    Document,
    Json,
    glb_bytes,
    parsed,
)
from poise.motion import Clip, OriginalFile
from poise.reading import beside, read_bytes

OCTETS = "application/octet-stream"


class KeptDocument(Document):
    """A document that a clip has brought along: nothing is read from disk for it."""

    def __init__(self, path: Path, original: OriginalFile) -> None:
        super().__init__(path, *parsed(path, original.data), original.data)
        self.beside = original.beside
        self.budget.grow(len(original.data) + sum(map(len, set(original.beside.values()))))

    def resource(self, uri: Any, user: str) -> bytes:
        """The bytes a uri stands for, as they were when the file was read."""
        if isinstance(uri, str) and not uri.startswith("data:"):
            if uri not in self.beside:
                raise self.error(f"{user} was not there when the file was read: {uri[:80]!r}")
            return self.beside[uri]
        return super().resource(uri, user)

    def cut(self, buffer: int, start: int) -> None:
        """Take off what a buffer holds from a byte on; a buffer that others follow keeps a few."""
        buffers = self.content["buffers"]
        self._buffers.pop(buffer, None)
        if start == 0 and buffer == len(buffers) - 1:
            buffers.pop()
        elif start < buffers[buffer]["byteLength"]:
            buffers[buffer]["byteLength"] = max(start, min(4, buffers[buffer]["byteLength"]))


def original_of(document: Document, options: Mapping[str, Any]) -> OriginalFile:
    """A file as it was read, with the files it refers to; of the options only those that say something."""
    kept: dict[str, bytes] = {}
    for kind in ("buffers", "images"):
        for number, item in enumerate(document.items(kind)):
            uri = item.get("uri")
            if isinstance(uri, str) and not uri.startswith("data:"):
                try:
                    kept[uri] = document.resource(uri, f"{kind} {number}")
                except FileFormatError:
                    continue  # whoever needs it complains; the reference is kept as it stands
    given = {k: v for k, v in options.items() if v is not None}
    given = {k: v if isinstance(v, (bool, int, float, str)) else str(v) for k, v in given.items()}
    return OriginalFile(document.data, kept, given)


def original_file(clip: Clip) -> OriginalFile | None:
    """The clip's own file, if it is a glTF document."""
    source = clip.source
    if source is None or source.format != "gltf" or not isinstance(source.payload, OriginalFile):
        return None
    return source.payload


def kept_document(clip: Clip) -> KeptDocument | None:
    """The document of the clip's own file, parsed anew: the caller may change it."""
    original = original_file(clip)
    assert clip.source is not None or original is None
    return None if original is None or clip.source is None else KeptDocument(Path(clip.source.path), original)


def rewritten(document: KeptDocument, added: bytes, path: Path, *, changed: bool) -> bytes:
    """The document as the bytes of a file at ``path``, its buffer grown by ``added``.

    ``added`` continues the first buffer of the document, or of one that has none becomes it; see
    :func:`room_for`. Without a change, and in the same kind of file, these are the bytes that were read.
    """
    text = path.suffix.lower() == ".gltf"
    was_text = document.data[:4] != MAGIC
    absent = [uri for uri, data in document.beside.items() if not _lies_beside(path, uri, data)]
    if not changed and text == was_text and not absent:
        return document.data
    content = document.content
    buffers: list[Json] = content.setdefault("buffers", []) if added or "buffers" in content else []
    binary = b""
    for number, buffer in enumerate(buffers):
        if number == 0 and not text:
            binary = _bytes_of(document, number)
            if binary:
                buffer.pop("uri", None)
        elif (number == 0 and "uri" not in buffer and _bytes_of(document, 0)) or buffer.get("uri") in absent:
            buffer["uri"] = _data_uri(_bytes_of(document, number), OCTETS)
    if added:
        binary = _grown(content, buffers, binary, added, text=text)
    if not content.get("buffers", True):
        del content["buffers"]
    for image in document.items("images"):
        uri = image.get("uri")
        if uri in absent:
            kind = image.get("mimeType") or mimetypes.guess_type(uri)[0] or "image/png"
            image["uri"] = _data_uri(document.beside[uri], kind)
    if text:
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False).encode()
    return glb_bytes(content, binary) if was_text else _with_other_chunks(document.data, content, binary)


def _lies_beside(path: Path, uri: str, data: bytes) -> bool:
    """Whether a document at ``path`` that refers to ``uri`` finds these bytes there."""
    try:
        return read_bytes(beside(path.parent, unquote(uri), "a file")) == data
    except InputError:
        return False


def room_for(document: KeptDocument, *, text: bool) -> tuple[int, int]:
    """The buffer that added bytes go to, and how many bytes it already has.

    The chunk of a GLB file grows; text gets a buffer of its own, so that those it has stay as they are.
    """
    buffers = document.items("buffers")
    if text:
        return len(buffers), 0
    held = len(_bytes_of(document, 0)) if buffers else 0
    return (0, held + -held % 4) if held or not buffers else (len(buffers), 0)


def _grown(content: Json, buffers: list[Json], binary: bytes, added: bytes, *, text: bool) -> bytes:
    if text or (buffers and not binary):
        buffers.append({"byteLength": len(added), "uri": _data_uri(added, OCTETS)})
        return binary
    binary += b"\0" * (-len(binary) % 4) + added
    first = buffers[0] if buffers else {}
    first["byteLength"] = len(binary)
    content["buffers"] = [first, *buffers[1:]]
    return binary


def _bytes_of(document: KeptDocument, number: int) -> bytes:
    """What a buffer holds; nothing where it only stands in for something packed."""
    try:
        return document.buffer(number, "the document")
    except FileFormatError:
        return b""


def _data_uri(data: bytes, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def _with_other_chunks(data: bytes, content: Json, binary: bytes) -> bytes:
    """A GLB file; chunks of other kinds that the old one had follow."""
    whole, at, others = glb_bytes(content, binary), 12, b""
    seen: set[int] = set()
    while at + 8 <= len(data):
        size, kind = struct.unpack_from("<II", data, at)
        if kind not in (JSON_CHUNK, BINARY_CHUNK) or kind in seen:
            others += data[at : at + 8 + size]
        seen.add(kind)
        at += 8 + size
    return whole[:8] + struct.pack("<I", len(whole) + len(others)) + whole[12:] + others
