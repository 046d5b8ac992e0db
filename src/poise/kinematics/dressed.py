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
    """Configurations q (F, nq), and where points of attachments have swung to, and how fast they are.

    Args:
        character: Whose configurations they are.
        q: Configurations (F, nq) or (nq,).
        v: Velocities (F, nv) or (nv,) [m/s, rad/s].
        displacements: How far points of attachments have swung, in the bone's axes [m], (F, 3) each.
        point_velocities: How fast they are, in world axes [m/s], (F, 3) each.

    Raises:
        InputError: A shape does not fit, or numbers are not finite.

    Examples:
        >>> figure = poise.characters.humanoid()
        >>> tip = poise.handles.AttachmentPoint("hat", "Head", (0.0, 0.0, 0.5))
        >>> swung = {("hat", tip.place): [[0.1, 0.0, 0.0]]}
        >>> dressed = poise.kinematics.Dressed(figure, figure.rest_pose(), displacements=swung)
        >>> print(tip.value(dressed))
    """

    def __init__(
        self,
        character: Character,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        displacements: Mapping[Carried, Array],
        point_velocities: Mapping[Carried, Array] | None = None,
    ) -> None:
        super().__init__(character, q, v)
        self.displacements = {
            key: checked(d, f"displacement of {key[0]}", (self.frames, 3)) for key, d in displacements.items()
        }
        """In the bone's axes [m], (F, 3) each."""
        self.point_velocities = {
            key: checked(d, f"velocity of {key[0]}", (self.frames, 3))
            for key, d in (point_velocities or {}).items()
        }
        """Of points, in the world's axes [m/s], (F, 3) each; some may be unknown."""
