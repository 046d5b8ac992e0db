"""Simulation with contact: the springs of ``Simulator`` in MuJoCo, one continuous run or window by window.

Each step is backward Euler in the springs, ``Simulator``'s order 1, with contact impulses Jᵀλ ≥ 0 added:

    (M + h Kd + h² Kp) v̇ + c + g = Kp (q_K(t+h) ⊖ q) − (Kd + h Kp) v + … + Jᵀλ/h;  v += h v̇;  q ← q ⊕ h v

Without obstacles it is that scheme to rounding (and reaction / ``HEAVY`` on a prescribed root). Contacts need
short steps in any case, which is why first order does here.

A window is history-free: it starts on the reference with nothing remembered, so its end depends on its own
start and end alone. Windows that start at one time are one run read off at several times, with the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray
from poise.dynamics import GRAVITY, gravity_force
from poise.errors import InputError
from poise.methods.kinodynamics import tension as tensions
from poise.methods.kinodynamics.contact_model import HEAVY, contact_model
from poise.methods.kinodynamics.obstacle import Obstacle, distinct
from poise.methods.kinodynamics.simulator import Options, Simulator
from poise.motion import Clip


@dataclass(frozen=True)
class ContactOptions:
    """How contacts are simulated."""

    step: float = 0.001
    """Longest step [s]. What moves at speed u may sink in by u·step unnoticed: keep thin walls thicker."""
    give: float = 0.004
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


class Touch(NamedTuple):
    """One contact point during one step."""

    row: int
    """The step runs from this row of the grid to the next."""
    body: int
    obstacle: int
    force: Array
    """From the obstacle on the body [N], world axes, (3,)."""
    position: Array
    depth: float
    """How far the shapes overlap [m]."""


class _Table(NamedTuple):
    """The reference on consecutive rows of the grid, obstacles on paths included."""

    first: int
    q: Array
    v: Array
    stiffness: Array
    damping: Array
    feed: Array


class ContactRun:
    """A clip, a tension and obstacles, ready to be simulated."""

    def __init__(
        self,
        clip: Clip,
        tension: tensions.Spec | tensions.Keyed,
        obstacles: Sequence[Obstacle],
        options: Options | None = None,
        contact: ContactOptions | None = None,
    ) -> None:
        self.clip, self.tension = clip, tension
        self.obstacles, self.contact = distinct(obstacles), contact or ContactOptions()
        self.options = replace(options or Options(), order=1, step=self.contact.step)
        self.simulator = Simulator(clip, tension, self.options)
        """The same scheme without obstacles, compiled."""
        self.h = self.simulator.h
        gains = self.simulator.gains
        self._built = contact_model(
            clip.character,
            self.obstacles,
            bodies=self.contact.bodies,
            prescribed=self.options.root == "prescribed",
            gravity=np.zeros(3) if self.options.gravity == "off" else np.array(GRAVITY),
            step=self.h,
            give=self.contact.give,
            springs=self.h * (gains.damping[0] + self.h * gains.stiffness[0]),
        )
        self._data = self._built.mujoco.MjData(self._built.model)

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
        touches: list[Touch] = []
        q, _ = self._follow(self._table(rows[0], rows[-1], 0.0), int(rows[0]), rows, touching, touches)
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
            q, v = self._follow(self._table(first, stops[-1], part), first, stops, True, [])
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
            pairs = {(*self._pair(c)[:2],) for c in data.contact if c.dist < 0}
            found.append(sorted(pairs))
        built.let_touch(all_bodies=False)
        return found

    # Inside ----------------------------------------------------------------------------------

    def _paths(self, times: Array) -> Array:
        """Coordinates of obstacles that move, (T, 3 m)."""
        moving = [self.obstacles[k].at(times) for k in self._built.moving]
        return np.concatenate([*moving, np.empty((len(times), 0))], axis=1)

    def _table(self, first: int, last: int, phase: float) -> _Table:
        """Rows first … last of the reference; each depends on its own time alone."""
        times: Array = (np.arange(first, last + 1, dtype=np.float64) + phase) * self.h
        q, v = self.simulator.reference.table(times)
        keyed = tensions.is_keyed(self.tension)
        gains = tensions.resolve(self.clip.character, self.tension, times) if keyed else self.simulator.gains
        feed = np.zeros((1, v.shape[1]))
        if self.options.gravity == "compensated":
            feed = gravity_force(self.clip.character, q)
        places = self._paths(times)
        rates = (places - self._paths(times - self.h)) / self.h
        return _Table(
            int(first), np.hstack([q, places]), np.hstack([v, rates]), gains.stiffness, gains.damping, feed
        )

    def _follow(
        self, table: _Table, start: int, stops: IntArray, touching: bool, touches: list[Touch]
    ) -> tuple[Array, Array]:
        """States at rows ``stops`` (increasing) of the run that starts on the reference at row ``start``."""
        mujoco, model, data = self._built.mujoco, self._built.model, self._data
        told_q, told_v = self._built.told_q, self._built.told_v
        nq, nv, h = self.clip.character.nq, self.clip.character.nv, self.h
        self._built.reset(data, touching=touching)
        data.qpos[:], data.qvel[:] = table.q[start - table.first], table.v[start - table.first]
        follow = 1.0 if self.options.damping == "reference" else 0.0
        own = np.setdiff1d(np.arange(nv), told_v)
        armature = self.clip.character.tree.armature
        error, force = np.zeros(model.nv), np.zeros(model.nv)
        out_q, out_v = np.empty((len(stops), nq)), np.empty((len(stops), nv))
        soft, done = np.empty(0), 0
        for row in range(start, int(stops[-1]) + 1):
            if row > start:
                k = row - table.first
                kp, kd, feed = (rows[k if len(rows) > 1 else 0] for rows in table[3:])
                if row == start + 1 or len(table.stiffness) > 1:
                    soft = kd + h * kp
                    self._built.put_armature(own, (armature + h * soft)[own])
                mujoco.mj_differentiatePos(model, error, 1.0, data.qpos, table.q[k])
                force[:nv] = kp * error[:nv] - soft * data.qvel[:nv] + feed
                if follow:
                    force[:nv] += kd * table.v[k, :nv]
                force[told_v] = (table.v[k, told_v] - table.v[k - 1, told_v]) * (HEAVY / h)
                data.qfrc_applied[:] = force
                mujoco.mj_step(model, data)
                if data.ncon:
                    touches.extend(self._touches(row - 1))
                data.qpos[told_q], data.qvel[told_v] = table.q[k, told_q], table.v[k, told_v]
            if row == stops[done]:
                out_q[done], out_v[done] = data.qpos[:nq], data.qvel[:nv]
                done += 1
        lost = data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number
        if lost or not np.isfinite(out_q).all():
            raise InputError(
                f"the simulation of {self.clip.character.name!r} among obstacles diverged; "
                "shorten the contact step"
            )
        return out_q, out_v

    def _pair(self, contact: Any) -> tuple[int, int, float]:
        """Body, obstacle, and the sign that turns MuJoCo's contact force into that on the body."""
        a, b = (int(g) for g in contact.geom)
        body, obstacle = self._built.geom_body, self._built.geom_obstacle
        return (
            (int(body[b]), int(obstacle[a]), 1.0) if body[a] < 0 else (int(body[a]), int(obstacle[b]), -1.0)
        )

    def _touches(self, row: int) -> list[Touch]:
        """Contact points that pushed during the last step."""
        mujoco, model, data = self._built.mujoco, self._built.model, self._data
        wrench, found = np.zeros(6), []
        for k in range(data.ncon):
            contact = data.contact[k]
            mujoco.mj_contactForce(model, data, k, wrench)
            if wrench[0] <= 0:
                continue
            body, obstacle, sign = self._pair(contact)
            push = sign * (np.asarray(contact.frame).reshape(3, 3).T @ wrench[:3])
            found.append(
                Touch(row, body, obstacle, push, np.array(contact.pos), max(0.0, -float(contact.dist)))
            )
        return found
