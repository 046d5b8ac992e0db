"""Strength: joint torques and speeds of a motion, and rows that keep them to what joints can give.

Torques are those of inverse dynamics, with pushes where they act. Of a frame and its neighbours,

    s₁ = q_f ⊖ q_{f−1},   s₂ = q_{f+1} ⊖ q_f,   v = (s₁ + s₂) / 2dt,   v̇ = (s₂ − s₁) / dt²,
    τ = M v̇ + c + g − Σ_k J_kᵀ w_k.

Pushes f_k are those of the cone, and what they lack to the wrench that the motion needs is shared out among
them as they carry, so that a foot that is moved bears what it then has to bear. A joint strains by |τ| over
its strength, a motor's speed by |v| over its fastest. Only what strains too much is a row, of the few samples
where it does; derivatives are differences, of displacements of three frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character, JointKind
from poise.character.human_strength import joint_limits
from poise.contacts.differentiated_clip import Mask
from poise.contacts.held_patches import Footing
from poise.dynamics import inverse_dynamics
from poise.gravity import EARTH
from poise.methods.ground.keys import GridKeys, scatter

if TYPE_CHECKING:
    from poise.methods.ground.wrench import Stride

ROOM = 0.95
"""Share of their strength that joints may use: what the solver leaves over is below one."""
PRICE = 3.0
"""Price of straining beyond it, squared, for a second [m²]: a tenth too much for a tenth of a second costs as
much as 5 cm of change for a second."""
STEP = 1e-6
"""Of differences [rad, m]."""
CHUNK = 24
"""Samples whose derivatives are found at a time: their poses fill some 50 MB."""
LOADED = 0.1
"""Less than this share of the weight is no contact that the rest could be put on."""


@dataclass(frozen=True, eq=False)
class Strength:
    """What n joints can give."""

    character: Character
    slots: IntArray
    """Their degrees of freedom, −1: none (n, 3)."""
    most: Array
    """Torque [N·m], of slides force [N]; of speeds [rad/s, m/s] (n,)."""
    speeds: Mask
    """Whether it is a speed that is limited (n,)."""
    sure: Mask
    """Whether it is a motor's: a fact, where a table of people's strength is a guess (n,)."""
    names: tuple[str, ...]

    @classmethod
    def of(cls, character: Character) -> Strength:
        """A person's joints by a table; motors by what their file says."""
        slots, most, speeds, names = list[list[int]](), list[float](), list[bool](), list[str]()
        for body, (_, limit) in joint_limits(character).items():
            own = list(range(*character.dofs(body).indices(character.nv)))
            if character.bodies[body].joint.kind in (JointKind.BALL, JointKind.HINGE):
                slots.append((own + [-1, -1])[:3])
                most.append(limit)
                speeds.append(False)
                names.append(character.names[body])
        people = len(names)
        for limits, fast in ((character.effort, False), (character.speed, True)):
            for dof in np.flatnonzero(np.isfinite(limits) & (limits > 0)):
                slots.append([int(dof), -1, -1])
                most.append(float(limits[dof]))
                speeds.append(fast)
                names.append(character.names[int(character.dof_body[dof])])
        motors = np.arange(len(names)) >= people
        return cls(
            character, np.array(slots, dtype=np.int64).reshape(-1, 3), np.array(most), np.array(speeds, bool),
            motors, tuple(names),
        )  # fmt: skip

    def strain(self, triples: Array, dt: float, push: Array, feet: Footing, rows: IntArray) -> Array:
        """Strain of joints (S, n) in frames ``rows`` of a grid, given with their neighbours (S, 3, nq), under
        pushes of patches (S, K, 3) [N]."""
        character, manifold = self.character, self.character.manifold
        one, other = (manifold.minus(triples[:, e + 1], triples[:, e]) for e in (0, 1))
        q, v, turn = np.ascontiguousarray(triples[:, 1]), (one + other) / (2 * dt), (other - one) / dt**2
        down = (0.0, 0.0, -EARTH)
        bare = inverse_dynamics(character, q, v, turn, gravity=down)
        wrench = self._wrenches(q, bare, push, feet, rows)
        tau = inverse_dynamics(character, q, v, turn, gravity=down, wrenches=wrench) if wrench.any() else bare
        of = np.where(self.speeds[:, None], 1, 0)
        both = np.pad(np.stack([tau, v]), ((0, 0), (0, 0), (0, 1)))
        felt = both[of, :, self.slots]  # (n, 3, S)
        return np.asarray(np.linalg.norm(felt, axis=1).T / self.most)

    def _wrenches(self, q: Array, bare: Array, push: Array, feet: Footing, rows: IntArray) -> Array:
        """On every body about its origin (S, n, 6)."""
        character = self.character
        where = character.placement(q)
        size = np.linalg.norm(push, axis=2)
        carried = size.sum(axis=1)
        share = size / np.maximum(carried, 1e-9)[:, None]
        lever = np.einsum("skij,kj->ski", where.rotations[:, feet.body], feet.place)
        lever = lever - feet.radius[:, None] * feet.normal[rows]
        twist = np.zeros((len(q), 3))
        if character.bodies[0].joint.kind is JointKind.FREE:
            push = push + share[..., None] * (bare[:, :3] - push.sum(axis=1))[:, None]
            moment = np.einsum("sij,sj->si", where.rotations[:, 0], bare[:, 3:6])
            arm = where.positions[:, feet.body] + lever - where.positions[:, :1]
            twist = moment - np.cross(arm, push).sum(axis=1)
        on = (carried > LOADED * character.total_mass * EARTH)[:, None]
        out = np.zeros((len(q), len(character.bodies), 6))
        for k, body in enumerate(feet.body):
            out[:, body, :3] += push[:, k] * on
            out[:, body, 3:] += (np.cross(lever[:, k], push[:, k]) + share[:, k, None] * twist) * on
        return out


