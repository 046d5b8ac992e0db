"""Where motions live: rotations and the product manifold of a whole character."""

from poise.manifold import so3
from poise.manifold.product import ProductManifold

__all__ = ["ProductManifold", "so3"]
