"""A place held over an interval: an anchor whose aim is shifted until the point is where it must be.

A few bells cannot follow every frame of an interval. An anchor (:mod:`poise.dynamics.anchors`) can: an
implicit spring of 100 Hz from the point's body to

    x_K + s (aim − x_K),    s eased from 0 to 1 over a quarter of the correction's width on either side.

It acts on the point (``Anchor.at``) and leaves the body's turn free. The aim begins at the place asked for,
and is shifted by minus the point's error at each frame until that is small (``holding``): springs and weight
are learnt that way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character, Point
from poise.constraints import Constraint
from poise.handles import PointPosition
from poise.handles.place import point_of
from poise.kinematics import Kinematics
from poise.methods.loosen.simulate.amplitude import eased
from poise.methods.loosen.simulate.anchors import Anchor
from poise.methods.loosen.simulate.gains import WHOLE, path_to
from poise.motion import Clip
from poise.operations.values.bell import Bell

FREQUENCY = 100.0
"""Of a hold's anchor [Hz]: at 60 a hand held through a jump diverges; 200 is inexact at steps of 10 ms."""
EASED = 0.25
"""Part of the correction's width over which a hold comes on, and goes off."""
LONGEST = 3.0
"""Windows are not made longer than this [s] to start before a hold: what was thrown has settled by then."""
SOON = 1e-5
"""Velocities along a path are differences over so long [s]."""
OPPOSITE = 0.2
"""1 + cosine of the angle below which a way is no turn any more."""
SPARE = 1.02
"""Aims are kept within so much of the chain's length from the root: farther ones only pull harder."""


@dataclass(frozen=True, eq=False)
class Hold:
    """One place that is held."""

    constraint: Constraint
    point: Point
    clip: Clip
    times: Array
    """Frames of the interval [s], (T,)."""
    ease: float
    """How long it takes to come on [s]."""
    goal: Array
    """Where the point must be then, (T, 3) [m]."""
    aim: Array
    """Where it is drawn to then, (T, 3) [m]."""
    top: int
    """The body that its limb begins with: a shoulder, a hip."""

    @property
    def body(self) -> int:
        """The body that is held."""
        return self.point.body

    @property
    def anchor(self) -> Anchor:
        """For the simulation."""
        return Anchor(self.body, self.weight, self.path, self.point, FREQUENCY)

    @property
    def frames(self) -> IntArray:
        """Of the clip, (T,)."""
        at = np.rint(self.times * self.clip.fps).astype(np.int64)
        return at % self.clip.frames if self.clip.loop else np.clip(at, 0, self.clip.frames - 1)

    def weight(self, times: Array) -> Array:
        """1 throughout the interval, eased to 0 before and after, (T,)."""
        t, _ = self._cycle(np.asarray(times, dtype=np.float64))
        gap = np.maximum(np.maximum(self.times[0] - t, t - self.times[-1]), 0.0)
        return eased(1.0 - gap / self.ease)

    def path(self, times: Array, kin: Kinematics) -> tuple[Array, Array]:
        """Place and velocity of the anchor's target, (T, 3) each; ``kin`` is the animation."""
        t, cycle = self._cycle(np.asarray(times, dtype=np.float64))
        aim, rate = self._aim(t)
        if self.clip.loop and not self.clip.travel.still:
            shift, yaw = self.clip.travel.repeated(cycle)
            aim, rate = _turned(aim, yaw) + shift, _turned(rate, yaw)
        gap = np.maximum(np.maximum(self.times[0] - t, t - self.times[-1]), 0.0)
        x = np.clip(1.0 - gap / self.ease, 0.0, 1.0)
        rising = 30.0 * (x * (1.0 - x)) ** 2 / self.ease * np.where(t < self.times[0], 1.0, -1.0)
        base, pace = kin.positions[:, self.top], kin.velocities[:, self.top, :3]
        place, lever = kin.point(self.point), kin.point(self.point) - kin.positions[:, self.body]
        own = kin.velocities[:, self.body, :3] + np.cross(kin.velocities[:, self.body, 3:], lever)

        def at(late: float) -> Array:
            """The path so much later, all that it is made of moving on evenly."""
            s = (eased(x) + late * rising)[:, None]
            middle = base + late * pace
            return middle + between(place + late * own - middle, aim + late * rate - middle, s)

        return at(0.0), (at(SOON) - at(-SOON)) / (2 * SOON)

    def _cycle(self, times: Array) -> tuple[Array, Array]:
        """Times as seen from the interval, and the cycles of a loop that lie between."""
        if not self.clip.loop:
            return times, np.zeros(len(times))
        middle, span = 0.5 * (self.times[0] + self.times[-1]), self.clip.duration
        cycle = np.rint((times - middle) / span)
        return times - cycle * span, cycle

    def _aim(self, t: Array) -> tuple[Array, Array]:
        """The aim and its rate: a C¹ cubic through its frames, coming to rest outside, (T, 3) each."""
        dt, last = self.clip.dt, len(self.times) - 1
        slope = np.gradient(self.aim, dt, axis=0)
        x = (t - self.times[0]) / dt
        k = np.clip(np.floor(x), 0, last - 1).astype(np.int64)
        s = np.clip(x - k, 0.0, 1.0)[:, None]
        a, b, m, n = self.aim[k], self.aim[k + 1], dt * slope[k], dt * slope[k + 1]
        place = a + s * m + s * s * ((3 - 2 * s) * (b - a) - (2 - s) * m - (1 - s) * n)
        rate = (m + s * (6 * (1 - s) * (b - a) - (4 - 3 * s) * m - (2 - 3 * s) * n)) / dt
        early, late = self.times[0] - t, t - self.times[-1]
        for gap, end, way in ((early, slope[0], -1.0), (late, slope[-1], 1.0)):
            out = np.clip(gap, 0.0, self.ease)[:, None]
            place = place + way * end * (out - 0.5 * out * out / self.ease)
            rate = np.where(gap[:, None] > 0.0, end * (1.0 - out / self.ease), rate)
        return place, rate

    def after(self, old: Hold) -> Hold:
        """Aimed as an old one was, all moved along with its target, where the frames are the same."""
        if len(old.times) != len(self.times) or not np.array_equal(old.frames, self.frames):
            return self
        return replace(self, aim=old.aim + (self.goal - old.goal))

    def aimed(self, aim: Array) -> Hold:
        """With its aim elsewhere."""
        return replace(self, aim=aim)


