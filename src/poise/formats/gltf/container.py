"""The container: a JSON document and its binary buffers, as GLB or as .gltf text.

A GLB file is a header (magic, version, length) and chunks (length, kind, bytes): JSON first, then at
most one binary chunk. Buffers may also be base64 inside the document or files in the same folder;
nothing outside that folder, and nothing on a network, is ever opened.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard
from urllib.parse import unquote

from poise.errors import FileFormatError, InputError
from poise.reading import Budget, beside, json_from, read_bytes

MAGIC = b"glTF"
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
"""Kinds of chunks, as the standard has them."""

Json = dict[str, Any]


class Document:
    """A parsed file: its JSON and, on demand, its bytes. Every complaint names the file."""

    def __init__(self, path: Path, content: Json, binary: bytes | None, data: bytes = b"") -> None:
        self.path, self.content, self._binary = path, content, binary
        self.data = data
        """The file's own bytes."""
        self.budget = Budget(path, 0)
        """Of numbers, for whoever makes any of this file."""
        self._buffers: dict[int, bytes] = {}
        self._files: dict[Path, bytes] = {}
        self.axes: frozenset[int] = frozenset()
        """Nodes that are no thing of the file's, but its axes and unit: nothing can be done to them."""
        self._lists: dict[str, list[Json]] = {}

    def error(self, problem: str) -> FileFormatError:
        """The exception for a problem in this file, ready to raise."""
        return FileFormatError(self.path, problem)

    def items(self, kind: str) -> list[Json]:
        """The document's list called ``kind``: nodes, accessors …"""
        if kind not in self._lists:  # looked through once: readers ask for every item
            found = self.content.get(kind, [])
            if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
                raise self.error(f"{kind!r} must be a list of objects")
            self._lists[kind] = found
        return self._lists[kind]

    def item(self, kind: str, index: Any, user: str) -> Json:
        """One object of a list, asked for by ``user``."""
        found = self.items(kind)
        if not is_whole(index) or not 0 <= index < len(found):
            raise self.error(f"{user} refers to {kind}[{index}], but there are {len(found)}")
        return found[index]

    def buffer(self, index: Any, user: str) -> bytes:
        """The bytes of a buffer."""
        buffer = self.item("buffers", index, user)
        if index not in self._buffers:
            uri = buffer.get("uri")
            if uri is None:
                if index != 0 or self._binary is None:
                    raise self.error(f"buffer {index} has no data: neither a uri nor a binary chunk")
                data = self._binary
            else:
                data = self.resource(uri, f"buffer {index}")
            length = buffer.get("byteLength")
            if not is_whole(length) or length < 1:
                raise self.error(f"buffer {index} has the length {length!r}")
            if len(data) < length:
                raise self.error(f"buffer {index} should have {length} bytes but has only {len(data)}")
            self._buffers[index] = data[:length]
        return self._buffers[index]

    def view(self, index: Any, user: str) -> tuple[bytes, int, int, int | None]:
        """A buffer view: the buffer's bytes, the view's start and length in it, and its stride."""
        view = self.item("bufferViews", index, user)
        data = self.buffer(view.get("buffer"), f"bufferView {index}")
        start, length, stride = view.get("byteOffset", 0), view.get("byteLength"), view.get("byteStride")
        if not is_whole(start) or not is_whole(length) or start < 0 or length < 1:
            raise self.error(f"bufferView {index} spans {length!r} bytes from {start!r}")
        if start + length > len(data):
            raise self.error(
                f"bufferView {index} ends at byte {start + length} of a buffer of {len(data)} bytes"
            )
        if stride is not None and (not is_whole(stride) or not 4 <= stride <= 252):
            raise self.error(f"bufferView {index} has the stride {stride!r}; it must be 4 … 252")
        return data, start, length, stride

    def resource(self, uri: Any, user: str) -> bytes:
        """The bytes a uri stands for: base64 data or a file in the document's own folder."""
        if not isinstance(uri, str):
            raise self.error(f"{user} has a uri that is not text")
        if uri.startswith("data:"):
            head, _, body = uri.partition(",")
            if not head.endswith(";base64"):
                raise self.error(f"{user} has a data uri that is not base64")
            try:
                return base64.b64decode(body, validate=True)
            except (binascii.Error, ValueError) as problem:
                raise self.error(f"{user} holds broken base64: {problem}") from None
        name = unquote(uri)
        # A drive letter, a scheme or a path that climbs out is a request for something that is not ours.
        if ":" in name or name.startswith(("/", "\\")):
            raise self.error(f"{user} lies at {uri[:80]!r}; only files beside the document are read")
        try:
            target = beside(self.path.parent, name, user)
            if not os.path.exists(target):
                raise self.error(f"{user} should be in {name!r}, which does not exist")
            if target not in self._files:  # however often it is named, it is read and counted once
                self._files[target] = read_bytes(target)
                self.budget.grow(len(self._files[target]))
        except FileFormatError as problem:
            raise self.error(problem.problem if problem.path == self.path else f"{user}: {problem}") from None
        except InputError as problem:
            raise self.error(str(problem)) from None
        return self._files[target]


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether a JSON value is an integer (true and false are not)."""
    return isinstance(value, int) and not isinstance(value, bool)


def read_document(path: Path) -> Document:
    """Open a .glb or .gltf file; which of the two it is shows in its first bytes."""
    data = read_bytes(path)
    document = Document(path, *parsed(path, data), data)
    document.budget.grow(len(data))
    return document


def parsed(path: Path, data: bytes) -> tuple[Json, bytes | None]:
    """The JSON and the binary chunk of a file's bytes; ``path`` is for complaints."""
    text, binary = _chunks(path, data) if data[:4] == MAGIC else (data, None)
    content = json_from(text, path, what="glTF")
    if not isinstance(content, dict) or not isinstance(content.get("asset"), dict):
        raise FileFormatError(path, 'not glTF: the JSON has no "asset"')
    version = content["asset"].get("version", "")
    if not str(version).startswith("2."):
        raise FileFormatError(path, f"glTF version {version!r}; only 2.x can be read")
    return content, binary


