"""Tasks as plain arrays: what compiled rows read.

Every task takes one slot, by the form of its handle (``poise.handles.form``). Points and directions that
handles measure between are gathered in tables, so that one that serves several tasks is placed once. Errors
of inertia and momentum are scaled to metres, so that all rows are of one size; so are those of general rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.character import Character, Point
from poise.errors import InputError
from poise.handles import Handle
from poise.handles.form import BETWEEN, CENTRE, INERTIA, Form, Span, Way
from poise.methods.key.pose.rows.general import general_form
from poise.methods.key.pose.task import Task

_NO_SPAN = Span(None, None, np.zeros(3))


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
    """Gathers points, directions and tasks, then hands over a ``RowPlan``.

    ``momentum``: whether there is a pose before, from which rates can be told.
    """

    def __init__(self, character: Character, *, momentum: bool) -> None:
        self._character, self._momentum = character, momentum
        self._points: dict[tuple[int, bytes], int] = {}
        self._ways: list[tuple[int, int, int, Array]] = []
        self._slots: list[tuple[int, int, int, Array, Array, float]] = []
        self._index: list[int] = []
        self._row, self._goal = [0], [0]
        self.forms: list[Form] = []
        """Of all tasks."""

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
            centred=int(any(k == CENTRE or k in INERTIA.values() for k in kinds)),
            spread=int(any(k in INERTIA.values() for k in kinds)),
        )

    def _put(self, handle: Handle) -> None:
        if handle.needs_velocity and not self._momentum:
            raise InputError(
                f"the {handle.label} is a rate, and one pose alone has none: ask it of a motion (adapt, hit) "
                "or say which pose comes before, and how long before (previous, dt)"
            )
        form = handle.form(self._character) or general_form(handle, self._character)
        self.forms.append(form)
        plus, minus, constant = self._between(form.span or _NO_SPAN)
        if form.ways:
            plus, minus = (self._way(way) for way in form.ways)
        if form.body >= 0:
            plus = form.body
        self._slots.append((form.kind, plus, minus, constant, form.normal, form.scale))
        self._index += list(form.index) if form.index is not None else [0] * handle.dim
        self._row.append(self._row[-1] + handle.dim)
        self._goal.append(self._goal[-1] + (handle.size if form.numbers is None else form.numbers))

    def _point(self, point: Point | None) -> int:
        if point is None:
            return -1
        key = (point.body, np.asarray(point.position, dtype=np.float64).tobytes())
        return self._points.setdefault(key, len(self._points))

    def _between(self, span: Span) -> tuple[int, int, Array]:
        """Point counted +, point counted −, and the constant."""
        return self._point(span.plus), self._point(span.minus), span.constant

    def _way(self, way: Way) -> int:
        plus, minus, vector = (way.body, -1, way.vector)
        if way.kind == BETWEEN and way.span is not None:
            plus, minus, vector = self._between(way.span)
        self._ways.append((way.kind, plus, minus, vector))
        return len(self._ways) - 1


def goal_numbers(handle: Handle, form: Form, target: ArrayLike, frames: int, name: str) -> Array:
    """A target as the numbers that rows compare with, (F, numbers), or a clear error."""
    array = np.asarray(target, dtype=np.float64)
    array = array[None] if array.ndim == 0 and handle.size == 1 else array
    if array.ndim < 2:
        array = np.broadcast_to(checked(array, name, (handle.size,)), (frames, handle.size))
    array = checked(array, name, (frames, handle.size))
    return array if form.goal is None else form.goal(array, name)
