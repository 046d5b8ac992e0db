"""Writing BVH: back into the file a clip came from as far as it fits, else from scratch."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.errors import InputError
from poise.files import write_bytes
from poise.formats.bvh.compose import composed
from poise.formats.bvh.original import Original, Skeleton
from poise.formats.bvh.rewrite import rewritten
from poise.formats.units import Axes
from poise.motion.clip import Clip


def save(
    clip: Clip,
    path: str | Path,
    *,
    up: str | None = None,
    scale: float | None = None,
    digits: int | None = None,
) -> None:
    """Write a BVH file.

    A clip read from BVH keeps the file's up axis, unit, names, channels and, frame by frame, the
    text of whatever was not edited. Any other is written y up in centimetres (see
    :mod:`~poise.formats.bvh.compose`). ``up`` ("y" or "z") and ``scale`` (the unit [m]) override;
    ``digits`` fixes the number of decimals of new numbers, which otherwise are exact.
    """
    if up is not None:
        Axes(up)
    if scale is not None and not (np.isfinite(scale) and scale > 0):
        raise InputError(f"scale must be the length of the file's unit in metres, not {scale}")
    if digits is not None and not 0 <= digits <= 17:
        raise InputError(f"digits must lie between 0 and 17, not {digits}")
    source = clip.source
    original = source.payload if source is not None else None
    if source is None or not isinstance(original, Original):
        if source is not None and source.format == "bvh":  # the file is gone, its frame is known
            up, scale = up or source.up, scale or source.unit
        text = composed(clip, up=up, scale=scale, orders={}, digits=digits)
    elif (
        original.skeleton.still_in(Skeleton.of(clip.character))
        and up in (None, source.up)
        and scale in (None, source.unit)
    ):
        text = rewritten(original, clip, Axes(source.up), source.unit, digits)
    else:
        orders = {j.name: j.rotation_axes for j in original.joints if len(j.rotation_axes) == 3}
        text = composed(clip, up=up or source.up, scale=scale or source.unit, orders=orders, digits=digits)
    write_bytes(path, text)


def losses(clip: Clip) -> tuple[str, ...]:
    """What a clip has that its BVH file will not."""
    found = []
    if clip.loop:
        found.append("BVH has no loops: one cycle is written as a plain clip, without its closing frame")
    character = clip.character
    parts = {
        "masses": character.mass_source == "given",
        "solids": any(b.shapes for b in character.bodies),
        "the skin": character.skin is not None,
        "limits of joints": any(b.joint.limited for b in character.bodies),
    }
    if lost := [what for what, there in parts.items() if there]:
        found.append(f"BVH holds bones and motion only: left out are {', '.join(lost)}")
    return tuple(found)
