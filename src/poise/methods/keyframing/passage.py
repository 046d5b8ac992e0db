"""Passages: where a document folds, its motion goes over from one pose to the other in good time.

Each time of a document is solved for itself, so its poses cannot know of the others across a fold (``jumps``).
A bake may: from t₀ to t₁ around the fold it asks for something else, which at both ends is what the document
has there, pose and velocity, and solves that as it solves everything:

    pose     H(t) ⊕ (c(t) ⊖ C(t)),   H and C cubics from t₀ to t₁ through the document's solved poses and
             through the poses c that its keys ask for: the way over, with the detail that was keyed
    pins     target(t) ⊕ r(t),       r the cubic through what pins miss at t₀ and t₁: those that hold, hold on

Strict levels ask for what they always did. All that pulls agrees at t₀ and t₁, so the solved poses there are
the document's whatever the gains are, and a pin may be let go within without a step. All pins are kept
if that is continuous, else those on limbs that fold are let go, else all.

A passage depends on the document alone. Folds are looked for on a grid of times that the document has by
itself, and narrowed to microseconds; a part of a bake looks beyond its ends for passages that reach into it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array
from poise.handles import Handle
from poise.kinematics import Kinematics
from poise.manifold import ProductManifold
from poise.methods.keyframing.easing import smooth, tangent_rates
from poise.methods.keyframing.jumps import AROUND, FAR, Fold, Motion, asked_for, folds, named, narrowed, turns
from poise.methods.keyframing.key import TICK
from poise.methods.keyframing.pin import space_of

if TYPE_CHECKING:
    from poise.methods.keyframing.evaluation import Evaluation, Pull
    from poise.methods.keyframing.tracks import Tracks

SHORTEST, LONGEST = 0.3, 0.6
"""How long the way over one fold takes [s]."""
PACE = 5.0
"""The mean speed [rad/s] of the joint that turns farthest; its peak is half as much again."""
NEXT = 0.1
"""Passages that are nearer than this [s] are one."""
FASTEST = 6.0
"""The speed [rad/s, m/s] that a passage takes over from the document at its ends, at most, beside its keys'."""
GRID = 30
"""Times a second at which folds are looked for, unless poses are keyed about as often: then at keys."""
SETTLE = 0.1
"""How long a pin that misses more and more, or less and less, at an end goes on doing so [s]; how long a
strict track takes to let go."""
STEP = 1e-3
"""Of differences that give velocities [s]."""
PARTS = 40
"""Of a passage, to see whether it is continuous."""
CALM, HASTY = 1.5, 2.5
"""How many times faster than on the way over itself joints may turn for the sake of pins: of those on limbs
that fold, and of others."""


