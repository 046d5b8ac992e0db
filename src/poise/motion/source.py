"""Where a clip came from, kept so that writing it back changes nothing but what was edited."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class FramePayload(Protocol):
    """A payload that holds things frame by frame."""

    def without_frames(self) -> tuple[Any, tuple[str, ...]]:
        """The payload for a clip of other frames, and remarks on what it lost."""
        ...


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
    front: str = ""
    """The file's axis that became x ("z", "-y" …); empty: the usual one for its up axis."""

    def without_frames(self) -> Source:
        """The source of a clip whose frames are no longer the file's."""
        if not isinstance(self.payload, FramePayload):
            return self
        payload, remarks = self.payload.without_frames()
        return replace(self, payload=payload, notes=(*self.notes, *remarks))
