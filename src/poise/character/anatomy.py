"""How far joints go in a person, for skeletons that say nothing of it.

Captures come without joint limits. Which joint is which is known by its role; the axes follow from the rest
pose: a bone's direction d, forward x (of a figure that faces another axis, that one), and

    an elbow bends about d × x, a knee about x × d; wrists, ankles and toes about the axis across bone and x.

A joint whose axes do not lie along those of its own frame (within 25°) is left without limits: they bound its
exponential coordinates one by one. Ranges are generous: a limit that a real motion crosses would do harm, one
that is 10° late does none; and twists and turns aside mix with a large bend in these coordinates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, frozen
from poise.character.character import Character
from poise.character.facing import quarter_heading
from poise.character.joint import JointKind
from poise.character.labels import roles
from poise.character.quarter_turn import turned_vector

NEVER = 1e9
"""A limit that is none [rad]."""
ALIGNED = 0.9
"""Cosine between an anatomical axis and one of the joint's own from which on they are the same."""


class _Range(NamedTuple):
    """Degrees about the bending axis, the bone, and the axis across both; by books, widened."""

    bend: tuple[float, float]
    twist: tuple[float, float]
    aside: tuple[float, float]


RANGES: dict[str, tuple[str, int, _Range]] = {
    "forearm": ("hand", 1, _Range((-8, 155), (-150, 150), (-90, 90))),
    "shin": ("foot", -1, _Range((-8, 160), (-90, 90), (-60, 60))),
    "hand": ("", 1, _Range((-90, 90), (-60, 60), (-60, 60))),
    "foot": ("toes", 1, _Range((-70, 70), (-50, 50), (-50, 50))),
    "toes": ("", 1, _Range((-70, 70), (-35, 35), (-35, 35))),
    "thigh": ("shin", 1, _Range((-60, 150), (-80, 80), (-80, 80))),
}
"""By role: where the bone leads, whether it bends towards the front (1) or the back (−1), and how far."""
TRUNK = {"spine": 60.0, "chest": 60.0, "neck": 70.0, "head": 80.0}
"""Degrees about any axis."""


def has_limits(character: Character) -> bool:
    """Whether any joint but the root says how far it goes."""
    rest = slice(character.dofs(0).stop, None)
    return bool(np.isfinite(character.lower[rest]).any() or np.isfinite(character.upper[rest]).any())


def felt_limits(character: Character) -> tuple[Array, Array]:
    """Lower and upper limits of all degrees of freedom, (nv,) each: the character's own, else assumed."""
    if has_limits(character):
        return character.lower, character.upper
    found = assumed_limits(character)
    return found.lower, found.upper


class Stopped(NamedTuple):
    """Limits as simulations take them."""

    lower: Array
    upper: Array
    """(nv,), ±``NEVER`` where there is none."""
    limited: NDArray[np.bool_]
    """Links of the tree that have any, (L,)."""


def stopped_joints(character: Character) -> Stopped | None:
    """The limits that joints feel, the root's apart; None where no joint has any."""
    lower, upper = felt_limits(character)
    has = np.isfinite(lower) | np.isfinite(upper)
    has[character.dofs(0)] = False
    if not has.any():
        return None
    low = np.where(has & np.isfinite(lower), lower, -NEVER)
    high = np.where(has & np.isfinite(upper), upper, NEVER)
    owner = np.searchsorted(character.tree.v_start, np.flatnonzero(has), side="right") - 1
    limited = np.zeros(len(character.tree.parent), dtype=np.bool_)
    limited[owner] = True
    return Stopped(frozen(low), frozen(high), limited)


class AssumedLimits(NamedTuple):
    """Limits by anatomical role."""

    lower: Array
    upper: Array
    joints: tuple[str, ...]
    """The joints that have any, by name."""


@lru_cache(maxsize=16)
def assumed_limits(character: Character) -> AssumedLimits:
    """Limits that a person's joints would have; none for joints without a role."""
    lower, upper = np.full(character.nv, -np.inf), np.full(character.nv, np.inf)
    known, limited = roles(character), []
    places, turns = character.rest_placement()
    quarters = quarter_heading(character) or 0
    for role, body in known.items():
        joint = character.bodies[body].joint
        if body == 0 or joint.kind not in (JointKind.BALL, JointKind.HINGE):
            continue
        span = character.dofs(body)
        if role in TRUNK:
            lower[span], upper[span] = -np.radians(TRUNK[role]), np.radians(TRUNK[role])
            limited.append(character.names[body])
            continue
        side, _, part = role.partition(" ")
        if part not in RANGES:
            continue
        leads, towards, ranges = RANGES[part]
        bone = _bone(character, body, known.get(f"{side} {leads}"), places, turns)
        if bone is None:
            continue
        own = turns[body].T if joint.kind is JointKind.BALL else np.asarray(joint.axis)[None] @ turns[body].T
        bounds = _bounds(bone, towards, ranges, own, quarters)
        if bounds is not None:
            lower[span], upper[span] = bounds
            limited.append(character.names[body])
    return AssumedLimits(frozen(lower), frozen(upper), tuple(limited))


def _bone(character: Character, body: int, next_: int | None, places: Array, turns: Array) -> Array | None:
    """Unit vector along the bone at rest, in the world."""
    ends = [places[next_]] if next_ is not None else []
    ends += [places[i] for i in character.subtree(body)[1:]]
    ends += [
        places[body] + turns[body] @ np.asarray(p.position)
        for p in character.points.values()
        if p.body == body
    ]
    for end in ends:
        way = end - places[body]
        size = float(np.linalg.norm(way))
        if size > 1e-6:
            return np.asarray(way / size)
    return None


def _bounds(
    bone: Array, towards: int, ranges: _Range, own: Array, quarters: int
) -> tuple[Array, Array] | None:
    """Lower and upper limits about the joint's own axes, the rows of ``own`` in the world; None: askew.

    The figure faces so many quarter turns to the left of x.
    """
    ahead = turned_vector([1.0, 0.0, 0.0], quarters)
    bend = np.cross(bone, towards * ahead)
    if np.linalg.norm(bend) < 0.3:  # a foot points ahead: it bends about the axis across
        bend = turned_vector([0.0, -1.0, 0.0], quarters)
    bend /= np.linalg.norm(bend)
    axes = {"bend": bend, "twist": bone, "aside": np.cross(bend, bone)}
    lower, upper = np.full(len(own), -np.inf), np.full(len(own), np.inf)
    for k, axis in enumerate(own):
        name = max(axes, key=lambda n: abs(float(axes[n] @ axis)))
        along = float(axes[name] @ axis)
        if abs(along) < ALIGNED:
            return None
        low, high = (np.radians(x) for x in getattr(ranges, name))
        lower[k], upper[k] = (low, high) if along > 0 else (-high, -low)
    return lower, upper