@dataclass(frozen=True, eq=False)
class Way:
    """A curve base ⊕ f(t) from ``start`` to ``end`` [s], with the given values and velocities there.

    With the first value as base it is geodesic. Limits bound f from the neutral pose: with that as base a joint
    that is within its limits at both ends stays so, and goes round where the shorter way would break them.
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


@dataclass(frozen=True, eq=False)
class Passage:
    """What is asked for from ``start`` to ``end`` [s] instead of what the document asks for."""

    start: float
    end: float
    epoch: int
    folds: tuple[Fold, ...]
    solved: Way
    carried: Way
    misses: dict[str, Way]
    """By name of the pull, in the tangent space of its target."""
    beyond: dict[str, float]
    """By name of the pull, how far from its keys an end is at most [s]."""
    released: frozenset[str] = frozenset()
    """Names of pins that are let go."""

    def inside(self, times: Array) -> Array:
        """(T,): at its ends the document is itself."""
        return (times > self.start) & (times < self.end)

    def poses(self, times: Array, carried: Array) -> Array:
        """(T, nq): what is desired instead of the carried poses."""
        manifold = self.solved.manifold
        return manifold.plus(self.solved.at(times), manifold.minus(carried, self.carried.at(times)))

    def asked(self, pull: Pull, times: Array, where: Array) -> Pull:
        """A pull with other targets, or no gain, at those of its times."""
        if pull.level is not None or not where.any():
            return pull
        targets, gains = np.array(pull.targets), np.array(pull.gains)
        miss = self.misses[pull.name].at(times[where])
        if pull.fading:  # where it is strict again it misses nothing; it lets go of a pose that is not meant
            beyond = pull.beyond[where]
            miss *= np.minimum(1.0, beyond / self.beyond[pull.name])[:, None]
            gains[where] *= smooth(1.0 - beyond / SETTLE)
        targets[where] = space_of(pull.handle).plus(targets[where], miss)
        if pull.name in self.released:
            gains[where] = 0.0
        return replace(pull, targets=targets, gains=gains)


def over_folds(tracks: Tracks, motion: Motion, times: Array) -> Evaluation:
    """The document with all passages that times from the first to the last of ``times`` (T,) depend on.

    ``motion`` is the document's own; where nothing folds it stays the document's own evaluation.
    """
    plain = tracks.evaluation
    found = _folds(plain, motion, times) if len(times) else []
    for epoch in range(len(tracks.spins) + 1 if found else 0):
        if plain.passages:  # how a spin ends depends on the passages in it
            found = _folds(plain, plain.poses, times)
        made = [_over(plain, *group, epoch) for group in _groups(plain, found, epoch)]
        plain = plain.passing([each for each in made if each is not None])
    return plain


def _folds(plain: Evaluation, motion: Motion, times: Array) -> list[Fold]:
    """Those in and around the times, until none is near enough to have to do with them."""
    tracks = plain.tracks
    begin, finish = tracks.span
    first, last = (float(np.clip(t, begin, finish)) for t in (times.min(), times.max()))
    if tracks.spins:  # after a spin all depends on how it went
        first = begin
    while True:
        low, high = first - 2.0 * LONGEST, last + 2.0 * LONGEST
        found = folds(tracks.character, motion, tracks.pose_track.at, _grid(tracks, low, high))
        # Beyond low and high what is usual is not known.
        near = [f for f in found.values() if low <= f.time <= high and not asked_for(plain, f)]
        earliest = min([first, *(f.time for f in near)])
        latest = max([last, *(f.time for f in near)])
        if (earliest, latest) == (first, last):
            return near
        first, last = earliest, latest


def _grid(tracks: Tracks, low: float, high: float) -> Array:
    """The document's own times at which folds are looked for, from low to high and a few more [s]."""
    begin, finish = tracks.span
    keys = [key.time for key in tracks.pose_track.live]
    if len(keys) > 0.6 * GRID * (finish - begin):
        corners = [begin]
        for t in [*keys, finish]:
            if t - corners[-1] > 1.0 / GRID - TICK:
                corners.append(t)
        gaps = [np.linspace(a, b, max(2, 1 + int((b - a) * GRID))) for a, b in pairwise(corners)]
        at = np.unique(np.concatenate([corners, *gaps]))
    else:
        whole = int((finish - begin + TICK) * GRID)
        first = max(0, int((low - begin) * GRID) - AROUND - 1)
        last = min(whole, int((high - begin) * GRID) + AROUND + 2)
        at = np.array([*(begin + k / GRID for k in range(first, last + 1)), finish])
    room = 3.0 * AROUND / GRID
    return at[(at >= low - room) & (at <= high + room)]


def _groups(plain: Evaluation, found: list[Fold], epoch: int) -> list[tuple[float, float, list[Fold]]]:
    """Start, end and folds of each passage; those that would overlap are one."""
    begin, finish = _room(plain, epoch)
    out: list[tuple[float, float, list[Fold]]] = []
    for fold in sorted(found, key=lambda f: f.time):
        if not begin < fold.before <= fold.after < finish:
            continue
        length = float(np.clip(fold.turn / PACE, SHORTEST, LONGEST))
        start = max(begin, min(fold.time - 0.5 * length, finish - length))
        end = min(finish, start + length)
        if out and start < out[-1][1] + NEXT:
            out[-1] = (min(start, out[-1][0]), max(end, out[-1][1]), [*out[-1][2], fold])
        else:
            out.append((start, end, [fold]))
    return out


def _room(plain: Evaluation, epoch: int) -> tuple[float, float]:
    """The document's span, from the end of one spin to that of the next [s]."""
    begin, finish = plain.tracks.span
    if epoch > 0:
        begin = max(begin, plain.spins[epoch - 1].end)
    if epoch < len(plain.spins):
        finish = min(finish, plain.spins[epoch].end - 2.0 * TICK)
    return begin, finish


def _over(plain: Evaluation, start: float, end: float, over: list[Fold], epoch: int) -> Passage | None:
    """The way over folds that lets go of the fewest pins and is continuous and calm; None where all jump."""
    linked = _linked(plain, start, end, epoch, over)
    far = max(fold.turn for fold in over)
    folding, moved = (_felt(plain, linked, turn) for turn in (max(0.5 * far, FAR), FAR))
    every = frozenset(pin.name for pin in plain.tracks.pins)
    best, least = None, (0.8 * far, np.inf)
    for released, most in {frozenset(): CALM, folding: HASTY, moved: HASTY, every: HASTY}.items():
        passage = replace(linked, released=released)
        pop, speed = _course(plain, passage)
        if (pop, speed) < least:
            best, least = passage, (pop, speed)
        if pop == 0.0 and speed <= most:
            break
    return best


