"""Constraints as rows lower ≤ e ≤ upper, each with a weight: blocks of T times × D components.

A block is what one constraint asks for. Points, heights, distances and joint values become compiled rows;
any other handle is asked for its own batched value and Jacobian.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character, Point
from poise.constraints import At, Constraint
from poise.errors import InputError
from poise.handles import Distance, JointValue, On, PlaneDistance, PointDifference, PointPosition
from poise.handles.place import Place, point_of, rows
from poise.manifold.product import ROTATION
from poise.methods.adapt.rows.kernels import DISTANCE, JOINT, LINE, OTHER, PLAIN
from poise.motion import Clip

PER_SECOND = 120.0
"""A second of displacement counts as so many instants of a constraint."""
STRENGTH = 1e3
"""Price of an error of one metre at an instant, beside a displacement of the whole body by one metre."""
LEVER = {"m": 1.0, "rad": 0.3, "m/s": 0.1, "rad/s": 0.03}
"""Metres that an error of one unit counts as; other units: 1."""
ALL, OWN = -2, -3
"""Ends of rows that feel every degree of freedom, or only those of one joint."""
LIMITS = "joint limits"
"""Name of the block that no constraint stands for."""
CLASS = 0.1
"""Each lower priority pulls so much weaker, down to a hundredth."""


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of one requirement: T times × D components."""

    name: str
    times: Array
    """[s], increasing (T,)"""
    frames: IntArray
    """The frame at each time, −1 between frames (T,)."""
    kind: IntArray
    """(D,)"""
    what: IntArray
    """(D, 3)"""
    numbers: Array
    """(T or 1, D, 9)"""
    target: Array
    """(T, D)"""
    lower: Array
    """(T or 1, D)"""
    upper: Array
    weight: Array
    """(D,)"""
    lever: Array
    """Metres that one unit of error counts as (D,)."""
    tolerance: float = 0.0
    """Of instants, which are met exactly where they can be; 0 for intervals."""
    constraint: Constraint | None = None
    """Whose own code evaluates OTHER rows; for compiled rows, what they stand for."""
    ends: tuple[tuple[int, int], ...] = field(default=())
    """Bodies whose motion each component feels: a and b, −1 for none (D pairs)."""

    @property
    def held(self) -> bool:
        """Whether the rows hold something in its place over an interval, before all else."""
        c = self.constraint
        return c is not None and not isinstance(c.when, At) and c.equality and not c.priority

    @property
    def rates(self) -> bool:
        """Whether the rows feel velocities."""
        c = self.constraint
        return c is not None and int(self.kind[0]) == OTHER and (c.rate or c.handle.needs_velocity)


def block_of(constraint: Constraint, clip: Clip, *, strength: float = STRENGTH) -> Block:
    """The rows of a constraint on a clip."""
    character = clip.character
    dim = constraint.dim(character)
    handle = constraint.handle.bind(character)
    times = np.asarray(constraint.when.times(clip))
    frames = frames_at(clip, times)
    units = handle.units if not constraint.rate else tuple(f"{u}/s" for u in handle.units)
    lever = np.array([LEVER.get(u, 1.0) for u in units[:dim]])
    share = clip.dt * PER_SECOND if not isinstance(constraint.when, At) else 1.0
    pull = max(CLASS**constraint.priority, CLASS**2)
    weight = strength * share * pull * constraint.weight * lever**2
    made = _compiled(constraint, clip, times, dim)
    if made is None:
        blank = np.zeros((len(times), dim))
        made = (
            np.full(dim, OTHER),
            np.zeros((dim, 3), dtype=np.int64),
            np.zeros((1, dim, 9)),
            blank,
            ((ALL, ALL),) * dim,
        )
    kind, what, numbers, target, ends = made
    lower = np.broadcast_to(np.asarray(constraint.lower), (1, dim))
    upper = np.broadcast_to(np.asarray(constraint.upper), (1, dim))
    return Block(
        constraint.name, times, frames, kind, what, numbers, target, lower, upper, weight, lever,
        constraint.tolerance_for(character) if isinstance(constraint.when, At) else 0.0, constraint, ends,
    )  # fmt: skip


def frames_at(clip: Clip, times: Array) -> IntArray:
    """The frame at each time, −1 for times between frames or in later cycles of a loop."""
    at = times * clip.fps
    nearest = np.rint(at)
    hit = (
        (np.abs(at - nearest) < 1e-6 * np.maximum(1.0, np.abs(at))) & (nearest >= 0) & (nearest < clip.frames)
    )
    return np.where(hit, nearest, -1).astype(np.int64)


