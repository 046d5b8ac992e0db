"""Constraints as rows lower ≤ e ≤ upper, each with a weight: blocks of T times × D components.

A block is what one constraint asks for. Handles whose form is a point, a height, a distance or a joint become
compiled rows; any other is asked for its own batched value and Jacobian.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character, Point
from poise.constraints import At, Constraint
from poise.handles.form import DISTANCE, JOINT, PLANE, POINT, Form
from poise.manifold.product import ROTATION
from poise.methods.adapt.rows.kernels import BALL, LENGTH, LINE, OTHER, PLAIN
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
    character, handle = clip.character, constraint.handle.bind(clip.character)
    form = handle.form(character)
    if form is None:
        return None
    goal = (
        constraint.target.at(times, handle.between)
        if constraint.target.dim != -1
        else np.zeros((len(times), 1))
    )
    if form.kind == JOINT and not constraint.norm:
        return _joint(character, form, np.broadcast_to(goal, (len(times), dim)))
    ends = _ends(form)
    if ends is None:
        return None
    a, b, sign, constant = ends
    if constraint.norm:
        whole = form.kind == POINT and list(form.index or ()) == [0, 1, 2]
        return _distance(a, b, sign * (goal - constant) + np.zeros((len(times), 3))) if whole else None
    if form.kind == DISTANCE:
        kind, what, numbers, _, felt = _distance(a, b, -sign * constant[None])
        return kind, what, numbers, np.broadcast_to(goal, (len(times), 1)), felt
    directions = form.normal[None] if form.kind == PLANE else np.eye(3)[list(form.index or ())]
    return _lines(a, b, sign * directions, goal - directions @ constant)


def _ends(form: Form) -> tuple[Point, Point | None, float, Array] | None:
    """Points a and b, s and c, so that the span is s (x_a − x_b) + c; None: no end is the character's."""
    if form.kind not in (POINT, PLANE, DISTANCE) or form.span is None:
        return None
    plus, minus, constant = form.span
    if plus is not None:
        return plus, minus, 1.0, constant
    return None if minus is None else (minus, None, -1.0, constant)


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
    return np.full(1, LENGTH), what, numbers, np.zeros((len(offset), 1)), ((a.body, other),)


def _joint(character: Character, form: Form, target: Array) -> Made:
    kind, what, numbers, ends = joint_rows(character, form.body)
    keep = [dof - character.dofs(form.body).start for dof in form.index or ()]
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
            kinds += [BALL] * 3
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
