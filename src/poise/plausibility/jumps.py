"""Jumps: a joint, or the whole body, is elsewhere for a frame or a few (a pop), or trembles all the time
(jitter).

Between its neighbours a frame of a smooth motion is where they say it is. How far it is off,

    d_f = |x_f − ½ (x_{f−1} + x_{f+1})|        of joints, in the world

is judged against what the clip itself does around. Which joint it is, the second differences of its
coordinates tell.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.labels import roles
from poise.contacts.differentiated_clip import Mask, runs
from poise.contacts.needed import low_passed
from poise.motion.operators.neighbours import extended
from poise.plausibility.finding import Finding, score_between
from poise.plausibility.phase import counts
from poise.plausibility.physics import Physics
from poise.plausibility.torques import turning

POPS = 0.012, 0.112
"""How far a joint of a body of 1.75 m jumps [m]: fine, absurd."""
UNLIKE = 8.0
"""A jump is so many times as far as what is usual around it …"""
AROUND = 0.25
"""… within this time [s] …"""
MORE = 0.004
"""… and this much farther [m]."""
FEW = 4
"""Longer ones are motions [frames]."""
TURNS = np.radians(5.0)
"""Turns of a joint by less are no reason for a jump [rad]."""
TOLD = 0.55, 0.9
"""A turn that is no jump against what is usual around it is worth a word, and no more."""
TREMBLES = 0.004, 0.030
"""Mean way off the smooth motion [m]: fine, absurd …"""
STEADY = 12.0
"""… which is below this [Hz] …"""
LASTING = 0.5
"""… for so long [s]."""


def jumps(physics: Physics) -> Iterator[Finding]:
    """Findings about pops and jitter."""
    take = physics.take
    if take.clip.frames < 2 * FEW + 1:
        return
    main = main_joints(physics)
    x = np.asarray(take.raw.positions)[:, main]  # (N, m, 3)
    away = np.zeros_like(x)
    away[1:-1] = x[1:-1] - 0.5 * (x[:-2] + x[2:])
    away[~physics.footing.belongs] = 0.0
    inside = np.flatnonzero(physics.footing.belongs)
    away[[inside[0], inside[-1]]] = 0.0  # beyond lies what does not belong to the motion
    off = np.linalg.norm(away, axis=2)
    together = np.linalg.norm(np.median(away, axis=1), axis=1)[
        :, None
    ]  # what all joints jump by is the body's own
    whole = list(_pops(physics, together, whole=True))
    yield from whole
    for found in _pops(physics, off, whole=False):
        if not any(w.start <= found.end + 1 and w.end >= found.start - 1 and not found.where for w in whole):
            whole.append(found)
            yield found
    yield from _turned(physics, off, main, whole)
    yield from _jitter(physics, x, off, main)


def _turned(physics: Physics, off: Array, main: IntArray, known: list[Finding]) -> Iterator[Finding]:
    """Joints that turn for a frame or a few, where nothing jumps far for how fast all else is."""
    from scipy.ndimage import median_filter

    take, character = physics.take, physics.clip.character
    turns = second_differences(physics)[:, main]  # (N, m)
    inside = np.flatnonzero(physics.footing.belongs)
    turns[: inside[0] + 1] = turns[inside[-1] :] = 0.0  # beyond lies what does not belong to the motion
    usual = median_filter(turns, size=(max(5, int(AROUND / take.dt) | 1), 1))
    wrong = turns > UNLIKE * usual + TURNS
    for a, b in runs(wrong.any(axis=1)):
        seen = any(k.where and k.start - 1 <= b - take.lead and k.end + 1 >= a - take.lead for k in known)
        if b - a + 1 > FEW or not counts(take, a, b) or seen:
            continue
        worst = a + int(np.argmax(turns[a : b + 1].max(axis=1)))
        which = int(np.argmax(turns[worst]))
        joint, turn, far = (
            character.names[int(main[which])],
            float(turns[worst, which]),
            float(off[worst].max()),
        )
        words = f"{joint} turns by {np.degrees(turn):.0f}° for a moment, {100 * far:.1f} cm"
        score = float(np.clip(score_between(far / physics.scale, *POPS), *TOLD))
        yield Finding("pop", a - take.lead, b - take.lead, joint, far, "m", 0.0, score, words, "recording")


def second_differences(physics: Physics) -> Array:
    """How far the turn of every joint is off that of its neighbouring frames [rad] (N, n)."""
    take, character = physics.take, physics.clip.character
    q = extended(take.clip, take.lead) if take.lead else np.asarray(take.clip.q)
    steps = character.manifold.minus(q[1:], q[:-1])
    return np.pad(turning(character, 0.5 * (steps[1:] - steps[:-1])), ((1, 1), (0, 0)))


def main_joints(physics: Physics) -> IntArray:
    """Joints of the body itself: no helpers, no toes; all that have mass where it is no person."""
    character = physics.clip.character
    known = sorted({i for role, i in roles(character).items() if "toes" not in role})
    if len(known) >= 4:
        return np.array(known)
    heavy = [i for i, b in enumerate(character.bodies) if b.mass.mass > 0 or not character.total_mass > 0]
    return np.array(heavy or [0])


def _pops(physics: Physics, off: Array, *, whole: bool) -> Iterator[Finding]:
    """Frames that are off (N, m), against what is usual around them."""
    from scipy.ndimage import median_filter

    take = physics.take
    turns = second_differences(physics)
    most = off.max(axis=1)
    usual = UNLIKE * median_filter(most, size=max(5, int(AROUND / take.dt) | 1)) + MORE * physics.scale
    least = np.maximum(usual, POPS[0] * physics.scale)
    apart = [span for a, b in runs(most > least) for span in _apart(off > least[:, None], a, b)]
    for a, b in apart:
        if b - a + 1 > FEW or not counts(take, a, b):
            continue
        worst = a + int(np.argmax(most[a : b + 1]))
        far = float(most[worst])
        joint, turn = ("", 0.0) if whole else _culprit(physics, worst, turns)
        by = f" (turned by {np.degrees(turn):.0f}°)" if joint and turn > TURNS else ""
        words = f"{joint or 'the whole body'} jumps by {100 * far:.1f} cm for a moment{by}"
        score = min(score_between(far / physics.scale, *POPS), TOLD[1])
        yield Finding("pop", a - take.lead, b - take.lead, joint, far, "m", 0.0, score, words, "recording")


def _apart(wrong: Mask, first: int, last: int) -> list[tuple[int, int]]:
    """Frames first … last in which something is off, by who it is: joints that jump one after another, each
    for a few frames, are pops of their own, however closely they follow."""
    if last - first + 1 <= FEW:
        return [(first, last)]
    own = [(first + a, first + b) for column in wrong[first : last + 1].T for a, b in runs(column)]
    if any(b - a + 1 > FEW for a, b in own):
        return []  # one that lasts is a motion
    found: list[tuple[int, int]] = []
    for a, b in sorted(own):
        inside = next(
            (k for k, (c, d) in enumerate(found) if min(d, b) - max(c, a) + 1 > (b - a + 1) / 2), None
        )
        if inside is None:
            found.append((a, b))
        else:
            c, d = found[inside]
            found[inside] = (min(a, c), min(max(b, d), min(a, c) + FEW - 1))
    return found


def _culprit(physics: Physics, frame: int, turns: Array) -> tuple[str, float]:
    """The joint whose turn is most off at a frame, and by how much [rad]; "" for the body as a whole."""
    main = main_joints(physics)  # helpers do not count
    best = int(main[int(np.argmax(turns[frame, main]))])
    turn = float(turns[frame, best])
    return (physics.clip.character.names[best], turn) if turn > TURNS else ("", turn)


def _jitter(physics: Physics, x: Array, off: Array, main: IntArray) -> Iterator[Finding]:
    take = physics.take
    if STEADY * take.dt > 0.4:
        return
    rough = np.linalg.norm(x - low_passed(x, STEADY, take.dt, through=True), axis=2)  # (N, m)
    popped = off > UNLIKE * np.median(off) + POPS[0] * physics.scale
    near = np.convolve(np.pad(popped.any(axis=1), 4), np.ones(9), "valid") > 0
    rough[near | ~physics.footing.belongs] = 0.0
    long = max(3, round(LASTING / take.dt))
    if len(rough) < long:
        return
    # The median, not the mean: a landing is rough for a moment, and that is no jitter.
    windows = np.lib.stride_tricks.sliding_window_view(rough, long, axis=0)[:: max(1, long // 4)]
    level = np.median(windows, axis=2)  # (w, m)
    worst = level.max(axis=1)
    for a, b in runs(worst > TREMBLES[0] * physics.scale):
        first, last = a * max(1, long // 4), b * max(1, long // 4) + long - 1
        if not counts(take, first, last):
            continue
        joint = take.clip.character.names[int(main[int(np.argmax(level[a : b + 1].max(axis=0)))])]
        size = float(worst[a : b + 1].max())
        score = score_between(size / physics.scale, *TREMBLES)
        words = f"{joint} trembles by {1000 * size:.0f} mm"
        yield Finding(
            "jitter", first - take.lead, last - take.lead, joint, size, "m", 0.0, score, words, "recording"
        )
