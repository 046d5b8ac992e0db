"""Tasks as plain arrays: what compiled rows read.

Every task takes one slot. Points and directions that handles measure between are gathered in tables, so
that one that serves several tasks is placed once. Errors of inertia and momentum are scaled to metres, so
that all rows are of one size: a moment I = M k² by 1 / (2 M k), with k the radius of gyration at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.character import Character
from poise.errors import InputError
from poise.handles import (
    Angle,
    AngularMomentum,
    BodyOrientation,
    CentreOfMass,
    Direction,
    Distance,
    Handle,
    JointValue,
    LinearMomentum,
    LookAt,
    PlaneDistance,
    PointDifference,
    PointPosition,
    RotationalInertia,
)
from poise.handles.place import On, Place, point_of, rows
from poise.kinematics import Kinematics
from poise.manifold.symmetric import as_matrix
from poise.methods.key.pose.task import Task

(
    POINT,
    PLANE,
    DISTANCE,
    ORIENTATION,
    CENTRE,
    TENSOR,
    PLANAR,
    GYRATION,
    RADII,
    SHAPE,
    JOINT,
    ANGLE,
    LOOK,
    MOMENTUM,
) = range(14)
_INERTIA = {"tensor": TENSOR, "planar": PLANAR, "gyration": GYRATION, "radii": RADII, "shape": SHAPE}
SUPPORTED = (
    "point_position, point_difference, plane_distance, distance, body_orientation, centre_of_mass, "
    "rotational_inertia, joint_value, angle, look_at; with a previous pose also linear_momentum and "
    "angular_momentum"
)
WORLD_VECTOR, BODY_VECTOR, BETWEEN = range(3)


class RowPlan(NamedTuple):
    """Read-only arrays over T tasks, P points, D directions."""

    kind: IntArray
    """POINT, … (T,)."""
    row: IntArray
    """Rows of task t are row[t] … row[t + 1] − 1, (T + 1,)."""
    goal: IntArray
    """Where the task's target begins among all numbers of targets, (T + 1,)."""
    plus: IntArray
    minus: IntArray
    """Points that count with + and with −, directions, or a body; −1: none, (T,)."""
    which: IntArray
    """Axis, or degree of freedom, of each row, (rows,)."""
    constant: Array
    """Added to the difference of the points [m], (T, 3)."""
    normal: Array
    """Of a plane, (T, 3)."""
    scale: Array
    """Of the error, (T,)."""
    point_body: IntArray
    """(P,)"""
    point_place: Array
    """In the body's frame [m], (P, 3)."""
    way_kind: IntArray
    """WORLD_VECTOR, BODY_VECTOR, BETWEEN, (D,)."""
    way_plus: IntArray
    way_minus: IntArray
    """A body, or the end and start points; −1: none, (D,)."""
    way_vector: Array
    """The vector, or what is added to the difference of the points, (D, 3)."""
    centred: int
    """1 where a task asks for the centre of mass, its spread or momentum."""
    spread: int
    """1 where a task asks for inertia."""


