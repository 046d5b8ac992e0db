"""Joint torques by inverse dynamics, with the pushes of what carries applied where they act.

    τ = M v̇ + c + g − Jᵀ w

The forces of patches are those that ``poise.contacts`` found, on a slower filter than the motion here. What
they
lack to the whole wrench F, N of the take is shared out among them as they carry, s_k = |f_k| / Σ |f|:

    w_k = (f_k + s_k δF,  (x_k − x_body) × (f_k + s_k δF) + s_k δN)

as long as they carry at all; in flight w = 0. Where a support is unexplained no torque is known, and none is
a number. A robot that is bolted to the world is carried by its base: w = 0 there too.

Torques [N·m] are those of a joint's rotations. Forces of slides [N] are another thing, and stay out of the
norm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.joint import JointKind
from poise.dynamics import inverse_dynamics
from poise.plausibility.footing import Footing
from poise.plausibility.forces import Forces

CARRIED = 0.1
"""Less than this share of the weight is no contact that the rest could be put on."""
LOST = 0.3
"""What is left beyond this is not explained [weights]."""
TURNS = {JointKind.HINGE: (0, 1), JointKind.BALL: (0, 3), JointKind.PLANAR: (2, 3), JointKind.FREE: (3, 6)}
"""Which of a joint's degrees of freedom are rotations."""


@dataclass(frozen=True, eq=False)
class Torques:
    """Inverse dynamics over the N frames of a take."""

    tau: Array
    """Generalised forces [N·m, N] (N, nv); not a number where unknown."""
    magnitude: Array
    """Torque of each body's joint [N·m] (N, n); 0 of one that does not turn."""


def torques(footing: Footing, total: Forces) -> Torques:
    """Joint torques of a take."""
    take, character = footing.take, footing.take.clip.character
    wrench = None if footing.bolted else _pushes(footing, total)
    down = (0.0, 0.0, -total.gravity)
    tau = inverse_dynamics(
        character, take.kin.q, take.kin.v, take.acceleration, gravity=down, wrenches=wrench
    )
    tau[footing.unexplained > LOST] = np.nan
    return Torques(tau, turning(character, tau))


def turning(character: Character, tau: Array) -> Array:
    """Size of the torque in every body's joint [N·m] (N, n)."""
    found = np.zeros((len(tau), len(character.bodies)))
    for i, body in enumerate(character.bodies):
        first, end = TURNS.get(body.joint.kind, (0, 0))
        found[:, i] = np.linalg.norm(tau[:, character.dofs(i)][:, first:end], axis=1)
    return found


def _pushes(footing: Footing, total: Forces) -> Array:
    """What the surroundings do to each body: force and moment about the body's origin (N, n, 6)."""
    take, need, support = footing.take, footing.support.need, footing.support
    frames, weight = np.arange(need.frames), total.weight
    found = (
        np.stack(
            [
                [np.interp(frames, need.rows, support.force[:, k, i]) for i in range(3)]
                for k in range(len(footing.patches))
            ]
        )
        if len(footing.patches)
        else np.zeros((0, 3, need.frames))
    )  # (K, 3, rows)
    push = weight * np.moveaxis(found, 2, 0)[footing.rows] * footing.touching[..., None]  # (N, K, 3)
    radius = need.radius[:, None] * support.normal[footing.rows]
    places = footing.places - radius
    size = np.linalg.norm(push, axis=2)
    carried = size.sum(axis=1)
    share = size / np.maximum(carried, 1e-9)[:, None]
    short = total.force - push.sum(axis=1)
    push = push + share[..., None] * short[:, None]
    arm = places - take.kin.com[:, None]
    twist = total.moment - np.cross(arm, push).sum(axis=1)
    on = (carried > CARRIED * weight)[:, None]
    wrench = np.zeros((take.frames, len(take.clip.character.bodies), 6))
    for k, body in enumerate(footing.patches.body):
        lever = places[:, k] - take.kin.positions[:, body]
        wrench[:, body, :3] += push[:, k] * on
        wrench[:, body, 3:] += (np.cross(lever, push[:, k]) + share[:, k, None] * twist) * on
    return wrench
