"""Manifolds are equal if they are made of the same blocks, and equal to nothing else."""

from __future__ import annotations

from poise.manifold import ProductManifold
from poise.manifold.product import ROTATION


def test_equal_blocks_make_equal_manifolds():
    a, b, c = ProductManifold([3, ROTATION]), ProductManifold([3, ROTATION]), ProductManifold([ROTATION, 3])
    assert a == b
    assert hash(a) == hash(b)
    assert a != c
    assert a != a.blocks
    assert a != "manifold"
