"""A motion on the ground while what is below it is dragged: a few warm steps in a window about what moves.

The change that carried the motion rides along,

    q₀ = below ⊕ (after ⊖ before),

and is corrected from there, with the contacts that were found, in keys that lie wholly in the window: some
time before and after what moves. Nobody asks for the strength of joints meanwhile, or finds contacts anew:
that is for the whole solve, once the drag is over.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.differentiated_clip import Mask
from poise.curves import BSpline
from poise.methods.ground.descent import stepped
from poise.methods.ground.pins import Pins
from poise.methods.ground.result import NOT_THIS, GroundResult
from poise.methods.ground.stage import Stage, on_support
from poise.motion import Clip
from poise.operations.ground import Ground

STEPS = 2
"""Of Gauss and Newton for one move: after one some samples are still uncarried."""
BESIDE = 0.6
"""How far the window goes beyond what moves [s]: weight is shifted about that long before it is needed."""
LONGEST = 1.8
"""Longest window [s]; of a longer move the middle is that which moves most."""
UNMOVED = 1e-6
"""Coordinates that differ by less are the same [rad or m]."""
LIFTED = 0.03
"""Patches that a drag takes so far from what carried them carry no more, of a body of 1.75 m [m]."""
PRICED = 4
"""Frames of the grid of which one tells the price of a change."""
EDGE = 2
"""Frames of the grid at either end of a window that stay as they are: a wrench spans three."""


def followed(asked: Ground, known: GroundResult, below: Clip) -> Clip | None:
    """The motion on the ground, now that what it was made of has become ``below``; None where that takes a
    whole solve."""
    before, after = known.stage.clip, known.clip
    lead, manifold = known.stage.lead, below.character.manifold
    if known.outcome == NOT_THIS or known.retimed is not None or below.loop or after.frames != below.frames:
        return None
    stage = on_support(below, known.support, Pins(below.character), whole=known.stage.whole)
    own = slice(lead, lead + stage.clip.frames)
    q = manifold.plus(stage.clip.q, manifold.minus(after.q[own], before.q))
    moved = np.abs(manifold.minus(stage.clip.q, before.q)).max(axis=1)
    whole = np.array(below.q)
    if moved.max() > UNMOVED:
        frames = _window(stage, moved)
        inside = slice(int(frames[0]), int(frames[-1]) + 1)
        q[inside] = manifold.plus(q[inside], _change(asked, stage, q, frames)[inside])
    whole[own] = q
    return below.with_q(whole)


def _window(stage: Stage, moved: Array) -> IntArray:
    """Frames of the grid about what moved."""
    times, dt = stage.times, stage.clip.dt
    where = np.flatnonzero(moved > UNMOVED)
    low, high = where[0] * dt - BESIDE, where[-1] * dt + BESIDE
    if high - low > LONGEST:
        middle = float(np.clip(np.argmax(moved) * dt, low + LONGEST / 2, high - LONGEST / 2))
        low, high = middle - LONGEST / 2, middle + LONGEST / 2
    return stage.frames[(times >= low) & (times <= high)]


def _change(asked: Ground, stage: Stage, q: Array, frames: IntArray) -> Array:
    """Displacement of all frames (F, nv), zero beyond the window."""
    clip, feet = stage.clip, stage.footing(q, frames)
    given = stage.support.gap[frames]
    index = [stage.support.need.patches.names.index(n) for n in feet.names]
    room = np.maximum(given[:, index], 0.0) + LIFTED * stage.scale
    near = feet.gap < room
    feet = replace(feet, touches=feet.touches & near, rests=feet.rests & near, held=feet.held & near)
    free = _inside(stage.basis(asked), frames * clip.dt, stage)
    out = np.zeros((clip.frames, clip.character.nv))
    if free.any() and len(frames) > 2 * EDGE + 3:
        problem = stage.posed(asked, q, frames, feet, free, None, PRICED)
        look = stepped(problem, STEPS)
        out = np.asarray(problem.keys.curve(look.c, clip.character.nv).evaluate(clip.times))
    return out


def _inside(basis: BSpline, times: Array, stage: Stage) -> Mask:
    """Keys that act in a window alone; where it ends with the motion, those at its end too."""
    centres = np.asarray(basis.centres)
    reach = 2.0 * float(np.median(np.diff(centres))) + EDGE * stage.dt
    first = times[0] <= stage.times[0] + 1e-9
    last = times[-1] >= stage.times[-1] - 1e-9
    return (
        ((centres - reach >= times[0]) | first)
        & ((centres + reach <= times[-1]) | last)
        & (centres <= times[-1] + reach)
        & (centres >= times[0] - reach)
    )
