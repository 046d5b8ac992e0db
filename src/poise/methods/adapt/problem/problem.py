"""What is asked of a clip, and how one displacement is solved over the clip or a window of it.

Nothing here that serves a window looks at the whole clip: what a drag costs does not depend on its length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.adapt.plants.free_places import FreePlaces
from poise.methods.adapt.problem.carried import slope_of
from poise.methods.adapt.problem.price import price
from poise.methods.adapt.problem.prior import PosePrior, prior_slope
from poise.methods.adapt.problem.samples import Samples, samples_of
from poise.methods.adapt.problem.unknowns import Group, Space
from poise.methods.adapt.rows.rows import Block
from poise.methods.adapt.rows.table import FAR, REST, RowTable
from poise.methods.adapt.rows.velocity import carried
from poise.methods.adapt.solve.banded_matrix import submatrix
from poise.methods.adapt.solve.gauss_newton import Descent, Effort, descend
from poise.methods.adapt.solve.system import Base, System
from poise.motion import Clip
from poise.operations.values.displacement import Displacement
from poise.solvers.banded import multiply
from poise.workers import algebra_on_one_thread

Window = tuple[float, float]
AIMS, STEADY = 12, Effort(steps=3, gain=1e-4)
"""How often, at most, to look at what instants still miss, and the effort after each aim past it."""
SURE = 0.55
"""Part of the tolerance that no component may miss by, lest their norm does."""
HOPE = (12, 4)
"""Most steps of the first displacement, and of others, where something is out of reach: what is left to gain
there is not worth waiting for."""
TIGHTENINGS, AGAIN = 4, Effort(steps=8)
"""How often to make exceeded limits dearer, and the effort after each time."""
FIRMER = 8.0
"""Instants pull so much harder in a drag, which has no steps to aim past what they miss."""
BESIDE, MOST = 2.5, 0.25
"""What is done for some rows stays within so many reaches of a key where that is so little of a clip."""


@dataclass(frozen=True, eq=False)
class Stage:
    """One displacement: its unknowns and what they cost."""

    space: Space
    band: Array
    """M (n, bandwidth + 1)."""
    tug: Array
    """Linear part of the cost (n,): what the pose prior pulls towards, and what carries the root."""
    begins: Array | None = None
    """Coefficients from which it is solved, where not from none (K, m)."""

    @classmethod
    def of(
        cls,
        clip: Clip,
        asked: Displacement,
        free: Sequence[int],
        objective: str,
        prices: Mapping[str, float] | None,
        prior: PosePrior | None,
        calm: Sequence[int] = (),
    ) -> Stage:
        """Set up a displacement of a clip; ``calm``: bodies whose joints bend least."""
        space = Space(clip, asked, free)
        band, diagonal = price(space, objective, prices, np.asarray(clip.q), calm)
        tug = np.zeros(space.count) if prior is None else prior_slope(space, band, diagonal, prior)
        return cls(space, band, tug)

    @property
    def start(self) -> Array:
        """The displacement from which it is solved, (K, m)."""
        return np.zeros((self.space.keys, self.space.size)) if self.begins is None else self.begins

    def carried(self, coefficients: Array) -> Stage:
        """The same, priced from a displacement on (K, m)."""
        return replace(
            self, tug=self.tug + slope_of(self.space, self.band, coefficients), begins=coefficients
        )


@dataclass(frozen=True, eq=False)
class Problem:
    """Displacements and rows over a clip."""

    clip: Clip
    stages: tuple[Stage, ...]
    blocks: tuple[Block, ...]
    free: FreePlaces

    def with_blocks(self, blocks: Sequence[Block], free: FreePlaces) -> Problem:
        """The same displacements, other rows."""
        return replace(self, blocks=tuple(blocks), free=free)

    def solve(
        self,
        number: int,
        coefficients: Sequence[Array],
        places: Array,
        *,
        window: Window | None = None,
        above: bool = False,
        aim: bool = False,
        effort: Effort | None = None,
        watch: Callable[[Descent], None] = lambda state: None,
    ) -> tuple[Descent, System]:
        """Solve one displacement from its coefficients.

        ``above``: under those on top, held as they are; ``aim``: instants are met to their tolerance.
        """
        stage = self.stages[number]
        space = stage.space
        samples = samples_of(self.blocks, window, period=self.clip.duration if self.clip.loop else None)
        slot, kept = _inside(space, window)
        if not len(kept):
            raise InputError(f"no key acts wholly within {window}: widen the window or set keys closer")
        base = self.base(samples, number, coefficients, above=above)
        far = REST if number else FAR
        table = RowTable(space, self.blocks, samples, space.asked.pull, far=far)
        if above:
            table.weight[table.tolerance > 0] *= FIRMER
        system = System(space, table, base, slot)
        effort = effort or Effort()
        again, rounds, aims, later = AGAIN, TIGHTENINGS if aim and number == 0 else 0, AIMS, 0
        if not above:
            before = [
                stage.space.dofs for stage in self.stages[:number]
            ]  # of displacements that did what they could
            finishing = bool(before) and bool(np.isin(space.dofs, np.concatenate(before)).all())
            if table.brace(system.evaluate(coefficients[number], jacobian=False), finishing=finishing):
                again, rounds, aims = replace(AGAIN, steps=2), min(rounds, 2), 2
                hope = min(effort.steps, HOPE[min(number, 1)])
                effort, later = replace(effort, steps=hope), effort.steps - hope
        asked: dict[str, Any] = {"free": self.free, "places": places, "effort": effort, "watch": watch}
        with algebra_on_one_thread():
            band, slope, cost = _restricted(stage, coefficients[number], kept, window)
            found = descend(system, band, slope, coefficients[number], cost=cost, **asked)

            def go_on(effort: Effort, rows: NDArray[np.bool_] | None = None) -> Descent:
                """Further steps; for the sake of some rows only around them."""
                near = window if rows is None or self.clip.loop else _around(system, rows, window)
                slot, kept = _inside(space, near)
                band, slope, _ = _restricted(stage, found.coefficients, kept, near)
                effort = replace(effort, damping=found.damping)
                more = asked | {"places": found.places, "cost": found.cost, "effort": effort}
                part = system.within(slot)
                later = descend(part, band, slope, found.coefficients, **more)
                system.expected = part.expected  # who acts is known from the last step, wherever it was
                return found.followed_by(later)

            if later and not table.far_off(found.error):  # in reach after all
                found, aims = go_on(replace(effort, steps=later)), AIMS
            for _ in range(rounds):
                if not table.tighten(found.error):
                    break
                found = go_on(again)
            tries: list[tuple[float, Descent]] = []
            while aim and len(tries) < aims:
                found = go_on(STEADY, table.aimed) if tries else found
                miss = table.aim_past(self._as_sampled(number, system, coefficients, found))
                tries.append((miss, found))
                misses = [t[0] for t in tries]
                if miss < SURE or (len(tries) > 4 and min(misses[-3:]) > 0.8 * min(misses[:-3])):
                    break
            if tries:
                found = min(tries, key=lambda t: t[0])[1]
        return found, system

    def _as_sampled(
        self, number: int, system: System, coefficients: Sequence[Array], found: Descent
    ) -> Array:
        """Errors of rows, velocities as the sampled clip will have them: central differences of frames."""
        error, table, clip = found.error, system.table, self.clip
        manifold = clip.character.manifold
        below = [*coefficients[:number], found.coefficients]
        for own, block, pick in zip(table.samples.blocks, table.blocks, table.samples.chosen):
            frames = block.frames[pick]
            if not block.rates or block.constraint is None or not block.tolerance or frames.min() < 1:
                continue
            if frames.max() > clip.frames - 2:
                continue
            before, here, after = (self.poses(frames + k, below) for k in (-1, 0, 1))
            v = (manifold.minus(after, here) + manifold.minus(here, before)) / (2 * clip.dt)
            seen = block.constraint.error(Kinematics(clip.character, here, v), block.times[pick])
            error = error.copy()
            error[table.rows_of(own).ravel()] = seen.ravel()
        return error

    def poses(self, frames: IntArray | slice, coefficients: Sequence[Array]) -> Array:
        """Configurations at frames with the first displacements applied (F', nq)."""
        q = self.clip.q[frames]
        for stage, values in zip(self.stages, coefficients):
            d = stage.space.evaluate(values, stage.space.stencil.at(frames), 0)
            q = self.clip.character.manifold.plus(q, d)
        return q

    def base(self, samples: Samples, number: int, coefficients: Sequence[Array], *, above: bool) -> Base:
        """The motion below a displacement at samples, and the displacement above it."""
        clip = self.clip
        manifold = clip.character.manifold
        q = clip.q[samples.frames]
        wanted = any(block.rates for block in self.blocks)
        v = clip.velocity[samples.frames] if wanted else None
        if len(samples.extra):
            _refuse_turns(clip, samples.extra)
            q = np.concatenate([q, clip.at(samples.extra)])
            v = None if v is None else np.concatenate([v, clip.sampler.velocity(samples.extra)])
        for stage, values in zip(self.stages[:number], coefficients):
            d, rate = self.displacement(stage, values, samples)
            q = manifold.plus(q, d)
            v = None if v is None else carried(manifold, v, d, rate)
        over = np.zeros((0, clip.character.nv))
        if above:
            for stage, values in list(zip(self.stages, coefficients))[number + 1 :]:
                d, _ = self.displacement(stage, values, samples)
                over = d if not len(over) else manifold.minus(manifold.plus(manifold.plus(q, over), d), q)
        return Base(np.ascontiguousarray(q), v, over)

    def displacement(self, stage: Stage, values: Array, samples: Samples) -> tuple[Array, Array]:
        """What a displacement adds at samples (S, nv), and its rate."""
        space = stage.space
        stencil = space.stencil.at(samples.frames)
        if len(samples.extra):
            stencil = stencil.followed_by(space.stencil_at(samples.extra))
        return space.evaluate(values, stencil, 0), space.evaluate(values, stencil, 1)


def _inside(space: Space, window: Window | None) -> tuple[IntArray, IntArray]:
    """Free unknowns of a window: their places (m, K), −1 elsewhere, and which of all they are."""
    if window is None:
        return space.slot, np.arange(space.count)
    low, high = window
    if not high > low:
        raise InputError(f"a window must end after it starts, not {low:g} … {high:g} s")
    free = np.zeros(space.slot.shape, dtype=bool)
    for g, group in enumerate(space.groups):
        start, end = _supports(group, space.clip)
        within = np.zeros(group.size, dtype=bool)
        period = group.smooth.period or 0.0
        for turn in (-1, 0, 1) if period else (0,):
            shift = turn * period
            within |= (start + shift >= low - 1e-9) & (end + shift <= high + 1e-9)
        free[space.group == g, : group.size] = within
    kept = np.sort(space.slot[free & (space.slot >= 0)])
    place = np.full(space.count, -1)
    place[kept] = np.arange(len(kept))
    return np.where(free & (space.slot >= 0), place[np.maximum(space.slot, 0)], -1), kept


def _around(system: System, rows: NDArray[np.bool_], window: Window | None) -> Window | None:
    """The time of some rows and what acts beside it; the whole window where that is not much less."""
    space, table = system.space, system.table
    times = table.samples.times(space.clip)[table.sample_of(np.flatnonzero(rows))]
    supports = [_supports(group, space.clip) for group in space.groups]
    beside = BESIDE * max(float((b - a).max()) for a, b in supports)
    start, end = (0.0, space.clip.duration) if window is None else window
    low, high = max(start, float(times.min()) - beside), min(end, float(times.max()) + beside)
    return (low, high) if high - low < MOST * (end - start) else window


def _supports(group: Group, clip: Clip) -> tuple[Array, Array]:
    """When each function acts [s], within the clip."""
    supports = np.asarray(group.smooth.supports)
    if group.size != len(supports):  # the outermost functions follow their neighbours
        supports = supports[1:-1].copy()
        supports[:2, 0] = supports[0, 0]
        supports[-2:, 1] = supports[-1, 1]
    if group.smooth.period is not None:
        return supports[:, 0], supports[:, 1]
    return np.clip(supports[:, 0], 0.0, clip.duration), np.clip(supports[:, 1], 0.0, clip.duration)


def _restricted(
    stage: Stage, coefficients: Array, kept: IntArray, window: Window | None
) -> tuple[Array, Array, float]:
    """M of the kept unknowns, the slope of the cost there, and the cost (of a window: from here on)."""
    space, band = stage.space, stage.band
    x = np.zeros(space.count)
    alive = space.slot >= 0
    x[space.slot[alive]] = coefficients.T[alive]
    first = max(0, int(kept[0]) - space.bandwidth)
    last = int(kept[-1]) + 1
    mx = np.zeros(space.count)
    reach = slice(first, last + space.bandwidth)  # all that touches what is kept
    mx[reach] = multiply(band[reach], x[reach])
    slope = mx + stage.tug
    if window is None:
        return band, slope, 0.5 * float(x @ mx) + float(x @ stage.tug)
    place = np.full(space.count, -1)
    place[kept] = np.arange(len(kept))
    own = np.zeros((len(kept), band.shape[1]))
    submatrix(band, kept, place, own)
    return own, slope[kept], 0.0


def _refuse_turns(clip: Clip, times: Array) -> None:
    if clip.loop and clip.travel.yaw and (times.min() < 0 or times.max() >= clip.duration):
        raise InputError(
            f"{clip.name!r} turns from cycle to cycle: give times within its first {clip.duration:g} s"
        )
