"""Poses of a character that wears soft things: kinematics that knows where their points have swung to."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.character import Character
from poise.kinematics.kinematics import Kinematics

Carried = tuple[str, tuple[float, float, float]]
"""A point of an attachment: the attachment's name, and where on its bone the point is at rest [m]."""


class Dressed(Kinematics):
    """Configurations q (F, nq), and how far points of attachments are from their places at rest."""

    def __init__(
        self,
        character: Character,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        displacements: Mapping[Carried, Array],
    ) -> None:
        super().__init__(character, q, v)
        self.displacements = {
            key: checked(d, f"displacement of {key[0]}", (self.frames, 3)) for key, d in displacements.items()
        }
        """In the bone's axes [m], (F, 3) each."""
