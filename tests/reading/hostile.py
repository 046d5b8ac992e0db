"""Files that claim more than they are, made on the spot."""

from __future__ import annotations

import io
import json
import signal
import struct
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from poise.formats.gltf.container import glb_bytes


@contextmanager
def modest(megabytes: float = 64.0) -> Iterator[None]:
    """What is done within may take so much memory and no more."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < megabytes * 2**20, f"{peak / 2**20:.0f} MB"


@contextmanager
def ending(seconds: int = 60) -> Iterator[None]:
    """What is done within ends, or fails: no test may hang."""

    def late(number: int, frame: Any) -> None:
        raise AssertionError("it does not end")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def unzipped(data: bytes) -> dict[str, bytes]:
    """Its members."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def npy(values: Any) -> bytes:
    """An array as NumPy writes it."""
    out = io.BytesIO()
    np.save(out, values)
    return out.getvalue()


def described(npz: bytes, change: Any) -> bytes:
    """A clip's archive with its description changed."""
    members = unzipped(npz)
    description = json.loads(np.load(io.BytesIO(members["poise.npy"])).tobytes())
    change(description)
    text = json.dumps(description).encode()
    return zipped({**members, "poise.npy": npy(np.frombuffer(text, dtype=np.uint8))})


def triangle(**changes: Any) -> dict[str, Any]:
    """A glTF document: one node that carries one triangle."""
    return {
        "asset": {"version": "2.0"},
        "nodes": [{"name": "a", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36}],
        **changes,
    }


POINTS = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)


def glb(content: dict[str, Any], binary: bytes = POINTS) -> bytes:
    """A document as GLB."""
    return glb_bytes(content, binary)