Made = tuple[IntArray, IntArray, Array, Array, tuple[tuple[int, int], ...]]


def _compiled(constraint: Constraint, clip: Clip, times: Array, dim: int) -> Made | None:
    """Kind, what, numbers, target and ends of compiled rows; None where the handle speaks for itself."""
    if constraint.rate:
        return None
    character, handle = clip.character, constraint.handle
    goal = (
        constraint.target.at(times, handle.between)
        if constraint.target.dim != -1
        else np.zeros((len(times), 1))
    )
    match handle:
        case PointPosition() if constraint.norm and handle.axes == "xyz":
            return _distance(point_of(character, handle.point), None, np.broadcast_to(goal, (len(times), 3)))
        case _ if constraint.norm:
            return None
        case PointPosition():
            return _lines(point_of(character, handle.point), None, np.eye(3)[rows(handle.axes)], goal)
        case PlaneDistance():
            normal = np.array(handle.normal)
            shift = goal + normal @ np.array(handle.through)
            return _lines(point_of(character, handle.point), None, normal[None], shift)
        case PointDifference(a=str() | On(), b=str() | On()):
            a, b = _point(character, handle.a), _point(character, handle.b)
            return _lines(b, a, np.eye(3)[rows(handle.axes)], goal)
        case Distance(a=str() | On(), b=str() | On()):
            a, b = _point(character, handle.a), _point(character, handle.b)
            kind, what, numbers, _, ends = _distance(b, a, np.zeros((1, 3)))
            return kind, what, numbers, np.broadcast_to(goal, (len(times), 1)), ends
        case JointValue():
            return _joint(character, handle, np.broadcast_to(goal, (len(times), dim)))
    return None


def _point(character: Character, place: Place) -> Point:
    if not isinstance(place, str | On):
        raise InputError(f"{place!r} is no point of the character")
    return point_of(character, place)


def _lines(a: Point, b: Point | None, directions: Array, target: Array) -> Made:
    count = len(directions)
    other = -1 if b is None else b.body
    numbers = np.zeros((1, count, 9))
    numbers[0, :, :3] = a.position
    if b is not None:
        numbers[0, :, 3:6] = b.position
    numbers[0, :, 6:] = directions
    what = np.tile(np.array([a.body, other, 0]), (count, 1))
    wanted = np.broadcast_to(target, (len(target), count))
    return np.full(count, LINE), what, numbers, wanted, ((a.body, other),) * count


def _distance(a: Point, b: Point | None, offset: Array) -> Made:
    """|x_a − x_b − offset|, one offset (T or 1, 3) for each time."""
    other = -1 if b is None else b.body
    numbers = np.zeros((len(offset), 1, 9))
    numbers[:, 0, :3] = a.position
    if b is not None:
        numbers[:, 0, 3:6] = b.position
    numbers[:, 0, 6:] = offset
    what = np.array([[a.body, other, 0]])
    return np.full(1, DISTANCE), what, numbers, np.zeros((len(offset), 1)), ((a.body, other),)


def _joint(character: Character, handle: JointValue, target: Array) -> Made:
    kind, what, numbers, ends = joint_rows(character, character.index(handle.joint))
    keep = list(range(len(kind))) if handle.components is None else list(handle.components)
    return kind[keep], what[keep], numbers[None, keep], target, tuple(ends[k] for k in keep)


def joint_rows(
    character: Character, body: int, centre: Array | None = None
) -> tuple[IntArray, IntArray, Array, tuple[tuple[int, int], ...]]:
    """Exponential coordinates of one joint about a centre (the neutral pose): kind, what, numbers, ends."""
    kinds: list[int] = []
    what: list[tuple[int, int, int]] = []
    q, at = character.coordinates(body).start, 0
    neutral = np.array([1.0, 0.0, 0.0, 0.0]) if centre is None else centre
    for size in character.bodies[body].joint.kind.blocks:
        if size == ROTATION:
            kinds += [JOINT] * 3
            what += [(q + at, body, k) for k in range(3)]
            at += 4
        else:
            kinds += [PLAIN] * size
            what += [(q + at + k, body, k) for k in range(size)]
            at += size
    numbers = np.zeros((len(kinds), 9))
    numbers[:, :4] = neutral
    ends = tuple((body, OWN) for _ in kinds)
    return np.array(kinds), np.array(what), numbers, ends
