"""A stage: a clip's motion on a grid of frames, what carries it there, and where it may change."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.differentiated_clip import Mask
from poise.contacts.find import find
from poise.contacts.held_patches import Footing, footing
from poise.contacts.support import Support
from poise.curves import BSpline
from poise.kinematics import Kinematics
from poise.methods.ground.keys import GridKeys
from poise.methods.ground.measured import DOUBT, Measure, measured
from poise.methods.ground.pins import Pins
from poise.methods.ground.price import movable
from poise.methods.ground.problem import Look, Problem
from poise.methods.ground.strength import Strength
from poise.methods.ground.wrench import Stride
from poise.motion import Clip
from poise.operations.ground import Ground
from poise.world import World

HERTZ = 60.0
"""Rate of the grid: more than three frames to a key over-determine take-off and landing."""
AROUND = 0.35
"""Frames so near to what is not carried may change [s]."""
FADE = 0.15
"""Over which frames as given turn into calm ones [s]."""
SELDOM, SMALL = 0.015, (0.2, 0.15)
"""Where nothing slides, such a share of samples that miss less than so much [weights, weights · m] is no
reason for a change: a result may leave 1 %, and contacts found anew in it differ a little."""
TRIM = 3
"""Samples at either end of a clip that are not judged: nobody knows what came before."""


@dataclass(frozen=True, eq=False)
class Stage:
    """A clip's motion on a grid, without poses put before or after it."""

    clip: Clip
    """The motion alone."""
    lead: int
    """Frames of the given clip before it."""
    support: Support
    frames: IntArray
    """Of the motion, that make the grid (G,)."""
    stride: int
    whole: bool
    """Whether the world is given: nothing unseen is there."""
    pins: Pins
    """What keeps its place at instants, in seconds of the given clip."""
    within: Mask | None = None
    """Patches that may push, of those that touch (G, K); None: all."""
    stay: Mask | None = None
    """Patches that stay where they are until the next frame, besides those that rest (G, K)."""

    @property
    def times(self) -> Array:
        """[s] (G,)"""
        return np.asarray(self.frames * self.clip.dt)

    @property
    def dt(self) -> float:
        """Between frames of the grid [s]."""
        return float(self.clip.dt * self.stride)

    @property
    def scale(self) -> float:
        """Of the body, over one of 1.75 m."""
        return float(self.support.need.scale)

    def footing(self, q: Array, frames: IntArray) -> Footing:
        """What carries frames of the grid."""
        clip = self.clip
        kin = Kinematics(clip.character, np.ascontiguousarray(q[frames]))
        at, cycle = frames + self.lead, clip.frames
        return footing(self.support, kin, at, loop=clip.loop, cycle=cycle, whole=self.whole)

    def basis(self, asked: Ground) -> BSpline:
        """Of displacements."""
        clip = self.clip
        ends, spacing = "periodic" if clip.loop else "free", max(asked.key_spacing, 2.0 * self.dt)
        return BSpline.uniform(0.0, float(clip.duration), spacing, ends=ends)

    def problem(self, asked: Ground, q: Array, wrong: Mask | None = None, *, strong: bool = True) -> Problem:
        """The problem of frames q; only keys near what is wrong may move. ``strong``: within strength."""
        frames, dt, basis = self.frames, self.dt, self.basis(asked)
        feet = self.footing(q, frames)
        if self.within is not None:
            feet = replace(feet, touches=feet.touches & self.within)
        if self.stay is not None:
            feet = replace(feet, rests=feet.rests | self.stay)
        free = None
        if wrong is not None:
            near = np.clip(np.round(basis.centres / dt).astype(int), 0, len(frames) - 1)
            free = around(wrong, AROUND, dt, loop=self.clip.loop)[near]
        strength = Strength.of(self.clip.character) if strong else None
        return self.posed(asked, q, frames, feet, free, strength)

    def posed(
        self,
        asked: Ground,
        q: Array,
        frames: IntArray,
        feet: Footing,
        free: Mask | None,
        strength: Strength | None,
        priced: int = 1,
    ) -> Problem:
        """The problem of some frames of the grid on their footing; ``free``: keys that may move, ``priced``:
        one frame in so many tells its price."""
        clip, character = self.clip, self.clip.character
        bodies = movable(character, feet.body[feet.touches.any(axis=0)])
        dofs = np.flatnonzero(np.isin(character.dof_body, bodies))
        keys = GridKeys(self.basis(asked), dofs, np.asarray(frames * clip.dt, dtype=np.float64), free)
        travel = np.array(clip.travel.translation) if clip.loop else np.zeros(3)
        stride = Stride(character, self.dt, clip.loop, travel, dofs, self.support.need.arm)
        pins = self.pins.later(-self.lead * clip.dt)
        base = np.ascontiguousarray(q[frames])
        return Problem(character, base, stride, feet, keys, asked.most_force, pins, strength, priced)

    def shared(self, other: Stage) -> Stage:
        """This stage, with pushes only where they may be in another one too, give or take a frame, and rest
        where anything rests in either: what is carried so is carried by the contacts of both, and slides in
        neither."""
        mine, theirs = (s.problem(Ground(), s.clip.q).footing for s in (self, other))
        if mine.names != theirs.names or not np.array_equal(self.frames, other.frames):
            return self
        on = theirs.touches
        wide = on | np.roll(on, 1, axis=0) | np.roll(on, -1, axis=0)
        return replace(self, within=wide, stay=theirs.rests)

    def judged(self, measure: Measure) -> slice:
        """Samples that are judged: without the ends of a clip."""
        return slice(None) if self.clip.loop or len(measure.rows) <= 4 * TRIM else slice(TRIM, -TRIM)

    def wrong(self, problem: Problem, look: Look) -> Mask:
        """Frames of the grid at which something is not carried, or slides, beyond all doubt (G,)."""
        measure = measured(problem, look, self.scale, DOUBT)
        keep = self.judged(measure)
        out = measure.slides & ~problem.footing.free
        bad = measure.bad[keep]
        small = measure.force[keep].max() < SMALL[0] and measure.moment[keep].max() < SMALL[1]
        if not (small and bad.mean() < SELDOM and not out.any()):
            out[measure.rows[keep][bad]] = True
        return out & ~problem.footing.free

    def faded(self, wrong: Mask) -> Array:
        """Share of calm frames, of the motion's own (F,)."""
        clip = self.clip
        near = around(wrong, AROUND, self.dt, loop=clip.loop)
        inner = np.repeat(near, self.stride)[: clip.frames]
        inner = np.pad(inner.astype(np.float64), (0, clip.frames - len(inner)), "edge")
        reach = max(1, round(FADE / clip.dt))
        weights = np.hanning(2 * reach + 3)[1:-1]
        wide = np.pad(inner, reach, "wrap") if clip.loop else np.pad(inner, reach, "edge")
        return np.asarray(np.convolve(wide, weights / weights.sum(), "valid"))


