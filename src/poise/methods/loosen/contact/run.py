"""Simulation with contact: the springs of ``Simulator`` in MuJoCo, one continuous run or window by window.

    M v̇ + c + g = Kp (q_K ⊖ q) − Kd v + … + Jᵀλ,    contact forces λ that push and never pull

by the same scheme as ``Simulator``, of the same order, at a step of its own: without obstacles the two agree
to rounding (and to reaction / ``HEAVY`` on a prescribed root).

A window is history-free: it starts on the reference with nothing remembered, so its end depends on its own
start and end alone. Windows that start at one time are one run read off at several times, with the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray
from poise.dynamics import GRAVITY, gravity_force
from poise.dynamics.window_steps import GAMMA
from poise.errors import InputError
from poise.manifold import so3
from poise.methods.loosen.contact.model import contact_model, turns
from poise.methods.loosen.contact.step import Stepper, Table, Touch
from poise.methods.loosen.simulate.simulator import Simulator
from poise.motion import Clip
from poise.operations.loosen import Simulation
from poise.operations.values.tension import Keyed, Spec
from poise.watching import Progress
from poise.world import Surface


@dataclass(frozen=True)
class ContactOptions:
    """How contacts are simulated."""

    step: float = 0.001
    """Longest step [s]. What moves at speed u may sink in by u·step unnoticed: keep thin walls thicker."""
    give: float = 0.003
    """1/ω of a contact [s], at least two steps: a hit at speed u dents by u · give · √bounce."""
    bodies: str = "*"
    """Which bodies touch, as in ``Character.select``; "* arm" leaves feet on the ground out of it."""
    gap: float = 0.05
    """Touches closer than this [s] are one event."""
    tolerance: float = 0.001
    """What counts as no effect any more: every part within this distance of where it would be [m]."""

    def __post_init__(self) -> None:
        for name in ("step", "give", "gap", "tolerance"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise InputError(f"contact {name} must be positive and finite, not {value}")
        if self.give < 2 * self.step:
            raise InputError(f"contact give ({self.give} s) must be at least two steps of {self.step} s")


def plain(options: Simulation, step: float) -> Simulation:
    """Springs alone, as MuJoCo has them here: what else holds a body is felt without contact."""
    own = {name: getattr(options, name) for name in Simulation.__struct_fields__}
    return Simulation(**own | {"step": step})


class ContactRun:
    """A clip, a tension and obstacles, ready to be simulated."""

    def __init__(
        self,
        clip: Clip,
        tension: Spec | Keyed,
        obstacles: Sequence[Surface],
        options: Simulation | None = None,
        contact: ContactOptions | None = None,
    ) -> None:
        self.clip, self.tension = clip, tension
        self.obstacles, self.contact = tuple(obstacles), contact or ContactOptions()
        if not self.obstacles:
            raise InputError("there are no surfaces to collide with")
        self.options = plain(options or Simulation(), self.contact.step)
        self.simulator = Simulator(clip, tension, self.options)
        """The same scheme without obstacles, compiled."""
        self.h = self.simulator.h
        gains, implicit = self.simulator.gains, self.h if self.options.order == 1 else GAMMA * self.h
        self._built = contact_model(
            clip.character,
            self.obstacles,
            bodies=self.contact.bodies,
            prescribed=self.options.root == "prescribed",
            gravity=np.zeros(3) if self.options.gravity == "off" else np.array(GRAVITY),
            step=self.h,
            give=self.contact.give,
            springs=implicit * (gains.damping[0] + implicit * gains.stiffness[0]),
        )
        self._data = self._built.mujoco.MjData(self._built.model)
        self.told: Progress = lambda part: None
        """Told the part of a run that is done; it may end the run by raising."""

    @property
    def yielding(self) -> Any:
        """Bodies that can be pushed, (n,) booleans."""
        return self._built.yielding

    @property
    def frame_range(self) -> range:
        """Frames of a continuous run: those of the clip; for a loop the cycle before them too."""
        frames = self.clip.frames
        return range(-frames if self.clip.loop else 0, frames)

    def continuous(self, *, touching: bool = True) -> tuple[Array, list[Touch]]:
        """States at ``frame_range`` of one run from its first frame on, (R, nq), and all touches."""
        n = self.simulator.per_frame
        rows = np.array(self.frame_range, dtype=np.int64) * n
        table = self._table(int(rows[0]), int(rows[-1]), 0.0)
        q, _, touches = self._follow(table, int(rows[0]), rows, touching=touching)
        return q, touches

    def states(self, times: ArrayLike, window: ArrayLike) -> tuple[Array, Array]:
        """Configurations (T, nq) and velocities (T, nv) at times [s], each the end of its own window [s]."""
        times = np.atleast_1d(np.asarray(times, dtype=np.float64))
        if not np.isfinite(times).all():
            raise InputError("times must be finite")
        x = times / self.h
        near = np.rint(x)
        end = np.where(np.abs(x - near) < 1e-6, near, np.floor(x))
        phase = np.where(np.abs(x - near) < 1e-6, 0.0, x - end)
        end = end.astype(np.int64)
        start = end - self.simulator.steps(window, len(times))
        character = self.clip.character
        out_q, out_v = np.empty((len(times), character.nq)), np.empty((len(times), character.nv))
        for first, part in sorted(set(zip(start.tolist(), phase.tolist()))):
            same = np.flatnonzero((start == first) & (phase == part))
            stops, place = np.unique(end[same], return_inverse=True)
            q, v, _ = self._follow(self._table(first, int(stops[-1]), part), first, stops)
            out_q[same], out_v[same] = q[place], v[place]
        return out_q, out_v

    def overlaps(self) -> list[list[tuple[int, int]]]:
        """Pairs (body, obstacle) that overlap in the animation itself, for each of ``frame_range``."""
        built, data = self._built, self._data
        frames = np.array(self.frame_range)
        table_q, _ = self.simulator.reference.table(frames * self.simulator.per_frame * self.h)
        places = self._paths(frames * self.simulator.per_frame * self.h)
        built.let_touch(all_bodies=True)
        built.reset(data, touching=True)
        found = []
        for q, extra in zip(table_q, places):
            data.qpos[:] = np.concatenate([q, extra])
            built.mujoco.mj_fwdPosition(built.model, data)
            pairs = {built.pair(c)[:2] for c in data.contact if c.dist < 0}
            found.append(sorted(pairs))
        built.let_touch(all_bodies=False)
        return found

    # Inside ----------------------------------------------------------------------------------

    def _paths(self, times: Array) -> Array:
        """Coordinates of obstacles that move: three for the place, four for the turn of those that turn."""
        found = [np.empty((len(times), 0))]
        for k in self._built.moving:
            track = self.obstacles[k].track
            assert track is not None  # what moves has one
            pose = track.at(times)
            found += [pose.place, so3.from_matrix(pose.turn)] if turns(self.obstacles[k]) else [pose.place]
        return np.concatenate(found, axis=1)

    def _rates(self, times: Array) -> Array:
        """Velocities that bring them from where they were a step before; angular ones in their frames."""
        found = [np.empty((len(times), 0))]
        for k in self._built.moving:
            track = self.obstacles[k].track
            assert track is not None
            now, before = track.at(times), track.at(times - self.h)
            found.append((now.place - before.place) / self.h)
            if turns(self.obstacles[k]):
                a, b = so3.from_matrix(before.turn), so3.from_matrix(now.turn)
                found.append(so3.difference(b, a) / self.h)
        return np.concatenate(found, axis=1)

    def _table(self, first: int, last: int, phase: float) -> Table:
        """Rows first … last of the reference; each depends on its own time alone."""
        times: Array = (np.arange(first, last + 1, dtype=np.float64) + phase) * self.h
        q, v = self.simulator.reference.table(times)
        gains = self.simulator.gains_at(times)
        feed = np.zeros((1, v.shape[1]))
        if self.options.gravity == "compensated":
            feed = gravity_force(self.clip.character, q)
        places = self._paths(times)
        rates = self._rates(times)
        return Table(
            first, np.hstack([q, places]), np.hstack([v, rates]), gains.stiffness, gains.damping, feed
        )

    def _follow(
        self, table: Table, start: int, stops: IntArray, *, touching: bool = True
    ) -> tuple[Array, Array, list[Touch]]:
        """States at rows ``stops`` (increasing) of the run that starts on the reference at row ``start``."""
        character, data = self.clip.character, self._data
        stepper = Stepper(
            self._built,
            data,
            table,
            character.tree.armature,
            h=self.h,
            order=self.options.order,
            follow=1.0 if self.options.dampers == "reference" else 0.0,
        )
        stepper.start(start, touching=touching)
        out_q, out_v = np.empty((len(stops), character.nq)), np.empty((len(stops), character.nv))
        row = start
        for k, stop in enumerate(stops.tolist()):
            self.told(k / len(stops))
            while row < stop:
                row += 1
                stepper.step(row)
            out_q[k], out_v[k] = data.qpos[: character.nq], data.qvel[: character.nv]
        if not np.isfinite(out_q).all():
            raise InputError(
                f"the simulation of {character.name!r} among obstacles diverged; shorten the contact step"
            )
        return out_q, out_v, stepper.touches
