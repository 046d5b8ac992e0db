"""Something soft on a motion: the attachment, and how it sways there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from poise.methods.loosen.wear.attachment import Attachment
from poise.methods.loosen.wear.sway import sway, sway_of
from poise.motion import Clip, MeshClip

QUICK_REACH = 0.06
"""How far the quick model is made for, as a part of the thing's diameter; beyond, ask for ``large``."""
QUICK_LIMIT = 0.45
"""Where the quick model says that it sways by more, the quick model is of no use: it may run away."""


@dataclass(frozen=True, eq=False)
class Worn:
    """An attachment on a motion."""

    attachment: Attachment
    clip: Clip
    window: float | str
    large: bool

    @cached_property
    def mesh(self) -> MeshClip:
        """Its moving mesh, in the world."""
        return self._quick or sway(self.clip, self.attachment, self.window, large=True)

    @cached_property
    def _quick(self) -> MeshClip | None:
        """By the quick model, unless the other was asked for or this one is shaken out of all bounds."""
        if self.large:
            return None
        found = sway(self.clip, self.attachment, self.window)
        swung = sway_of(self.clip, self.attachment).farthest(found.vertices)
        return found if swung <= QUICK_LIMIT * self.attachment.diameter else None

    @property
    def thoroughly(self) -> bool:
        """Whether it moves by the exact model."""
        return self._quick is None

    @cached_property
    def farthest(self) -> float:
        """How far it leaves its place at rest [m]."""
        return sway_of(self.clip, self.attachment, large=self.thoroughly).farthest(self.mesh.vertices)

    @property
    def nbytes(self) -> int:
        """Of its mesh, at all frames."""
        return 24 * self.clip.frames * len(self.attachment.surface.points)