def staged(clip: Clip, world: World | None, pins: Pins, *, timed: bool = False) -> Stage:
    """A clip's motion in a world, or in the one that is found; ``timed``: its pace is right."""
    found = find(clip, world, pace=1.0 if timed else None)
    return on_support(clip, found, pins, whole=world is not None)


def on_support(clip: Clip, found: Support, pins: Pins, *, whole: bool) -> Stage:
    """A clip's motion on what carries it, or another clip of as many frames."""
    lead, count = (0, clip.frames) if clip.loop else (-found.need.lead, found.need.frames)
    morphs = None if clip.morphs is None else clip.morphs[lead : lead + count]
    own = clip if count == clip.frames else clip.with_frames(clip.q[lead : lead + count], morphs)
    stride = max(1, round(clip.fps / HERTZ))
    if clip.loop and clip.frames % stride:
        stride = 1
    return Stage(own, lead, found, np.arange(0, count, stride), stride, whole, pins)


def around(mask: Mask, time: float, dt: float, *, loop: bool) -> Mask:
    """A mask, longer by a time [s] to either side of every stretch."""
    reach = max(1, round(time / dt))
    padded = np.concatenate([mask] * 3) if loop else np.pad(mask, reach)
    wide = np.convolve(padded, np.ones(2 * reach + 1), "same") > 0.5
    start = len(mask) if loop else reach
    return np.asarray(wide[start : start + len(mask)])
