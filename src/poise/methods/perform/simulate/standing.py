"""A figure on its own feet: what it stands on, where its centre of mass should be, and what pushed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.dynamics import mass_matrix
from poise.kinematics import Kinematics
from poise.methods.perform.control.contact_response import Answer
from poise.methods.perform.control.schedule import Schedule
from poise.methods.perform.control.whole_body import MOST, Hold, Stand, kicked
from poise.methods.perform.simulate.simulation import TOLD, Simulation
from poise.methods.perform.simulate.simulation import TONE as SOFT
from poise.methods.perform.simulate.soles import Footprints, Soles, why_not
from poise.methods.perform.simulate.stand_step import Where, see, shove, stand_step
from poise.methods.perform.simulate.steps import Trace, look_back, shortened
from poise.motion import Clip
from poise.operations.values.disturbance import Push
from poise.world import World

BLUR = 0.03
"""Reference accelerations are those of a motion smoothed over this time [s]: captures tremble."""
SETTLES = 0.8
"""How long a figure that nobody shows the way takes to stand over the middle of its feet [s]."""
LIFTED = 0.25
"""Who is off the ground for longer than this without being told to has fallen [s]."""
LOW = 0.6
"""Who has the centre of mass this part of its height above the feet has fallen."""


SEEN = 0.005
"""A ball that should touch and is no further than this above a surface does [m]."""


class Around(Protocol):
    """What else is in the scene: it pushes, and may end a piece."""

    def before(self, k: int, time: float, h: float, q: Array, v: Array) -> Array | None:
        """The generalised force on the performer during a step, (nv,), if any."""

    def after(self, k: int, time: float) -> bool:
        """Whether something has happened that calls for another plan."""


class Pushes(NamedTuple):
    """What surfaces pushed with: P pushes, in order of time."""

    time: Array  # (P,) starts of steps [s]
    ball: IntArray  # (P,)
    place: Array  # (P, 3) [m]
    force: Array  # (P, 3) on the body [N]


class Standing:
    """State of a figure on its feet."""

    def __init__(
        self, character: Character, q: Array, soles: Soles, world: World, prints: Footprints | None
    ) -> None:
        """``prints``: what a clip says touches in its frames; None: feet always."""
        self.character, self.soles, self.prints = character, soles, prints
        self.world = World(tuple(s for s in world.surfaces if not why_not(s)))
        self._friction = np.array([s.friction for s in self.world.surfaces])
        root = character.bodies[0].joint.nv
        self.hold = Hold.of(character.tree, character.nv, root)
        self.stand = Stand(
            np.zeros((MOST, 3)), np.zeros(MOST, dtype=np.int64), np.zeros((MOST, 3)), np.zeros(MOST),
            np.zeros(MOST), np.zeros(MOST), character.total_mass, np.zeros(character.nv),
            np.zeros(character.nv, dtype=np.bool_), np.zeros(character.nv),
        )  # fmt: skip
        self.start = np.array(Kinematics(character, q[None]).com[0])
        corners = soles.lowest(character, q)[soles.stands]
        self.feet = float(corners[:, 2].min())
        self.middle = 0.5 * (corners[:, :2].min(axis=0) + corners[:, :2].max(axis=0))
        self._off = 0.0
        self.fell: float | None = None
        """When it fell [s]."""
        self._notes: list[tuple[float, IntArray, Array, Array]] = []
        self._chains = _chains(character, soles)
        self._answer = Answer.of(character.nv)
        self._balls = np.zeros((len(soles.body), 6))
        self._idle = np.zeros(len(soles.body), dtype=np.bool_)
        """Balls that came down where nobody told them to, and then carried nothing: they may leave."""

    def _begin(self, clip: Clip | None, times: Array) -> None:
        """A piece of the performance begins."""
        self.times, self.clip = times, clip
        if clip is None:
            self.where = self._centred(times)
        else:
            self.where = followed(clip, times)

    def run(
        self, simulation: Simulation, schedule: Schedule, times: Array, pushes: Sequence[Push],
        around: Around | None = None,
    ) -> tuple[Trace, int]:  # fmt: skip
        """From ``times[0]``, which is now, to the last, or until what flies ``around`` touches; the steps."""
        sim = simulation
        trace = Trace.room(times, sim.body.nq, sim.body.nv)
        it, rows = sim.performer(schedule, times, pushes)
        mass = mass_matrix(sim.body, sim.q)
        tone = sim.tone(mass)
        self.stand.inertia[:] = np.where(tone > 0, tone / SOFT, np.diag(mass))
        self._begin(schedule.clip, times)
        q, v, done = sim.q.copy(), sim.v.copy(), len(times) - 1
        trace.q[0], trace.v[0] = q, v
        for k in range(len(times) - 1):
            t = float(times[k])
            if k % TOLD == 0:
                sim.told(t)
            h = float(times[k + 1]) - t
            see(it, q, v, self.soles.body, self.soles.place, self.hold, self._balls)
            shove(it, q, v, t, h, tone, self.hold)
            if around is not None:
                kick = around.before(k, t, h, q, v)
                if kick is not None:
                    kicked(tone, kick, h, v, self.hold)
            if pushes or around is not None:
                see(it, q, v, self.soles.body, self.soles.place, self.hold, self._balls)
            ball = self._touching(t)
            count = len(ball)
            was = v.copy()
            stand_step(
                it, k, int(rows[k]), q, v, count, self.stand, self.where, self.fell is not None, self.hold,
                self._answer, trace,
            )  # fmt: skip
            trace.q[k + 1], trace.v[k + 1] = q, v
            self._idle[ball[~self.hold.force[:count].any(axis=1)]] = True
            look_back(sim.room, was, v, h)
            self._notes.append((t, ball, self.stand.points[:count].copy(), self.hold.force[:count].copy()))
            if around is not None and around.after(k, t + h):
                done = k + 1
                break
        trace = shortened(trace, done)
        sim.take(trace)
        return trace, done

    def _touching(self, time: float) -> IntArray:
        """Which balls touch now; the stand is set."""
        balls, stand, soles = self._balls, self.stand, self.soles
        radius, rises = self._flesh(time)
        below = self.world.below(balls[:, :3], radius, time)
        gap, normal = np.asarray(below.gap), np.asarray(below.normal)
        inwards = np.einsum("ci,ci->c", balls[:, 3:], normal) < 0
        told = self._expected(time) if self.fell is None else np.ones(len(gap), dtype=np.bool_)
        self._idle &= ~told & (gap < 0) & (gap > -SEEN) & inwards
        near = (told & (gap < SEEN)) | ((gap < 0) & inwards & ~self._idle)
        self._look_for_a_fall(np.flatnonzero((gap < 0) & inwards), bool(near.any()), time)
        which: IntArray = np.flatnonzero(near)[:MOST].astype(np.int64)
        count = len(which)
        stand.points[:count] = balls[which, :3] - radius[which, None] * normal[which]
        stand.normals[:count], stand.gap[:count] = normal[which], gap[which]
        stand.rises[:count] = rises[which]
        stand.bodies[:count] = soles.body[which]
        stand.friction[:count] = self._friction[np.asarray(below.surface)[which]]
        stand.legs[:] = self._chains[which].any(axis=0)
        return which

    @property
    def pushes(self) -> Pushes:
        """All that pushed."""
        if not self._notes:
            return Pushes(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros((0, 3)), np.zeros((0, 3)))
        time = np.concatenate([np.full(len(n[1]), n[0]) for n in self._notes])
        parts = [np.concatenate([n[x] for n in self._notes]) for x in (1, 2, 3)]
        return Pushes(time, parts[0].astype(np.int64), parts[1], parts[2])

    # Inside ----------------------------------------------------------------------------------

    def _centred(self, times: Array) -> Where:
        """From where the centre of mass begins to over the middle of the feet, in ``SETTLES`` seconds."""
        way = np.append(self.middle - self.start[:2], 0.0)
        x = np.clip(times / SETTLES, 0.0, 1.0)[:, None]
        inside = (times < SETTLES)[:, None]
        return Where(
            self.start + way * x**3 * (10 - 15 * x + 6 * x**2),
            inside * way * 30 * x**2 * (1 - x) ** 2 / SETTLES,
            inside * way * 60 * x * (1 - x) * (1 - 2 * x) / SETTLES**2,
        )

    def _expected(self, time: float) -> NDArray[np.bool_]:
        """Which balls should touch at a time, (C,)."""
        if self.prints is None or self.clip is None:
            return self.soles.stands
        return np.asarray(self.prints.touches[self._frame(time + 0.5 * self.clip.dt)])

    def _flesh(self, time: float) -> tuple[Array, Array]:
        """Radii of balls at a time [m], and how fast those that touch should rise [m/s] (C,)."""
        if self.prints is None or self.clip is None or self.fell is not None:
            return self.soles.radius, np.zeros(len(self.soles.radius))
        frame, (_, _, touches, level) = self._frame(time), self.prints
        after = (frame + 1) % len(level) if self.clip.loop else min(frame + 1, len(level) - 1)
        part = min(max(time * self.clip.fps - math.floor(time * self.clip.fps), 0.0), 1.0)
        way = level[after] - level[frame]
        rises = np.where(touches[frame] & touches[after], way * self.clip.fps, 0.0)
        return self.soles.radius + level[frame] + part * way, rises

    def _frame(self, time: float) -> int:
        """The clip's last frame before a time."""
        assert self.clip is not None
        frame, last = math.floor(time * self.clip.fps + 1e-9), self.clip.frames - 1
        return frame % self.clip.frames if self.clip.loop else min(frame, last)

    def _look_for_a_fall(self, ball: IntArray, stands: bool, time: float) -> None:
        """Whoever touches with more than feet, or has sunk too low, and was not told to, has fallen."""
        if self.fell is not None:
            return
        height = self.hold.centre[2] - self.feet
        wanted = float(self.where.place[np.searchsorted(self.times, time), 2]) - self.feet
        strange = bool((~(self.soles.stands | self._expected(time))[ball]).any())
        if stands or not self._expected(time).any():
            self._off = time
        if strange or height < LOW * wanted or time > self._off + LIFTED:
            self.fell = time


