"""A performance in the making: the state, the controller, and pieces of time to run.

A piece is a stretch in which neither the body nor the plan changes. The state at its end starts the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.character.anatomy import stopped_joints
from poise.character.tree import LINK_BALL, LINK_HINGE, LINK_NV, Tree
from poise.dynamics import GRAVITY, gravity_force, mass_matrix
from poise.dynamics.branch_solve import dofs_above
from poise.dynamics.stops import MARGIN
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.perform.control.aim import Aim, Path, Plan
from poise.methods.perform.control.controller import Controller, Limits, Room
from poise.methods.perform.control.schedule import Schedule
from poise.methods.perform.simulate.steps import Performer, Pushes, Trace, run_steps
from poise.motion import Clip
from poise.operations.perform import Perform
from poise.operations.values.disturbance import Impulse, Push

CONTROLS = ("full", "composite", "local", "manual")
NO_LIMITS = Limits(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.bool_), np.zeros(0), np.zeros(0))
SPARE = 0.002
"""How far beyond the poses that are asked for limits begin to be felt, at least [rad]."""
FLOOR = 0.003
"""No time constant is shorter than this [s], whatever the step: so arrival does not change with it."""
LOCAL_FLOOR = 0.02
"""Nor is any of ``local`` shorter than this [s]: with the wrong inertia, gains that grow for ever whip the
body round."""
BLUR = 0.03
"""Accelerations to follow on one's own feet are smoothed over this time [s]."""
TOLD = 250
"""Steps between two looks at whether anybody still wants them."""
TONE = 0.1
"""What muscles add to the inertia of joints during a blow: h kd of a joint that follows, in a millisecond."""
LIMB = 0.02
"""Tone of a joint counts at least this part of the inertia that the joint above it has."""
PASSIVE = 2.0
"""Passive damping of joints with limited strength, and of ``local``, in units of their composite inertia
[1/s]."""


def gravity_of(asked: Perform) -> tuple[float, float, float]:
    """What everything falls with [m/s²]."""
    return (0.0, 0.0, 0.0) if asked.gravity == "off" else GRAVITY


