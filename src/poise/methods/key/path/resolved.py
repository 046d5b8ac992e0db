"""A path as it plays: arcs between keys, keys as the templates set them, and hints.

Physical templates depend only on what comes before them, so one pass from left to right settles their arcs
and the places they write; a second one fits the Hermites between them. The rules are told in ``path``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked, frozen
from poise.errors import InputError
from poise.methods.key.path.hint import Hint
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.templates import Arc, Given, Hermite, Motion

MATTERS = 0.01
"""A given velocity changed by less than this [m/s] is not remarked on."""
JUMP = 1e-6
"""A velocity that jumps by less than this [m/s] is continuous but for rounding."""
LATE = 1e-4
"""A key as close as this to where an arc wants it [s] is in time."""


@dataclass(frozen=True, eq=False)
class ResolvedKey:
    """A key that plays, as the templates set it."""

    index: int
    """In the path's keys."""
    time: float
    position: Array
    """[m] (3,): C_e′ where a template moved it."""
    arriving: Array
    """Velocity on arrival [m/s] (3,); at the first key that of departure."""
    leaving: Array
    """Velocity on departure [m/s] (3,); at the last key that of arrival."""


@dataclass(frozen=True, eq=False)
class ResolvedPath:
    """A curve through all of time: between keys the templates' arcs, before and after held still."""

    keys: tuple[ResolvedKey, ...]
    """Those not muted."""
    arcs: tuple[Arc, ...]
    """From each to the next."""
    hints: tuple[Hint, ...]

    def at(self, times: ArrayLike) -> Motion:
        """Position, velocity and acceleration at times [s] (T,); at a key, of the arc that leaves it."""
        times = checked(np.atleast_1d(np.asarray(times, dtype=np.float64)), "times", (None,))
        knots = np.array([key.time for key in self.keys])
        motion = Motion(*(np.zeros((len(times), 3)) for _ in range(3)))
        motion.position[:] = np.where(
            times[:, None] < knots[0], self.keys[0].position, self.keys[-1].position
        )
        inside = (times >= knots[0]) & (times <= knots[-1])
        segment = np.clip(np.searchsorted(knots, times, side="right") - 1, 0, max(len(knots) - 2, 0))
        for k, arc in enumerate(self.arcs):
            here = inside & (segment == k)
            if here.any():
                for out, found in zip(motion, arc.at(times[here] - knots[k])):
                    out[here] = found
        return motion


def resolve(keys: Sequence[PathKey], gravity: float) -> ResolvedPath:
    """The path through the keys that are not muted."""
    indices = [i for i, key in enumerate(keys) if not key.muted]
    if not indices:
        raise InputError("a path needs at least one key that is not muted")
    return _Resolution([keys[i] for i in indices], indices, gravity).result()


