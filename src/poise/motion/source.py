"""Where a clip came from, kept so that writing it back changes nothing but what was edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Source:
    """Facts about the file a clip was read from."""

    path: str
    format: str
    """Name in the format registry: "bvh", "gltf", …"""
    unit: float = 1.0
    """Length of the file's unit [m]."""
    up: str = "z"
    """The file's up axis."""
    notes: tuple[str, ...] = ()
    """What was guessed, repaired or left out, in words."""
    payload: Any = None
    """Whatever the format's own writer needs to write unedited parts back unchanged."""