class Simulation:
    """The state of one performer and what moves it."""

    def __init__(
        self, character: Character, q: Array, v: Array, asked: Perform, strength: Array, *, as_told: bool
    ) -> None:
        self.asked, self.strength = asked, strength
        self.as_told = as_told
        """Whether the root moves as told; else it stands by itself."""
        self.body = self.belief = character
        self.q, self.v, self.time = np.array(q), np.array(v), 0.0
        self.told: Callable[[float], None] = lambda time: None
        """Called with the time [s] every few hundred steps; it may stop the simulation."""
        self.gravity = np.array(gravity_of(asked), dtype=np.float64)
        self.above = dofs_above(character.tree)
        self.room, self.aim = Room.of(character.tree, character.nv), Aim.room(character.nv)
        _require_weight(character)
        start = mass_matrix(character, q)
        limited = np.isfinite(strength).any() or asked.control == "local"
        self.damping = PASSIVE * np.diag(start) if limited else np.zeros(character.nv)
        self._manual = np.diag(np.diag(start))
        self._inertia, self._begin = np.array(np.diag(start)), np.array(q)
        # Before the first step muscles carry the weight.
        self.room.tau[:] = gravity_force(character, q, gravity=self.gravity)

    @property
    def least(self) -> float:
        """The shortest time constant [s]."""
        return LOCAL_FLOOR if self.asked.control == "local" else FLOOR

    def controller(self, limits: Limits | None = None) -> Controller:
        """For kernels, with what body and belief now are."""
        character, nv = self.body, self.body.nv
        kind = CONTROLS.index(self.asked.control)
        matrix = np.zeros((nv, nv))
        if self.asked.control == "local":
            matrix = own_inertia(self.belief.tree, nv)
        elif self.asked.control == "manual":
            matrix = self._manual
        head = np.array([character.dofs(int(b)).start for b in character.dof_body], dtype=np.int64)
        return Controller(
            kind, self.belief is self.body, self.as_told, character.bodies[0].joint.nv,
            np.arange(len(character.tree.parent)) < character.tree.root_links,
            np.array(self.above), head, np.array(self.strength), np.array(self.damping), matrix, np.zeros(3),
            limits or NO_LIMITS,
        )  # fmt: skip

    def limits(self, plan: Plan, path: Path) -> Limits:
        """What joints keep to, wide enough for every pose that is asked for: nobody is stopped on the way."""
        if not self.asked.joint_limits:
            return NO_LIMITS
        character = self.body
        found = stopped_joints(character)
        if found is None:
            return NO_LIMITS
        lower, upper, limited = found
        neutral = character.manifold.neutral()
        poses = np.concatenate([plan.target, path.q if len(path.q) else self._begin[None], self._begin[None]])
        asked = character.manifold.minus(poses, neutral)
        if len(path.q):  # a limit is felt a step ahead: who follows must not be, where nothing is in the way
            ahead = character.manifold.minus(path.q, neutral) + self.asked.step * path.v
            asked = np.concatenate([asked, ahead])
        low = np.minimum(lower, asked.min(axis=0) - MARGIN - SPARE)
        high = np.maximum(upper, asked.max(axis=0) + MARGIN + SPARE)
        if not len(path.q):  # keys that are passed with a velocity need their run-up
            moving = (plan.rate != 0.0).any(axis=0)
            low[moving], high[moving] = -np.inf, np.inf
        return Limits(low, high, np.array(limited), neutral, self._inertia)

    @property
    def scale(self) -> Character | Array:
        """What C's diagonal follows from: the model of ``full`` and ``composite``, else numbers (nv,)."""
        if self.asked.control in ("full", "composite"):
            return self.belief
        return np.diag(self.controller().matrix)

    def performer(
        self, schedule: Schedule, times: Array, pushes: Sequence[Push]
    ) -> tuple[Performer, IntArray]:
        """For kernels: all that stays the same, and the plan's row at each time."""
        plan, rows = rows_of(schedule, times)
        path = path_of(schedule.clip, times, smooth=not self.as_told)
        performer = Performer(
            self.controller(self.limits(plan, path)),
            self.body.tree,
            self.belief.tree,
            plan,
            path,
            self.acting(pushes),
            self.gravity,
            self.least,
            self.room,
            self.aim,
        )
        return performer, rows

    def run(self, schedule: Schedule, times: Array, pushes: Sequence[Push]) -> Trace:
        """From ``times[0]``, which is now, to the last."""
        trace = Trace.room(times, self.body.nq, self.body.nv)
        trace.q[0], trace.v[0] = self.q, self.v
        performer, rows = self.performer(schedule, times, pushes)
        for first in range(0, len(times) - 1, TOLD):
            self.told(float(times[first]))
            run_steps(first, min(first + TOLD, len(times) - 1), performer, rows, trace)
        self.take(trace)
        return trace

    def take(self, trace: Trace) -> None:
        """Go on from where a trace ends."""
        self.q, self.v, self.time = trace.q[-1].copy(), trace.v[-1].copy(), float(trace.times[-1])
        if not (np.isfinite(self.q).all() and np.isfinite(self.v).all()):
            lost = int(np.argmax(~np.isfinite(trace.v).all(axis=1)))
            raise InputError(
                f"the simulation of {self.body.name!r} runs away at {trace.times[lost]:.3f} s with "
                f"control={self.asked.control!r}; a shorter step or control='full' may hold it"
            )

    def hit(self, impulse: Impulse) -> None:
        """Velocity after an impulse: (M + T) Δv = Jᵀ p; a root that moves as told does not yield.

        T, on joints, is the muscles' tone while the blow lasts (a step of theirs). Without it chains of light
        links, fingers say, would buckle at a thousand radians a second.
        """
        jacobian = Kinematics(self.body, self.q).point_jacobian(impulse.point)[0]
        free = np.arange(self.body.bodies[0].joint.nv if self.as_told else 0, self.body.nv)
        m = mass_matrix(self.body, self.q)
        m[free, free] += self.tone(m)[free]
        kick = jacobian.T @ np.asarray(impulse.impulse)
        self.room.unforeseen[:] = 0.0
        self.v[free] += np.linalg.solve(m[np.ix_(free, free)], kick[free])

    def tone(self, mass: Array | None = None) -> Array:
        """What muscles' tone adds to the inertia of joints during a blow, (nv,): by their own, or a part of
        their limb's; nothing to the root's."""
        mass = mass_matrix(self.body, self.q) if mass is None else mass
        own, root = np.array(np.diag(mass)), self.body.bodies[0].joint.nv
        most = own.copy()
        for d in range(root, len(own)):
            up = int(self.above[d])
            if up >= root:
                most[d] = max(most[d], LIMB * most[up])
        most[:root] = 0.0
        return np.asarray(TONE * most)

    def acting(self, pushes: Sequence[Push]) -> Pushes:
        """Pushes for kernels."""
        points = [self.body.point(p.point) for p in pushes]
        return Pushes(
            np.array([p.start for p in pushes], dtype=np.float64),
            np.array([p.end for p in pushes], dtype=np.float64),
            np.array([p.body for p in points], dtype=np.int64),
            np.array([p.position for p in points], dtype=np.float64).reshape(-1, 3),
            np.array([p.force for p in pushes], dtype=np.float64).reshape(-1, 3),
        )