class _Resolution:
    """Work in progress on n keys and n − 1 arcs."""

    def __init__(self, keys: list[PathKey], indices: list[int], gravity: float) -> None:
        self.keys, self.indices, self.gravity = keys, indices, gravity
        self.positions = [np.asarray(key.position) for key in keys]
        self.arriving: list[Array | None] = [None] * len(keys)
        self.leaving: list[Array | None] = [None] * len(keys)
        self.arcs: list[Arc | None] = [None] * (len(keys) - 1)
        self.hints: list[Hint] = []

    def result(self) -> ResolvedPath:
        segments = range(len(self.arcs))
        physical = [k for k in segments if not isinstance(self.keys[k].template, Hermite)]
        for k in physical:
            self._dictate(k)
        for k in segments:
            if self.arcs[k] is None:
                self._lead(k)
        found = []
        for k, (index, key) in enumerate(zip(self.indices, self.keys)):
            arriving, leaving = self.arriving[k], self.leaving[k]
            one = arriving if arriving is not None else leaving
            other = leaving if leaving is not None else arriving
            ends = [frozen(np.zeros(3) if v is None else v) for v in (one, other)]
            found.append(ResolvedKey(index, key.time, frozen(self.positions[k]), *ends))
            self._remark(k, *ends)
        hints = sorted(self.hints, key=lambda hint: hint.key)
        return ResolvedPath(tuple(found), tuple(arc for arc in self.arcs if arc is not None), tuple(hints))

    def _given(self, k: int, start: Array | None = None, end: Array | None = None) -> Given:
        duration = self.keys[k + 1].time - self.keys[k].time
        return Given(self.positions[k], self.positions[k + 1], duration, self.gravity, start, end)

    def _settle(self, k: int, arc: Arc) -> None:
        ends = arc.at(np.array([0.0, arc.duration]))
        self.arcs[k] = arc
        self.leaving[k], self.arriving[k + 1] = ends.velocity
        if self.keys[k].template.moves_end:
            self.positions[k + 1] = ends.position[1]

    def _dictate(self, k: int) -> None:
        """A physical template: its arc, from what comes before."""
        key, index = self.keys[k], self.indices[k]
        template, given = key.template, self._given(k)
        try:
            start = None
            if template.takes_start_velocity:
                if (start := self.arriving[k]) is None and key.velocity is not None:
                    start = np.asarray(key.velocity)
                if start is None:
                    start = template.own_velocity(given)
                start = template.admitted(start, given)
            self._settle(k, template.arc(self._given(k, start)))
            wanted = template.wanted_duration(given)
        except InputError as problem:
            raise InputError(f"key {index} of the path, at {key.time:g} s: {problem}") from None
        if wanted is not None and abs(wanted - given.duration) > LATE:
            self._hint_timing(k, given.duration, wanted)

    def _lead(self, k: int) -> None:
        """A Hermite: from and to what its neighbours do, or what the keys say."""
        start, end = self.arriving[k], self.leaving[k + 1]
        start = self._automatic(k) if start is None else start
        end = self._automatic(k + 1) if end is None else end
        self.arcs[k] = Hermite().arc(self._given(k, start, end))
        self.leaving[k], self.arriving[k + 1] = start, end

    def _automatic(self, k: int) -> Array:
        """The velocity at a key that no physical template sets: as given, else a parabola's slope."""
        if self.keys[k].velocity is not None:
            return np.asarray(self.keys[k].velocity)
        if k in (0, len(self.keys) - 1):
            return np.zeros(3)
        before, after = (self.keys[j + 1].time - self.keys[j].time for j in (k - 1, k))
        slope_before = (self.positions[k] - self.positions[k - 1]) / before
        slope_after = (self.positions[k + 1] - self.positions[k]) / after
        slope: Array = (after * slope_before + before * slope_after) / (before + after)
        return slope

    # Hints -----------------------------------------------------------------------------------

    def _remark(self, k: int, arriving: Array, leaving: Array) -> None:
        """What is to be said of the velocity at a key."""
        jump = float(np.linalg.norm(leaving - arriving))
        if jump > JUMP:
            before, after = self.keys[k - 1].template.label, self.keys[k].template.label
            words = (
                f"{before} arrives with {_vector(arriving)}, {after} leaves with {_vector(leaving)}: "
                f"the velocity jumps by {_short(jump)} m/s; a Hermite curve between the two would lead over"
            )
            self._hint(k, Hint.JUMP, jump, "m/s", words)
        given = self.keys[k].velocity
        if given is None:
            return
        dictated = k > 0 and not isinstance(self.keys[k - 1].template, Hermite)
        played = arriving if dictated else leaving
        change = float(np.linalg.norm(played - np.asarray(given)))
        if change <= MATTERS:
            return
        if dictated or not self.keys[k].template.takes_start_velocity:
            setter = self.keys[k - 1 if dictated else k].template.label
            words = (
                f"{setter} sets the velocity to {_vector(played)}, "
                f"not the given {_vector(np.asarray(given))}: {_short(change)} m/s of difference"
            )
            self._hint(k, Hint.OVERRIDDEN, change, "m/s", words)
        else:
            words = (
                f"{_short(change)} m/s of the given velocity points along the pendulum's arm and is dropped; "
                f"it starts with {_vector(leaving)}"
            )
            self._hint(k, Hint.ALONG_ARM, change, "m/s", words)

    def _hint_timing(self, k: int, left: float, wanted: float) -> None:
        late = wanted - left
        height = getattr(self.keys[k].template, "height", float("nan"))
        words = (
            f"the arc to {_short(height)} m takes {_short(wanted)} s, the keys leave {_short(left)} s: "
            f"move the landing {_short(abs(late))} s {'later' if late > 0 else 'earlier'}"
        )
        self._hint(k + 1, Hint.TIMING, late, "s", words)

    def _hint(self, k: int, kind: str, amount: float, unit: str, words: str) -> None:
        self.hints.append(Hint(self.indices[k], self.keys[k].time, kind, amount, unit, words))


def _short(x: float) -> str:
    """Two decimals, or as many as show something."""
    return f"{x:.2f}" if abs(x) >= 0.095 or x == 0 else f"{x:.2g}"


def _vector(v: Array) -> str:
    return "(" + ", ".join(f"{x + 0.0:.2f}" for x in v) + ") m/s"
