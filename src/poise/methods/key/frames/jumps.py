"""Folds: times at which a document's poses jump. And jumps between frames, in words.

Frames know nothing of each other. Where tracks disagree two poses may serve them as well, and one frame takes
one, the next the other. A joint that turns far from one frame to the next is suspected if its keys do not ask
for it and its turning just before and after is not like it. Fast is not broken: a motion that is continuous
turns half as far in half the time. So the time between the two frames is cut into parts, again and again
the one in which the joint turns most. A fold is what still turns far within a few microseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.character import Character, JointKind
from poise.methods.key.sheet.key import TICK
from poise.methods.key.sheet.pin import space_of

if TYPE_CHECKING:
    from poise.methods.key.frames.evaluate import Evaluation

Motion = Callable[[Array], Array]
"""From times [s] (T,) to poses (T, nq)."""

LEAST = 0.1
"""The least turn [rad] from one frame to the next that may be a jump."""
UNLIKE = 1.5
"""How many times farther than usual it is."""
AROUND = 4
"""Frames on either side that say what is usual."""
PARTS, SHARE = 8, 0.2
"""Into so many parts the time is cut, again and again; a fold holds this share of the turn at least."""
FAR = 0.05
"""The least turn [rad, m] at a fold."""
EDGE = 10 * TICK
"""How closely a fold is found [s]."""
SUDDEN = 0.05
"""A gain or a target [m, rad] that changes by more than this within ``EDGE`` is meant to."""
SAID = 5
"""Jumps named in a report; of more the number is told."""


class Recalled:
    """A motion that is worked out once at each time."""

    def __init__(self, motion: Motion, times: Array, q: Array) -> None:
        self._motion = motion
        self._known = dict(zip(times.tolist(), q))

    def __call__(self, times: Array) -> Array:
        """(T, nq)"""
        asked = times.tolist()
        new = [t for t in asked if t not in self._known]
        if new:
            self._known.update(zip(new, self._motion(np.array(new))))
        return np.array([self._known[t] for t in asked])


@dataclass(frozen=True, eq=False)
class Fold:
    """Two times, next to each other, with poses that are not."""

    before: float
    after: float
    """[s]"""
    turns: Array
    """How far each body's joint turns [rad; m of slides], (bodies,); zero of the root."""

    @property
    def time(self) -> float:
        """[s]"""
        return 0.5 * (self.before + self.after)

    @property
    def joint(self) -> int:
        """The body whose joint turns farthest."""
        return int(self.turns.argmax())

    @property
    def turn(self) -> float:
        """How far that one turns."""
        return float(self.turns.max())


def folds(character: Character, motion: Motion, keyed: Motion, times: Array) -> dict[int, Fold]:
    """By frame k, those between frames k and k + 1 of a motion at ``times`` (F,)."""
    if len(times) < 3:
        return {}
    q = motion(times)
    steps = turns(character, q)  # (F − 1, bodies)
    beyond = steps - turns(character, keyed(times))
    suspected = (steps > UNLIKE * _usual(steps)) & (beyond > LEAST)
    which = np.flatnonzero(suspected.any(axis=1))
    return narrowed(character, motion, times, q, which, suspected[which])


def _usual(steps: Array) -> Array:
    """The median of each step and those around it, (F − 1, bodies)."""
    count, wide = len(steps), 2 * AROUND + 1
    out = np.empty_like(steps)
    if count >= wide:
        around = np.lib.stride_tricks.sliding_window_view(steps, wide, axis=0)
        out[AROUND : count - AROUND] = np.median(around, axis=-1)
    for k in range(count):
        if k < AROUND or k >= count - AROUND:
            out[k] = np.median(steps[max(k - AROUND, 0) : k + AROUND + 1], axis=0)
    return out