def _chunks(path: Path, data: bytes) -> tuple[bytes, bytes | None]:
    """The JSON text and the binary chunk of a GLB file."""
    if len(data) < 20:
        raise FileFormatError(path, f"truncated: a GLB file has at least 20 bytes, this one {len(data)}")
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise FileFormatError(path, f"GLB version {version}; only 2 can be read")
    if length > len(data):
        raise FileFormatError(path, f"truncated: the header promises {length} bytes, there are {len(data)}")
    text: bytes | None = None
    binary: bytes | None = None
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        if at + 8 + size > length:
            raise FileFormatError(path, f"truncated: the chunk at byte {at} runs past the end of the file")
        body = data[at + 8 : at + 8 + size]
        if text is None and kind != JSON_CHUNK:
            raise FileFormatError(path, "the first chunk of a GLB file must be JSON")
        if kind == JSON_CHUNK and text is None:
            text = body
        elif kind == BINARY_CHUNK and binary is None:
            binary = body
        at += 8 + size
    if text is None:
        raise FileFormatError(path, "the GLB file has no JSON chunk")
    return text, binary


def glb_bytes(content: Mapping[str, Any], binary: bytes) -> bytes:
    """A document and its buffer 0 as a GLB file."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    parts = [struct.pack("<II", len(text), JSON_CHUNK), text]
    if binary:
        binary += b"\0" * (-len(binary) % 4)
        parts += [struct.pack("<II", len(binary), BINARY_CHUNK), binary]
    return struct.pack("<4sII", MAGIC, 2, 12 + sum(map(len, parts))) + b"".join(parts)


def text_bytes(content: Mapping[str, Any], binary: bytes) -> bytes:
    """A document with its buffer 0 inside as base64, as .gltf text."""
    whole = dict(content)
    if binary:
        uri = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
        whole["buffers"] = [{"byteLength": len(binary), "uri": uri}]
    return json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False).encode()
