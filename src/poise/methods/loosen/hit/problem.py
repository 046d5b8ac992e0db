"""Inverse kinodynamics as a least-norm problem.

Unknown are the whitened coefficients u of the correction curve; the residual r(u) stacks the errors of the
*dynamic* states at the constraints' times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.constraints import Constraint
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.correction import Layout
from poise.methods.loosen.hit.derivatives import Trials
from poise.methods.loosen.hit.first_guess import change_of_pose
from poise.methods.loosen.hit.hold import Hold
from poise.methods.loosen.hit.residuals import Residuals, Rows, rows_of, weighted
from poise.methods.loosen.simulate.perturbed import Bells, correct_rows
from poise.methods.loosen.simulate.reference import Change, Table
from poise.methods.loosen.simulate.shared_runs import runs_of
from poise.methods.loosen.simulate.simulator import RunawayError, Simulator
from poise.motion import Clip
from poise.solvers.least_norm import RADIUS

REMEMBERED = 8
"""Of so many corrections the states are kept."""


class Corrected(NamedTuple):
    """Corrections of limbs and the reference under them, at all rows of the runs' tables."""

    change: Change  # (R, nv of the limbs)
    table: Table  # (R, nq of the limbs), (R, nv)


class Start(NamedTuple):
    """Where to begin."""

    u: Array
    jacobian: Array | None = None
    rough: bool = False
    """Whether the Jacobian is a guess itself."""
    radius: float = RADIUS
    """How far the linear model is trusted."""
    everywhere: bool = False
    """Whether the Jacobian was measured right there and is to be at every step."""


