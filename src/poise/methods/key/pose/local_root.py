"""Limited changes: which joints may move when one node is dragged about a local root.

A joint's node is its body. With the local root R', the dragged node D and paths in the tree:

    P_m = D … R';     N is included  ⇔  the path N … R' shares a node other than R' with P_m

so the included nodes are those that hang together with D once R' is taken away. R' itself is included where
it lies on the way from them to the actual root R: its joint is then the pivot about which they turn. Else the
included nodes reach to R, and it is R' whose side stays: seen from there the actual root is a node as others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.character import Character, JointKind
from poise.errors import InputError

_SLIDES = {JointKind.FREE: 3, JointKind.PLANAR: 2, JointKind.SLIDE: 1}
"""How many of a joint's degrees of freedom, its first, are translations."""


def included(character: Character, root: str, dragged: str) -> NDArray[np.bool_]:
    """(n,): the bodies whose joints may move when ``dragged``, a body or point, is dragged about ``root``."""
    r, d = character.index(root), character.point(dragged).body
    if r == d:
        raise InputError(
            f"{dragged!r} lies on the local root {root!r}: drag something that can move about it"
        )
    beside: list[list[int]] = [[] for _ in character.bodies]
    for i, up in enumerate(character.parents.tolist()):
        if up >= 0:
            beside[i].append(up)
            beside[up].append(i)
    found = np.zeros(len(character.bodies), dtype=np.bool_)
    found[d] = True
    waiting = [d]
    while waiting:
        for neighbour in beside[waiting.pop()]:
            if neighbour != r and not found[neighbour]:
                found[neighbour] = True
                waiting.append(neighbour)
    found[r] = not found[0]  # the actual root, body 0, is on the other side of R', or is R'
    return found


def free_joints(character: Character, root: str, dragged: str) -> NDArray[np.bool_]:
    """(nv,): the degrees of freedom of the included joints, without any translation of the actual root."""
    free = included(character, root, dragged)[character.dof_body]
    free[root_translation(character)] = False
    return free


def root_translation(character: Character) -> slice:
    """Where the actual root's translations lie in v."""
    return slice(0, _SLIDES.get(character.bodies[0].joint.kind, 0))
