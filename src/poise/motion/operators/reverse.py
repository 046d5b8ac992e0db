"""A motion backwards in time."""

from __future__ import annotations

from poise.motion.clip import Clip
from poise.motion.operators.ground import inverse, taken_by


def reverse(clip: Clip) -> Clip:
    """The clip from its last frame to its first; a loop goes on against its travel.

    Frames keep their bits, and ``reverse(reverse(clip))`` has the clip's own.

    Args:
        clip: The motion.

    Returns:
        Clip: The same frames in the opposite order.

    Examples:
        >>> back = poise.motion.operators.reverse(poise.clips.get("walk"))
    """
    morphs = clip.morphs[::-1] if clip.morphs is not None else None
    if not clip.loop:
        return clip.with_frames(clip.q[::-1], morphs)
    travel = clip.travel if clip.travel.still else inverse(taken_by(clip.character, clip.travel))
    return clip.with_frames(clip.q[::-1], morphs, travel=travel)
