"""Limb joints: hinges and slides that meet in a point act as one joint.

Robots and MuJoCo's humanoids have shoulders of three hinges, hips of three, ankles of two. What turns is
the *limb joint*: all of them together. The hinges of a chain belong together while

    one point x is near all their axes (the least Σ |(1 − a aᵀ)(x − o)|²), and no axis is along the others.

A hinge that rolls about the bone beyond another (an elbow, a wrist that turns) is not one of them. Slides
join where they begin at the same place. The point is the joint's centre; its last body carries the limb.
Every other body is a limb joint by itself, its centre its own origin.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, frozen
from poise.character.character import Character
from poise.character.joint import JointKind

NEAR = 0.025
"""How far an axis may pass from the centre, in sizes of the figure: 3 cm of a small robot, whose motors
stand beside each other."""
ALONG = 0.8
"""Cosine of the angle to the span of the others from which on an axis adds nothing that they lack."""
SAME = 1e-3
"""Slides begin where the next joint is, in sizes of the figure."""
_MOST = 6
"""Three hinges and three slides at most."""
_SINGLE = (JointKind.HINGE, JointKind.SLIDE)


class LimbJoint(NamedTuple):
    """One joint of a limb, of one body or several."""

    bodies: tuple[int, ...]
    """From the first to the one that carries the limb."""
    centre: Array
    """About which it turns, in the frame of its last body [m], (3,)."""
    at: int
    """The body whose origin is at the centre, the last of them; of motors beside each other the nearest."""

    @property
    def body(self) -> int:
        """The body that it moves in every way it can."""
        return self.bodies[-1]


@lru_cache(maxsize=32)
def limb_joints(character: Character) -> tuple[LimbJoint, ...]:
    """The limb joint of every body, (n,)."""
    places, turns = character.rest_placement()
    size = float(np.ptp(places, axis=0).max()) or 1.0
    found: list[LimbJoint | None] = [None] * len(character.bodies)
    for i in range(len(character.bodies)):
        if found[i] is not None:
            continue
        chain, centre = [i], np.asarray(places[i])
        for _ in range(_MOST):
            below = _next(character, chain[-1])
            if below < 0 or _helps_below(character, chain[-1], below, SAME * size):
                break
            met = _meeting(character, [*chain, below], size)
            if met is None:
                break
            chain, centre = [*chain, below], met
        last = chain[-1]
        own = turns[last].T @ (centre - places[last]) if len(chain) > 1 else np.zeros(3)
        away = np.linalg.norm(places[chain] - centre, axis=1)
        nearest = chain[int(np.flatnonzero(away <= max(NEAR * size, float(away.min())))[-1])]
        joint = LimbJoint(tuple(chain), np.asarray(frozen(own)), nearest)
        for body in chain:
            found[body] = joint
    return tuple(joint for joint in found if joint is not None)


def centres(character: Character, positions: Array, rotations: Array) -> Array:
    """Centres of the limb joints of all bodies (F, n, 3), from the bodies' places and turns."""
    made = np.array(positions)
    for i, joint in enumerate(limb_joints(character)):
        if len(joint.bodies) > 1:
            made[:, i] = positions[:, joint.body] + rotations[:, joint.body] @ joint.centre
    return made


def _next(character: Character, body: int) -> int:
    """The one body that hangs from another, where both turn or slide about one axis; −1 for none."""
    children = character.children[body]
    if len(children) != 1 or character.bodies[body].joint.kind not in _SINGLE:
        return -1
    return children[0] if character.bodies[children[0]].joint.kind in _SINGLE else -1


def _touch(character: Character, first: int, second: int, near: float) -> bool:
    places = character.rest_placement().positions
    return bool(np.linalg.norm(places[first] - places[second]) <= near)


def _helps_below(character: Character, first: int, body: int, near: float) -> bool:
    """Whether a body stands apart from ``first`` and only turns the one that begins where it does itself."""
    if _touch(character, first, body, near) or character.bodies[body].mass.mass > 0:
        return False
    below = _next(character, body)
    return below >= 0 and _touch(character, body, below, near)


def _meeting(character: Character, chain: list[int], size: float) -> Array | None:
    """The point (3,) in which the axes of a chain meet at rest; None where they do not."""
    places, turns = character.rest_placement()
    hinges = [i for i in chain if character.bodies[i].joint.kind is JointKind.HINGE]
    slides = len(chain) - len(hinges)
    if len(hinges) > 3 or slides > 3:
        return None
    if slides and np.ptp(places[chain], axis=0).max() > SAME * size:
        return None
    if len(hinges) < 2:
        return np.asarray(places[chain[-1]]) if slides else None
    axes = np.array([turns[i] @ np.asarray(character.bodies[i].joint.axis) for i in hinges])
    span = np.linalg.qr(axes[:-1].T)[0]
    if float(np.linalg.norm(span.T @ axes[-1])) > (ALONG if len(hinges) < 3 else 1.0 - 1e-3):
        return None
    way = places[hinges[1]] - places[hinges[0]]
    if len(hinges) == 2 and abs(way @ axes[1]) > max(ALONG * np.linalg.norm(way), SAME * size):
        return None  # a roll beyond a hinge is the joint below: an elbow, and a wrist that turns
    across = np.eye(3) - axes[:, :, None] * axes[:, None]  # (k, 3, 3)
    origins = places[hinges]
    # Where two axes leave a direction open, the centre is as near to the joints as it can be.
    left = across.sum(axis=0) + 1e-3 * np.eye(3)
    right = np.einsum("kij,kj->i", across, origins) + 1e-3 * origins.mean(axis=0)
    centre = np.linalg.solve(left, right)
    off = np.linalg.norm(np.einsum("kij,kj->ki", across, centre - origins), axis=1)
    return np.asarray(centre) if float(off.max()) <= NEAR * size else None