def followed(clip: Clip, times: Array) -> Where:
    """Where a clip has its centre of mass at times, velocity and acceleration smoothed."""
    fine = np.arange(times[0] - 4 * BLUR, times[-1] + 4 * BLUR, 0.25 * BLUR)
    inside = fine if clip.loop else np.clip(fine, 0.0, clip.duration)
    place = np.array(Kinematics(clip.character, clip.at(inside)).com)
    if not clip.loop:  # before it begins, and after it ends, it goes on as it went
        back = np.clip(2 * inside - fine, 0.0, clip.duration)
        turned = (inside != fine)[:, None]
        place = np.where(turned, 2 * place - Kinematics(clip.character, clip.at(back)).com, place)
    wide = np.arange(-12, 13)
    bell = np.exp(-0.5 * (0.25 * wide) ** 2)
    bell /= bell.sum()
    padded = np.pad(place, ((12, 12), (0, 0)), mode="edge")
    place = np.stack([np.convolve(x, bell, mode="valid") for x in padded.T], axis=1)
    speed = np.gradient(place, fine, axis=0)
    rise = np.gradient(speed, fine, axis=0)
    return Where(*(np.stack([np.interp(times, fine, x) for x in y.T], axis=1) for y in (place, speed, rise)))


def _chains(character: Character, soles: Soles) -> NDArray[np.bool_]:
    """Degrees of freedom between the root and each ball, (C, nv)."""
    found = np.zeros((len(soles.body), character.nv), dtype=np.bool_)
    for c, body in enumerate(soles.body.tolist()):
        while body > 0:
            found[c, character.dofs(body)] = True
            body = int(character.parents[body])
    return found
