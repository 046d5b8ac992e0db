"""The published iteration, for comparison: one constraint time after another, one simulated trial for each.

    repeat, for each constraint time t_i in turn (Gauss–Seidel):
        e   = what puts the *dynamic* pose at t_i right: its difference to the target, or inverse kinematics
        d   = response of the constrained quantity to the trial correction f + e φ_i
        Δx_i ← Δx_i + s (Δp·d / |d|²) e,         Δp = what the quantity lacks, s = 1 or 0.8
        f   ← the curve Σ λ_k φ_k + β_k φ_k' with f(t_k) = Δx_k and, for velocities, ḟ(t_k) = Δẋ_k   (LU kept)

A velocity is put right likewise with ė = J⁺(wanted − velocity) and a wiggle of slope 1 at t_i as trial. (The
wiggle φ' itself has slope φ''(t_i) = −1/σ² there: tried as printed, the response would have the wrong sign.)

Convergence is linear, and not certain: where the dynamic pose lags the correction by about the bell's width,
or bells overlap much, corrections grow without bound. Then the best iterate is returned, as "stalled".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.problem import Problem
from poise.methods.loosen.hit.residuals import Rows
from poise.solvers import Solution
from poise.solvers.levenberg_marquardt import Damping, lessen
from poise.watching import Progress

LOST = 30.0
"""A correction this large [rad, m] will not come back."""
PATIENCE = 8
"""Sweeps without a new best before giving up."""
IK_STEPS = 30
"""Most steps of inverse kinematics."""
IK_ENOUGH = 1e-14
"""Inverse kinematics ends at this error [m, rad]."""
IK_DAMPING = Damping(1e-2, 0.3, 1e-8, 1e4)
"""Relative to the error and the mean square of the rows' slopes."""


def iterate(
    problem: Problem,
    *,
    iterations: int,
    accuracy: float,
    scale: float = 1.0,
    told: Progress = lambda part: None,
) -> Solution:
    """Algorithm 1 of the paper from no correction; ``scale`` damps each update (the paper tries 0.8)."""
    if not (np.isfinite(scale) and scale > 0):
        raise InputError(f"the scale of updates must be positive, not {scale}")
    sweep = _Sweep(problem, scale)
    x = sweep.unknowns
    r = problem.residual(x)
    best = (float(np.linalg.norm(r)), x, r)
    history, since, count, reason = [best[0]], 0, 0, "budget"
    while count <= iterations:
        if history[-1] <= accuracy:
            reason = "met"
            break
        if since >= PATIENCE:
            reason = "stalled"
            break
        if count >= iterations:
            break
        told(count / iterations)
        count += 1
        if not sweep.run():
            history.append(best[0])
            reason = "stalled"
            break
        x = sweep.unknowns
        r = problem.residual(x)
        history.append(float(np.linalg.norm(r)))
        since += 1
        if history[-1] < best[0]:
            best, since = (history[-1], x, r), 0
    _, x, r = best
    # Not part of the method: reports explain misses by it, and warm starts begin with it.
    spent = problem.simulator.simulations
    jacobian = problem.jacobian(x, r)
    problem.simulator.simulations = spent
    return Solution(x, r, jacobian, count, count + 1, 0, tuple(history), reason)


@dataclass(eq=False)
class _Instant:
    """The constraints at one time, and the bells that serve them."""

    time: float
    held: list[int] = field(default_factory=list)
    """Constraints on poses, by number."""
    rates: list[int] = field(default_factory=list)
    """Constraints on velocities."""
    bell: int = -1
    wiggle: int = -1


