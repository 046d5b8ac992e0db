"""Posture: how dearly each joint parts from the desired pose, and how limbs keep from being dead straight.

The trunk leads, limbs follow. A joint that carries a good part of the body's mass, and the root's own
orientation, are dear; limbs are cheap. (With one weight for all, a body sinks by bowing: the spine is one
joint, and two legs would have to bend six.)

A limb is told by where it points and how much it is bent, not by its upper bone (``limb``): where the pose
asks for a thigh that hangs, a foot led forwards would have the knee straight, since a bent one lifts the
thigh more.

A straight limb is a trap. To first order no bending of the knee brings hip and foot together, so to a solver
a straight leg is as good as rigid, and one bent the wrong way as good as one bent the right way. Hinges that
bend one way only (a knee, an elbow) on a limb that is held are therefore kept three degrees short of
straight, which costs 0.3 mm of a leg's length, and a drag that misses starts anew with hinges well inside
their limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array, IntArray, frozen
from poise.character import Character, JointKind
from poise.handles import Handle
from poise.kinematics import Kinematics
from poise.manifold import so3

LIGHT, DEAR = 0.1, 3.0
"""Weights of the pose against soft tasks of weight 1 [rad⁻², m⁻²]."""
PART = 0.25
"""A joint that carries more than this part of the mass is dear."""
EASE, SOFT = 0.05, 0.08
"""How far one-way hinges keep from straight [rad]: in a solution, and in what is desired."""
ONE_WAY = 0.2
"""Hinges that go no farther than this beyond straight [rad] bend one way."""
LEAST = 0.5
"""Where carrying joint and bend turn the same way so far that a limb might come half a turn from the desired
one, where rotations have their cut, the bend counts less, but by this part at least."""
ASKEW = 0.2
"""Hinges that have less than this part of a bone across their axis twist it rather than bend the limb."""
BEND = 0.3
"""How far inside its limits a start has each hinge [rad], at most a quarter of its range."""


@lru_cache(maxsize=16)
def posture_weights(character: Character) -> Array:
    """Weights of the desired pose (nv,), read-only."""
    weights = np.full(character.nv, LIGHT)
    masses = np.array([body.mass.mass for body in character.bodies])
    for i, body in enumerate(character.bodies):
        carried = masses[character.subtree(i)].sum()
        turning = [dof for dof in range(*character.dofs(i).indices(character.nv)) if _turns(character, dof)]
        if body.joint.kind is not JointKind.SLIDE and carried > PART * character.total_mass > 0.0:
            weights[turning] = DEAR
    return frozen(weights)


def _turns(character: Character, dof: int) -> bool:
    """Whether a degree of freedom of a body is a rotation; the root's translations are not."""
    return not character.dof_names[dof].endswith((".x", ".y", ".z"))


class Limbs(NamedTuple):
    """Hinges whose bending swings the limb that a joint before them carries; read-only, over B limbs."""

    hinge: IntArray
    hinge_place: IntArray
    """Degree of freedom and coordinate, (B,)."""
    carrier: IntArray
    place: IntArray
    parts: IntArray
    """The carrying joint's first degree of freedom and coordinate, and how many degrees of freedom it has
    (1: a hinge, 3: a ball), (B,)."""
    axis: Array
    """The hinge's axis in the carrying joint's frame, as long as the share of the bend that counts; its part
    along the carrying axis where that is a hinge, (B, 3)."""
    before: Array
    after: Array
    """Lengths of the bones before and after the hinge, across its axis [m], (B,)."""
    straight: Array
    """Added to the hinge's angle it gives the angle between the bones [rad], (B,)."""


class Posture(NamedTuple):
    """How dearly each degree of freedom parts from the desired pose, and which belong to one limb."""

    weights: Array
    """(nv,)"""
    limbs: Limbs


@lru_cache(maxsize=16)
def posture(character: Character) -> Posture:
    """Dear trunk, cheap limbs, and each limb judged as a whole."""
    return Posture(posture_weights(character), limbs_of(character))


