"""A document with passages over its folds.

A passage depends on the document alone. Folds are looked for on a grid of times that the document has by
itself, and narrowed to microseconds (``jumps``). Where there is one there may be others, between times of the
grid: about it they are looked for more closely. A part of a bake looks beyond its ends for passages that
reach into it.

All pins are kept if that is continuous and no joint has to hurry, else those on limbs that fold are let go,
else more, at last all. Where every way jumps almost as far as the document, it is left alone.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array
from poise.handles import Handle
from poise.kinematics import Kinematics
from poise.methods.key.frames.jumps import AROUND, EDGE, FAR, Fold, Motion, asked_for, folds, narrowed, turns
from poise.methods.key.frames.transition import SHORTEST, Passage, linked
from poise.methods.key.sheet.key import TICK

if TYPE_CHECKING:
    from poise.methods.key.frames.evaluate import Evaluation
    from poise.methods.key.sheet.keyframes import Keyframes

ROUNDS = 50
"""Times that the look for folds is widened: each is to have found one more beside the last."""
LONGEST = 0.6
"""The most that the way over one fold takes [s]."""
PACE = 5.0
"""The mean speed [rad/s] of the joint that turns farthest; its peak is half as much again."""
NEXT = 0.1
"""Passages that are nearer than this [s] are one."""
GRID = 30
"""Times a second at which folds are looked for, unless poses are keyed about as often: then at keys."""
CLOSER = 4
"""Parts of the grid's steps about a fold."""
CALM, HASTY = 1.5, 2.5
"""How many times faster than on the way over itself joints may turn for the sake of pins: of those on limbs
that fold, and of others."""


def over_folds(keyframes: Keyframes, motion: Motion, times: Array) -> Evaluation:
    """The document with all passages that times from the first to the last of ``times`` (T,) depend on.

    ``motion`` is the document's own; where nothing folds it stays the document's own evaluation.
    """
    plain = keyframes.evaluation
    found = _folds(plain, motion, times) if len(times) else []
    for epoch in range(len(keyframes.spins) + 1 if found else 0):
        if plain.passages:  # how a spin ends depends on the passages in it
            found = _folds(plain, plain.poses, times)
        made = [_over(plain, *group, epoch) for group in _groups(plain, found, epoch)]
        plain = plain.passing([each for each in made if each is not None])
    return plain


def _folds(plain: Evaluation, motion: Motion, times: Array) -> list[Fold]:
    """Those in and around the times, until none is near enough to have to do with them."""
    keyframes = plain.keyframes
    begin, finish = keyframes.span
    first, last = (float(np.clip(t, begin, finish)) for t in (times.min(), times.max()))
    if keyframes.spins:  # after a spin all depends on how it went
        first = begin
    near: list[Fold] = []
    for _ in range(ROUNDS):
        low, high = first - 3.0 * LONGEST, last + 3.0 * LONGEST
        grid = _grid(keyframes, low, high)
        found = _between(plain, motion, grid)
        near = [f for f in found if low <= f.time <= high]  # beyond, what is usual is not known
        for part in _closer(grid, near):
            fine = _between(plain, motion, part)
            near += [f for f in fine if not any(abs(f.time - known.time) < 2.0 * EDGE for known in near)]
        earliest = min([first, *(f.time for f in near)])
        latest = max([last, *(f.time for f in near)])
        if (earliest, latest) == (first, last):
            break
        first, last = earliest, latest
    return near


def _between(plain: Evaluation, motion: Motion, times: Array) -> list[Fold]:
    """Folds between times that nothing asks for."""
    keyframes = plain.keyframes
    found = folds(keyframes.character, motion, keyframes.pose_track.at, times)
    return [fold for fold in found.values() if not asked_for(plain, fold)]


def _closer(grid: Array, found: list[Fold]) -> list[Array]:
    """The grid about folds, each part with all that are near one another, cut finer."""
    middles = 0.5 * (grid[1:] + grid[:-1])
    chosen = np.zeros(len(middles), dtype=np.bool_)
    for fold in found:
        chosen |= np.abs(middles - fold.time) < LONGEST
    runs = np.split(np.flatnonzero(chosen), np.flatnonzero(np.diff(np.flatnonzero(chosen)) > 1) + 1)
    out = []
    for run in runs if chosen.any() else []:
        cells = [np.linspace(grid[k], grid[k + 1], CLOSER, endpoint=False) for k in run]
        out.append(np.append(np.concatenate(cells), grid[run[-1] + 1]))
    return out


