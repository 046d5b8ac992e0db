"""Small glTF files made to order: chains of nodes n0, n1, …, and what is read of them."""

from __future__ import annotations

import numpy as np
from gltf_oracle import Maker

from poise.formats import gltf
from poise.manifold import so3

HALF = np.sqrt(0.5)


def chain(*nodes: dict) -> Maker:
    """Nodes hanging one from another."""
    maker = Maker()
    maker.content["nodes"] = [{"name": f"n{i}", **n} for i, n in enumerate(nodes)]
    for i in range(len(nodes) - 1):
        maker.content["nodes"][i]["children"] = [i + 1]
    maker.content["scenes"] = [{"nodes": [0]}]
    return maker


def load(maker: Maker, tmp_path, **options):
    """The clip of a file made to order, without masses."""
    return gltf.load(maker.write(tmp_path / "made.gltf"), mass=False, **options)


def angles(clip, body: int, axis) -> np.ndarray:
    """Rotation of a body's joint about an axis of ours [rad]."""
    return so3.log(clip.q[:, clip.character.coordinates(f"n{body}")][:, -4:]) @ np.asarray(axis)


def about_x(angle) -> np.ndarray:
    """Quaternions (x, y, z, w) of turns about x [rad]."""
    angle = np.asarray(angle, dtype=float)
    zero = np.zeros_like(angle)
    return np.stack([np.sin(angle / 2), zero, zero, np.cos(angle / 2)], axis=-1)
