"""Poses that do tasks: least squares in every frame, all frames at once.

    min  Σ wₖ |rₖ(q)|² + Σ wⱼ |q ⊖ q_ref|²ⱼ

over the degrees of freedom that may move, by damped Gauss–Newton steps q ← q ⊕ δ with batches of small
systems. Places, turns and directions are told frame by frame; weights too, so that a foot is held while it
stands and is led while it swings. Limits of joints are rows once they are passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character, JointKind
from poise.kinematics import Kinematics
from poise.kinematics.jacobians import angular_jacobians, point_jacobians
from poise.manifold import so3

LIMIT = 300.0
"""Weight of what is beyond a limit."""
SHY = 0.03
"""How far before a limit joints stop [rad], where their range is wide enough."""
LONGEST = 0.5
"""Longest step of a joint [rad, m of a body of 1.75 m]."""
DONE, NEARLY = 1e-5, 1e-3
"""Steps this short are none; nor, of poses that are only on the way to others, these [rad, m]."""
MOST_STEPS = 40
"""Of the search for a pose, which settles in a dozen."""
BETWEEN = 30
"""Frames between two jumps that belong to them."""
UNEVEN = 0.12
"""Joints that change their speed by more from frame to frame took another way [rad, m]."""


@dataclass(frozen=True, eq=False)
class PlaceTask:
    """A point of a body is at places (F, 3), with weights (F,) along each axis (or (F, 3))."""

    body: int
    place: Array
    target: Array
    weight: Array


@dataclass(frozen=True, eq=False)
class ApartTask:
    """A point of one body stays where it is seen from another (3,): a foot that hangs from no shin."""

    body: int
    place: Array
    other: int
    seen: Array
    weight: float


@dataclass(frozen=True, eq=False)
class TurnTask:
    """A body is turned by rotations (F, 3, 3), with weights (F,)."""

    body: int
    target: Array
    weight: Array


@dataclass(frozen=True, eq=False)
class DirectionTask:
    """A point of one body is seen from a point of another in directions (F, 3)."""

    start: int
    end: int
    target: Array
    weight: Array
    at: Array = field(default_factory=lambda: np.zeros(3))
    """The point at the end, in its body [m]."""


@dataclass(frozen=True, eq=False)
class CentreTask:
    """The centre of mass is at places (F, 3), with weights (F, 3)."""

    target: Array
    weight: Array


Task = PlaceTask | TurnTask | DirectionTask | CentreTask | ApartTask


@dataclass(frozen=True, eq=False)
class Posture:
    """The pose that joints keep to, and how dearly."""

    reference: Array
    """(F, nq) or (1, nq)"""
    weight: Array
    """By degree of freedom (nv,)."""
    moves: IntArray
    """Degrees of freedom that may change."""


def posed(
    character: Character,
    start: Array,
    tasks: Sequence[Task],
    posture: Posture,
    *,
    most: int = MOST_STEPS,
    frames: IntArray | None = None,
    done: float = DONE,
) -> Array:
    """Poses (F, nq) that do tasks as well as they can be done together, from poses to start from.

    ``frames``: those that are sought; the others stay. ``done``: steps this short are none."""
    q = np.array(start)
    bounds = _Limits(character, posture.moves)
    left = np.arange(len(q)) if frames is None else frames
    damping = np.full(len(left), 1e-6)
    h, g, cost = _system(character, q[left], tasks, posture, bounds, left)
    for _ in range(most):
        m = h.shape[1]
        damped = h.copy()
        damped[:, range(m), range(m)] *= 1.0 + damping[:, None]
        step = np.linalg.solve(damped, g[..., None])[..., 0]
        size = np.abs(step).max(axis=1)
        step *= np.minimum(1.0, LONGEST / np.maximum(size, 1e-12))[:, None]
        whole = np.zeros((len(left), character.nv))
        whole[:, posture.moves] = step
        trial = character.manifold.plus(q[left], whole)
        new, then, after = _system(character, trial, tasks, posture, bounds, left)
        better = after <= cost * (1 + 1e-12)
        q[left[better]] = trial[better]
        damping = np.where(better, np.maximum(damping * 0.1, 1e-9), np.minimum(damping * 10.0 + 1e-5, 1e4))
        h, g = np.where(better[:, None, None], new, h), np.where(better[:, None], then, g)
        cost = np.where(better, after, cost)
        goes = (size > done) & (damping < 1e4)
        if not goes.any():
            break
        left, h, g, cost, damping = left[goes], h[goes], g[goes], cost[goes], damping[goes]
    return q


def evenly_posed(
    character: Character,
    start: Array,
    tasks: Sequence[Task],
    posture: Posture,
    *,
    tries: int = 3,
    done: float = DONE,
) -> Array:
    """As ``posed``; frames that found another way to do their tasks than those around them try again from
    there, until none does or the same ones do again."""
    q = posed(character, start, tasks, posture, done=done)
    tried = np.zeros(0, np.int64)
    for _ in range(tries):
        v = character.manifold.minus(q[1:], q[:-1])
        odd = np.zeros(len(q), bool)
        odd[1:-1] = np.abs(np.diff(v, axis=0)).max(axis=1) > UNEVEN
        odd[1:-1] |= odd[2:] | odd[:-2]
        edges = np.flatnonzero(odd)
        for a, b in pairwise(edges):  # what lies between two jumps is on the other way, too
            odd[a : b + 1] |= b - a < BETWEEN
        if not odd.any() or odd.mean() > 0.5:
            break
        rows = np.flatnonzero(odd)
        if np.array_equal(rows, tried):
            break
        tried = rows
        fine = np.flatnonzero(~odd)
        first = fine[np.clip(np.searchsorted(fine, rows) - 1, 0, len(fine) - 1)]
        last = fine[np.clip(np.searchsorted(fine, rows), 0, len(fine) - 1)]
        share = np.clip((rows - first) / np.maximum(last - first, 1), 0.0, 1.0)
        q[rows] = character.manifold.interpolate(q[first], q[last], share)
        q = posed(character, q, tasks, posture, frames=rows, done=done)
    return q


class _Limits:
    """Ranges of joints, as rows for what is beyond them."""

    def __init__(self, character: Character, moves: IntArray) -> None:
        self.character, self.moves = character, moves
        bounded = np.isfinite(character.lower[moves])
        low, high = character.lower[moves], character.upper[moves]
        with np.errstate(invalid="ignore"):
            shy = np.where(bounded, np.minimum(SHY, 0.1 * (high - low)), 0.0)
        self.low, self.high = low + shy, high - shy
        self.any = bool(bounded.any())
        where = {int(d): k for k, d in enumerate(moves)}
        self.balls = [
            np.array([where[d] for d in range(span.start, span.stop)])
            for i, body in enumerate(character.bodies)
            if body.joint.kind is JointKind.BALL
            and (span := character.dofs(i)).start in where
            and np.isfinite(character.lower[span]).any()
        ]

    def add(self, q: Array, h: Array, g: Array) -> Array:
        """Put what is beyond into normal matrices (F, m, m) and right sides (F, m); its cost (F,).

        Of a ball, coordinates r = log Q change by J_r⁻¹(r) δ.
        """
        if not self.any:
            return np.zeros(len(q))
        at = exponential(self.character, q)[:, self.moves]
        beyond = np.maximum(at - self.high, 0.0) + np.minimum(at - self.low, 0.0)
        on = beyond != 0
        own = np.full(at.shape[1], True)
        for ball in self.balls:
            own[ball] = False
            rows = np.flatnonzero(on[:, ball].any(axis=1))
            if not len(rows):
                continue
            j = so3.right_jacobian_inverse(at[np.ix_(rows, ball)]) * on[np.ix_(rows, ball)][:, :, None]
            block = LIMIT * j.transpose(0, 2, 1) @ j
            h[rows[:, None, None], ball[None, :, None], ball[None, None, :]] += block
            g[rows[:, None], ball[None]] -= LIMIT * np.einsum("fij,fi->fj", j, beyond[np.ix_(rows, ball)])
        k = np.flatnonzero(own)
        h[:, k, k] += LIMIT * on[:, k]
        g[:, k] -= LIMIT * beyond[:, k]
        return np.asarray(LIMIT * (beyond * beyond).sum(axis=1))


def exponential(character: Character, q: Array) -> Array:
    """Exponential coordinates of joints from the neutral pose (F, nv)."""
    return np.asarray(character.manifold.minus(q, np.broadcast_to(character.manifold.neutral(), q.shape)))


_System = tuple[Array, Array, Array]


def _system(
    character: Character,
    q: Array,
    tasks: Sequence[Task],
    posture: Posture,
    limits: _Limits,
    frames: IntArray,
) -> _System:
    """Normal matrices (N, m, m), right sides (N, m) and costs (N,) of poses q of N frames."""
    kin, moves = Kinematics(character, q), posture.moves
    count, m = len(q), len(moves)
    reference = posture.reference[frames] if len(posture.reference) > 1 else posture.reference
    off = character.manifold.minus(np.broadcast_to(reference, q.shape), q)[:, moves]
    own = posture.weight[moves]
    h = np.broadcast_to(np.diag(own), (count, m, m)).copy()
    g = off * own
    cost = (off * g).sum(axis=1)
    rows, residuals = [], []
    for task, (r, j) in zip(tasks, _rows(character, kin, tasks, frames)):
        weight = np.sqrt(_told(np.asarray(task.weight, dtype=np.float64), frames))
        weight = np.broadcast_to(weight[..., None] if weight.ndim < 2 else weight, r.shape)
        residuals.append(r * weight)
        rows.append(j[:, :, moves] * weight[..., None])
    if rows:
        jacobian, r = np.concatenate(rows, axis=1), np.concatenate(residuals, axis=1)
        h += jacobian.transpose(0, 2, 1) @ jacobian
        g += np.einsum("frm,fr->fm", jacobian, r)
        cost = cost + (r * r).sum(axis=1)
    cost = cost + limits.add(q, h, g)
    return h, g, cost


def _told(values: Array, frames: IntArray) -> Array:
    """What is told of frames; the same for all where it is told once."""
    return values[frames] if values.ndim and len(values) > 1 else values


def _rows(
    character: Character, kin: Kinematics, tasks: Sequence[Task], frames: IntArray
) -> list[tuple[Array, Array]]:
    """What is missing (N, r) and its Jacobian (N, r, nv), of every task."""
    bodies: list[int] = []
    places: list[Array] = []
    turning: list[int] = []
    for task in tasks:
        if isinstance(task, PlaceTask):
            bodies.append(task.body)
            places.append(task.place)
        elif isinstance(task, ApartTask):
            bodies += [task.body, task.other]
            places += [task.place, task.seen]
        elif isinstance(task, DirectionTask):
            bodies += [task.start, task.end]
            places += [np.zeros(3), task.at]
        elif isinstance(task, TurnTask):
            turning.append(task.body)
    x, jx = point_jacobians(character, kin.placement, bodies, np.array(places).reshape(-1, 3))
    jw = angular_jacobians(character, kin.placement, turning) if turning else None
    found: list[tuple[Array, Array]] = []
    p = t = 0
    for task in tasks:
        if isinstance(task, PlaceTask):
            found.append((_told(task.target, frames) - x[:, p], jx[:, p]))
            p += 1
        elif isinstance(task, ApartTask):
            found.append((x[:, p + 1] - x[:, p], jx[:, p] - jx[:, p + 1]))
            p += 2
        elif isinstance(task, DirectionTask):
            way = x[:, p + 1] - x[:, p]
            length = np.maximum(np.linalg.norm(way, axis=1), 1e-9)
            u = way / length[:, None]
            square = (np.eye(3) - u[:, :, None] * u[:, None, :]) / length[:, None, None]
            found.append((_told(task.target, frames) - u, square @ (jx[:, p + 1] - jx[:, p])))
            p += 2
        elif isinstance(task, TurnTask):
            assert jw is not None
            now = kin.rotations[:, task.body]
            off = so3.log(so3.from_matrix(_told(task.target, frames) @ now.transpose(0, 2, 1)))
            found.append((off, jw[:, t]))
            t += 1
        else:
            found.append((_told(task.target, frames) - kin.com, kin.com_jacobian))
    return found
