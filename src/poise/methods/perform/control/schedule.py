"""From keys, a clip and disturbances to who aims at what from when to when.

Every joint has its own sequence of phases that covers all times:

* *aim* at a key until it is due; the next phase begins right then, or when the next key's lead does;
* *follow* the clip, where there is one and no key is near;
* *hold* what was reached, or the start, where there is neither.

After a disturbance whoever follows the clip goes on following it, and what is left of the error is gone δ
seconds later: the limb that was hit takes all of that time, its gains following from what is left of it; all
others take no longer than they always do. So nobody leaves the clip who was not pushed off it. While
something pushes, the limb it pushes follows less firmly (with δ for its span). Whoever aims at a key still
does. After a key, too, a joint has δ seconds to be back on the clip.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError
from poise.methods.perform.control.aim import Plan
from poise.methods.perform.script.style import MANUAL, Approach, approach
from poise.methods.perform.script.timed_pose import TimedPose
from poise.motion import Clip
from poise.operations.perform import Perform

RAMP = 0.1
"""A hand-over takes this long [s], but no more than a third of its phase."""
TINY = 1e-7
"""Times closer than this [s] are one."""


@dataclass(frozen=True)
class Upset:
    """Something that puts whoever follows a clip off it, from ``start`` to ``end`` [s]."""

    start: float
    end: float
    limb: frozenset[int]
    """Bodies whose joints yield to it."""


def struck_limb(character: Character, body: int) -> frozenset[int]:
    """The limb that a blow on a body bends: what hangs on it, and all above it up to where the next limb
    branches off."""
    found, at = set(character.subtree(body)), body
    while at > 0:
        found.add(at)
        up = character.parents[at]
        if up <= 0 or len(character.subtree(up)) > len(character.subtree(at)) + 1:
            break
        at = up
    return frozenset(found)


_ROOT = Approach(0.0, 0.0)


@dataclass(frozen=True, eq=False)
class _Phase:
    """What one joint does from ``start`` on."""

    start: float
    target: Array
    rate: Array
    due: float = np.inf
    span: float = 1.0
    gains: Approach = _ROOT
    follows: bool = False
    ramp: float = 0.0
    returns: bool = False
    """Whether the target is the clip, some time later."""
    yields: bool = False
    """Whether something pushes."""


@dataclass(frozen=True, eq=False)
class Due:
    """A key as it was planned: which bodies should be where, how fast, when."""

    key: TimedPose
    time: float
    since: float
    """When the last of its joints began to aim at it [s]."""
    targets: dict[int, tuple[Array, Array]]


class Schedule:
    """Phases of all joints and the plan made of them."""

    def __init__(
        self,
        character: Character,
        start: Array,
        keys: Sequence[TimedPose],
        *,
        clip: Clip | None,
        asked: Perform,
        disturbances: Sequence[Upset] = (),
        still: bool = False,
    ) -> None:
        """``still``: the root stays where it starts, whatever the clip does."""
        self.character, self.start, self.clip, self.asked = character, start, clip, asked
        self.disturbances = sorted(disturbances, key=lambda d: d.start)
        planned = [(key, key.targets(character)) for key in sorted(keys, key=_done)]
        self._first = min((k.time for k in keys if k.time > 0), default=1.0)
        sequences: dict[int, list[tuple[TimedPose, Array, Array]]] = {}
        for key, targets in planned:
            for i, (q, rate) in targets.items():
                own = sequences.setdefault(i, [])
                if own and own[-1][0].until is None and key.time - own[-1][0].time < TINY:
                    raise InputError(
                        f"keys {own[-1][0].label!r} and {key.label!r} both set {character.names[i]!r} "
                        f"at {key.time:g} s"
                    )
                own.append((key, q, rate))
        self.phases: list[list[_Phase]] = []
        for i, body in enumerate(character.bodies):
            if body.joint.nv == 0:
                self.phases.append([])
            elif i == 0:
                self.phases.append([self._root(still)])
            else:
                self.phases.append(self._joint(i, sequences.get(i, [])))
        self.dues = [
            Due(key, key.time, max(self._began(i, key.time) for i in targets), targets)
            for key, targets in planned
            if key.time > 0 and key.until is None
        ]

    def times(self) -> list[float]:
        """Every time at which something changes or is due."""
        found = {p.start for own in self.phases for p in own}
        return sorted(found | {p.due for own in self.phases for p in own if np.isfinite(p.due)})

    def plan(self) -> tuple[Plan, Array]:
        """The plan, and when each of its rows begins (K,)."""
        starts = [0.0]
        for t in self.times():
            if t > starts[-1] + TINY:
                starts.append(t)
        rows, nq, nv = len(starts), self.character.nq, self.character.nv
        a, b, c, d, e, f, g = np.zeros((7, rows, nv))
        plan = Plan(np.zeros((rows, nq)), a, b, c, d, e, f, g, np.zeros((rows, nv), dtype=np.bool_))
        for i, own in enumerate(self.phases):
            at, dofs = self.character.coordinates(i), self.character.dofs(i)
            begins = np.array([p.start for p in own])
            for k, t in enumerate(starts):
                if not own:
                    continue
                phase = own[int(np.searchsorted(begins, t + TINY)) - 1]
                plan.target[k, at], plan.rate[k, dofs], plan.due[k, dofs] = (
                    phase.target,
                    phase.rate,
                    phase.due,
                )
                plan.since[k, dofs], plan.ramp[k, dofs] = phase.start, phase.ramp
                plan.stiff[k, dofs], plan.damp[k, dofs] = phase.gains
                plan.span[k, dofs], plan.follows[k, dofs] = phase.span, phase.follows
        return plan, np.array(starts)

    @property
    def joints(self) -> list[int]:
        """Bodies whose joints move, but the root."""
        return [i for i, own in enumerate(self.phases) if i > 0 and own]

    def on_clip(self, body: int) -> list[tuple[float, float]]:
        """From when to when a joint follows the clip, and nothing pushes [s]."""
        return [(p.start, end) for p, end in self._until(body) if p.follows and not (p.yields or p.returns)]

    def back_at(self, body: int, time: float) -> bool:
        """Whether a joint should be back on the clip at a time, after a disturbance."""
        return any(
            p.returns and abs(p.due - time) < TINY and end > time - TINY for p, end in self._until(body)
        )

    # Inside ----------------------------------------------------------------------------------

    def _until(self, body: int) -> Iterator[tuple[_Phase, float]]:
        """Phases of a joint and when they end [s]."""
        own = self.phases[body]
        return zip(own, [*(p.start for p in own[1:]), np.inf])

    def _began(self, body: int, time: float) -> float:
        """When the phase began in which a time lies."""
        return max(p.start for p in self.phases[body] if p.start < time - TINY)

    def _root(self, still: bool) -> _Phase:
        span = self.character.coordinates(0)
        nv = self.character.bodies[0].joint.nv
        return _Phase(0.0, self.start[span], np.zeros(nv), follows=self.clip is not None and not still)

    def _joint(self, i: int, keys: Sequence[tuple[TimedPose, Array, Array]]) -> list[_Phase]:
        at, dofs = self.character.coordinates(i), self.character.dofs(i)
        still = np.zeros(dofs.stop - dofs.start)
        where = self.start[at]
        phases = [self._rest(0.0, where, still, back=False)]
        free = 0.0  # when the joint is done with the key before
        for key, q, rate in keys:
            if key.time == 0:
                phases = [self._rest(0.0, q, still, back=False)]
                continue
            lead = 0.5 if key.lead is None and self.clip is not None else key.lead
            begins = free if lead is None else max(free, key.time - lead)
            if begins > free + TINY and free > 0:
                phases.append(self._rest(free, phases[-1].target, still, back=True))
            if begins <= TINY:
                phases = []
            gains = approach(key.style if key.style is not None else self.asked.style)
            free = key.time if key.until is None else min(key.time, key.until)
            if free > begins + TINY:
                ramp = min(RAMP, (key.time - begins) / 3)
                phases.append(_Phase(begins, q, rate, key.time, 1.0, gains, ramp=ramp))
        if np.isfinite(phases[-1].due):
            phases.append(self._rest(free, phases[-1].target, still, back=True))
        if self.clip is not None:
            phases = self._recovering(i, phases)
        return self._tuned(phases) if self.asked.control == "manual" else phases

    def _rest(self, start: float, where: Array, still: Array, *, back: bool) -> _Phase:
        """Follow the clip, or hold; ``back``: from somewhere else."""
        gains = approach(self.asked.style)
        if self.clip is not None:
            return _Phase(start, where, still, span=self.asked.look_ahead, gains=gains, follows=True)
        ramp = RAMP if back else 0.0
        return _Phase(start, where, still, span=self.asked.hold, gains=gains, ramp=ramp)

    def _recovering(self, body: int, phases: list[_Phase]) -> list[_Phase]:
        """Phases that follow the clip, with approaches to it where they must find it again."""
        out: list[_Phase] = []
        ends = [*(p.start for p in phases[1:]), np.inf]
        for k, (phase, end) in enumerate(zip(phases, ends)):
            if phase.follows:
                out += self._found_again(body, phase, end, lost=k > 0)
            else:
                out.append(phase)
        return out

    def _struck(self, body: int, since: float, until: float) -> bool:
        """Whether something acts on a joint's own limb between two times, or did until after the first."""
        return any(
            (d.start <= until + TINY and d.end > since + TINY) or d.start <= since + TINY < d.end
            for d in self.disturbances
            if body in d.limb
        )

    def _found_again(self, body: int, phase: _Phase, end: float, *, lost: bool) -> list[_Phase]:
        """One phase that follows the clip, cut where something happens; ``lost``: it begins off the clip.

        No cut looks ahead: what a joint does at a time depends on what has happened until then.
        """
        delta = self.asked.recovery
        ended = [d.end for d in self.disturbances] + ([phase.start] if lost else [])
        cuts = {phase.start, *(d.start for d in self.disturbances), *ended, *(t + delta for t in ended)}
        out: list[_Phase] = []
        before: tuple[bool, float] | None = None
        for t in sorted(t for t in cuts if phase.start <= t < end):
            pushed = any(d.start <= t + TINY < d.end for d in self.disturbances)
            due = max((x for x in ended if x <= t + TINY), default=-np.inf) + delta
            if pushed or due <= t + TINY:
                due = np.inf
            if (pushed, due) == before:
                continue
            before = pushed, due
            if np.isfinite(due):
                yielding = (lost and phase.start + delta > t) or self._struck(body, t - delta, t)
                span = delta if yielding else phase.span
                out.append(replace(phase, start=t, due=due, span=span, returns=True))
            else:
                struck = pushed and self._struck(body, t, t)
                span = max(phase.span, delta) if struck else phase.span
                out.append(replace(phase, start=t, span=span, yields=pushed))
        return out

    def _tuned(self, phases: list[_Phase]) -> list[_Phase]:
        gains, span = Approach(MANUAL**2, 2 * MANUAL), self._first
        return [replace(p, due=np.inf, span=span, gains=gains, ramp=0.0) for p in phases]


def _done(key: TimedPose) -> float:
    return key.time if key.until is None else min(key.time, key.until)
