"""Rigid motions on the ground: G = (translation, yaw), x ↦ R_z(yaw) x + translation, from the left.

Only roots that can go anywhere take part: a free root wholly, a planar root by its translation in
x and z. Any other root is where it is, and its motions are left as they are.

``Travel`` stores one such motion; it is also a curve, since travel^k for any real k is defined
(a steady walk along a line or a circle).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.manifold import so3
from poise.motion.travel import Travel

FLAT = np.array([1.0, 1.0, 0.0])
"""Keeps what of a translation lies on the ground."""


def root_kind(character: Character) -> JointKind:
    """The kind of the root's joint."""
    return character.bodies[0].joint.kind


def about_vertical(yaw: ArrayLike) -> Array:
    """Quaternions (…, 4) of turns about z (…) [rad]."""
    half = 0.5 * np.asarray(yaw, dtype=np.float64)
    zero = np.zeros_like(half)
    return np.stack([np.cos(half), zero, zero, np.sin(half)], axis=-1)


def wrapped(angle: Array) -> Array:
    """The same angles in [−π, π]."""
    return np.asarray(angle - 2.0 * np.pi * np.rint(angle / (2.0 * np.pi)))


def moved(character: Character, q: Array, translation: Array, yaw: Array) -> Array:
    """Configurations (…, nq) with their roots moved, each by its own translation (…, 3) and yaw (…)."""
    kind = root_kind(character)
    if kind not in (JointKind.FREE, JointKind.PLANAR):
        return q
    lead = np.broadcast_shapes(q.shape[:-1], translation.shape[:-1], np.shape(yaw))
    out = np.array(np.broadcast_to(q, (*lead, q.shape[-1])))
    if kind is JointKind.PLANAR:
        out[..., 0] += translation[..., 0]
        out[..., 1] += translation[..., 2]
        return out
    turn = about_vertical(yaw)
    out[..., :3] = so3.rotate(turn, out[..., :3]) + translation
    out[..., 3:7] = so3.multiply(turn, out[..., 3:7])
    return out


def turned(character: Character, v: Array, yaw: ArrayLike) -> Array:
    """Velocities or tangent vectors (…, nv) of motions turned by ``yaw`` (…): linear parts turn along."""
    if root_kind(character) is not JointKind.FREE:
        return v
    turn = about_vertical(yaw)
    out = np.array(np.broadcast_to(v, (*np.broadcast_shapes(v.shape[:-1], turn.shape[:-1]), v.shape[-1])))
    out[..., :3] = so3.rotate(turn, out[..., :3])
    return out


def between(character: Character, start: Array, goal: Array) -> tuple[Array, Array]:
    """Translations (…, 3) and yaws (…) that bring the roots of ``start`` onto those of ``goal``.

    The yaw is the twist about z of goal · start⁻¹: of all turns about the vertical the one that
    leaves the smallest rotation between the two.
    """
    kind = root_kind(character)
    lead = np.broadcast_shapes(start.shape[:-1], goal.shape[:-1])
    shift, yaw = np.zeros((*lead, 3)), np.zeros(lead)
    if kind is JointKind.PLANAR:
        shift[..., 0] = goal[..., 0] - start[..., 0]
        shift[..., 2] = goal[..., 1] - start[..., 1]
    elif kind is JointKind.FREE:
        turn = so3.multiply(goal[..., 3:7], so3.conjugate(start[..., 3:7]))
        yaw = wrapped(2.0 * np.arctan2(turn[..., 3], turn[..., 0]))
        shift = goal[..., :3] - so3.rotate(about_vertical(yaw), start[..., :3])
    return shift, yaw


def taken_by(character: Character, travel: Travel) -> Travel:
    """What the character's root can do of a travel: planar roots do not turn, fixed ones stay."""
    match root_kind(character):
        case JointKind.FREE:
            return travel
        case JointKind.PLANAR:
            return Travel(np.asarray(travel.translation) * [1.0, 0.0, 1.0])
        case _:
            return Travel()


def inverse(travel: Travel) -> Travel:
    """The motion that undoes ``travel``."""
    turn = about_vertical(-travel.yaw)
    return Travel(-so3.rotate(turn, travel.translation), -travel.yaw)


def seen_from(placement: Travel, travel: Travel) -> Travel:
    """The travel of a loop after its placement P: P · travel · P⁻¹."""
    p, d = np.asarray(placement.translation), np.asarray(travel.translation)
    shift = so3.rotate(about_vertical(placement.yaw), d) + p - so3.rotate(about_vertical(travel.yaw), p)
    return Travel(shift, travel.yaw)