def narrowed(
    character: Character, motion: Motion, times: Array, q: Array, which: IntArray, joints: NDArray[np.bool_]
) -> dict[int, Fold]:
    """By frame k among ``which`` (n,), folds between frames k and k + 1 of bodies' ``joints`` (n, bodies)."""
    a, b, low, high = times[which], times[which + 1], q[which], q[which + 1]
    whole = np.where(joints, _apart(character, high, low), np.inf)  # (n, bodies)
    alive, shares = np.arange(len(which)), np.arange(1, PARTS) / PARTS
    while len(alive) and (b - a)[alive].max() > EDGE:
        at = a[alive, None] + shares * (b - a)[alive, None]  # (alive, PARTS − 1)
        inner = motion(at.ravel()).reshape(*at.shape, -1)
        at = np.concatenate([a[alive, None], at, b[alive, None]], axis=1)
        pose = np.concatenate([low[alive, None], inner, high[alive, None]], axis=1)
        part = np.array([(turns(character, p) / far).max(axis=1) for p, far in zip(pose, whole[alive])])
        k, rows = part.argmax(axis=1), np.arange(len(alive))
        a[alive], b[alive], low[alive], high[alive] = (
            at[rows, k],
            at[rows, k + 1],
            pose[rows, k],
            pose[rows, k + 1],
        )
        alive = alive[part[rows, k] > SHARE]
    found = zip(which[alive], a[alive], b[alive], _apart(character, high[alive], low[alive]))
    return {int(k): Fold(float(a), float(b), far) for k, a, b, far in found if far.max() > FAR}


def asked_for(evaluation: Evaluation, fold: Fold) -> str:
    """What makes a fold because it is keyed to come, go or move at once; "" where nothing does."""
    times = np.array([fold.before, fold.after])
    first, second = evaluation.epochs(times)
    if first != second:
        return "the spin's end"
    for pull in evaluation.pulls(times, int(first)):
        moved = space_of(pull.handle).minus(pull.targets[1], pull.targets[0])
        if abs(pull.gains[1] - pull.gains[0]) > SUDDEN or np.abs(moved).max() * pull.gains.max() > SUDDEN:
            return pull.name
    return ""


def jumps(evaluation: Evaluation, motion: Motion, times: Array) -> list[str]:
    """A warning for each pair of successive frames, times (F,), with a jump; the first few."""
    keyframes = evaluation.keyframes
    found = []
    for k, fold in sorted(folds(keyframes.character, motion, keyframes.pose_track.at, times).items()):
        cause = asked_for(evaluation, fold)
        why = (
            f"{cause} comes, goes or moves at once there"
            if cause
            else "there the document's tracks disagree, and two poses serve path, pins and keys as well"
        )
        step = turns(keyframes.character, motion(times[[k, k + 1]]))[0]
        found.append(
            f"{named(keyframes.character, step, 'jumps by')} between frames {k} and {k + 1}, "
            f"{times[k]:.3f} and {times[k + 1]:.3f} s: {why}"
        )
    return found[:SAID] + ([f"and {len(found) - SAID} more jumps"] if len(found) > SAID else [])


def named(character: Character, turned: Array, verb: str) -> str:
    """The joint that turns farthest, and how far: "LeftArm jumps by 30°"."""
    joint = int(turned.argmax())
    body, far = character.bodies[joint], float(turned[joint])
    size = f"{far:.2g} m" if body.joint.kind is JointKind.SLIDE else f"{np.degrees(far):.0f}°"
    return f"{body.name} {verb} {size}"


def turns(character: Character, q: Array) -> Array:
    """How far each body's joint, but the root's, turns from frame to frame [rad; m], (F − 1, bodies)."""
    return _apart(character, q[1:], q[:-1])


def _apart(character: Character, b: Array, a: Array) -> Array:
    """The same from pose to pose, (n, bodies)."""
    squares = character.manifold.minus(b, a) ** 2
    out = np.zeros((len(squares), len(character.bodies)))
    for body in range(1, len(character.bodies)):
        out[:, body] = np.sqrt(squares[:, character.dofs(body)].sum(axis=1))
    return out