def _grid(keyframes: Keyframes, low: float, high: float) -> Array:
    """The document's own times at which folds are looked for, from low to high and a few more [s]."""
    begin, finish = keyframes.span
    keys = [key.time for key in keyframes.pose_track.live]
    if len(keys) > 0.6 * GRID * (finish - begin):
        corners = [begin]
        for t in keys:
            if t - corners[-1] > 1.0 / GRID - TICK:
                corners.append(t)
        if finish - corners[-1] > TICK:
            corners.append(finish)
        gaps = [np.linspace(a, b, max(2, 1 + int((b - a) * GRID))) for a, b in pairwise(corners)]
        at = np.unique(np.concatenate([corners, *gaps]))  # the keys' own bits: frames of a clip beneath
    else:
        whole = int((finish - begin + TICK) * GRID)
        first = max(0, int((low - begin) * GRID) - AROUND - 1)
        last = min(whole, int((high - begin) * GRID) + AROUND + 2)
        at = np.array([begin + k / GRID for k in range(first, last + 1)])
        if last == whole and finish - at[-1] > TICK:
            at = np.append(at, finish)
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
    begin, finish = plain.keyframes.span
    if epoch > 0:
        begin = max(begin, plain.spins[epoch - 1].end)
    if epoch < len(plain.spins):
        finish = min(finish, plain.spins[epoch].end - 2.0 * TICK)
    return begin, finish


def _over(plain: Evaluation, start: float, end: float, over: list[Fold], epoch: int) -> Passage | None:
    """The way over folds that lets go of the fewest pins and is continuous and calm; None where all jump."""
    whole = linked(plain, _room(plain, epoch), start, end, epoch, over)
    far = max(fold.turn for fold in over)
    folding, moved = (_felt(plain, whole, turn) for turn in (max(0.5 * far, FAR), FAR))
    every = frozenset(pin.name for pin in plain.keyframes.pins)
    best, least = None, (0.8 * far, np.inf)
    for released, most in {frozenset(): CALM, folding: HASTY, moved: HASTY, every: HASTY}.items():
        passage = replace(whole, released=released)
        pop, speed = _course(plain, passage)
        if (pop, speed) < least:
            best, least = passage, (pop, speed)
        if pop == 0.0 and speed <= most:
            break
    return best


def _felt(plain: Evaluation, passage: Passage, least: float) -> frozenset[str]:
    """Names of pins that feel a joint which turns by more than ``least`` [rad, m] at the folds."""
    character = plain.keyframes.character
    far = np.max([fold.turns for fold in passage.folds], axis=0) >= least
    dofs = np.concatenate([np.arange(character.nv)[character.dofs(int(i))] for i in np.flatnonzero(far)])
    kin = Kinematics(character, passage.solved.at(np.linspace(passage.start, passage.end, 5)))

    def feels(handle: Handle) -> bool:
        return bool((np.abs(handle.bind(character).jacobian(kin)[:, :, dofs]) > 1e-9).any())

    pulls = plain.pulls(np.array([passage.start]), passage.epoch)
    return frozenset(p.name for p in pulls if p.level is None and not p.fading and feels(p.handle))


def _course(plain: Evaluation, passage: Passage) -> tuple[float, float]:
    """How far a joint turns at once in a passage [rad, m], 0 where it is continuous.

    And the speed of the fastest [rad/s, m/s], as a multiple of the one on the way over alone, or of the
    document's own beside its folds: pins that come and go in a short time are meant to.
    """
    character, motion = plain.keyframes.character, plain.passing([passage]).poses
    at = passage.parts
    q = motion(at)
    steps = turns(character, q)
    most = np.argsort(-steps.max(axis=1), kind="stable")[:3]
    fast = steps[most] >= 0.5 * steps[most].max(axis=1, keepdims=True)
    found = narrowed(character, motion, at, q, most, fast)
    pop = max([fold.turn for fold in found.values()], default=0.0)
    own = turns(character, passage.poses(at, plain.supple.softened(plain.carried(at, passage.epoch)))).max()
    keyed = turns(character, plain.poses(at))
    for fold in passage.folds:
        keyed[(at[1:] >= fold.before) & (at[:-1] <= fold.after)] = 0.0
    return pop, float(steps.max() / max(own, keyed.max(), PACE * (at[1] - at[0])))