class Planner:
    """Gathers points, directions and tasks, then hands over a ``RowPlan``."""

    def __init__(self, character: Character, *, momentum: bool) -> None:
        self._character, self._momentum = character, momentum
        self._points: dict[tuple[int, bytes], int] = {}
        self._ways: list[tuple[int, int, int, Array]] = []
        self._slots: list[tuple[int, int, int, Array, Array, float]] = []
        self._index: list[int] = []
        self._row, self._goal = [0], [0]

    def plan(self, tasks: Sequence[Task]) -> RowPlan:
        """The arrays of all tasks."""
        for task in tasks:
            self._put(task.handle.bind(self._character))
        kinds = [s[0] for s in self._slots]
        places = [np.frombuffer(key[1]) for key in self._points]
        whole = np.int64
        return RowPlan(
            kind=frozen(kinds, dtype=whole),
            row=frozen(self._row, dtype=whole),
            goal=frozen(self._goal, dtype=whole),
            plus=frozen([s[1] for s in self._slots], dtype=whole),
            minus=frozen([s[2] for s in self._slots], dtype=whole),
            which=frozen(self._index, dtype=whole),
            constant=frozen(np.array([s[3] for s in self._slots]).reshape(-1, 3)),
            normal=frozen(np.array([s[4] for s in self._slots]).reshape(-1, 3)),
            scale=frozen([s[5] for s in self._slots]),
            point_body=frozen([key[0] for key in self._points], dtype=whole),
            point_place=frozen(np.array(places).reshape(-1, 3)),
            way_kind=frozen([w[0] for w in self._ways], dtype=whole),
            way_plus=frozen([w[1] for w in self._ways], dtype=whole),
            way_minus=frozen([w[2] for w in self._ways], dtype=whole),
            way_vector=frozen(np.array([w[3] for w in self._ways]).reshape(-1, 3)),
            centred=int(any(k == CENTRE or k in _INERTIA.values() for k in kinds)),
            spread=int(any(k in _INERTIA.values() for k in kinds)),
        )

    def _put(self, handle: Handle) -> None:
        zero = np.zeros(3)
        match handle:
            case PointPosition():
                self._slot(POINT, handle, self._point(handle.point), -1, index=rows(handle.axes))
            case PointDifference():
                plus, minus, constant = self._between(handle.a, handle.b, handle)
                self._slot(POINT, handle, plus, minus, constant, index=rows(handle.axes))
            case PlaneDistance():
                through, normal = np.array(handle.through), np.array(handle.normal)
                self._slot(PLANE, handle, self._point(handle.point), -1, -through, normal)
            case Distance():
                plus, minus, constant = self._between(handle.a, handle.b, handle)
                self._slot(DISTANCE, handle, plus, minus, constant)
            case BodyOrientation():
                self._slot(ORIENTATION, handle, self._character.index(handle.body), -1)
            case CentreOfMass():
                self._slot(CENTRE, handle, -1, -1, index=rows(handle.axes))
            case RotationalInertia():
                kind = _INERTIA[handle.measure]
                numbers = 3 if kind == SHAPE else None
                self._slot(kind, handle, -1, -1, scale=self._inertia_scale(kind), numbers=numbers)
            case JointValue():
                first = self._character.dofs(handle.joint).start
                chosen = handle.components if handle.components is not None else range(handle.dim)
                self._slot(JOINT, handle, -1, -1, index=[first + k for k in chosen])
            case Angle():
                self._slot(ANGLE, handle, self._way(handle.a, handle), self._way(handle.b, handle))
            case LookAt():
                body = self._character.names[point_of(self._character, handle.eye).body]
                gaze = self._way(Direction.of_body(body, handle.axis), handle)
                self._slot(LOOK, handle, gaze, self._way(Direction.between(handle.eye, handle.at), handle))
            case LinearMomentum() | AngularMomentum() if self._momentum:
                mass, k = self._character.total_mass, self._gyration()
                linear = isinstance(handle, LinearMomentum)
                index = [(0 if linear else 3) + r for r in rows(handle.axes)]
                scale = 1.0 / mass if linear else 1.0 / (mass * k)
                self._slot(MOMENTUM, handle, -1, -1, zero, zero, index, scale)
            case _:
                raise InputError(
                    f"a pose cannot be solved for the {handle.label} (kind {handle.kind!r}); "
                    f"supported are {SUPPORTED}"
                )

    def _slot(
        self,
        kind: int,
        handle: Handle,
        plus: int,
        minus: int,
        constant: Array | None = None,
        normal: Array | None = None,
        index: Sequence[int] | None = None,
        scale: float = 1.0,
        numbers: int | None = None,
    ) -> None:
        zero = np.zeros(3)
        self._slots.append(
            (
                kind,
                plus,
                minus,
                zero if constant is None else constant,
                zero if normal is None else normal,
                scale,
            )
        )
        self._index += list(index) if index is not None else [0] * handle.dim
        self._row.append(self._row[-1] + handle.dim)
        self._goal.append(self._goal[-1] + (handle.size if numbers is None else numbers))

    def _point(self, place: str | On) -> int:
        body, position = point_of(self._character, place)
        return self._points.setdefault(
            (body, np.asarray(position, dtype=np.float64).tobytes()), len(self._points)
        )

    def _between(self, a: Place, b: Place, handle: Handle) -> tuple[int, int, Array]:
        """Point counted +, point counted −, and the constant of b − a."""
        plus = minus = -1
        constant = np.zeros(3)
        if isinstance(b, str | On):
            plus = self._point(b)
        else:
            constant = constant + _world(b, handle)
        if isinstance(a, str | On):
            minus = self._point(a)
        else:
            constant = constant - _world(a, handle)
        return plus, minus, constant

    def _way(self, direction: Direction, handle: Handle) -> int:
        if direction.start is not None and direction.end is not None:
            plus, minus, constant = self._between(direction.start, direction.end, handle)
            self._ways.append((BETWEEN, plus, minus, constant))
        else:
            vector = np.array(direction.vector)
            if direction.body is None:
                self._ways.append((WORLD_VECTOR, -1, -1, vector))
            else:
                self._ways.append((BODY_VECTOR, self._character.index(direction.body), -1, vector))
        return len(self._ways) - 1

    def _gyration(self) -> float:
        rest = Kinematics(self._character, self._character.rest_pose())
        return max(float(RotationalInertia("gyration").value(rest)[0, 0]), 1e-3)

    def _inertia_scale(self, kind: int) -> float:
        if kind in (TENSOR, PLANAR):
            return 1.0 / (2.0 * self._character.total_mass * self._gyration())
        return 1.0


def _world(place: Place, handle: Handle) -> Array:
    array = np.asarray(place, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(f"{handle.label}: a pose is solved with fixed places, not a path; move the target")
    return array


def goal_numbers(handle: Handle, target: ArrayLike, frames: int, name: str) -> Array:
    """A target as the numbers that compiled rows compare with, (F, numbers), or a clear error."""
    array = np.asarray(target, dtype=np.float64)
    array = array[None] if array.ndim == 0 and handle.size == 1 else array
    if array.ndim < 2:
        array = np.broadcast_to(checked(array, name, (handle.size,)), (frames, handle.size))
    array = checked(array, name, (frames, handle.size))
    if isinstance(handle, BodyOrientation):
        length = np.linalg.norm(array, axis=1, keepdims=True)
        if not np.allclose(length, 1.0, atol=1e-6):
            raise InputError(f"{name} must be a unit quaternion (w, x, y, z), not {array[0].tolist()}")
        return array / length
    if isinstance(handle, RotationalInertia) and handle.measure == "shape":
        radii = np.asarray(np.linalg.eigvalsh(as_matrix(array))[:, ::-1], dtype=np.float64)
        if (radii < -1e-9).any():
            raise InputError(f"{name} has a negative radius: {radii.min():g} m")
        return radii
    return array
