"""What a clip read from glTF remembers beyond its configurations: morph weights and animated scales."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from poise.arrays import Array, checked
from poise.errors import InputError
from poise.motion import Clip, Source


@dataclass(frozen=True)
class GltfPayload:
    """Kept in ``Source.payload``; tracks are sampled at the frames the clip had when it was read."""

    rate: Fraction
    start: float = 0.0
    """Time of the first frame in the file [s]."""
    weights: Array | None = None
    """Morph weights, (F, m)."""
    scales: Mapping[str, Array] = field(default_factory=dict)
    """Animated scale of bodies relative to rest, our axes, (F, 3)."""
    asset: Mapping[str, Any] = field(default_factory=dict)
    """Copyright and the like."""


def morph_weights(clip: Clip) -> Array:
    """Weights of the skin's morph targets at every frame, (F, m); zeros where nothing animates them.

    A clip resampled since it was read gets them interpolated at its own frame times.
    """
    skin = clip.character.skin
    count = len(skin.morphs) if skin is not None else 0
    payload = payload_of(clip)
    if payload is None or payload.weights is None or payload.weights.shape[1] != count:
        return np.zeros((clip.frames, count))
    return at_frames(payload.weights, payload.rate, clip)


def with_morph_weights(clip: Clip, weights: Any) -> Clip:
    """The same clip with other morph weights (F, m), to be written."""
    skin = clip.character.skin
    count = len(skin.morphs) if skin is not None else 0
    if not count:
        raise InputError(f"{clip.character.name!r} has no morph targets")
    values = checked(weights, "morph weights", (clip.frames, count))
    old = payload_of(clip) or GltfPayload(clip.rate)
    kept = {name: at_frames(s, old.rate, clip) for name, s in old.scales.items()}
    payload = GltfPayload(clip.rate, old.start, values, kept, old.asset)
    source = clip.source or Source(path="", format="gltf", up="y")
    return clip.replaced(source=Source(source.path, "gltf", source.unit, source.up, source.notes, payload))


def payload_of(clip: Clip) -> GltfPayload | None:
    """The clip's payload if it came from glTF."""
    payload = clip.source.payload if clip.source is not None else None
    return payload if isinstance(payload, GltfPayload) else None


def at_frames(values: Array, rate: Fraction, clip: Clip) -> Array:
    """Values (K, d) sampled at ``rate`` as they are at the clip's frames, (F, d)."""
    if len(values) == clip.frames and rate == clip.rate:
        return np.array(values)
    x = np.clip(clip.times * float(rate), 0, len(values) - 1)
    i = np.minimum(x.astype(np.int64), max(len(values) - 2, 0))
    j = np.minimum(i + 1, len(values) - 1)
    s = (x - i)[:, None]
    return np.asarray((1 - s) * values[i] + s * values[j])