def _linked(plain: Evaluation, start: float, end: float, epoch: int, over: list[Fold]) -> Passage:
    """A passage that at its ends has the document's poses, velocities and misses."""
    begin, finish = _room(plain, epoch)
    # Velocities are those outside, where the document is played; at its ends there is no outside.
    sides = (-STEP if start - STEP > begin else STEP, STEP if end + STEP < finish else -STEP)
    at = np.array([start, start + sides[0], end, end + sides[1]])
    pulls = plain.pulls(at, epoch)
    carried = plain.supple.softened(plain.carried(at, epoch))
    solved = plain.solve(at, pulls, epoch).q
    manifold, kin = plain.tracks.character.manifold, Kinematics(plain.tracks.character, solved)

    def rates(space: ProductManifold, values: Array) -> Array:
        return space.minus(values[[1, 3]], values[[0, 2]]) / np.array(sides)[:, None]

    def way(space: ProductManifold, base: Array, values: Array, speeds: Array, settle: float) -> Way:
        return Way(space, start, end, base, values[0], values[2], *speeds, min(settle, end - start))

    keyed = rates(manifold, carried)
    own = keyed + _slowed(plain, rates(manifold, solved) - keyed)
    misses, beyond = {}, {}
    for pull in pulls:
        if pull.level is None:
            off = space_of(pull.handle).minus(pull.handle.bind(kin.character).value(kin), pull.targets)
            plane = ProductManifold([off.shape[1]])
            misses[pull.name] = way(plane, 0.0 * off[0], off, rates(plane, off), SETTLE)
            beyond[pull.name] = max(float(pull.beyond[[0, 2]].max()), TICK)
    go = way(manifold, _base(plain, solved[0]), solved, own, np.inf)
    keys = way(manifold, carried[0], carried, keyed, np.inf)
    return Passage(start, end, epoch, tuple(over), go, keys, misses, beyond)


def _base(plain: Evaluation, first: Array) -> Array:
    """(nq,): the neutral pose of joints with limits, else the first."""
    character, out = plain.tracks.character, np.array(first)
    for body in range(len(character.bodies)):
        own, place = character.dofs(body), character.coordinates(body)
        if np.isfinite(character.lower[own]).any() or np.isfinite(character.upper[own]).any():
            out[place] = character.manifold.neutral()[place]
    return out


def _slowed(plain: Evaluation, velocity: Array) -> Array:
    """Velocities (n, nv) with no joint faster than ``FASTEST``."""
    character, out = plain.tracks.character, np.array(velocity)
    for body in range(len(character.bodies)):
        own = character.dofs(body)
        speed = np.linalg.norm(out[:, own], axis=1, keepdims=True)
        out[:, own] *= np.minimum(1.0, FASTEST / np.maximum(speed, TICK))
    return out


def _felt(plain: Evaluation, passage: Passage, least: float) -> frozenset[str]:
    """Names of pins that feel a joint which turns by more than ``least`` [rad, m] at the folds."""
    character = plain.tracks.character
    far = np.max([fold.turns for fold in passage.folds], axis=0) >= least
    dofs = np.concatenate([np.arange(character.nv)[character.dofs(int(i))] for i in np.flatnonzero(far)])
    kin = Kinematics(character, passage.solved.at(np.linspace(passage.start, passage.end, 5)))

    def feels(handle: Handle) -> bool:
        return bool((np.abs(handle.bind(character).jacobian(kin)[:, :, dofs]) > 1e-9).any())

    pulls = plain.pulls(np.array([passage.start]), passage.epoch)
    return frozenset(p.name for p in pulls if p.level is None and not p.fading and feels(p.handle))


def _course(plain: Evaluation, passage: Passage) -> tuple[float, float]:
    """How far a joint turns at once in a passage [rad, m], 0 where it is continuous.

    And the speed of the fastest [rad/s, m/s], as a multiple of the one on the way over alone.
    """
    character, motion = plain.tracks.character, plain.passing([passage]).poses
    at = np.linspace(passage.start, passage.end, PARTS + 1)
    q = motion(at)
    steps = turns(character, q)
    most = np.argsort(-steps.max(axis=1), kind="stable")[:3]
    found = narrowed(character, motion, at, q, most, steps[most] >= 0.5 * steps[most].max(axis=1, keepdims=True))
    pop = max([fold.turn for fold in found.values()], default=0.0)
    own = turns(character, passage.poses(at, plain.supple.softened(plain.carried(at, passage.epoch)))).max()
    return pop, float(steps.max() / max(own, PACE * (at[1] - at[0])))


def told(evaluation: Evaluation, times: Array) -> list[str]:
    """A sentence for each passage among the times [s] (T,)."""
    return [_sentence(evaluation, p) for p in evaluation.passages if p.inside(times).any()]


def _sentence(evaluation: Evaluation, passage: Passage) -> str:
    character = evaluation.tracks.character
    fold = max(passage.folds, key=lambda f: f.turn)
    at = np.linspace(passage.start, passage.end, PARTS + 1)
    kin = Kinematics(character, evaluation.poses(at))
    giving = []
    for pull in evaluation.pulls(at, passage.epoch):
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
