"""The motion as it was before it was changed: a ghost where the two differ enough to be seen."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.errors import InputError
from poise.motion import Clip, MeshClip
from poise.pictures.annotations import Key
from poise.pictures.performance import Performance
from poise.pictures.scene import Scene

TINT, OPACITY = "#8e6bd6", 0.5
"""Of the ghost: no colour that contacts or figures have."""
SEEN = 0.004
"""Joints that are less apart are in one place to the eye, of the stature."""
KEY = Key("box", "as it was", TINT)


class AsItWas:
    """A clip drawn behind the performance that was made of it, frame by frame."""

    def __init__(self, performance: Performance, clip: Clip | MeshClip, times: Array | None = None) -> None:
        if isinstance(clip, MeshClip) or clip.character.nq != performance.character.nq:
            raise InputError("what a motion was before must be of the same character")
        if clip.frames != performance.clip.frames or clip.rate != performance.clip.rate:
            raise InputError(
                f"what a motion was before must have its frames: {performance.clip.frames} at "
                f"{performance.clip.fps:g} per second, not {clip.frames} at {clip.fps:g}"
            )
        self.performance = performance
        q = clip.q if times is None else clip.at(times)
        self.morphs = clip.morphs if times is None else clip.morphs_at(times)
        at, self.turns = clip.character.placement(q)
        self.places: Array = at + performance.offset
        way = np.linalg.norm(self.places - performance.positions, axis=2).max(axis=1)
        self.apart = way > SEEN * performance.stature
        """Whether it can be told from what became of it (F,)."""

    def put(self, scene: Scene, frame: int) -> None:
        """Put it into a scene, if it can be told apart."""
        if self.apart[frame]:
            layer = scene.layer(opacity=OPACITY, tint=TINT, tint_amount=0.9, shadow=0.0)
            morphs = self.morphs[frame] if self.morphs is not None else None
            self.performance.figure.put(layer, self.places[frame], self.turns[frame], morphs=morphs)

    def legend(self) -> list[Key]:
        """What its colour means, if it is seen at all."""
        return [KEY] if self.apart.any() else []