def limbs_of(character: Character, *, whole: bool = True) -> Limbs:
    """All limbs with a hinge that bends one way; none where joints are judged one by one, not ``whole``."""
    found: list[tuple[tuple[int, ...], Array, tuple[float, ...]]] = []
    for i, way in _one_way(character) if whole else []:
        body, up = character.bodies[i], int(character.parents[i])
        carrier = character.bodies[up].joint
        tips = [np.asarray(b.offset) for b in character.bodies if b.parent == body.name]
        if up < 0 or not tips or carrier.kind not in (JointKind.BALL, JointKind.HINGE):
            continue
        turn = so3.to_matrix(body.rest)
        axis, before = turn @ np.asarray(body.joint.axis), np.asarray(body.offset)
        after = turn @ max(tips, key=lambda tip: float(np.linalg.norm(tip)))
        flat = [bone - axis * (axis @ bone) for bone in (before, after)]
        m, n = (float(np.linalg.norm(bone)) for bone in flat)
        if m < ASKEW * np.linalg.norm(before) or n < ASKEW * np.linalg.norm(after) or not m * n > 0.0:
            continue
        straight = float(np.arctan2(axis @ np.cross(flat[0], flat[1]), flat[0] @ flat[1]))
        if carrier.kind is JointKind.HINGE:
            axis = np.array([axis @ np.asarray(carrier.axis), 0.0, 0.0])
        else:
            axis = _share(character, i, way, axis, m, n) * axis
        places = [character.dofs(i), character.coordinates(i), character.dofs(up), character.coordinates(up)]
        parts = 3 if carrier.kind is JointKind.BALL else 1
        found.append(((*(p.start for p in places), parts), axis, (m, n, straight)))
    places_of = np.array([f[0] for f in found], dtype=np.int64).reshape(-1, 5)
    sizes = np.array([f[2] for f in found]).reshape(-1, 3)
    hinge, hinge_place, first, place, count = (frozen(column, dtype=np.int64) for column in places_of.T)
    axes = frozen(np.array([f[1] for f in found]).reshape(-1, 3))
    return Limbs(hinge, hinge_place, first, place, count, axes, *(frozen(column) for column in sizes.T))


def _share(character: Character, i: int, way: int, axis: Array, m: float, n: float) -> float:
    """Of a bend that counts: less where it goes on from the carrying ball's own range to half a turn."""
    own, hinge = character.dofs(int(character.parents[i])), character.dofs(i).start
    most = min(abs(float((character.upper if way > 0 else character.lower)[hinge])), 2.8)  # short of folded
    room = np.pi - sum(
        max(a * low, a * high)
        for a, low, high in zip(way * axis, character.lower[own], character.upper[own])
        if a != 0.0
    )
    return float(np.clip(room / np.arctan2(n * np.sin(most), m + n * np.cos(most)), LEAST, 1.0))


class Supple:
    """A character whose one-way hinges, on limbs that handles hold, are kept from straight."""

    def __init__(self, character: Character, held: Sequence[Handle]) -> None:
        felt = np.zeros(character.nv, dtype=bool)
        kin = Kinematics(character, limber(character, character.rest_pose()))
        for handle in held:
            felt |= (np.abs(handle.bind(character).jacobian(kin)[0]) > 1e-9).any(axis=0)
        self.hinges = [(i, way) for i, way in _one_way(character) if felt[character.dofs(i).start]]
        bodies = list(character.bodies)
        for i, way in self.hinges:
            joint = bodies[i].joint
            joint = replace(joint, lower=EASE) if way > 0 else replace(joint, upper=-EASE)
            bodies[i] = bodies[i].replaced(joint=joint)
        self.character = character.with_bodies(bodies) if self.hinges else character
        """Solve for this one: every index is the same."""

    def softened(self, q: ArrayLike) -> Array:
        """Poses (…, nq) with those hinges bent by SOFT at least.

        Beyond 2 SOFT nothing changes. Below, the slope goes from 1 to 0 as a smooth step does: four times
        differentiable, which momentum in flight cares for.
        """
        out = np.array(q, dtype=np.float64)
        for i, way in self.hinges:
            span = self.character.coordinates(i)
            u = np.clip(way * out[..., span] / (2.0 * SOFT), 0.0, 1.0)
            soft = SOFT + 2.0 * SOFT * u**5 * (7.0 - u * (14.0 - u * (10.0 - 2.5 * u)))
            out[..., span] = np.where(u < 1.0, way * soft, out[..., span])
        return out


def _one_way(character: Character) -> list[tuple[int, int]]:
    """Bodies on hinges that bend one way, and which: 1 or −1."""
    found = []
    for i, body in enumerate(character.bodies):
        if body.joint.kind is JointKind.HINGE:
            dof = character.dofs(i).start
            low, high = float(character.lower[dof]), float(character.upper[dof])
            if -ONE_WAY <= low <= EASE and high > 1.0:
                found.append((i, 1))
            elif -EASE <= high <= ONE_WAY and low < -1.0:
                found.append((i, -1))
    return found


def limber(
    character: Character, q: ArrayLike, free: NDArray[np.bool_] | None = None, *, bend: float = BEND
) -> Array:
    """Poses (…, nq) to start from: every hinge that is ``free`` (nv,) to move is well inside its limits."""
    out = np.array(q, dtype=np.float64)
    for i, body in enumerate(character.bodies):
        dof = character.dofs(i).start
        if body.joint.kind is JointKind.HINGE and (free is None or free[dof]):
            low, high = float(character.lower[dof]), float(character.upper[dof])
            room = min(bend, 0.25 * (high - low))
            span = character.coordinates(i)
            out[..., span] = np.clip(out[..., span], low + room, high - room)
    return out
