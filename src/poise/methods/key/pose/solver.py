"""Poses that meet prioritised tasks: one for each frame, each on its own.

Every frame starts from the pose it is given and knows of no other: results have the same bits in any order,
in any batch and on any number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array, IntArray, checked, frozen
from poise.character import Character
from poise.character.tree import LINK_NV
from poise.constraints.constraint import HEAVIEST, LIGHTEST
from poise.errors import InputError
from poise.handles.form import GENERAL
from poise.kinematics import Kinematics
from poise.kinematics.forward import as_frames
from poise.kinematics.layout import layout
from poise.methods.key.pose.posture import Posture, limbs_of
from poise.methods.key.pose.rows.general import GeneralRows, GeneralTask
from poise.methods.key.pose.rows.plan import Planner, goal_numbers
from poise.methods.key.pose.task import Task, grips_of, weight_of_gain
from poise.operations.pose import ACCURACY, ITERATIONS
from poise.workers import for_frames

if TYPE_CHECKING:
    from poise.methods.key.pose.problem import Answer, Effort, Wanted

POSE_WEIGHT = 0.1
"""Of the pose against soft tasks of weight 1 [rad⁻², m⁻²]."""
_GRAIN = 4  # frames worth waking a thread for


class Solved(NamedTuple):
    """Poses of F frames, and how well they do."""

    q: Array
    """(F, nq)"""
    errors: tuple[Array, ...]
    """value ⊖ target of each task, in its handle's units, (F, dim) each."""
    iterations: IntArray
    """Evaluations of all rows, (F,)."""
    settled: NDArray[np.bool_]
    """Whether iteration came to rest (also where targets cannot be met), (F,)."""
    history: Array
    """Of one frame, where asked for, (evaluations, 4): merit, largest strict and soft error [m, rad] and step
    [rad, m] once an evaluation was accepted; rows of refused ones are zero."""


