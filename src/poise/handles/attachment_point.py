"""A point of something soft that a bone carries: the tip of a hat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from poise.arrays import Array
from poise.character import Character, Point
from poise.errors import InputError
from poise.handles.handle import Handle
from poise.handles.place import Triple, along, as_axes, as_triple, rows

if TYPE_CHECKING:
    from poise.kinematics import Kinematics


@dataclass(frozen=True)
class AttachmentPoint(Handle):
    """World position of the material point of an attachment that at rest is at ``place`` on its bone [m].

    Where poses know how the attachment has swung (``Dressed``), the point is where it has swung to; else it
    is where it rests. The Jacobian moves it with the bone, as it is; its rate is that of the swinging point
    where poses know it.

    Raises:
        InputError: The attachment has no name, or the place is not three finite numbers.

    Examples:
        >>> tip = poise.handles.AttachmentPoint("hat", "Head", (0.0, 0.0, 0.5))
    """

    kind: ClassVar[str] = "attachment_point"
    attachment: str
    """Name of what is worn."""
    bone: str
    """The body it is worn on."""
    place: Triple
    """At rest, in the body's frame [m]."""
    axes: str = "xyz"
    """World axes to keep: "xyz", "xz", "z" …"""

    def __post_init__(self) -> None:
        if not isinstance(self.attachment, str) or not self.attachment:
            raise InputError(f"an attachment is named by a text, not {self.attachment!r}")
        object.__setattr__(self, "place", as_triple(self.place, f"place on {self.attachment!r}"))
        as_axes(self.axes)

    @property
    def label(self) -> str:
        """In words."""
        at = ", ".join(f"{x:g}" for x in self.place)
        return f"position of {self.attachment} at ({at}) on {self.bone}{along(self.axes)}"

    @property
    def units(self) -> tuple[str, ...]:
        """Metres."""
        return ("m",) * len(self.axes)

    def check(self, character: Character) -> None:
        """The bone must exist."""
        character.index(self.bone)

    def value(self, kin: Kinematics) -> Array:
        """(F, axes)"""
        body = kin.character.index(self.bone)
        arm = np.einsum("fij,fj->fi", kin.rotations[:, body], self._local(kin))
        return np.asarray(kin.positions[:, body] + arm)[:, rows(self.axes)]

    def jacobian(self, kin: Kinematics) -> Array:
        """(F, axes, nv)"""
        body = kin.character.index(self.bone)
        arm = np.einsum("fij,fj->fi", kin.rotations[:, body], self._local(kin))
        turning = np.cross(kin.angular_jacobian(body), arm[:, :, None], axis=1)  # ω × arm by column
        return np.asarray(kin.point_jacobian(Point(body, np.zeros(3))) + turning)[:, rows(self.axes)]

    def rate(self, kin: Kinematics) -> Array:
        """(F, axes) [m/s]"""
        from poise.kinematics import Dressed

        known = kin.point_velocities.get((self.attachment, self.place)) if isinstance(kin, Dressed) else None
        return super().rate(kin) if known is None else known[:, rows(self.axes)]

    def _local(self, kin: Kinematics) -> Array:
        """Where the point is in the bone's frame, (F, 3)."""
        from poise.kinematics import Dressed

        rest = np.broadcast_to(np.array(self.place), (kin.frames, 3))
        if not isinstance(kin, Dressed):
            return rest
        moved = kin.displacements.get((self.attachment, self.place))
        return rest if moved is None else rest + moved
