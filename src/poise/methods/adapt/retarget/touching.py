"""What else touches than feet: hands, knees, seat, head on the ground, on steps, chairs and props.

Contacts of the source (``poise.contacts``) name patches of flesh; the target's patch of the same name touches
the same surface, its place scaled about the ground and its flesh its own. What rests stays in one place; what
slides or rolls follows its way. No patch goes below the ground.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import JointKind
from poise.constraints import Constraint, During, Path, constrain, pin
from poise.contacts.find import find
from poise.contacts.patches import FOOT, Patches, patches
from poise.contacts.support import Contact, Support
from poise.handles import On, PlaneDistance
from poise.kinematics import Kinematics
from poise.methods.adapt.retarget.transfer import Transfer
from poise.motion import Clip

TOLERANCE = 0.01
"""How far from its place what touches may be, of a leg of 0.85 m [m]."""
STILL = ("stands", "grips", "hangs", "lies", "pushes")
"""Manners of what stays in one place."""
FADE = 0.12
"""How fast the root gives way to what carries it [s]."""
LEAST = 0.05
"""Share of the weight below which nothing is carried."""
CLEAR = 0.02
"""Patches that never come nearer to the ground than this [m] need not be watched."""


class Touching(NamedTuple):
    """One patch of the target that should touch, with the source's way there."""

    patch: str
    contact: Contact
    frames: tuple[int, int]
    """First and last of the clip."""
    way: Array
    """Places of the target's patch (T, 3)."""


def touching(transfer: Transfer, start: Clip, clip: Clip) -> list[Touching]:
    """What touches beside feet, where both characters have the patch."""
    support = find(clip)
    ours, theirs = patches(clip.character), patches(start.character)
    floor = floor_height(support)
    path = ours.places(transfer.source)  # (F, K, 3)
    found = []
    for contact in support.contacts:
        if not contact.surface:
            continue
        tried = []
        for touch in contact.touches:
            if touch.patch not in ours.names or touch.patch not in theirs.names:
                continue
            mine, yours = ours.names.index(touch.patch), theirs.names.index(touch.patch)
            first, last = max(touch.start, 0), min(touch.end, clip.frames - 1)
            if ours.kind[mine] == FOOT or theirs.kind[yours] == FOOT or last - first < 2:
                continue
            gap = support.gap[first + support.need.lead : last + support.need.lead + 1, mine]
            own = path[first : last + 1, mine]
            top = float(np.median(own[:, 2] - support.need.patches.radius[mine] - gap))
            away = max(float(np.median(gap)), 0.0)
            way = transfer.scale * own
            if contact.manner in STILL:
                way = np.tile(way.mean(axis=0), (len(way), 1))
            way[:, 2] = transfer.scale * (top - floor + away) + theirs.radius[yours]
            tried.append((away, first - last, Touching(touch.patch, contact, (first, last), way)))
        if tried:  # palm and fingers of two people never fit both: the one that is down
            found.append(min(tried, key=lambda each: each[:2])[2])
    return found


def carried(start: Clip, found: list[Touching]) -> Clip:
    """The clip with its root moved to what carries it: hands reach the ground in a handstand.

    Limbs have other lengths than legs. While hands, knees or the seat carry, the root moves by what they
    lack on the mean; before and after, that fades within ``FADE``.
    """
    root = start.character.bodies[0].joint.kind
    if not found or root is not JointKind.FREE:
        return start
    own = patches(start.character)
    places = own.places(Kinematics(start.character, start.q))
    lack, weight = np.zeros((start.frames, 3)), np.zeros(start.frames)
    for each in found:
        first, last = each.frames
        span = slice(first, last + 1)
        lack[span] += each.contact.load * (each.way - places[span, own.names.index(each.patch)])
        weight[span] += each.contact.load
    loaded = weight > LEAST
    if not loaded.any():
        return start
    # Loads fade in and out over a while, so that nothing jumps.
    width = max(1.0, FADE / start.dt)
    far = int(3 * width)
    window = np.exp(-0.5 * (np.arange(-far, far + 1) / width) ** 2)
    window /= window.sum()
    # Beyond its ends a clip goes on as it is there, a loop from its other end, however short they are.
    beyond: Literal["wrap", "edge"] = "wrap" if start.loop else "edge"

    def smooth(values: Array) -> Array:
        return np.convolve(np.pad(values, far, beyond), window, mode="valid")

    some = np.where(loaded, 1.0, 0.0)
    mean = np.where(loaded[:, None], lack / np.maximum(weight, LEAST)[:, None], 0.0)
    share = smooth(some)
    moved = np.stack([smooth(mean[:, k]) for k in range(3)], axis=1)
    # Full where it is loaded, none where nothing is near.
    factor = np.clip(1.5 * share, 0.0, 1.0) / np.maximum(share, 1e-9)
    q = np.array(start.q)
    q[:, :3] += factor[:, None] * moved
    return start.with_q(q)


def floor_height(support: Support) -> float:
    """Of the ground under a motion, at the origin [m]; 0 where there is none."""
    floor = support.world.floor
    height = getattr(floor.shape, "height", 0.0) if floor is not None else 0.0
    return float(height)


def constraints(found: list[Touching], start: Clip, tolerance: float) -> list[Constraint]:
    """Patches held where they touch."""
    own, made = patches(start.character), []
    times = np.asarray(start.times)
    for number, each in enumerate(found, 1):
        first, last = each.frames
        k = own.names.index(each.patch)
        made.append(
            pin(
                point(own, start, k),
                Path(times[first : last + 1], each.way),
                During(float(times[first]), float(times[last])),
                name=f"contact {number}: {each.patch} on {each.contact.surface}",
                tolerance=tolerance,
            )
        )
    return made


def clearances(start: Clip, skip: list[Touching], tolerance: float) -> list[Constraint]:
    """Patches above the ground, z = 0, wherever they come near it."""
    own = patches(start.character)
    near = _near_ground(own, start, [k for k in range(len(own)) if own.kind[k] != FOOT])
    touch = {t.patch for t in skip}
    # Flesh gives: what touches may lie a little lower.
    return [_above(own, start, k, tolerance if own.names[k] in touch else 0.0, tolerance) for k in near]


def soles_above(start: Clip, own: Patches, tolerance: float) -> list[Constraint]:
    """Toes and the corners of wide soles above the ground: a foot is held by points in its middle.

    ``own``: patches as the character's shapes have them, without points of heel and ball.
    """
    feet = [k for k in range(len(own)) if own.kind[k] == FOOT]
    return [_above(own, start, k, 0.0, tolerance) for k in _near_ground(own, start, feet)]


def _near_ground(own: Patches, start: Clip, which: list[int]) -> list[int]:
    """Those patches that come near the ground."""
    low = own.places(Kinematics(start.character, start.q))[:, :, 2].min(axis=0) - own.radius
    return [k for k in which if low[k] <= CLEAR]


def _above(own: Patches, start: Clip, k: int, give: float, tolerance: float) -> Constraint:
    return constrain(
        PlaneDistance(point(own, start, k), normal=(0.0, 0.0, 1.0)),
        float(own.radius[k]) - give,
        During(0.0, float(start.times[-1])),
        lower=0.0,
        upper=np.inf,
        name=f"{own.names[k]} above the ground",
        tolerance=tolerance,
    )


def point(own: Patches, clip: Clip, k: int) -> On:
    """A patch as a place on its body."""
    x, y, z = (float(v) for v in own.place[k])
    return On(clip.character.names[int(own.body[k])], (x, y, z))
