"""Two performances of one action brought to the same timing, by dynamic time warping.

Poses are compared by where bodies are beside the root and how fast they go, seen from the root's heading:
where on the ground an action takes place, which way it faces and how long it takes do not matter.
"""

from __future__ import annotations

import math

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.errors import InputError
from poise.manifold import so3
from poise.motion.clip import Clip
from poise.motion.operators.spots import spots
from poise.motion.operators.unroll import unroll
from poise.motion.operators.warp import warp

FINEST = 60.0
"""Frames per second that are compared at most."""
CELLS = 4e7
"""Pairs of frames that are compared at most: longer clips are compared at a lower rate."""
PACE = 0.2
"""A speed of one metre per second counts as so many metres."""
KEYS = 0.1
"""The path is followed at keys so far apart [s]: it goes in steps of frames, time shall not."""

Times = list[tuple[float, float]]


def align(clip: Clip, to: Clip, *, most: int = 3) -> Clip:
    """``clip`` with the timing of ``to``: what both do happens when ``to`` does it.

    The result lasts as long as ``to``, at the clip's own frame rate. Loops are taken from their start, once
    round.

    Args:
        clip: The motion to retime.
        to: The motion that says when.
        most: How many times faster one may run than the other at any moment, a whole number [≥ 1].

    Returns:
        Clip: The retimed motion.

    Raises:
        InputError: The clips have different characters, or differ too much in duration.

    Examples:
        >>> punch = poise.clips.get("punch")
        >>> slow = poise.motion.operators.speed(punch, 0.8)
        >>> same = poise.motion.operators.align(slow, punch)
    """
    keys = matching_times(clip, to, most=most)
    return warp(_once(clip), keys)


def matching_times(clip: Clip, to: Clip, *, most: int = 3) -> Times:
    """(time in ``clip``, time in ``to``) of what is the same in both [s], from start to end.

    Args:
        clip: One motion.
        to: The other.
        most: How many times faster one may run than the other at any moment, a whole number [≥ 1].

    Returns:
        Times: Pairs for ``warp``.

    Raises:
        InputError: The clips have different characters, or differ too much in duration.

    Examples:
        >>> punch = poise.clips.get("punch")
        >>> pairs = poise.motion.operators.matching_times(poise.motion.operators.speed(punch, 0.8), punch)
    """
    from poise.motion.operators.time_alignment import cheapest_path

    one, other = _once(clip), _once(to)
    if most != int(most) or most < 1:
        raise InputError(f"one clip may run a whole number of times faster than the other, not {most!r}")
    if min(one.duration, other.duration) <= 0:
        raise InputError("single frames have no timing to align")
    ratio = max(one.duration / other.duration, other.duration / one.duration)
    if ratio > most:
        raise InputError(
            f"{clip.name!r} lasts {one.duration:g} s and {to.name!r} {other.duration:g} s: "
            f"they cannot be aligned by running at most {most} times faster"
        )
    rate = min(FINEST, one.fps, other.fps, math.sqrt(CELLS / (one.duration * other.duration)))
    names = [
        n for n in spots(one.character, one.q[:1])[0] if n in set(spots(other.character, other.q[:1])[0])
    ]
    if len(names) < 3:
        raise InputError(
            f"{one.character.name!r} and {other.character.name!r} have no bodies of the same name"
        )
    counts = [max(2, round(c.duration * rate) + 1) for c in (one, other)]
    lasting = 0.5 * (one.duration + other.duration)
    x, y = (_features(c, names, n, c.duration / lasting) for c, n in zip((one, other), counts))
    way = cheapest_path(x, y, int(most))
    if not len(way):
        raise InputError(f"{clip.name!r} and {to.name!r} are too short to be aligned")
    source = way[:, 0] * one.duration / (counts[0] - 1)
    target = way[:, 1] * other.duration / (counts[1] - 1)
    return _keys(source, target, one.duration, other.duration)


def _keys(source: Array, target: Array, end: float, until: float) -> Times:
    """A few keys along the path, from end to end, both times increasing."""
    count = max(1, round(until / KEYS))
    at = np.linspace(0.0, until, count + 1)
    found: Times = [(0.0, 0.0)]
    for k in range(1, count):
        near = np.abs(target - at[k]) <= 0.5 * until / count + 1e-9
        if not near.any():
            continue
        # The path at the key: a line through its neighbourhood, so that slopes do not bias it.
        t, s = target[near] - at[k], source[near]
        spread = float(np.sum((t - t.mean()) ** 2))
        slope = float(np.sum((t - t.mean()) * (s - s.mean()))) / spread if spread > 1e-12 else 0.0
        here = float(np.clip(s.mean() - slope * t.mean(), found[-1][0], end))
        if here > found[-1][0] and here < end:
            found.append((here, float(at[k])))
    return [*found, (end, until)]


def _once(clip: Clip) -> Clip:
    return unroll(clip) if clip.loop else clip


def _features(clip: Clip, names: list[str], count: int, tempo: float) -> Array:
    """What poses are compared by, at ``count`` even times (count, d); speeds as if ``tempo`` times faster."""
    times = np.linspace(0.0, clip.duration, count)
    q = np.array(clip.at(times))
    known, places = spots(clip.character, _from_root(clip.character, q))  # (T, P, 3)
    size = float(np.ptp(places[0], axis=0).max()) or 1.0
    own = places[:, [list(known).index(n) for n in names]] / size
    rate = np.gradient(own, times[1] - times[0], axis=0)
    return np.ascontiguousarray(np.concatenate([own, PACE * tempo * rate], axis=1).reshape(count, -1))


def _from_root(character: Character, q: Array) -> Array:
    """Configurations with the root's place and heading on the ground taken away."""
    kind = character.bodies[0].joint.kind
    if kind is JointKind.FREE:
        forward = so3.rotate(q[:, 3:7], np.array([1.0, 0.0, 0.0]))
        yaw = np.arctan2(forward[:, 1], forward[:, 0])
        back = so3.exp(-yaw[:, None] * np.array([0.0, 0.0, 1.0]))
        q[:, :2] = 0.0
        q[:, 3:7] = so3.multiply(back, q[:, 3:7])
    elif kind is JointKind.PLANAR:
        q[:, 0] = 0.0
    return q
