"""What is done when a motion is exaggerated."""

from __future__ import annotations

from garden.exaggerate import Exaggerate
from poise.operations.result import Result
from poise.operations.situation import Situation


def exaggerate(asked: Exaggerate, at: Situation) -> Result:
    """q₀ ⊕ k (q ⊖ q₀): along the manifold, so that rotations stay rotations."""
    clip = at.motion
    space, first = clip.character.manifold, clip.q[0]
    return Result(clip.with_q(space.plus(first, asked.factor * space.minus(clip.q, first))))
