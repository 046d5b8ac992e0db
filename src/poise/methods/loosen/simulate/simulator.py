"""Kinodynamic states: each is a short simulation of its own that ends at the time asked.

    x_KD(t) = Simulate(x_K, t, δ):   start at x_K(t − δ), ẋ_K(t − δ), follow x_K through springs until t

Nothing before t − δ matters: any frame can be had alone, and is the same to the bit whether it is asked
for alone or among others, in any order, on any number of threads.

What is asked for as ``Loosen`` also has keyed joints and amplitudes (``amplitude``), limits and passive
forces (``stops``) and parts that stay where they touch (``plants``); a bare ``Simulation`` has springs alone.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array, IntArray
from poise.character.tree import LINK_BALL, LINK_HINGE, LINK_NV
from poise.curves import TangentCurve
from poise.dynamics import GRAVITY, gravity_force
from poise.dynamics.window_arrays import Mechanism, Scheme, Springs, Windows
from poise.errors import InputError
from poise.methods.loosen.simulate.anchors import Anchor
from poise.methods.loosen.simulate.gains import Gains, inertia_of, resolve
from poise.methods.loosen.simulate.held import Held
from poise.methods.loosen.simulate.moved_limbs import Limbs, moved_limbs, whole
from poise.methods.loosen.simulate.plants import Plant
from poise.methods.loosen.simulate.reference import Reference
from poise.methods.loosen.window.duration import window_seconds
from poise.motion import Clip
from poise.operations.loosen import Simulation
from poise.operations.values.tension import Keyed, Spec, is_keyed

PER_FRAME = 2
"""Steps of a frame, at least: one would miss the noise between a capture's frames in the root's velocity,
which limbs then do not feel as inertia (feet of a capture at 120 fps: eight times the jerk)."""
FINEST = 1e-4
"""No step smaller than this [s] is tried."""
FASTEST = 200.0
"""A joint that turns so much faster than any of the clip [rad/s] may have run away."""
WOUND = 12.0
"""So may a hinge that is wound up by so much more than any of the clip [rad]."""


class RunawayError(InputError):
    """A simulation left all bounds at some time; a smaller step may hold it."""

    def __init__(self, time: float, more: str = "") -> None:
        self.time = time
        super().__init__(f"the simulation runs away at {time:.3f} s{more}")


class Simulator:
    """A clip, a tension and options, ready to give the state at any time."""

    def __init__(
        self,
        clip: Clip,
        tension: Spec | Keyed = "relaxed",
        options: Simulation | None = None,
        *,
        correction: TangentCurve | None = None,
        plants: tuple[Plant, ...] | None = None,
        holds: tuple[Anchor, ...] = (),
    ) -> None:
        """``plants``: the parts that touch, where they are known already (a clip dragged a little).

        ``holds`` draw bodies to places of their own (``hit``).
        """
        self.clip, self.tension, self.options = clip, tension, options or Simulation()
        self.reference = Reference(clip, correction)
        per_frame = max(PER_FRAME, math.ceil(clip.dt / self.options.step - 1e-9))
        self.per_frame = per_frame
        self.h = clip.dt / per_frame
        """The step of the simulation [s]: a whole number of them make a frame."""
        self._gains = None if is_keyed(tension) else resolve(clip.character, tension)
        inertia_of(clip.character)
        tree = clip.character.tree
        self.holds = holds
        self.held = held = Held(clip, tension, self.options, self.reference.corrected(None), plants, holds)
        """What holds beside springs."""
        loose = [i for i in range(len(tree.parent)) if not held.prescribed[i]]
        hinges = [i for i in loose if tree.kind[i] == LINK_HINGE]
        turning = [i for i in loose if tree.kind[i] in (LINK_HINGE, LINK_BALL)]
        self._wound = np.array([tree.q_start[i] for i in hinges], dtype=np.int64)
        self._turning = np.array(
            [tree.v_start[i] + k for i in turning for k in range(LINK_NV[tree.kind[i]])], dtype=np.int64
        )
        self._gravity = np.array(GRAVITY) if self.options.gravity != "off" else np.zeros(3)
        self._no_feed = np.zeros((1, clip.character.nv))
        self._whole = whole(clip.character)
        self.simulations = 0
        """How many windows were simulated so far."""

    @property
    def tabled_here(self) -> bool:
        """Whether tables must lie in the processor's memory, for what is read of them beside the kernel."""
        return self.options.gravity == "compensated" or self.held.shares is not None

    @property
    def plants(self) -> tuple[Plant, ...]:
        """Parts that stay where they touch."""
        return self.held.plants

    @property
    def gains(self) -> Gains:
        """The springs (at the clip's frames, where keyed)."""
        return self.gains_at(np.asarray(self.clip.times))

    def gains_at(self, times: Any) -> Gains:
        """The springs at times [s], (T, nv), or one row where they do not change; keys repeat with a loop."""
        if self._gains is not None:
            return self._gains
        period = self.clip.duration if self.clip.loop else None
        return resolve(self.clip.character, self.tension, times, period=period)

    def steps(self, window: ArrayLike, count: int) -> IntArray:
        """Whole steps of each of ``count`` windows [s]."""
        return np.maximum(1, np.rint(window_seconds(window, count) / self.h)).astype(np.int64)

    def states(
        self, times: ArrayLike, window: ArrayLike, *, limbs: Limbs | None = None
    ) -> tuple[Array, Array]:
        """Configurations (T, nq) and the simulator's velocities (T, nv) at times [s].

        With ``limbs`` only these are simulated, and all else is as it is keyed.

        A window that runs away at the usual step (light joints whipped through glitches of a capture) is
        simulated again with a quarter of it, and again; each by itself: frames still do not depend on others.
        """
        times = np.atleast_1d(np.asarray(times, dtype=np.float64))
        if not np.isfinite(times).all():
            raise InputError("times must be finite")
        q, v = self._states(times, window, limbs)
        lost = self.runaway(q, v)
        if lost.any():
            # Fast, and no smaller step will slow it down?
            slack = 100.0 if self.h < FINEST else 1.0
            lost = self.runaway(q, v, slack=slack, hidden=self.held.hidden(times))
        if lost.any():
            seconds = np.broadcast_to(np.asarray(window, dtype=np.float64), times.shape)
            finer = self.finer(float(times[lost][0]))
            q[lost], v[lost] = finer.states(times[lost], seconds[lost], limbs=limbs)
        return q, v

    def runaway(
        self, q: Array, v: Array, slack: float = 1.0, hidden: NDArray[np.bool_] | None = None
    ) -> NDArray[np.bool_]:
        """Which states (T, nq), (T, nv) no body should come to: not finite, whirling or wound up, (T,).

        What ``hidden`` degrees of freedom (T, nv) do, which show the animation, nobody sees.
        """
        most_q, most_v = self._bounds
        if hidden is not None:
            v = np.where(hidden, 0.0, v)
        finite = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
        whirls = (np.abs(v[:, self._turning]) > slack * most_v).any(axis=1)
        wound = (np.abs(q[:, self._wound]) > slack * most_q).any(axis=1)
        return np.asarray(~finite | whirls | wound)

    @cached_property
    def _bounds(self) -> tuple[float, float]:
        """Of hinges [rad] and of joints' speeds [rad/s]."""
        most_q = float(np.abs(self.clip.q[:, self._wound]).max(initial=0.0))
        most_v = float(np.abs(self.clip.velocity[:, self._turning]).max(initial=0.0))
        return WOUND + most_q, FASTEST + most_v

    def finer(self, time: float) -> Simulator:
        """The same with a quarter of the step, for what runs away at ``time``; refused if too small."""
        if self.h < FINEST:
            raise RunawayError(
                time,
                f" even in steps of {self.h:.1g} s: does the clip jump there (a rest pose before the "
                "motion)? Trim it, or give a firmer tension",
            )
        options = msgspec.structs.replace(self.options, step=0.25 * self.h)
        return self.like(options=options)

    def like(
        self,
        *,
        options: Simulation | None = None,
        correction: TangentCurve | None = None,
        plants: tuple[Plant, ...] | None = None,
        holds: tuple[Anchor, ...] | None = None,
    ) -> Simulator:
        """The same but for what is given."""
        return Simulator(
            self.clip,
            self.tension,
            options or self.options,
            correction=self.reference.correction if correction is None else correction,
            plants=self.plants if plants is None else plants,
            holds=self.holds if holds is None else holds,
        )

    def _states(self, times: Array, window: ArrayLike, limbs: Limbs | None = None) -> tuple[Array, Array]:
        steps = self.steps(window, len(times))
        x = times / self.h
        on_grid = np.abs(x - np.rint(x)) < 1e-6
        if len(times) > 1 and on_grid.all():
            # Frames share one table.
            end = np.rint(x).astype(np.int64)
            first, last = int((end - steps).min()), int(end.max())
            if (last - first) <= 3 * int(steps.sum()) + 64:
                grid = np.arange(first, last + 1)
                return self._run(grid * self.h, end - steps - first, steps, limbs)
        # Each window has its own rows; times on the grid are computed from the grid in either case.
        rows = np.concatenate([[0], np.cumsum(steps + 1)])
        table = np.empty(rows[-1])
        for k, (t, n) in enumerate(zip(times, steps)):
            base = np.rint(x[k]) if on_grid[k] else 0.0
            table[rows[k] : rows[k + 1]] = (
                (base + np.arange(-n, 1)) * self.h if on_grid[k] else t + np.arange(-n, 1) * self.h
            )
        return self._run(table, rows[:-1], steps, limbs)

    def tabled(
        self,
        table_q: Array,
        table_v: Array,
        times: Any,
        start: IntArray,
        steps: IntArray,
        initial: tuple[Array, Array] | None = None,
        *,
        limbs: Limbs | None = None,
    ) -> tuple[Array, Array]:
        """States of windows over a table (rows at ``times``), from the reference's state or a given one.

        With ``limbs`` all tables and states are of these alone. Where ``steps`` has two axes (W, K), states
        are told along the way, after so many steps and again after so many more: (W, K, …). States that go on
        from ``initial`` ones are the simulation's own: amplitudes are not applied to them.
        """
        from poise.dynamics.window_batch import run_batch

        limbs = limbs or self._whole
        legs = np.ascontiguousarray(steps, dtype=np.int64)
        raw = initial is not None
        if initial is None:
            initial = np.empty((0, table_q.shape[1])), np.empty((0, table_v.shape[1]))
        self.simulations += len(start) if legs.ndim == 1 else int(np.count_nonzero(legs))
        first, tree = np.ascontiguousarray(start, dtype=np.int64), limbs.tree
        legs2 = legs.reshape(len(first), -1)
        held, gains, feed = self.held, self.gains_at(times), self._no_feed
        if self.options.gravity == "compensated":
            feed = gravity_force(self.clip.character, table_q)
        holding = held.holding(gains, feed, times)
        stiffness, damping, feed = (x.take(limbs.v, axis=1) for x in holding)
        tables = held.anchor_tables(limbs, times)
        more = np.zeros(tables.points, dtype=bool)
        stops = held.stops.of(limbs)
        if len(stops.limited):
            stops = stops._replace(limited=np.concatenate([stops.limited, more]))
        found = run_batch(
            Mechanism(
                tables.tree,
                np.array(tree.armature),
                self._gravity,
                np.concatenate([held.prescribed[limbs.links], more]),
                *stops,
            ),
            Springs(table_q, table_v, stiffness, damping, feed, tables.links, tables.path, tables.rows),
            Windows(first, legs2, *initial),
            Scheme(self.h, 1.0 if self.options.dampers == "reference" else 0.0, self.options.order),
            self.options.device,
        )
        if not raw:
            held.show(limbs, found.q, table_q, times, first[:, None] + np.cumsum(legs2, axis=1))
        return (found.q[:, 0], found.v[:, 0]) if legs.ndim == 1 else (found.q, found.v)

    def limbs(self, free: NDArray[np.bool_]) -> Limbs:
        """What has to be simulated again where the reference changes in its ``free`` columns (nv,) alone."""
        apart = self.options.root == "prescribed" and self.options.gravity != "compensated"
        return moved_limbs(self.clip.character, free) if apart else self._whole

    def _run(self, times: Any, start: IntArray, steps: IntArray, limbs: Limbs | None) -> tuple[Array, Array]:
        q, v = self.reference.table(times)
        if limbs is None or limbs.all_of(self.clip.character):
            return self.tabled(q, v, times, start, steps)
        part_q, part_v = q.take(limbs.q, axis=1), v.take(limbs.v, axis=1)
        found_q, found_v = self.tabled(part_q, part_v, times, start, steps, limbs=limbs)
        end_q, end_v = q[start + steps], v[start + steps]
        end_q[:, limbs.q], end_v[:, limbs.v] = found_q, found_v
        return end_q, end_v

    def full(self) -> Array:
        """Ordinary forward dynamics from the first frame on, for comparison, (F, nq)."""
        clip, n = self.clip, self.per_frame
        times: Array = np.arange((clip.frames - 1) * n + 1) * np.float64(self.h)
        q, v = self.reference.table(times)
        ends = self.tabled(q, v, times, np.array([0]), np.full((1, clip.frames - 1), n))[0][0]
        return np.concatenate([q[:1], ends])
