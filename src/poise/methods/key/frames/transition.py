"""Passages: where a document folds, its motion goes over from one pose to the other in good time.

Each time of a document is solved for itself, so its poses know of no others across a fold (``jumps``). A bake
may: from t₀ to t₁ around the fold it asks for something else, which at both ends is what the document has
there, pose and velocity, and solves that as it solves everything:

    pose     H(t) ⊕ (c(t) ⊖ C(t)),   H and C cubics from t₀ to t₁ through the document's solved poses and
             through the poses c that its keys ask for: the way over, with the detail that was keyed
    pins     target(t) ⊕ r(t),       r a curve through what pins miss at t₀ and t₁: those that hold, hold on;
             of each end as much as the gain there is of the gain now, so a pin that is absent at an end, and
             misses what it does not ask for, does not move while it holds

Strict levels ask for what they always did. All that pulls agrees at t₀ and t₁, so the solved poses there are
the document's whatever the gains are, and a pin may be let go within without a step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.kinematics import Kinematics
from poise.manifold import ProductManifold
from poise.methods.key.frames.jumps import Fold, named
from poise.methods.key.sheet.easing import smooth, tangent_rates
from poise.methods.key.sheet.key import TICK
from poise.methods.key.sheet.pin import space_of

if TYPE_CHECKING:
    from poise.methods.key.frames.evaluate import Evaluation, Pull

SHORTEST = 0.3
"""The least that the way over a fold takes [s]."""
FASTEST_JOINT = 6.0
"""The most speed [rad/s, m/s] that a passage takes over from the document at its ends, beside its keys'."""
SETTLE = 0.1
"""How long a pin that misses more and more, or less and less, at an end goes on doing so [s]; how long a
strict track takes to let go."""
STEP = 1e-3
"""Of differences that give velocities [s]."""
PARTS = 40
"""Of a short passage, to see whether it is continuous."""


@dataclass(frozen=True, eq=False)
class Passage:
    """What is asked for from ``start`` to ``end`` [s] instead of what the document asks for."""

    start: float
    end: float
    epoch: int
    folds: tuple[Fold, ...]
    solved: Way
    carried: Way
    misses: dict[str, Miss]
    """By name of the pull, in the tangent space of its target."""
    beyond: dict[str, float]
    """By name of the pull, how far from its keys an end is at most [s]."""
    released: frozenset[str] = frozenset()
    """Names of pins that are let go."""

    @property
    def parts(self) -> Array:
        """Times from start to end at which it is looked at [s], (n,)."""
        return np.linspace(
            self.start, self.end, max(PARTS, int(PARTS * (self.end - self.start) / SHORTEST)) + 1
        )

    def inside(self, times: Array) -> NDArray[np.bool_]:
        """(T,): at its ends the document is itself."""
        return (times > self.start) & (times < self.end)

    def poses(self, times: Array, carried: Array) -> Array:
        """(T, nq): what is desired instead of the carried poses."""
        manifold = self.solved.manifold
        return manifold.plus(self.solved.at(times), manifold.minus(carried, self.carried.at(times)))

    def asked(self, pull: Pull, times: Array, where: NDArray[np.bool_]) -> Pull:
        """A pull with other targets, or no gain, at those of its times."""
        if pull.level is not None or not where.any():
            return pull
        targets, gains = np.array(pull.targets), np.array(pull.gains)
        miss = self.misses[pull.name].at(times[where], None if pull.fading else gains[where])
        if pull.fading:  # where it is strict again it misses nothing; it lets go of a pose that is not meant
            beyond = pull.beyond[where]
            miss *= np.minimum(1.0, beyond / self.beyond[pull.name])[:, None]
            gains[where] *= smooth(1.0 - beyond / SETTLE)
        targets[where] = space_of(pull.handle).plus(targets[where], miss)
        if pull.name in self.released:
            gains[where] = 0.0
        return replace(pull, targets=targets, gains=gains)


def linked(
    plain: Evaluation, room: tuple[float, float], start: float, end: float, epoch: int, over: list[Fold]
) -> Passage:
    """A passage that has the document's poses, velocities and misses at its ends; ``room``: the epoch's."""
    begin, finish = room
    # Velocities are those outside, where the document is played; at its ends there is no outside.
    sides = (-STEP if start - STEP > begin else STEP, STEP if end + STEP < finish else -STEP)
    at = np.array([start, start + sides[0], end, end + sides[1]])
    pulls = plain.pulls(at, epoch)
    carried = plain.supple.softened(plain.carried(at, epoch))
    solved = plain.solve(at, pulls, epoch).q
    manifold, kin = plain.keyframes.character.manifold, Kinematics(plain.keyframes.character, solved)

    def rates(space: ProductManifold, values: Array) -> Array:
        return space.minus(values[[1, 3]], values[[0, 2]]) / np.array(sides)[:, None]

    def way(space: ProductManifold, base: Array, values: Array, speeds: Array, settle: float) -> Way:
        leave, arrive = speeds
        return Way(space, start, end, base, values[0], values[2], leave, arrive, min(settle, end - start))

    keyed = rates(manifold, carried)
    own = keyed + _slowed(plain, rates(manifold, solved) - keyed)
    misses, beyond = {}, {}
    for pull in pulls:
        if pull.level is None:
            off = space_of(pull.handle).minus(pull.handle.bind(kin.character).value(kin), pull.targets)
            plane = ProductManifold([off.shape[1]])
            rate, kept = rates(plane, off), np.array([1.0, 1.0, 0.0, 0.0])[:, None]
            one, other = (
                way(plane, 0.0 * off[0], part * off, share * rate, SETTLE)
                for part, share in ((kept, kept[[0, 2]]), (1.0 - kept, kept[[2, 0]]))
            )
            misses[pull.name] = Miss(one, other, (float(pull.gains[0]), float(pull.gains[2])))
            beyond[pull.name] = max(float(pull.beyond[[0, 2]].max()), TICK)
    go = way(manifold, _base(plain, solved[0]), solved, own, np.inf)
    keys = way(manifold, carried[0], carried, keyed, np.inf)
    return Passage(start, end, epoch, tuple(over), go, keys, misses, beyond)


