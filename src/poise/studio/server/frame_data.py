"""What the stage is told of every frame; after an edit only frames that differ are worked out again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.motion import Clip
from poise.pictures.performance import Performance
from poise.studio.poses import STRIDE, placed

if TYPE_CHECKING:
    from poise.kinematics import Kinematics

REACH = 2
"""Frames on either side that velocities at a frame may look at."""
_NO_PHYSICS = (np.zeros((0, 3)), np.zeros((0, 6)), np.zeros((0, 3, 3)))


@dataclass(frozen=True, eq=False)
class FrameData:
    """A clip as the stage sees it."""

    clip: Clip
    places: NDArray[np.float32]
    """Of bodies, then weights of morph targets (F, 7n + m)."""
    com: Array
    """(F, 3) [m], lifted as the places are; of no frames where physics was not asked for, as all below."""
    momentum: Array
    """Linear, then angular about the centre of mass (F, 6)."""
    inertia: Array
    """(F, 3, 3) [kg m²]."""
    changed: tuple[int, int]
    """First and last (exclusive) frame whose places differ from what was known."""
    weighed: tuple[int, int] = (0, 0)
    """The same of physics, which look at the frames around."""

    @classmethod
    def glance(cls, shown: Performance) -> FrameData:
        """All places and no physics, by what is there already: nothing compiled has to be loaded for it."""
        clip = shown.clip
        places = _numbers(clip, shown.positions, shown.rotations, 0, clip.frames)
        return cls(clip, places, *_NO_PHYSICS, (0, clip.frames))

    @classmethod
    def of(cls, clip: Clip, lift: Array, before: FrameData | None = None, *, physics: bool) -> FrameData:
        """``before`` may be the same figure's data, of the same lift."""
        enough = before is not None and (len(before.com) == before.clip.frames or not physics)
        if before is not None and before.clip is clip and enough:
            return cls(clip, before.places, before.com, before.momentum, before.inertia, (0, 0))
        known = before if before is not None and enough and _alike(before.clip, clip) else None
        first, last = _differing(known.clip, clip) if known is not None else (0, clip.frames)
        if before is not None and before.clip is clip:  # only physics is missing
            places, changed = before.places, (0, 0)
        else:
            places, changed = _places(clip, lift, first, last), (first, last)
        if known is not None:
            changed = _range((known.places[first:last] != places).any(axis=1), first)
            places = np.concatenate([known.places[:first], places, known.places[last:]])
        if not physics:
            return cls(clip, places, *_NO_PHYSICS, changed)
        low, high = (max(0, first - REACH), min(clip.frames, last + REACH)) if last > first else (0, 0)
        body = _moving(clip, low, high)
        com, momentum, inertia = body.com + lift, body.momentum, body.inertia
        if known is not None:
            com = np.concatenate([known.com[:low], com, known.com[high:]])
            momentum = np.concatenate([known.momentum[:low], momentum, known.momentum[high:]])
            inertia = np.concatenate([known.inertia[:low], inertia, known.inertia[high:]])
        return cls(clip, places, com, momentum, inertia, changed, (low, high))


def width(clip: Clip) -> int:
    """Numbers that say where all bodies are."""
    return STRIDE * len(clip.character.bodies)


def _alike(before: Clip, now: Clip) -> bool:
    """Whether frames that are equal in both mean the same; a loop's ends look at each other."""
    same = before.character is now.character and before.q.shape == now.q.shape and before.dt == now.dt
    return same and not now.loop and not before.loop


def _differing(before: Clip, now: Clip) -> tuple[int, int]:
    differ = (before.q != now.q).any(axis=1)
    for one, other in ((before.morphs, now.morphs), (now.morphs, before.morphs)):
        if one is not None:
            differ |= (one != other).any(axis=1) if other is not None else True
    return _range(differ)


def _range(differ: NDArray[np.bool_], start: int = 0) -> tuple[int, int]:
    where = np.flatnonzero(differ)
    return (start + int(where[0]), start + int(where[-1]) + 1) if len(where) else (0, 0)


def _places(clip: Clip, lift: Array, first: int, last: int) -> NDArray[np.float32]:
    from poise.kinematics import Kinematics

    body = Kinematics(clip.character, clip.q[first:last])
    return _numbers(clip, body.positions + lift, body.rotations, first, last)


def _numbers(clip: Clip, positions: Array, rotations: Array, first: int, last: int) -> NDArray[np.float32]:
    """Places and morph weights of some frames, (last − first, 7n + m)."""
    places = placed(positions, rotations).reshape(last - first, width(clip))
    weights = clip.morphs[first:last] if clip.morphs is not None else np.zeros((last - first, 0))
    return np.concatenate([places, weights], axis=1).astype(np.float32)


def _moving(clip: Clip, low: int, high: int) -> Kinematics:
    """Frames with their velocities, as the whole clip has them."""
    from poise.kinematics import Kinematics

    if high - low == clip.frames:
        return Kinematics(clip.character, clip.q, clip.velocity)
    start, stop = max(0, low - REACH), min(clip.frames, high + REACH)
    velocity = clip.character.manifold.velocity(clip.q[start:stop], clip.dt)
    return Kinematics(clip.character, clip.q[low:high], velocity[low - start : high - start])