class _Sweep:
    """The state of the iteration: corrections Δx_i, Δẋ_i, and the curve through them."""

    def __init__(self, problem: Problem, scale: float) -> None:
        self.problem, self.scale = problem, scale
        self.layout, self.character = problem.layout, problem.character
        self.instants = _instants(problem)
        bells = len(self.layout.free)
        self.wanted = np.zeros((bells, self.character.nv))
        """Δx_i in the row of bell i, Δẋ_i in that of its wiggle."""
        self.curve = np.zeros_like(self.wanted)
        """Coefficients λ and β."""
        slope_of = {i.wiggle: i.time for i in self.instants if i.wiggle >= 0}
        value_of = {i.bell: i.time for i in self.instants}
        basis = self.layout.basis
        matrix = np.empty((bells, bells))
        for k in range(bells):
            time, order = (slope_of[k], 1) if k in slope_of else (value_of[k], 0)
            matrix[k] = np.asarray(basis.matrix(np.array([time]), order).todense())[0]
        self.matrix = matrix
        self._factors = self._factorised()

    def _factorised(self) -> list[tuple[IntArray, IntArray, Any]]:
        """Degrees of freedom that the same bells may move, these bells, and the LU of their interpolation."""
        from scipy.linalg import lu_factor

        found = []
        patterns, which = np.unique(self.layout.free, axis=1, return_inverse=True)
        for p, pattern in enumerate(patterns.T):
            rows = np.flatnonzero(pattern)
            if len(rows):
                dofs = np.flatnonzero(which.ravel() == p)
                found.append((dofs, rows, lu_factor(self.matrix[np.ix_(rows, rows)], check_finite=False)))
        return found

    @property
    def unknowns(self) -> Array:
        """The curve as the problem's whitened unknowns, (n,)."""
        function, dof = self.layout.unknowns
        return np.asarray(self.curve[function, dof] / self.layout.scale[dof])

    def interpolate(self) -> bool:
        """The curve through all corrections; False where it has got out of hand."""
        from scipy.linalg import lu_solve

        for dofs, rows, factors in self._factors:
            part = np.ix_(rows, dofs)
            self.curve[part] = lu_solve(factors, self.wanted[part], check_finite=False)
        return bool(np.isfinite(self.curve).all() and np.abs(self.curve).max() < LOST)

    def run(self) -> bool:
        """One pass over all instants; False where it cannot go on."""
        for instant in self.instants:
            if instant.held and not self._update(instant, rates=False):
                return False
            if instant.rates and not self._update(instant, rates=True):
                return False
        return True

    def _update(self, instant: _Instant, *, rates: bool) -> bool:
        """Correct the pose, or the velocity, at one instant."""
        numbers = instant.rates if rates else instant.held
        bell = instant.wiggle if rates else instant.bell
        states = self.states(self.curve, numbers)
        if not np.isfinite(states).all():
            return False  # a motion that runs away
        lacking = -self.off(states, numbers)
        if np.linalg.norm(lacking) < IK_ENOUGH:
            return True
        free = np.asarray(self.layout.free[bell], dtype=bool)
        if rates:
            e = self._rate_step(states, numbers, free)
        else:
            e = self._ik(states, numbers, free)
        trial = self.curve.copy()
        trial[bell] += e / self.matrix[bell, bell]  # a bell of height, or a wiggle of slope, e at t_i
        if not (np.isfinite(trial).all() and np.abs(trial).max() < LOST):
            return False
        tried = self.states(trial, numbers)
        if not np.isfinite(tried).all():
            return False
        d = self.off(tried, numbers) + lacking
        length = float(d @ d)
        if not length > 0:
            return True  # no way from here; another instant's correction may open one
        self.wanted[bell] += self.scale * float(lacking @ d) / length * e
        return self.interpolate()

    # Dynamic states ----------------------------------------------------------------------------

    def states(self, curve: Array, numbers: Sequence[int]) -> Array:
        """Dynamic states with a correction curve, (S, nq); only those that the constraints read are right."""
        problem = self.problem
        which = np.unique(np.concatenate([problem.rows[n].sight.states for n in numbers]))
        function, dof = self.layout.unknowns
        _, (q, v) = problem.corrected(curve[function, dof] / self.layout.scale[dof])
        runs, out = problem.runs, np.zeros((len(problem.times), q.shape[1]))
        out[which] = problem.simulator.tabled(
            q, v, runs.grid, runs.start[which], runs.steps[which], limbs=problem.limbs
        )[0]
        return problem.whole(out)

    def off(self, states: Array, numbers: Sequence[int]) -> Array:
        """What the constraints lack, as in the problem's residual but for them alone, (rows,)."""
        parts = []
        for n in numbers:
            rows = self.problem.rows[n]
            kin = self._kinematics(states, n)
            parts.append(rows.constraint.violation(rows.constraint.error(kin, rows.times)) * rows.weight)
        return np.concatenate([p.ravel() for p in parts])

    def _kinematics(self, states: Array, number: int) -> Kinematics:
        return self.problem.poses(states, self.problem.rows[number])

    # From what lacks to the state --------------------------------------------------------------

    def _ik(self, states: Array, numbers: Sequence[int], free: Array) -> Array:
        """e with the constraints met at x_KD ⊕ e, or as well as can be, by damped Gauss–Newton, (nv,)."""
        rows = [self.problem.rows[n] for n in numbers]
        manifold = self.character.manifold
        begin = self.problem.poses(states, rows[0]).q[0]

        def look(q: Array) -> tuple[float, tuple[Array, Kinematics]]:
            kin = Kinematics(self.character, q[None], np.zeros((1, self.character.nv)))
            parts = [r.constraint.violation(r.constraint.error(kin, r.times)) * r.weight for r in rows]
            lacking = np.concatenate([p.ravel() for p in parts])
            return float(np.linalg.norm(lacking)), (lacking, kin)

        def step(q: Array, seen: tuple[Array, Kinematics], damping: float) -> Array:
            r, kin = seen
            # Damping that vanishes with the error: quadratic where the target is within reach.
            towards = self._towards(kin, rows, r, free, damping * float(np.linalg.norm(r)))
            return manifold.plus(q, towards)

        found = lessen(begin, look, step, IK_DAMPING, iterations=IK_STEPS, enough=IK_ENOUGH)
        return np.where(free, manifold.minus(found.x, begin), 0.0)

    def _rate_step(self, states: Array, numbers: Sequence[int], free: Array) -> Array:
        """ė = J⁺ (wanted − velocity) at the dynamic pose, (nv,)."""
        kin = self._kinematics(states, numbers[0])
        rows = [self.problem.rows[n] for n in numbers]
        return self._towards(kin, rows, self.off(states, numbers), free, 1e-9)

    def _towards(self, kin: Kinematics, rows: Sequence[Rows], r: Array, free: Array, damping: float) -> Array:
        """The damped least-squares step against residuals r, light joints first, (nv,)."""
        parts = []
        for x in rows:
            c = x.constraint
            slope = c.velocity_jacobian if x.moving else c.jacobian
            parts.append(x.weight * slope(kin, x.times)[0])
        j = np.concatenate(parts)  # (rows, nv)
        white = np.where(free, self.layout.scale, 0.0)
        a = j * white
        normal = a @ a.T
        lift = damping * max(float(np.trace(normal)) / len(r), 1e-12)
        damped = normal + lift * np.eye(len(r))
        try:
            found = np.linalg.solve(damped, r)
        except np.linalg.LinAlgError:  # wishes that say the same, and hardly any damping left
            found = np.linalg.lstsq(damped, r, rcond=None)[0]
        return np.asarray(-white * (a.T @ found))


def _instants(problem: Problem) -> list[_Instant]:
    """Constraints by time, in order of first mention, each with its bell and, for velocities, its wiggle."""
    found: dict[float, _Instant] = {}
    bells = 0
    for n, rows in enumerate(problem.rows):
        if len(rows.times) != 1:
            raise InputError(f"{rows.constraint.name}: the paper's method takes constraints at instants only")
        instant = found.setdefault(round(float(rows.times[0]), 9), _Instant(float(rows.times[0])))
        moving = rows.moving
        (instant.rates if moving else instant.held).append(n)
        # The order in which the correction's layout makes them.
        if instant.bell < 0:
            instant.bell, bells = bells, bells + 1
        if moving and instant.wiggle < 0:
            instant.wiggle, bells = bells, bells + 1
    if bells != len(problem.layout.free):
        raise InputError("the paper's method takes one shape of correction for all constraints at one time")
    return sorted(found.values(), key=lambda i: i.time)