class Problem:
    """Constraints on the dynamic states of a clip, as a function of the correction's coefficients."""

    def __init__(
        self, simulator: Simulator, constraints: Sequence[Constraint], layout: Layout, windows: Array
    ) -> None:
        self.simulator, self.constraints, self.layout = simulator, tuple(constraints), layout
        clip = simulator.clip
        self.character = clip.character
        self._any = Kinematics(self.character, clip.q[:1])
        rows, self.times = rows_of(clip, self.constraints)
        self._set(rows)
        frames = np.rint(self.times * clip.fps).astype(int)
        frames = frames % clip.frames if clip.loop else np.clip(frames, 0, clip.frames - 1)
        self.frame = frames
        """Of the clip, at each time, (S,)."""
        self.all_windows = windows
        """Of each frame [s], (F,)."""
        self.windows = windows[frames]
        self.runs = runs_of(self.times, simulator.steps(self.windows, len(self.times)), simulator.h)
        self.limbs = simulator.limbs(np.asarray(layout.free.any(axis=0)))
        """What the correction moves: tables and simulations are of these limbs alone."""
        self._still_reference = simulator.reference.corrected(None).table(self.runs.grid)
        q, v = self._still_reference
        self.reference = Table(q.take(self.limbs.q, axis=1), v.take(self.limbs.v, axis=1))
        """Their kinematic motion at all rows."""
        self.bells = Bells(*(self._bells(self.runs.grid, derivative) for derivative in (0, 1)))
        self.column = np.searchsorted(self.limbs.v, layout.unknowns[1])
        """The limbs' degree of freedom that each unknown moves, (n,)."""
        # Fixed links share their start with the next one: the last that starts there has freedoms.
        self.link = np.searchsorted(self.limbs.tree.v_start, self.column, side="right") - 1
        """The limbs' link that owns it, (n,)."""
        self._moved = np.unique(self.link)
        self._known: dict[bytes, Array] = {}
        self.holds: tuple[Hold, ...] = ()
        """Places held over intervals, by anchors of the simulator: none of its unknowns serves them."""
        self.spent = 0
        """Windows that were simulated for these."""
        self.asked = self.constraints
        """All that is asked for, places that are held among them."""
        self.shown: dict[bytes, Clip] = {}
        """The clip of the last correction that was looked at, true at the frames of ``frame``."""
        self.strained: dict[bytes, IntArray] = {}
        """The frames at which the last correction that was looked at leads past limits."""

    def _set(self, rows: list[Rows]) -> None:
        self.rows = rows
        self.measure = Residuals(self._any, self.simulator.clip.dt, rows)
        """Residuals of several sets of states (N, S, nq), (N, m)."""

    def _bells(self, grid: Array, derivative: int) -> Array:
        """Every bell at every row, (R, K); on a loop what leaves at one end enters at the other."""
        clip, basis = self.simulator.clip, self.layout.basis
        if not clip.loop:
            return basis.values(grid, derivative)
        early, late = (x / clip.duration for x in basis.span)
        cycles = range(int(np.floor(early)) - 1, int(np.ceil(late)) + 1)
        turns = (grid % clip.duration + k * clip.duration for k in cycles)
        return np.asarray(np.sum([basis.values(t, derivative) for t in turns], axis=0))

    def foremost(self) -> Problem:
        """The problem of the strongest priority alone; the states are the same."""
        first = min(c.priority for c in self.constraints)
        return self._with([rows for rows in self.rows if rows.constraint.priority == first])

    def retargeted(self, constraints: Sequence[Constraint]) -> Problem:
        """The same problem with other targets; nothing is prepared again."""
        every = (*constraints, *self.beside)
        other = self._with(weighted([replace(rows, constraint=c) for rows, c in zip(self.rows, every)]))
        other.constraints, other.asked = every, tuple(constraints)
        return other

    def bounded(self, bounds: Sequence[Constraint]) -> Problem:
        """The same problem with other constraints beside what is asked for; its bells stay."""
        other = Problem(self.simulator, (*self.asked, *bounds), self.layout, self.all_windows)
        other.asked, other.spent = self.asked, self.spent
        return other

    @property
    def beside(self) -> tuple[Constraint, ...]:
        """Constraints that nobody asked for: bounds that keep joints within their limits."""
        return self.constraints[len(self.asked) :]

    def _with(self, rows: list[Rows]) -> Problem:
        other = object.__new__(Problem)
        other.__dict__.update(self.__dict__)
        other.__dict__.pop("guess", None)
        other._set(rows)
        return other

    @property
    def unknowns(self) -> int:
        """How many."""
        return len(self.layout.unknowns[0])

    @cached_property
    def guess(self) -> Start:
        """Unknowns from inverse kinematics at each time: the pose's change as its bell's height, (n,).

        Where a single bell serves a single state, also the Jacobian (m, n) by the same rule.
        """
        states = self.still
        self.remember(np.zeros(self.unknowns), states)
        lost = self.simulator.runaway(states, np.zeros((len(states), self.character.nv)))
        if lost.any():
            raise RunawayError(float(self.times[lost][0]))
        function, dof = self.layout.unknowns
        u = np.zeros(self.unknowns)
        heights = self.bells.value[self.runs.end]  # (S, K) each bell at each state's time
        still = [(rows, set(rows.sight.nearest.tolist())) for rows in self.rows if not rows.moving]
        for state in sorted({int(s) for _, near in still for s in near}):
            here = [rows for rows, near in still if state in near]
            bell = int(np.argmax(np.abs(heights[state])))
            free = self.layout.free[bell]
            change, jacobian = change_of_pose(
                self.character,
                states[state],
                [rows.constraint for rows in here],
                [rows.weight for rows in here],
                float(self.times[state]),
                np.where(free, self.layout.scale, 0.0),
            )
            mine = function == bell
            u[mine] = change[dof[mine]] / self.layout.size[mine]
        alone = len(self.times) == len(self.layout.free) == 1
        return Start(u, jacobian[:, dof] if alone else None, rough=True)

    # Residual --------------------------------------------------------------------------------

    def corrected(self, u: Array) -> Corrected:
        """A correction u (n,) and the reference under it; of several (N, n) one table after another."""
        q, v = self.reference
        c = np.zeros((*u.shape[:-1], len(self.layout.free), v.shape[1]))
        c[..., self.layout.unknowns[0], self.column] = u * self.layout.size
        curve, slope = ((x @ c).reshape(-1, v.shape[1]) for x in self.bells)  # (N R, …)
        found = Corrected(
            Change(curve, slope), Table(np.empty((len(curve), q.shape[1])), np.empty_like(curve))
        )
        correct_rows(self.limbs.tree, self._moved, self.reference, *found)
        return found

    def states(self, u: Array) -> Array:
        """Dynamic states at all times, (S, nq)."""
        found = self._known.get(u.tobytes())
        if found is None:
            runs, (_, table) = self.runs, self.corrected(u)
            ends = self.simulator.tabled(*table, runs.grid, runs.start, runs.steps, limbs=self.limbs)[0]
            found = self.whole(ends)
            self.remember(u, found)
        return found

    @cached_property
    def still(self) -> Array:
        """Dynamic states at all times without a correction, (S, nq)."""
        runs = self.runs
        return self.simulator.tabled(*self._still_reference, runs.grid, runs.start, runs.steps)[0]

    def whole(self, states: Array) -> Array:
        """Whole configurations (…, S, nq) of states of the limbs."""
        return states if self.limbs.all_of(self.character) else self.limbs.among(states, self.still)

    def remember(self, u: Array, states: Array) -> None:
        """Keep the states of a correction: reports and dragging ask for them again."""
        if len(self._known) >= REMEMBERED:
            del self._known[next(iter(self._known))]
        self._known[u.tobytes()] = states

    def residual(self, u: Array) -> Array:
        """r(u), (m,)."""
        return self.measure(self.states(u)[None])[0]

    def poses(self, states: Array, rows: Rows) -> Kinematics:
        """Poses at a constraint's times (T,) as they are seen of states (S, nq)."""
        manifold, dt = self.character.manifold, self.simulator.clip.dt
        q, v = rows.sight(manifold, dt, states[None], moving=rows.moving)
        return Kinematics(self.character, q[0], None if v is None else v[0])

    def size(self, u: Array) -> float:
        """|r(u)|"""
        return float(np.linalg.norm(self.residual(u)))

    # Jacobian --------------------------------------------------------------------------------

    def jacobian(self, u: Array, r: Array) -> Array:
        """∂r/∂u by trials, (m, n)."""
        return self.linearised(u)[1]

    def linearised(self, u: Array, along: Array | None = None) -> tuple[Array, Array]:
        """r(u) and ∂r/∂u, (m,) and (m, n), together; or its derivatives along directions (n, k), (m, k)."""
        if along is None:
            return self.trials.along_unknowns(u, self.measure)
        return self.trials.along_directions(u, along, self.measure)

    @property
    def cheap(self) -> bool:
        """Whether a Jacobian comes with the residual at little extra cost."""
        return self.trials.cheap(self.measure.rows)

    @cached_property
    def trials(self) -> Trials:
        """What derivatives are measured by."""
        return Trials(self)
