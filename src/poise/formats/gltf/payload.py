"""What a clip read from glTF remembers beyond its frames: start, scales, copyright, other animations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from poise.arrays import Array
from poise.formats.gltf.other_animations import OtherAnimations
from poise.motion import Clip


@dataclass(frozen=True)
class GltfPayload:
    """Kept in ``Source.payload``."""

    start: float = 0.0
    """Time of the first frame in the file [s]."""
    scales: Mapping[str, Array] = field(default_factory=dict)
    """Animated scale of bodies relative to rest at the file's frames, our axes, (F, 3)."""
    asset: Mapping[str, Any] = field(default_factory=dict)
    """Copyright and the like."""
    others: OtherAnimations = field(default_factory=OtherAnimations)
    """The file's animations that the clip is not."""

    def without_frames(self) -> tuple[GltfPayload, tuple[str, ...]]:
        """The payload of other frames: scales belong to those of the file."""
        if not self.scales:
            return self, ()
        listed = ", ".join(list(self.scales)[:6])
        return replace(self, scales={}), (
            f"animated scale of {listed} was left out: the frames are no longer the file's",
        )


def payload_of(clip: Clip) -> GltfPayload | None:
    """The clip's payload if it came from glTF."""
    payload = clip.source.payload if clip.source is not None else None
    return payload if isinstance(payload, GltfPayload) else None
