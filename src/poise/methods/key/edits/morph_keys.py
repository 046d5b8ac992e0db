"""Keys of morph targets: the weights of a face, changed as joints are.

With b(t) a target's weight in the motion below and W_k its keys at t_k,

    add       w(t) = b(t) + δ(t),                   δ through W_k − b(t_k), zero a fade before and after
    override  w(t) = b(t) + s(t) (v(t) − b(t)),     v through W_k, s one between keys and zero a fade away
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from poise.arrays import Array
from poise.errors import InputError, UnknownNameError
from poise.manifold import ProductManifold
from poise.methods.key.edits.joint_keys import felt
from poise.methods.key.sheet import easing
from poise.motion import Clip
from poise.operations.retouch import MorphKey, Retouch

LINE = ProductManifold([1])
APART = 1e-6
"""Two keys of a target are further apart than this [s]."""


def keyed_morphs(asked: Retouch, clip: Clip) -> Array:
    """Weights of all morph targets at all frames, (F, m)."""
    names = clip.morph_names
    if not names:
        raise InputError(f"field 'morphs': {clip.name or 'this clip'} has no morph targets to key")
    out = np.zeros((clip.frames, len(names))) if clip.morphs is None else np.array(clip.morphs)
    for target in dict.fromkeys(name for key in asked.morphs for name in key.weights):
        if target not in names:
            raise UnknownNameError("morph target", target, names, where="morphs")
        keys = sorted((k for k in asked.morphs if target in k.weights), key=lambda k: k.time)
        for one, other in pairwise(keys):
            if other.time - one.time < APART:
                raise InputError(f"field 'morphs': {target!r} has two keys at {one.time:g} s")
        column = names.index(target)
        out[:, column] = _one(asked, clip, target, keys, out[:, column])
    return out


def _one(asked: Retouch, clip: Clip, target: str, keys: list[MorphKey], below: Array) -> Array:
    """One target's weights at all frames, (F,)."""
    own = np.array([key.time for key in keys])
    heights, eases = np.array([key.weights[target] for key in keys]), [key.ease for key in keys]
    span, fade, out = clip.frames * clip.dt, asked.fade, np.array(below)
    if clip.loop:  # over the seam, a fade ends at the latest at the key that is next there
        fade = min(fade, max(span - float(np.ptp(own)), APART))
    fade = felt(fade, own)
    under = np.interp(own, clip.times, below, period=span if clip.loop else None)
    for cycle in (0, 1, -1) if clip.loop else (0,):
        times = clip.times + cycle * span
        reached = (times > own[0] - fade) & (times < own[-1] + fade)
        at = times[reached]
        if asked.mode == "override":
            wanted = easing.interpolate(LINE, own, heights[:, None], eases, at)[:, 0]
            share = easing.smooth(1.0 - np.maximum(own[0] - at, at - own[-1]) / fade)
            out[reached] += share * (wanted - out[reached])
            continue
        moments = np.concatenate([[own[0] - fade], own, [own[-1] + fade]])
        change = np.concatenate([[0.0], heights - under, [0.0]])[:, None]
        out[reached] += easing.interpolate(
            LINE, moments, change, ["smooth", *eases[:-1], "smooth", "smooth"], at
        )[:, 0]
    return out
