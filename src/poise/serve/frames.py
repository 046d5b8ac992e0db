"""Frames: how messages travel through a pipe.

    4 bytes "PSE1" | uint32 length of the head | uint32 length of the body | head | body

All little-endian. The head is a JSON object in UTF-8; its ``arrays`` tells name, type and shape of each
array, whose values follow one another in the body, row by row. No pickle, so nothing that arrives is ever
run; no version of numpy, so any program can take part. ``client.py`` has the same for hosts, without Poise.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from poise.errors import PoiseError

MARK = b"PSE1"
"""Begins every frame; its last letter is the version of the frame itself."""
PREFIX = struct.Struct("<4sII")
"""Mark, length of the head, length of the body."""
MOST_HEAD = 16 << 20
"""Bytes of a head: the text of a report on hours of motion."""
MOST_BODY = 1 << 30
"""Bytes of all arrays of a message: 10,000 frames of 1,900 bones."""
MOST_ARRAYS = 256
"""Arrays in one message."""
MOST_DIMENSIONS = 4
"""Of an array."""
DEEPEST = 64
"""Lists within lists in a head; deeper ones are no request."""
TYPES: dict[str, np.dtype[Any]] = {name: np.dtype(f"<{name}") for name in ("f8", "f4", "i8", "i4")}
"""Types of arrays, by how a head names them."""
Arrays = dict[str, NDArray[Any]]


class BrokenFrameError(PoiseError):
    """What arrived is no frame: whatever follows cannot be made sense of, and the connection is over."""


def write(
    stream: BinaryIO, head: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]] | None = None
) -> None:
    """Send one message."""
    stream.write(packed(head, arrays or {}))
    stream.flush()


def packed(head: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """One message as bytes; floats travel as 64 bits unless they have 32, whole numbers as 64."""
    told, pieces = [], []
    for name, values in arrays.items():
        given = np.asarray(values)
        kind = (
            given.dtype.str[1:] if given.dtype.str[1:] in TYPES else "f8" if given.dtype.kind == "f" else "i8"
        )
        raw = np.ascontiguousarray(given, dtype=TYPES[kind])
        told.append([name, kind, list(raw.shape)])
        pieces.append(raw.tobytes())
    text = json.dumps({**head, "arrays": told}, allow_nan=False, ensure_ascii=False).encode()
    body = sum(map(len, pieces))
    if len(text) > MOST_HEAD or body > MOST_BODY:
        raise BrokenFrameError(
            f"a message of {len(text)} and {body} bytes is too long: at most {MOST_HEAD} and {MOST_BODY}"
        )
    return b"".join([PREFIX.pack(MARK, len(text), body), text, *pieces])


def read(stream: BinaryIO) -> tuple[dict[str, Any], Arrays] | None:
    """The next message; None where the other side has closed the pipe between two messages."""
    prefix = stream.read(PREFIX.size)
    if not prefix:
        return None
    if len(prefix) < PREFIX.size:
        raise BrokenFrameError(f"the pipe ends after {len(prefix)} of a frame's first {PREFIX.size} bytes")
    mark, head, body = PREFIX.unpack(prefix)
    if mark != MARK:
        raise BrokenFrameError(f"a frame begins with {MARK!r}, not with {mark!r}")
    if head > MOST_HEAD or body > MOST_BODY:
        raise BrokenFrameError(
            f"a frame announces {head} and {body} bytes; at most {MOST_HEAD} and {MOST_BODY} are taken"
        )
    return _message(_exactly(stream, head), _exactly(stream, body))


def _exactly(stream: BinaryIO, count: int) -> bytes:
    """So many bytes; what was announced is only kept as far as it arrives."""
    found = stream.read(count)
    if len(found) < count:
        raise BrokenFrameError(f"the pipe ends after {len(found)} of {count} bytes")
    return found


def _message(text: bytes, body: bytes) -> tuple[dict[str, Any], Arrays]:
    if _depth(text) > DEEPEST:
        raise BrokenFrameError(f"the head of a frame is nested more than {DEEPEST} deep")
    try:
        head = json.loads(text)
        if b"\\u" in text:  # half of a pair of such signs is no text, though JSON lets it pass
            json.dumps(head, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as problem:
        raise BrokenFrameError(f"the head of a frame is not JSON: {problem}") from None
    if not isinstance(head, dict):
        raise BrokenFrameError(f"the head of a frame is a JSON object, not {type(head).__name__}")
    told = head.pop("arrays", [])
    if not isinstance(told, list) or len(told) > MOST_ARRAYS:
        raise BrokenFrameError(f"a head lists at most {MOST_ARRAYS} arrays")
    arrays: Arrays = {}
    at = 0
    for entry in told:
        name, kind, shape = _described(entry)
        count = math.prod(shape)
        size = count * TYPES[kind].itemsize
        if at + size > len(body):
            raise BrokenFrameError(f"array {name!r} of {size} bytes does not fit into a body of {len(body)}")
        try:  # of an empty array too the other sizes may be more than numpy takes
            arrays[name] = np.frombuffer(body, TYPES[kind], count, at).reshape(shape)
        except ValueError:
            raise BrokenFrameError(f"array {name!r} of shape {shape} is too large") from None
        at += size
    if at != len(body):
        raise BrokenFrameError(f"{len(body) - at} bytes of the body belong to no array")
    return head, arrays


def _described(entry: Any) -> tuple[str, str, list[int]]:
    match entry:
        case [str(name), str(kind), list(shape)] if kind in TYPES and len(shape) <= MOST_DIMENSIONS:
            if all(type(size) is int and 0 <= size <= MOST_BODY for size in shape):
                return name, kind, shape
    raise BrokenFrameError(
        f"an array is told as [name, type, shape], its type one of {', '.join(TYPES)} and its shape at most "
        f"{MOST_DIMENSIONS} whole numbers, not {entry!s:.80}"
    )


def _depth(text: bytes) -> int:
    """How deep brackets are nested, those within strings too: an upper bound is enough."""
    signs = np.frombuffer(text, dtype=np.uint8)
    opened = np.isin(signs, np.frombuffer(b"[{", dtype=np.uint8)).astype(np.int64)
    closed = np.isin(signs, np.frombuffer(b"]}", dtype=np.uint8)).astype(np.int64)
    return int(np.cumsum(opened - closed).max(initial=0))
