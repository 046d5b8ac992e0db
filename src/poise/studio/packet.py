"""A packet: a JSON header and named arrays in one buffer, which a browser reads without copying.

    uint32 length of the header | header, UTF-8, padded with spaces | arrays, each aligned to 4 bytes

All little-endian. The header's ``arrays`` tells type (``f4``, ``u4``, ``u2``, ``u1``), shape and offset.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.errors import InputError

TYPES: dict[str, np.dtype[Any]] = {name: np.dtype(f"<{name}") for name in ("f4", "u4", "u2", "u1")}


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """One packet. Floats travel as 32 bits, signed integers as unsigned 32."""
    told: dict[str, Any] = {}
    pieces: list[bytes] = []
    at = 0
    for name, values in arrays.items():
        kind = _kind(np.asarray(values))
        raw = np.ascontiguousarray(values, dtype=TYPES[kind]).tobytes()
        told[name] = {"type": kind, "shape": list(np.shape(values)), "at": at}
        raw += b"\0" * (-len(raw) % 4)
        pieces.append(raw)
        at += len(raw)
    text = json.dumps({**header, "arrays": told}, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([len(text).to_bytes(4, "little"), text, *pieces])


def unpack(packet: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header (without ``arrays``) and arrays of a packet."""
    length = int.from_bytes(packet[:4], "little")
    if len(packet) < 4 + length:
        raise InputError(f"a packet of {len(packet)} bytes is cut short: its header alone has {length}")
    header = json.loads(packet[4 : 4 + length])
    arrays: dict[str, NDArray[Any]] = {}
    for name, told in header.pop("arrays").items():
        count = int(np.prod(told["shape"], dtype=np.int64))
        raw = np.frombuffer(packet, TYPES[told["type"]], count, 4 + length + told["at"])
        arrays[name] = raw.reshape(told["shape"])
    return header, arrays


def _kind(values: NDArray[Any]) -> str:
    if values.dtype.kind == "f":
        return "f4"
    if values.dtype.kind == "u" and values.dtype.itemsize <= 2:
        return f"u{values.dtype.itemsize}"
    if values.dtype.kind in "iu":
        return "u4"
    raise InputError(f"a packet holds floats and whole numbers, not {values.dtype}")
