"""A new adaptation of a long clip, quickly: only the stretch around what it asks for, faded into the rest.

A whole adaptation sets up all frames first, which on ten thousand of them takes seconds. While something is
dragged nobody looks that far: q ⊕ w(t)·(adapted ⊖ q), w one around what is asked and zero where the stretch
ends.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np

from poise.constraints import Constraint
from poise.constraints import target as targets
from poise.constraints.when import At
from poise.methods.adapt.adapt import around
from poise.methods.adapt.operations import items_asked
from poise.motion import Clip
from poise.operations.adapt import Adapt
from poise.operations.result import Result
from poise.operations.running import run
from poise.operations.situation import Situation

LONG = 1000
"""Frames from which on a clip is long."""
NEAR, FADE = 2.0, 1.0
"""How far the stretch goes on either side, and how much of that fades [s]."""


def adapted(layer: Adapt, clip: Clip) -> Clip | None:
    """The clip as the layer would adapt it nearby; None where all of it must be looked at."""
    asked = items_asked(layer, clip)
    points = [c for c in asked if isinstance(c, Constraint) and isinstance(c.when, At)]
    moving = any(isinstance(c.target, targets.Path) for c in points)
    if clip.loop or clip.frames < LONG or not points or len(points) < len(asked) or moving:
        return None
    times = np.concatenate([np.asarray(c.when.times(clip)) for c in points])
    low, high = around(clip, [float(times.min()), float(times.max())], near=NEAR)
    first, last = int(np.floor(low / clip.dt)), int(np.ceil(high / clip.dt)) + 1
    part = clip.q[first:last]
    if 2 * len(part) > clip.frames:
        return None
    short, begins = Clip(clip.character, part, clip.rate), float(clip.times[first])
    there = [replace(c, when=At(c.when.time - begins)) for c in points if isinstance(c.when, At)]
    nearby = msgspec.structs.replace(layer, constraints=tuple(c.to_dict() for c in there))
    made = run(nearby, Situation(Result(short))).clip
    manifold = clip.character.manifold
    fade = np.clip(clip.times[first:last] - low, 0.0, FADE) if first else np.full(len(part), FADE)
    if last < clip.frames:
        fade = np.minimum(fade, np.clip(high - clip.times[first:last], 0.0, FADE))
    share = fade / FADE
    q = np.array(clip.q)
    weight = share**2 * (3.0 - 2.0 * share)
    q[first:last] = manifold.plus(part, weight[:, None] * manifold.minus(made.q, part))
    return clip.with_q(q)
