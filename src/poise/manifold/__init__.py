"""Where motions live: rotations and the product manifold of a whole character.

Examples:
    >>> walk = poise.clips.get("walk")
    >>> manifold = walk.character.manifold
    >>> change = manifold.minus(walk.q[1], walk.q[0])
"""

from poise.manifold import so3
from poise.manifold.product import ProductManifold

__all__ = ["ProductManifold", "so3"]
