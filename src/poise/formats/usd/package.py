"""USDZ: a stage and what it refers to in one zip archive, stored, each member's bytes at a multiple of 64."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path, PurePosixPath

from poise.errors import FileFormatError
from poise.reading import Archive

ZIP = b"PK\x03\x04"
LAYERS = (".usd", ".usda", ".usdc")
_ALIGNED = 64
"""What the bytes of members begin at multiples of, by the format."""
_HEADER = 30
"""Bytes of a member's header before its name."""
_PADDING = 0x1986
"""The kind of extra field that stands for nothing: usd-core's own choice."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of all members, the earliest that archives know: the same files make the same package."""


def is_package(data: bytes) -> bool:
    """Whether a file that begins so is a zip archive."""
    return data.startswith(ZIP)


def members(data: bytes, path: Path) -> dict[str, bytes]:
    """Files of a package by name; the first is the stage. Names lead nowhere else."""
    archive = Archive(data, path)
    found: dict[str, bytes] = {}
    for name in archive.names:
        if name.endswith("/"):
            continue
        place = PurePosixPath(name)
        if place.is_absolute() or ".." in place.parts or "\\" in name or ":" in name:
            raise FileFormatError(path, f"the package has a file outside of it: {name[:80]!r}")
        found[name] = archive.read(name)
    first = next(iter(found), "")
    if PurePosixPath(first).suffix.lower() not in LAYERS:
        raise FileFormatError(path, f"a package begins with a USD file, not with {first[:80]!r}")
    return found


def packed(files: Mapping[str, bytes]) -> bytes:
    """Files as a package, in their order."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            begin = out.tell() + _HEADER + len(name.encode()) + 4
            gap = -begin % _ALIGNED
            entry.extra = _PADDING.to_bytes(2, "little") + gap.to_bytes(2, "little") + bytes(gap)
            archive.writestr(entry, data)
    return out.getvalue()