def is_hold(constraint: Constraint, clip: Clip) -> bool:
    """Whether a constraint holds a place, all three axes of it, over several frames."""
    handle = constraint.handle
    return (
        isinstance(handle, PointPosition)
        and set(handle.axes) == set("xyz")
        and len(handle.axes) == 3
        and not constraint.rate
        and not constraint.norm
        and constraint.equality
        and not np.any(np.asarray(constraint.lower))
        and len(constraint.when.times(clip)) > 1
    )


def hold_of(constraint: Constraint, clip: Clip, shape: Bell) -> Hold:
    """A hold as it begins: aimed at where it must be, or as near as the whole chain reaches."""
    character, handle = clip.character, constraint.handle
    assert isinstance(handle, PointPosition)
    constraint.dim(character)
    times = constraint.when.times(clip)
    point = point_of(character, handle.point)
    pose = Kinematics(character, clip.sampler.configuration(times))
    order = ["xyz".index(axis) for axis in handle.axes]
    wanted = np.empty((len(times), 3))
    wanted[:, order] = constraint.target_at(pose, times)
    ease = max(EASED * shape.width, 2 * clip.dt)
    root, most = pose.positions[:, 0], SPARE * chain_length(character, point)
    aim = within(wanted, root, most)
    return Hold(constraint, point, clip, times, ease, wanted, aim, top_of(character, point.body))


def between(a: Array, b: Array, s: Array) -> Array:
    """From vectors a to b (T, 3), s (T, 1) of the way: turning and stretching evenly, so never beyond both.

    Where they are opposite to one another there is no shortest turn: there it goes straight on.
    """
    long, wide = (np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9) for x in (a, b))
    cosine = np.clip((a * b).sum(axis=1, keepdims=True) / (long * wide), -1.0, 1.0)
    angle = np.arccos(cosine)
    part, rest = _slice(s, angle), _slice(1.0 - s, angle)
    turned = (long + s * (wide - long)) * (rest * a / long + part * b / wide)
    share = eased((1.0 + cosine) / OPPOSITE)
    straight = a + s * (b - a)
    return np.asarray(straight + share * (turned - straight))


def _slice(s: Array, angle: Array) -> Array:
    """sin(s α) / sin α"""
    small = angle < 1e-4
    below = np.where(small | (angle > 3.1), 1.0, np.sin(angle))
    return np.where(small, s, np.sin(s * angle) / below)


def top_of(character: Character, body: int) -> int:
    """The body that its limb begins with."""
    what = [(b.side, WHOLE.get(b.limb, b.limb)) for b in character.bodies]
    top = body
    for above in path_to(character, body):
        if what[above] != what[body]:
            break
        top = above
    return top


def within(places: Array, centre: Array, most: float) -> Array:
    """Places (T, 3), or the nearest to them no farther than ``most`` [m] from a centre (T, 3)."""
    way = places - centre
    far = np.linalg.norm(way, axis=1, keepdims=True)
    return np.asarray(centre + way * np.minimum(1.0, most / np.maximum(far, 1e-12)))


def chain_length(character: Character, point: Point, top: int = 0) -> float:
    """From the origin of ``top``, above it, to a point, all joints straight [m]."""
    out = float(np.linalg.norm(point.position))
    for body in path_to(character, point.body):
        if body == top:
            break
        out += float(np.linalg.norm(character.bodies[body].offset))
    return out


def anchors_of(holds: Sequence[Hold]) -> tuple[Anchor, ...]:
    """For the simulation."""
    return tuple(hold.anchor for hold in holds)


def stretched(windows: Array, holds: Sequence[Hold]) -> Array:
    """Windows of all frames (F,) [s]; those that would start within a hold start before it comes on.

    A limb that starts as animated, far from where it is held, would be thrown there.
    """
    out = np.array(windows)
    for hold in holds:
        start, _ = hold._cycle(np.asarray(hold.clip.times) - out)
        late = start - (hold.times[0] - hold.ease)
        within = (late > 0.0) & (start < hold.times[-1] + hold.ease)
        out[within] = np.maximum(out[within], np.minimum(out[within] + late[within], LONGEST))
    return out


def _turned(x: Array, yaw: Array) -> Array:
    """Vectors (T, 3) about the vertical."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.stack([c * x[:, 0] - s * x[:, 1], s * x[:, 0] + c * x[:, 1], x[:, 2]], axis=1)
