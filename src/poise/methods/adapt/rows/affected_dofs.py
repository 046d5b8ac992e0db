"""Which degrees of freedom a row feels, from the tree alone."""

from __future__ import annotations

from poise.arrays import IntArray
from poise.character import Character
from poise.manifold.product import ROTATION
from poise.methods.adapt.rows.kernels import BALL
from poise.methods.adapt.rows.rows import ALL, OWN, Block


def felt(block: Block, component: int, character: Character, local: IntArray) -> list[tuple[int, int]]:
    """Degrees of freedom that may move (then their rates) and are felt, with the ends that they carry."""
    a, b = block.ends[component]
    moving = int((local >= 0).sum())
    if a == ALL:  # and their rates, where it feels them
        return [(i, 1) for i in range(moving * (2 if block.rates else 1))]
    if b == OWN:
        span = character.dofs(a)
        own = list(range(span.start, span.stop))
        if block.kind[component] == BALL:
            blocks = character.bodies[a].joint.kind.blocks
            first = span.start + (0 if blocks[0] == ROTATION else blocks[0])
            own = [first, first + 1, first + 2]
        else:
            own = [span.start + int(block.what[component, 2])]
        return [(int(local[j]), 1) for j in own if local[j] >= 0]
    sides: dict[int, int] = {}
    for bit, body in ((1, a), (2, b)):
        while body >= 0:
            span = character.dofs(body)
            for j in range(span.start, span.stop):
                if local[j] >= 0:
                    sides[int(local[j])] = sides.get(int(local[j]), 0) | bit
            body = int(character.parents[body])
    return sorted(sides.items())