class PoseSolver:
    """Solves poses of one character for one set of tasks; targets, gains and poses may differ by frame.

    ``free`` (nv,) says which degrees of freedom may move. ``pose_weight`` is the weight of the desired pose,
    last and softest: one for all degrees of freedom, one each (within a rotation their mean is used), or a
    ``Posture``, which also knows limbs.
    ``limits``: whether joint limits hold; poses given outside them are first brought inside.
    """

    def __init__(
        self,
        character: Character,
        tasks: Sequence[Task],
        *,
        free: ArrayLike | None = None,
        pose_weight: ArrayLike | Posture = POSE_WEIGHT,
        limits: bool = True,
        momentum: bool = False,
    ) -> None:
        from poise.methods.key.pose.problem import Setting

        self.character = character
        self.tasks = tuple(tasks)
        self._handles = [task.handle.bind(character) for task in self.tasks]
        planner = Planner(character, momentum=momentum)
        self._plan = planner.plan(self.tasks)
        self._forms = planner.forms
        self._spans = [slice(a, b) for a, b in zip(self._plan.row[:-1], self._plan.row[1:])]
        goals = [slice(a, b) for a, b in zip(self._plan.goal[:-1], self._plan.goal[1:])]
        parts = zip(self._handles, self._forms, self._spans, goals)
        self._general = GeneralRows(
            character, [GeneralTask(h, s, g, f.scale) for h, f, s, g in parts if f.kind == GENERAL]
        )
        ladder = sorted({task.level for task in self.tasks if task.level is not None})
        level = np.full(len(self._plan.which), -1, dtype=np.int64)
        for task, span in zip(self.tasks, self._spans):
            if task.level is not None:
                level[span] = ladder.index(task.level)
        nv, tree = character.nv, layout(character)
        may = np.ones(nv, dtype=bool) if free is None else np.asarray(free)
        if may.shape != (nv,) or may.dtype != np.bool_:
            raise InputError(f"free must say True or False for each of {nv} degrees of freedom")
        lower = np.array(character.lower) if limits else np.full(nv, -np.inf)
        upper = np.array(character.upper) if limits else np.full(nv, np.inf)
        # What may not move stays where it is, also outside its limits.
        lower[~may], upper[~may] = -np.inf, np.inf
        finite = np.isfinite(lower) | np.isfinite(upper)
        bounded = [finite[v : v + LINK_NV[k]].any() for k, v in zip(tree.kind, tree.v_start)]
        own = (
            pose_weight
            if isinstance(pose_weight, Posture)
            else Posture(np.asarray(pose_weight), limbs_of(character, whole=False))
        )
        self._setting = Setting(
            level=frozen(level, dtype=np.int64),
            levels=len(ladder),
            free=frozen(may, dtype=np.int64),
            lower=frozen(lower),
            upper=frozen(upper),
            bounded=frozen(bounded, dtype=np.int64),
            pose=frozen(self._pose_weight(own.weights)),
            limbs=own.limbs,
            grips=grips_of(self.tasks, self._spans),
        )

    def _pose_weight(self, given: ArrayLike) -> Array:
        character = self.character
        weight = np.asarray(given, dtype=np.float64)
        weight = np.array(
            checked(weight if weight.ndim else np.full(character.nv, weight), "pose_weight", (character.nv,))
        )
        if not ((weight >= LIGHTEST) & (weight <= HEAVIEST)).all():
            odd = weight[(weight < LIGHTEST) | (weight > HEAVIEST)][0]
            raise InputError(f"pose weights must be positive, from {LIGHTEST:g} to {HEAVIEST:g}, not {odd:g}")
        for slots in character.manifold.rotation_slots[1]:
            weight[slots] = weight[slots].mean()
        return weight

    def solve(
        self,
        start: ArrayLike,
        pose: ArrayLike,
        targets: Sequence[ArrayLike],
        gains: Sequence[ArrayLike] | None = None,
        *,
        accuracy: float = ACCURACY,
        iterations: int = ITERATIONS,
        previous: ArrayLike | None = None,
        dt: float | None = None,
        warm: bool = False,
        history: bool = False,
    ) -> Solved:
        """Poses for F frames.

        ``start`` (F, nq) is where iteration begins, ``pose`` (F, nq) the desired pose; ``targets`` one array
        for each task, (size,) or (F, size); ``gains`` one for each task, a number or (F,), 0 … 1 (strict
        tasks: 0, absent, or 1). Strict tasks are met to ``accuracy`` [m, rad] where they can be. Momentum
        tasks compare with the pose ``previous`` (F, nq), dt [s] before. ``history`` records a single frame's
        convergence.

        A cold solve follows the answer from the desired pose, where nothing pulls, to the full pull of all
        tasks, so ``start`` hardly matters. ``warm``: the start is the answer to targets close by, of the
        frame before or of a drag; it is kept to, in about two thirds of the evaluations, and where two
        poses serve as well there is no change from one to the other.
        """
        from poise.methods.key.pose.newton import solve_frames
        from poise.methods.key.pose.problem import Answer, Effort, Wanted
        from poise.methods.key.pose.turns import APPROACH

        character, plan = self.character, self._plan
        begin = as_frames(start, "start", character.nq)
        frames = len(begin)
        if not 0 < accuracy < 1 or iterations < 1:
            raise InputError(
                f"accuracy must lie in 0 … 1 and iterations be positive, not {accuracy}, {iterations}"
            )
        wanted = Wanted(
            begin,
            as_frames(pose, "pose", character.nq, frames=frames),
            self._goals(targets, frames),
            self._weights(gains, frames),
            *self._momentum(previous, dt, frames),
        )
        answer = Answer(
            q=np.empty((frames, character.nq)),
            errors=np.empty((frames, len(plan.which))),
            counts=np.empty(frames, dtype=np.int64),
            settled=np.empty(frames, dtype=np.int64),
            history=np.zeros((iterations if history and frames == 1 else 0, 4)),
        )
        effort = Effort(float(accuracy), int(iterations), np.inf if warm else APPROACH)
        if len(self._general):
            self._solve_general(wanted, effort, answer, dt)
        else:
            for_frames(
                solve_frames, frames, layout(character), plan, self._setting, wanted, effort, answer,
                grain=_GRAIN,
            )  # fmt: skip
        parts = tuple(answer.errors[:, span] / scale for span, scale in zip(self._spans, plan.scale))
        record = answer.history[: answer.counts[0]] if len(answer.history) else answer.history
        return Solved(answer.q, parts, answer.counts, answer.settled.astype(bool), record)

    def _solve_general(self, wanted: Wanted, effort: Effort, answer: Answer, dt: float | None) -> None:
        """The same iteration, each of its evaluations led in by handles that speak for themselves."""
        from poise.methods.key.pose.newton import advance_frame, begin_frame, judge_frame
        from poise.methods.key.pose.room import STATE, new_room

        tree, plan, setting = layout(self.character), self._plan, self._setting
        room = new_room(tree, plan, setting.levels, self.character.nq, True)
        state = np.zeros(1, dtype=STATE)[0]
        for f in range(len(wanted.start)):
            goal, before, rows = wanted.goals[f], wanted.previous[f : f + 1], self._general
            begin_frame(tree, setting, wanted, f, effort.approach, room, state)
            for _ in range(effort.iterations):
                rows.put(room.trial, goal, before, dt or 1.0, room.e_trial, room.j)
                if judge_frame(tree, plan, setting, wanted, f, effort, room, state, answer):
                    break
                if state["accepted"]:
                    rows.bend(room.q, goal, room.y, room.bent)
                advance_frame(tree, plan, setting, goal, room, state)

    def _goals(self, targets: Sequence[ArrayLike], frames: int) -> Array:
        if len(targets) != len(self.tasks):
            raise InputError(f"{len(self.tasks)} tasks need as many targets, not {len(targets)}")
        parts = [
            goal_numbers(handle, form, target, frames, f"the target of the {handle.label}")
            for handle, form, target in zip(self._handles, self._forms, targets)
        ]
        return np.ascontiguousarray(np.concatenate([np.empty((frames, 0)), *parts], axis=1))

    def _weights(self, gains: Sequence[ArrayLike] | None, frames: int) -> Array:
        """Weights of all rows, (F, m); of strict ones relative to the largest of their level."""
        if gains is not None and len(gains) != len(self.tasks):
            raise InputError(f"{len(self.tasks)} tasks need as many gains, not {len(gains)}")
        weights = np.empty((frames, len(self._plan.which)))
        for k, (task, span) in enumerate(zip(self.tasks, self._spans)):
            weight = task.weight
            if task.level is not None:
                weight /= max(other.weight for other in self.tasks if other.level == task.level)
            firm = np.ones(frames) if gains is None else self._firmness(task, gains[k], frames)
            weights[:, span] = weight * firm[:, None]
        return weights

    def _firmness(self, task: Task, given: ArrayLike, frames: int) -> Array:
        gain, what = np.asarray(given, dtype=np.float64), f"the gain of the {task.handle.label}"
        gain = checked(np.full(frames, gain) if gain.ndim == 0 else gain, what, (frames,))
        if ((gain < 0) | (gain > 1)).any():
            raise InputError(f"{what} must lie in 0 … 1, not {gain[(gain < 0) | (gain > 1)][0]:g}")
        if task.level is None:
            return weight_of_gain(gain)
        if ((gain > 0) & (gain < 1)).any():
            raise InputError(
                f"{what}: a strict task is there (1) or not (0); to fade it make it soft (level None)"
            )
        return gain

    def _momentum(self, previous: ArrayLike | None, dt: float | None, frames: int) -> tuple[Array, Array]:
        nv = self.character.nv
        rates = [h.label for h in self._handles if h.needs_velocity]
        if not rates:
            return np.empty((0, self.character.nq)), np.zeros((1, 6, nv))
        if previous is None or dt is None or not dt > 0:
            raise InputError(f"the {rates[0]} needs the previous pose and the time since then (dt > 0)")
        before = as_frames(previous, "previous", self.character.nq, frames=frames)
        return np.array(before), Kinematics(self.character, before).momentum_matrix / dt