def _base(plain: Evaluation, first: Array) -> Array:
    """(nq,): the neutral pose of joints with limits, else the first."""
    character, out = plain.keyframes.character, np.array(first)
    for body in range(len(character.bodies)):
        own, place = character.dofs(body), character.coordinates(body)
        if np.isfinite(character.lower[own]).any() or np.isfinite(character.upper[own]).any():
            out[place] = character.manifold.neutral()[place]
    return out


def _slowed(plain: Evaluation, velocity: Array) -> Array:
    """Velocities (n, nv) with no joint faster than ``FASTEST_JOINT``."""
    character, out = plain.keyframes.character, np.array(velocity)
    for body in range(len(character.bodies)):
        own = character.dofs(body)
        speed = np.linalg.norm(out[:, own], axis=1, keepdims=True)
        out[:, own] *= np.minimum(1.0, FASTEST_JOINT / np.maximum(speed, TICK))
    return out


def told(evaluation: Evaluation, times: Array) -> list[str]:
    """A sentence for each passage among the times [s] (T,)."""
    return [_sentence(evaluation, p) for p in evaluation.passages if p.inside(times).any()]


def _sentence(evaluation: Evaluation, passage: Passage) -> str:
    character = evaluation.keyframes.character
    fold = max(passage.folds, key=lambda f: f.turn)
    at = passage.parts
    pulls, giving = evaluation.pulls(at, passage.epoch), []
    kin = Kinematics(character, evaluation.solve(at, pulls, passage.epoch).q)
    for pull in pulls:
        if pull.level is None and not pull.fading:
            handle = pull.handle.bind(character)
            off = np.linalg.norm(handle.error(handle.value(kin), pull.targets), axis=1) * (pull.gains > 0.0)
            if off.max() > off[[0, -1]].max() + 1e-3:
                giving.append(f"{pull.name} is off by up to {off.max():.2g} {handle.unit}")
    return (
        f"{named(character, fold.turns, 'would jump by')} at {fold.time:.3f} s, where the document's tracks "
        f"disagree and two poses serve as well: it goes over from {passage.start:.3f} to {passage.end:.3f} s"
        + "".join(f", {each}" for each in giving)
    )


@dataclass(frozen=True, eq=False)
class Miss:
    """What a pin misses on the way: what it missed at the start, going; what it misses at the end, coming."""

    going: Way
    coming: Way
    gains: tuple[float, float]
    """Of the pin at both ends."""

    def at(self, times: Array, gains: Array | None) -> Array:
        """(T, size), by the pin's gains (T,) at these times; None: whatever they are."""
        both = [self.going.at(times), self.coming.at(times)]
        if gains is not None:
            now = np.maximum(gains, 1e-9)
            both = [np.minimum(1.0, end / now)[:, None] * part for end, part in zip(self.gains, both)]
        return both[0] + both[1]


@dataclass(frozen=True, eq=False)
class Way:
    """A curve base ⊕ f(t) from ``start`` to ``end`` [s], with the given values and velocities there.

    With the first value as base it is geodesic. Joint limits bound f from the neutral pose: with that as base
    a joint that is within them at both ends stays so, and goes round where the shorter way would break them.
    """

    manifold: ProductManifold
    start: float
    end: float
    base: Array
    first: Array
    last: Array
    """(nq,)"""
    leave: Array
    arrive: Array
    """(nv,), each in its own end's tangent space."""
    settle: float
    """How long the velocities are felt [s]; as long as the way is, it is a cubic."""

    def at(self, times: Array) -> Array:
        """(T, nq)"""
        ends = self.manifold.minus(np.stack([self.first, self.last]), self.base)
        rates = self.settle * tangent_rates(self.manifold, ends, np.stack([self.leave, self.arrive]))
        x = ((times - self.start) / (self.end - self.start))[:, None]
        y, z = (np.minimum(t / self.settle, 1.0)[:, None] for t in (times - self.start, self.end - times))
        f = ends[0] + x * x * (3 - 2 * x) * (ends[1] - ends[0])
        f = f + y * (1 - y) ** 2 * rates[0] - z * (1 - z) ** 2 * rates[1]
        return self.manifold.plus(np.repeat(self.base[None], len(times), axis=0), f)
