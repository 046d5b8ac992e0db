"""A clip of the project, where motion starts."""

from __future__ import annotations

from poise.project.layer import Layer, Made, Situation


class SourceLayer(Layer, tag="source", frozen=True, kw_only=True):
    """A clip as it is."""

    clip: str
    """Name among the project's clips."""

    @property
    def starts(self) -> bool:
        return True

    def uses(self) -> tuple[str, ...]:
        return (self.clip,)

    def make(self, at: Situation) -> Made:
        return Made(at.clip(self.clip))
