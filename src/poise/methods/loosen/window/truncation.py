"""What a window leaves out, measured.

Started in the kinematic state at s, a simulation passes through the kinodynamic states of *all* windows that
start there: x_KD(t; δ = t − s). And full dynamics at t is what simulations tend to that started long before.
Two simulations of the same motion forget how they began,

    x_KD(t; δ) − x_full(t) ≈ Ψ(t, s) (x_K(s) − x_full(s)),    ‖Ψ‖ ~ e^{−σδ},

so a few starts run side by side, each compared on its way with a run that began a horizon earlier, give the
errors of all their windows exactly, for the price of one pass. Nothing older than the horizon is ever read:
a measured error, like a kinodynamic state, depends on the motion in the neighbourhood of its time alone.

Errors are root mean squares, over the character's *nodes*, of the distance [m] between two states.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.dynamics.modal import damped_spectrum
from poise.errors import InputError
from poise.kinematics import forward
from poise.methods.loosen.simulate.simulator import RunawayError, Simulator
from poise.workers import on_threads

SHARE = 0.001
"""Tolerance as a share of the character's diameter."""
LONGEST = 4.0
"""No window is made longer than this [s]; what swings on for longer is cut off, and reported."""


class Nodes:
    """The points of a character that errors are measured on: named points and centres of mass.

    Joints are named points. Those on a root that moves as animated are left out: they have no error.
    """

    def __init__(self, simulator: Simulator) -> None:
        self.character = character = simulator.clip.character
        pairs = [(p.body, np.asarray(p.position)) for p in character.points.values()]
        pairs += [(i, np.asarray(b.mass.centre)) for i, b in enumerate(character.bodies) if b.mass.mass > 0]
        told = simulator.options.root == "prescribed"
        self._all = pairs
        moved = [p for p in pairs if not (told and p[0] == 0)] or pairs
        self.bodies: IntArray = np.array([p[0] for p in moved], dtype=np.int64)  # (N,)
        self.places = np.array([p[1] for p in moved])  # (N, 3)

    def __len__(self) -> int:
        return len(self.bodies)

    def positions(self, q: Array) -> Array:
        """World positions of the nodes [m], (F, N, 3)."""
        at = forward(self.character, q)
        out, turns = np.array(at.positions[:, self.bodies]), at.rotations[:, self.bodies]
        for k in range(3):
            out += turns[..., k] * self.places[:, k, None]
        return out

    @cached_property
    def diameter(self) -> float:
        """d: the largest distance between two points of the character at rest [m]."""
        at, turn = self.character.rest_placement()
        x = np.array([at[body] + turn[body] @ place for body, place in self._all])
        return float(np.linalg.norm(x[:, None] - x[None], axis=-1).max())

    def tolerance(self, asked: float | None) -> float:
        """The tolerance asked for [m], or 0.1 % of the diameter.

        A mean of 0.001 d over N nodes is ‖u‖ ≤ 0.001 d √N for all their displacements u in one vector.
        """
        if asked is not None:
            if not (np.isfinite(asked) and asked > 0):
                raise InputError(f"a tolerance must be positive [m], not {asked}")
            return float(asked)
        if not self.diameter > 0:
            raise InputError(f"{self.character.name!r} is a single point: give a tolerance in metres")
        return SHARE * self.diameter


def rms(difference: Array) -> Array:
    """Root mean square length of node displacements (…, N, 3), (…)."""
    return np.asarray(np.sqrt(np.square(difference).sum(axis=-1).mean(axis=-1)))


def one_thread() -> AbstractContextManager[None]:
    """Many small batches: waking a second thread for each would take longer than the work."""
    return on_threads(1)


