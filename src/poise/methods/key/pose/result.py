"""One pose, and how each constraint fared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.motion import Clip
from poise.operations.result import Result

if TYPE_CHECKING:
    from poise.character import Character
    from poise.constraints import Report
    from poise.handles import On

RATE = 30
"""Of the clip that holds the pose alone [fps]."""


class PoseResult(Result):
    """A pose; its motion is this pose alone, which is no edit of the animation that it was taken from.

    Examples:
        >>> tuck = poise.pose(poise.clips.get("jump"), at=0.9, gyration=0.25)
        >>> print(tuck.q[:3], tuck.met)
    """

    anew = True

    def __init__(
        self,
        character: Character,
        q: Array,
        report: Report,
        *,
        clip: Clip | None = None,
        met: bool | None = None,
    ) -> None:
        super().__init__(clip, report, met=met)
        self.character = character
        """Whose pose it is."""
        self.q = q
        """The configuration, (nq,)."""

    @property
    def clip(self) -> Clip:
        """A clip of one frame."""
        if self._clip is None:
            self._clip = Clip(self.character, [self.q], RATE)
        return self._clip

    def drag(
        self,
        dragged: str | On,
        target: ArrayLike,
        *,
        root: str | None = None,
        pins: Sequence[str | On] | Mapping[str, ArrayLike | None] = (),
    ) -> PoseResult:
        """On from here with a point pulled to a place [m]: see ``drag``."""
        from poise.methods.key.pose.drag import drag

        return drag(self.character, self.q, dragged, target, root=root, pins=pins)
