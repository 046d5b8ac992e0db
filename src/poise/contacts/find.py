"""Find what carries a motion: its world, contacts, flights, unseen supports, and the pace at which it is
explained."""

from __future__ import annotations

from functools import lru_cache

from poise.contacts.finer import finer, in_own_frames, multiple
from poise.contacts.needed import needed
from poise.contacts.pace import sought
from poise.contacts.support import Support
from poise.contacts.supported import supported
from poise.motion import Clip
from poise.world import World

REMEMBERED = 6
"""Answers that are kept: a check, its repair and the methods that stand on the same motion ask again."""


def find(clip: Clip, world: World | None = None, *, pace: float | None = None) -> Support:
    """What carries a clip's motion: the one place where it is decided who touches what.

    Contacts come by part with their touches, manners and places (``Support.contacts``), stretches in
    which one patch rests (``Support.rests``), flights, what nobody sees (``Support.unseen``), forces
    (``Support.force`` in frames ``need.rows``, ``Support.load`` in all), what is left of the wrench. Frames
    of curves are those of ``need``: frame f of the clip is row f + ``need.lead``.

    Clips are immutable, so the last few answers are kept.

    Args:
        clip: The motion of a character that has mass.
        world: What is there; nothing is added to it. Default: it is found in the motion, each surface with
            how sure it is (``Support.world``, ``Surface.source`` "found").
        pace: How many times too fast the clip plays [> 0]. Default: sought.

    Returns:
        Support: Contacts, flights, what is unexplained, and the world they are in.

    Raises:
        InputError: The character has no mass.

    Examples:
        >>> carried = poise.contacts.find.find(poise.clips.get("walk"))
        >>> for contact in carried.contacts:
        ...     print(contact.part, contact.start, contact.end, contact.manner)
    """
    return _found(clip, world, pace)


@lru_cache(maxsize=REMEMBERED)
def _found(clip: Clip, world: World | None, pace: float | None) -> Support:
    times = multiple(clip)
    if times > 1:
        fine, skip = finer(clip, times)
        return in_own_frames(_searched(fine, world, pace), clip, times, skip)
    return _searched(clip, world, pace)


def _searched(clip: Clip, world: World | None, pace: float | None) -> Support:
    return sought(clip, world) if pace is None else supported(needed(clip, pace), world, pace)
