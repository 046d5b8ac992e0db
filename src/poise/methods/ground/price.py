"""The price of a change: how far joints move in space, how far head and trunk turn, how hard curves bend.

    ½ ∫ mean_j |δx_j|² + κ_b |δω_b|² + least |d|² + (bend) |d̈|² dt

quadratic in the displacement d, with Jacobians of the clip as given. Prices by joint angles let knees go
anywhere; prices by places alone let heads spin, which are light and moved by nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.character.labels import roles
from poise.kinematics import Kinematics

RIDGE = 0.1
"""Share of every degree of freedom's own mean price that it costs however others compensate it."""
TURN = 2e-3
"""Least price of a turn [m²/rad²]: without it the first step turns wrists by 50 rad."""
BEND = 1.8e-1 * 0.1**4
"""Price of second derivatives over that of the displacement [s⁴]: keys of 0.05 s double the jerk without."""
FACING = {
    "head": 0.09,
    "neck": 0.015,
    "chest": 0.015,
    "spine": 0.015,
    "hips": 0.015,
    "toes": 0.004,
    "hand": 0.002,
}
"""Price of turning in the world [m²/rad²]: the head is the cheapest reaction mass, and what a viewer looks
at; toes and hands have no joint beyond them whose way would be priced."""
AT_ENDS, END = 6.0, 4
"""How much dearer a change is at the ends of a clip, and over how many frames of the grid: nothing is known
of what came before, so ends would fling limbs about to start with the momentum that suits."""
LIGHT = 0.004
"""Branches that weigh less do not move by themselves, of the whole mass."""


def movable(character: Character, touching: IntArray) -> list[int]:
    """Bodies whose joints may move: branches that weigh something, or end in what touches."""
    total = max(float(character.total_mass), 1e-12)
    found = []
    for i in range(len(character.bodies)):
        branch = character.subtree(i)
        weighs = sum(character.bodies[k].mass.mass for k in branch) > LIGHT * total
        if weighs or np.isin(branch, touching).any():
            found.append(i)
    return found


def grams(
    character: Character,
    kin: Kinematics,
    dofs: IntArray,
    bodies: list[int],
    *,
    loop: bool,
    dearer: Mapping[int, float] | None = None,
) -> tuple[Array, Array]:
    """Price of a displacement in every frame (G, m, m), and on which diagonal second derivatives are priced
    (m,). ``dearer``: bodies whose places cost so many times as much."""
    grid, m = kin.frames, len(dofs)
    gram = np.zeros((grid, m, m))
    places = [character.point(character.names[i]) for i in bodies]
    for moving, jacobian in zip(bodies, kin.point_jacobians(places)):
        own = np.ascontiguousarray(jacobian[:, :, dofs])
        gram += (dearer or {}).get(moving, 1.0) * (own.transpose(0, 2, 1) @ own)
    gram /= len(places)
    own_price = np.einsum("gii->gi", gram).mean(axis=0)
    for role, body in roles(character).items():
        price = FACING.get(role.removeprefix("left ").removeprefix("right "), 0.0)
        if price:
            own = np.ascontiguousarray(kin.angular_jacobian(body)[:, :, dofs])
            gram += price * (own.transpose(0, 2, 1) @ own)
    turning = np.isin(dofs, character.manifold.rotation_slots[1].ravel())
    turning |= ~np.isin(character.dof_body[dofs], [0])
    least = RIDGE * own_price + np.where(turning, TURN, 0.0) + 1e-9
    gram[:, np.arange(m), np.arange(m)] += least
    if not loop:
        rise = 1.0 + (AT_ENDS - 1.0) * np.clip(1.0 - np.arange(grid) / END, 0.0, 1.0)
        gram *= np.maximum(rise, rise[::-1])[:, None, None]
    return gram, BEND * (own_price + np.where(turning, TURN, 0.0))
