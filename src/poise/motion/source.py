"""Where a clip came from, kept so that writing it back changes nothing but what was edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class FramePayload(Protocol):
    """A payload that holds things frame by frame."""

    def without_frames(self) -> tuple[Any, tuple[str, ...]]:
        """The payload for a clip of other frames, and remarks on what it lost."""
        ...


@dataclass(frozen=True, eq=False)
class OriginalFile:
    """A clip's own file, byte for byte: its format's writer edits it instead of making a new one.

    Immutable bytes, shared by all clips that come of the one that was read.
    """

    data: bytes
    beside: Mapping[str, bytes] = field(default_factory=dict)
    """Files it refers to, by the names it has for them."""
    read: Mapping[str, Any] = field(default_factory=dict)
    """Options that it was read with: whoever reads it so again finds the clip as it was."""
    own_frames: bool = True
    """Whether the clip's frames are still the file's, one by one."""

    def without_frames(self) -> tuple[OriginalFile, tuple[str, ...]]:
        """The file of a clip with other frames."""
        return replace(self, own_frames=False), ()


@dataclass(frozen=True)
class AnimationFacts:
    """One of the animations of a file."""

    name: str
    duration: float
    """From its first key to its last [s]."""
    joints: int = 0
    """How many joints of the skeleton it moves."""
    morphs: int = 0
    """How many meshes it moves by their morph targets."""
    others: tuple[str, ...] = ()
    """Names of what else it moves: cameras, props, lights …"""

    def __str__(self) -> str:
        moved = [f"{self.joints} joint{'s' if self.joints != 1 else ''}"] if self.joints else []
        moved += ["morph targets"] if self.morphs else []
        moved += [listed(self.others, 3)] if self.others else []
        return f"{self.name} ({self.duration:.2f} s, moves {', '.join(moved) or 'nothing'})"


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
    animations: tuple[AnimationFacts, ...] = ()
    """All animations of the file, where the format can hold several."""
    animation: int | None = None
    """Which of them the clip is."""
    front: str = ""
    """The file's axis that became x ("z", "-y" …); empty: the usual one for its up axis."""

    def without_frames(self) -> Source:
        """The source of a clip whose frames are no longer the file's."""
        if not isinstance(self.payload, FramePayload):
            return self
        payload, remarks = self.payload.without_frames()
        return replace(self, payload=payload, notes=(*self.notes, *remarks))


def listed(names: tuple[str, ...] | list[str], most: int = 6) -> str:
    """ "a, b and 4 more"."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
