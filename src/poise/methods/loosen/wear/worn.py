"""Something soft on a motion: the attachment, and how it sways there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from poise.methods.loosen.wear.attachment import Attachment
from poise.methods.loosen.wear.sway import sway, sway_of
from poise.methods.loosen.wear.trust import QUICK_LIMIT
from poise.motion import Clip, MeshClip


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
    def is_large(self) -> bool:
        """Whether the model for large motions moves it."""
        return self._quick is None

    @cached_property
    def farthest(self) -> float:
        """How far it leaves its place at rest [m]."""
        return sway_of(self.clip, self.attachment, large=self.is_large).farthest(self.mesh.vertices)

    def on(self, clip: Clip) -> Clip:
        """A clip that wears it, for files: a mesh of its skin, moved by morph weights."""
        from poise.formats.gltf.dressed import dressed

        return dressed(clip, [self.attachment], self.window, large=self.is_large)

    @property
    def nbytes(self) -> int:
        """Of its mesh, at all frames."""
        return 24 * self.clip.frames * len(self.attachment.surface.points)