class Truncation:
    """Runs of a simulator from many starts side by side, and full dynamics to compare them with.

    Everything happens at every ``stride``-th frame; by default the stride follows from how slowly the
    character settles.
    """

    def __init__(
        self,
        simulator: Simulator,
        *,
        tolerance: float | None = None,
        longest: float = LONGEST,
        stride: int | None = None,
    ) -> None:
        if not (np.isfinite(longest) and longest > 0):
            raise InputError(f"the longest window must be positive and finite, not {longest} s")
        self.simulator, self.nodes = simulator, Nodes(simulator)
        self.tolerance = self.nodes.tolerance(tolerance)
        self.longest = longest
        # A sixth of the slowest swing and a fraction of its decay time: windows hardly longer than they need
        # be, for a fraction of the runs.
        calm = min(0.3 / self.decay, 1 / self.slowest, longest / 8)
        self.stride = stride or max(1, int(calm * simulator.clip.fps))
        self.count = -(-(simulator.clip.frames - 1) // self.stride) + 1
        """Grid points: the last one is at or just after the last frame."""

    @cached_property
    def roots(self) -> Array:
        """|λ| and −Re λ of small motions on the springs in the rest pose, where loosest [1/s], (2, 2n)."""
        simulator = self.simulator
        character, gains = simulator.clip.character, simulator.gains
        loosest = int(np.argmin(np.log(np.maximum(gains.stiffness, 1e-12)).sum(axis=1)))
        held = range(character.bodies[0].joint.nv if simulator.options.root == "prescribed" else 0)
        if len(held) == character.nv:
            return np.full((2, 1), np.inf)
        roots = damped_spectrum(
            character, character.rest_pose(), gains.stiffness[loosest], gains.damping[loosest], fixed=held
        )
        return np.array([np.abs(roots), -roots.real])

    @property
    def decay(self) -> float:
        """σ: the slowest rate at which small motions die out [1/s]."""
        return float(max(self.roots[1].min(), 1e-9))

    @property
    def slowest(self) -> float:
        """Slowest circular frequency (or rate) of small motions [1/s]."""
        return float(max(self.roots[0].min(), 1e-9))

    @cached_property
    def horizon(self) -> int:
        """Age [grid points] from which a run counts as full dynamics: d has decayed to tolerance / e."""
        size = max(self.nodes.diameter / self.tolerance, 1e3)
        forget = (math.log(size) + 1) / self.decay
        return self.points(min(forget, 2 * self.longest))

    def points(self, seconds: float) -> int:
        """Grid points that last at least so long."""
        return max(1, math.ceil(seconds / (self.stride * self.simulator.clip.dt) - 1e-9))

    @cached_property
    def full(self) -> Array:
        """Full dynamics at the grid points, (G, N, 3).

        It has no start-up: before its first frame a clip holds its pose, and a loop has always been going on.
        """
        age = self.horizon
        # Short blocks of runs, each a horizon old at least: many runs side by side cost less than few long
        # ones. Their length follows from the horizon, not from the clip's, so that far frames do not matter.
        block = -(-age // 4)
        starts = np.arange(0, self.count, block) - age
        out = np.empty((self.count, len(self.nodes), 3))
        at, advances = starts.copy(), [age, *[1] * (block - 1)]
        n = self.stride * self.simulator.per_frame
        for ahead, (_, q) in zip(advances, self.march(starts * n, (k * n for k in advances))):
            at += ahead
            inside = at < self.count
            out[at[inside]] = self.nodes.positions(q[inside])
        return out

    def march(
        self, starts: IntArray, advances: Iterable[int | IntArray]
    ) -> Generator[tuple[IntArray, Array], Any, None]:
        """States of runs begun in the kinematic states at steps ``starts``, so many steps further each time.

        ``advances`` says how many for all runs, or (the first time) for each. Yields (which runs, q (n, nq));
        ``send`` a mask to go on with some of them only. At the last grid point a run stands still.
        """
        simulator = self.simulator
        n = self.stride * simulator.per_frame
        base, end = int(starts.min()), (self.count - 1) * n
        times = np.arange(base, max(end, int(starts.max())) + 1) * simulator.h
        table_q, table_v = simulator.reference.table(np.asarray(times, dtype=np.float64))
        which, row = np.arange(len(starts)), starts - base
        q, v = table_q[row], table_v[row]
        for ahead in advances:
            steps: Any = np.clip(end - base - row, 0, ahead)
            going = np.flatnonzero(steps)
            if len(going):
                # The rows that each run needs, one run after another.
                begin = np.concatenate([[0], np.cumsum(steps[going] + 1)])
                rows = np.repeat(row[going] - begin[:-1], steps[going] + 1) + np.arange(begin[-1])
                q[going], v[going] = simulator.tabled(
                    table_q[rows],
                    table_v[rows],
                    times[rows],
                    begin[:-1],
                    steps[going],
                    (q[going], v[going]),
                )
                lost = ~np.isfinite(q[going]).all(axis=1)
                if lost.any():
                    raise RunawayError(float(times[np.minimum(row + steps, len(times) - 1)[going][lost][0]]))
            row = row + steps
            keep = yield which, q
            if keep is not None:
                which, row, q, v = which[keep], row[keep], q[keep], v[keep]
                if not len(which):
                    return

    def errors(self, aim: float) -> Array:
        """Errors [m] of windows that end at each grid point, by their length in grid points, (G, A).

        Column a: length a + 1, up to ``longest``. A run is given up once it has settled (its amplitude, by
        error and rate of change, is within ``aim`` [m]): what it would still show counts as 0.
        """
        oldest, full = self.points(self.longest), self.full
        n, step = self.stride * self.simulator.per_frame, self.stride * self.simulator.clip.dt
        out = np.zeros((self.count, oldest))
        # Starts before the clip are only needed as far back as they still fail; go back bit by bit.
        back = min(self.points(4 / self.decay), oldest)
        starts, first = np.arange(-back, self.count - 1), -back
        while len(starts):
            lead = np.maximum(1, -starts)
            runs = self.march(starts * n, [lead * n, *[n] * oldest])
            at, before, failed = starts + lead, None, np.zeros(len(starts), dtype=bool)
            which, q = next(runs)
            for _ in range(oldest + 1):
                off = self.nodes.positions(q) - full[at]
                error, age = rms(off), at - starts[which]
                out[at, age - 1] = error
                failed[which] |= ~(error <= aim)
                going = (at < self.count - 1) & (age < oldest)
                if before is not None:
                    amplitude = np.hypot(error, rms(off - before) / (step * self.slowest))
                    going &= ~(amplitude <= aim)
                if not going.any():
                    break
                before, at = off[going], at[going] + 1
                which, q = runs.send(going)
            runs.close()
            if first <= -oldest or not failed[: -(-back // 2)].any():
                break
            starts, first = np.arange(max(first - back, -oldest), first), max(first - back, -oldest)
        return out