def rows_of(schedule: Schedule, times: Array) -> tuple[Plan, IntArray]:
    """The plan, and its row at each step (S,)."""
    plan, starts = schedule.plan()
    middle = 0.5 * (times[1:] + times[:-1])
    return plan, (np.searchsorted(starts, middle, side="right") - 1).astype(np.int64)


def path_of(clip: Clip | None, times: Array, *, smooth: bool = False) -> Path:
    """The clip at times, with the velocities and accelerations of steps between them; none: no rows.

    ``smooth``: accelerations are those of a motion smoothed over ``BLUR``: captures tremble, and who stands
    cannot.
    """
    if clip is None:
        return Path(np.zeros((0, 1)), np.zeros((0, 1)), np.zeros((0, 1)))
    h = np.diff(times)[:, None]
    q = clip.at(times)
    v, a = np.zeros((2, len(times), clip.character.nv))
    v[0], v[1:] = clip.sampler.velocity(times[0]), clip.character.manifold.minus(q[1:], q[:-1]) / h
    a[1:] = np.diff(v, axis=0) / h
    if smooth:
        wide = max(1, round(BLUR / float(h.mean())))
        bell = np.exp(-0.5 * (np.arange(-3 * wide, 3 * wide + 1) / wide) ** 2)
        padded = np.pad(a, ((3 * wide, 3 * wide), (0, 0)), mode="edge")
        a = np.stack([np.convolve(x, bell / bell.sum(), mode="valid") for x in padded.T], axis=1)
    return Path(q, v, a)


def gain_scale(of: Character | Array, q: Array) -> Array:
    """The diagonal of C at poses (S, nq), which gains are multiplied by: (S, nv)."""
    if not isinstance(of, Character):
        return np.broadcast_to(of, (len(q), len(of)))
    some = 512  # mass matrices of all steps of an hour would not fit
    parts = [mass_matrix(of, q[k : k + some]) for k in range(0, len(q), some)]
    return np.concatenate([np.diagonal(m, axis1=1, axis2=2) for m in parts])


def own_inertia(tree: Tree, nv: int) -> Array:
    """Inertia of each joint's own body about it, blocks on the diagonal, (nv, nv); massless bodies
    take their children's."""
    links = len(tree.parent)
    inertia, mass = np.zeros((links, 3, 3)), np.array(tree.mass)
    for i in range(links - 1, -1, -1):
        c = tree.centre[i]
        inertia[i] += tree.inertia[i] + tree.mass[i] * (c @ c * np.eye(3) - np.outer(c, c))
        up = int(tree.parent[i])
        if up >= 0 and tree.mass[up] == 0:
            turn = tree.rest[i]
            inertia[up] += turn @ inertia[i] @ turn.T
            mass[up] += mass[i]
    out = np.zeros((nv, nv))
    for i in range(links):
        kind, d = int(tree.kind[i]), int(tree.v_start[i])
        own = slice(d, d + LINK_NV[kind])
        if kind == LINK_BALL:
            out[own, own] = inertia[i]
        elif kind == LINK_HINGE:
            out[d, d] = tree.axis[i] @ inertia[i] @ tree.axis[i]
        elif LINK_NV[kind]:
            out[own, own] = mass[i] * np.eye(LINK_NV[kind])
    return out


def _require_weight(character: Character) -> None:
    for i, body in enumerate(character.bodies):
        if body.joint.nv and not any(character.bodies[k].mass.mass for k in character.subtree(i)):
            raise InputError(
                f"{character.names[i]!r} moves but carries no mass, so nothing can be simulated; "
                "give the character masses"
            )
