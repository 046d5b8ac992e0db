"""Clips changed a little, and whether a document that was written has every joint where they have it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gltf_oracle import Oracle, ours

from poise.kinematics import forward


def shaken(clip, rng, size=0.05):
    """The same clip with every coordinate moved a little, differently at every frame."""
    manifold = clip.character.manifold
    return clip.with_q(manifold.plus(clip.q, size * rng.normal(size=(clip.frames, clip.character.nv))))


def assert_stands(path: Path, clip, animation: str, start: float = 0.0) -> None:
    """An independent reader finds every joint where the clip has it, at every frame."""
    oracle, where = Oracle(path), forward(clip.character, clip.q).positions
    height = np.ptp(where[..., 2])
    for k in range(clip.frames):
        world = oracle.world(oracle.animation(animation), np.float32(start + k / float(clip.rate)))
        for i, name in enumerate(clip.character.names):
            found = ours(world[oracle.node(name)][:3, 3])
            np.testing.assert_allclose(found, where[k, i], atol=1e-5 * height)