class Strained:
    """Joints of a problem that strain too much, as rows."""

    def __init__(
        self, strength: Strength, base: Array, stride: Stride, feet: Footing, keys: GridKeys
    ) -> None:
        self.strength, self.stride, self.feet, self.keys = strength, stride, feet, keys
        self.rows = stride.samples(len(base))
        self.base = self._triples(base)
        self.enough = np.full(len(strength.most), ROOM)
        """Up to which nothing is asked (n,)."""

    def _triples(self, q: Array) -> Array:
        """Frames of samples with their neighbours (S, 3, …)."""
        before, after = q[self.rows - 1], q[(self.rows + 1) % len(q)]
        if self.stride.loop and q.shape[1] == self.stride.character.nq:
            before, after = before.copy(), after.copy()
            before[0, :3] -= self.stride.travel
            after[-1, :3] += self.stride.travel
        return np.stack([before, q[self.rows], after], axis=1)

    def strain(self, q: Array, push: Array) -> Array:
        """Of frames (G, nq) under pushes [weights] (S, n)."""
        return self.strength.strain(
            self._triples(q), self.stride.dt, push * self.stride.weight, self.feet, self.rows
        )

    def over(self, strain: Array, asked: Mask) -> Array:
        """Weighed strain beyond what is enough (S, n)."""
        over = np.maximum(strain - self.enough, 0.0) * asked[:, None]
        return np.asarray(np.sqrt(PRICE * self.stride.dt) * over)

    def add(self, d: Array, push: Array, over: Array, band: Array, gradient: Array) -> None:
        """Rows of what is over (S, n), at displacements (G, nv), into a matrix and its gradient."""
        samples = np.flatnonzero(over.any(axis=1))
        triples, columns = self._triples(d), self.keys.columns
        for some in np.split(samples, range(CHUNK, len(samples), CHUNK)):
            for s, slope in zip(some, self._slopes(some, triples[some], push[some])):
                joints = np.flatnonzero(over[s])
                frames = (self.rows[s] + np.array([-1, 0, 1])) % len(columns)
                keys, at = np.unique(columns[frames], return_inverse=True)
                wide = np.zeros((len(joints), len(keys), self.keys.size))
                for e, frame in enumerate(frames):
                    for a in range(4):
                        weight = self.keys.weights[frame, a]
                        wide[:, at.reshape(3, 4)[e, a]] += weight * slope[e][joints]
                rows = np.sqrt(PRICE * self.stride.dt) * wide.reshape(len(joints), -1)
                block = np.asfortranarray(rows.T @ rows)
                place, pull = self.keys.place[keys], over[s, joints] @ rows
                scatter(place, self.keys.size, block, pull, band, gradient)

    def _slopes(self, samples: IntArray, d: Array, push: Array) -> Array:
        """∂strain/∂displacement of each of three frames (S', 3, n, m)."""
        strength, stride, dofs = self.strength, self.stride, self.stride.dofs
        manifold, m, n = strength.character.manifold, len(stride.dofs), len(samples)
        base = self.base[samples]
        rows, pushes = np.repeat(self.rows[samples], m), np.repeat(push * stride.weight, m, axis=0)
        here = manifold.plus(base.reshape(3 * n, -1), d.reshape(3 * n, -1)).reshape(base.shape)
        many = np.repeat(here, m, axis=0)
        out = np.empty((n, 3, len(strength.most), m))
        steps = np.zeros((m, strength.character.nv))
        steps[np.arange(m), dofs] = STEP
        for e in range(3):
            sides = []
            for sign in (1.0, -1.0):
                moved = (d[:, e, None] + sign * steps).reshape(n * m, -1)
                own = many.copy()
                own[:, e] = manifold.plus(np.repeat(base[:, e], m, axis=0), moved)
                sides.append(strength.strain(own, stride.dt, pushes, self.feet, rows))
            slope = (sides[0] - sides[1]) / (2 * STEP)
            out[:, e] = slope.reshape(n, m, -1).transpose(0, 2, 1)
        return out
