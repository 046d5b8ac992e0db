"""Smallest change that meets elastic rows: Gauss–Newton over a whole clip, one banded Cholesky per step.

    minimise  ½ cᵀ M c + Σ_r W_r ρ(dist(e_r(c), [lower_r, upper_r])),     ρ(x) = ½ x², straight beyond 0.25 m

Each step linearises the rows and solves the convex piecewise quadratic that remains: rows act that the last
direction, taken wholly, would violate (at first, or where it led astray: rows now violated), one
factorisation gives a direction, and the exact minimum along it is taken. The true merit must fall (Armijo),
or the step is shortened and damped (on the diagonal of M). Conflicts have an answer: the least squares one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.methods.adapt.plants.free_places import FreePlaces
from poise.methods.adapt.solve.system import System
from poise.solvers.banded import factorise, multiply

HOPELESS = 0.05
"""Rows farther off than this [m] do not tell whether the iteration still gains."""
PATIENCE = 0.02
"""Part of the usual gain that is enough while feet do not stand yet."""
ENOUGH = 1e-4
"""Part of the promised descent that must come true."""
CREDIBLE, WHOLE = 0.25, 0.95
"""Part of a direction from which it tells who will act, and that counts as all of it."""
CAREFUL = 0.02
"""Damping after a direction of which less could be taken."""


@dataclass(frozen=True)
class Effort:
    """How hard to try."""

    steps: int = 20
    factorisations: int = 1
    """Most factorisations per linearisation."""
    change: float = 2e-5
    """Largest change of a coefficient [m, rad] that no longer counts."""
    damping: float = 1e-4
    """First damping, relative to the diagonal of M."""
    gain: float = 5e-3
    """Smallest part of the merit worth another step."""
    near: float = 0.0
    """No row farther off than this [m] is worth another step."""
    stands: float = np.inf
    """While what is held in place is farther off than this [m], small gains are worth a step too."""


@dataclass
class Descent:
    """Where the iteration stands."""

    coefficients: Array
    """(K, m)"""
    places: Array
    """Of free plants (P, 3)."""
    merit: float = np.inf
    cost: float = 0.0
    """What the change costs, without the rows."""
    steps: int = 0
    factorisations: int = 0
    reason: str = "budget"
    damping: float = 0.0
    """Where it ended."""
    history: list[float] = field(default_factory=list)
    error: Array = field(default_factory=lambda: np.zeros(0))
    """Of the rows, where it ended (R,)."""

    def followed_by(self, other: Descent) -> Descent:
        """Both as one."""
        other.steps, other.reason = other.steps + self.steps, self.reason
        other.factorisations += self.factorisations
        other.history = self.history + other.history
        return other


class Step(NamedTuple):
    """Towards the minimum of the linearised problem."""

    x: Array
    """Change of the unknowns (n,)"""
    z: Array
    """… and of the places of free plants (P, 3)."""
    mx: Array
    """M x (n,)"""
    ahead: Array
    """J x (R,)"""
    part: float
    """That could be taken of the last direction."""
    left: float
    """About what the linearised problem still has to gain."""


class Unknowns:
    """Free coefficients of a window as one vector."""

    def __init__(self, slot: IntArray) -> None:
        dof, key = np.nonzero(slot >= 0)
        order = np.argsort(slot[dof, key])
        self.dof, self.key = dof[order], key[order]

    def put(self, x: Array, like: Array) -> Array:
        """The vector as coefficients (K, m), zero where none is free."""
        out = np.zeros_like(like)
        out[self.key, self.dof] = x
        return out


def descend(
    system: System,
    band: Array,
    slope: Array,
    start: Array,
    *,
    free: FreePlaces,
    places: Array,
    cost: float = 0.0,
    effort: Effort | None = None,
    watch: Callable[[Descent], None] = lambda state: None,
) -> Descent:
    """Minimise from ``start`` (K, m); ``band`` is M of the free unknowns, ``slope`` = (M c) there, (n,)."""
    effort = effort or Effort()
    unknowns = Unknowns(system.slot)
    state = Descent(np.array(start), np.array(places), cost=cost)
    slope, damping = np.array(slope), effort.damping
    price, matrix = band[:, 0].copy(), np.empty_like(band)
    table = system.table
    free.set_targets(system, state.places)
    error = system.evaluate(state.coefficients)

    state.merit = state.cost + table.loss(error) + free.cost(state.places)
    state.history.append(state.merit)
    while state.steps < effort.steps:
        x, z, mx, ahead, part, left = _model(
            system, band, matrix, slope, price * damping, error, free, state, effort, unknowns
        )
        promised = state.merit - (
            state.cost
            + float(x @ slope)
            + 0.5 * float(x @ mx)
            + table.loss(error + ahead)
            + free.cost(state.places + z)
        )
        change = unknowns.put(x, state.coefficients)
        share, found = 1.0, False
        for attempt in range(8):
            trial, spot = state.coefficients + share * change, state.places + share * z
            cost = state.cost + share * float(x @ slope) + 0.5 * share**2 * float(x @ mx)
            free.set_targets(system, spot)
            after = system.evaluate(trial, jacobian=attempt == 0)
            merit = cost + table.loss(after) + free.cost(spot)
            if merit <= state.merit - ENOUGH * share * max(promised, 0.0) and np.isfinite(merit):
                found = True
                break
            share *= 0.5
        state.steps += 1
        if not found:
            free.set_targets(system, state.places)
            state.reason = "stuck"
            break
        if share < 1.0:
            after = system.evaluate(trial)
        gain = state.merit - merit
        trust = gain / max(promised, 1e-300)
        if part < CREDIBLE or share < 1.0 or trust < 0.25:  # too bold
            damping = min(6.0 * (damping if part >= CREDIBLE else max(damping, CAREFUL)), 1e2)
        elif trust > 0.7:
            damping = max(0.2 * damping, 1e-7)
        state.coefficients, state.places, state.cost, state.merit = trial, spot, cost, merit
        slope, error = slope + share * mx, after
        state.history.append(merit)
        watch(state)
        if share * float(np.abs(x).max(initial=0.0)) < effort.change:
            state.reason = "converged"
            break
        hardly = 0.5 * effort.gain
        # Of a displacement that only finishes: its last step came as promised, and promised little more.
        settled = effort.near > 0.0 and left + abs(promised - gain) < hardly * cost
        if share == 1.0 and part >= WHOLE and (settled or gain < hardly * merit):
            state.reason = "no further gain"
            break
        off = np.abs(table.violation(error) * table.lever)
        if float(off.max(initial=0.0)) < effort.near:
            state.reason = "met"
            break
        # What is out of reach weighs heavily and for ever: progress is measured on the rest.
        rest = cost + 0.5 * float(table.weight @ np.where(off < HOPELESS, off / table.lever, 0.0) ** 2)
        waiting = table.held & (off > effort.stands) & (off < HOPELESS)
        if gain < effort.gain * rest * (PATIENCE if waiting.any() else 1.0):
            state.reason = "no further gain"
            break
    state.error, state.damping = error, damping
    return state


@np.errstate(over="ignore", invalid="ignore")  # of wishes out of all bounds: such a step is not taken
def _model(
    system: System,
    band: Array,
    matrix: Array,
    slope: Array,
    damping: Array,
    error: Array,
    free: FreePlaces,
    state: Descent,
    effort: Effort,
    unknowns: Unknowns,
) -> Step:
    """The step that minimises the linearised problem, or nearly; ``matrix`` is room to work in."""
    count, table = len(slope), system.table
    x, mx, ahead = np.zeros(count), np.zeros(count), np.zeros(len(error))
    z, share, left = np.zeros_like(state.places), 1.0, np.inf
    for _ in range(effort.factorisations):
        acting, force = table.pull(error + ahead, system.expected)
        matrix[:] = band
        matrix[:, 0] += damping
        gradient = slope + mx + damping * x
        system.add_to(matrix, gradient, acting, force)
        factor = factorise(matrix)
        state.factorisations += 1
        p, pz = free.step(system, factor, gradient, acting, force, state.places, z)
        mp = multiply(band, p)
        jp = system.along(unknowns.put(p, state.coefficients)) + free.along(system, pz)
        pull = float(p @ (slope + mx + damping * x)) + free.slope(state.places + z, pz)
        curve = float(p @ (mp + damping * p)) + free.curvature(pz)
        share = _exact(error + ahead, jp, system, pull, curve)
        # Displacements on top begin near their end: who acts now acts then.
        told = share >= CREDIBLE and effort.near == 0.0
        system.expected = error + ahead + jp if told else None
        x, mx, ahead, z = x + share * p, mx + share * mp, ahead + share * jp, z + share * pz
        left = table.unsettled(error + ahead, acting) if share >= WHOLE else np.inf
        if share > 0.999 and left == 0.0:
            break
        if share * float(np.abs(p).max(initial=0.0)) < effort.change:
            break
    return Step(x, z, mx, ahead, share, left)


@kernel()
def _slope_at(
    share: float, e: Array, j: Array, lower: Array, upper: Array, weight: Array, far: Array
) -> float:
    """Derivative of the rows' loss along a direction."""
    total = 0.0
    for r in range(e.size):
        if j[r] != 0.0:
            value = e[r] + share * j[r]
            if value > upper[r]:
                total += weight[r] * min(value - upper[r], far[r]) * j[r]
            elif value < lower[r]:
                total += weight[r] * max(value - lower[r], -far[r]) * j[r]
    return total


def _exact(e: Array, j: Array, system: System, pull: float, curve: float) -> float:
    """The minimum along a direction of a convex, piecewise quadratic function, within the step."""
    table = system.table
    rows = (table.lower, table.upper, table.weight, table.far)

    def slope(share: float) -> float:
        return pull + share * curve + float(_slope_at(share, e, j, *rows))

    if slope(1.0) <= 1e-9 * abs(slope(0.0)):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(14):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return 0.5 * (low + high)
