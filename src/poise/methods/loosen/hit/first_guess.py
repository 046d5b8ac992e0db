"""A quick inverse-kinematics answer to start from: how the pose itself would have to change.

For the constraints at one time, Levenberg–Marquardt on the scaled tangent vector y at the dynamic state q,

    minimise |r(q ⊕ D y)|² ,   D = the correction's scale of each degree of freedom,

costs no simulation. Bent by the same amount, the dynamic state usually ends near: the iteration proper then
has only the dynamics left to learn. Out of reach, it ends in the nearest pose.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.constraints import Constraint
from poise.kinematics import Kinematics
from poise.solvers.levenberg_marquardt import Damping, lessen

NEAR = 1e-4
"""Near enough to start from [m² or rad²]: the dynamics will take it further away than that."""
STEPS = 40
"""Most steps: it only has to be near."""
LONGEST = 0.7
"""Longest step [rad or m, scaled]: beyond it slopes say little."""
DAMPING = Damping(1e-3, 0.2, 1e-9, 1e3)
"""Relative to the mean square of the rows' slopes."""


def change_of_pose(
    character: Character,
    q: Array,
    constraints: Sequence[Constraint],
    weights: Sequence[float],
    time: float,
    scale: Array,
) -> tuple[Array, Array]:
    """The tangent vector (nv,) at q (nq,) after which the constraints hold best; scale 0: may not move.

    With it the residual's Jacobian (rows, nv) with respect to y, of the last step. The constraints are on
    poses, not on rates.
    """
    times = np.array([time])
    slope = np.zeros((0, character.nv))

    def look(pose: Array) -> tuple[float, tuple[Array, Kinematics]]:
        kin = Kinematics(character, pose[None])
        r = np.concatenate([w * c.violation(c.error(kin, times))[0] for c, w in zip(constraints, weights)])
        return float(r @ r), (r, kin)

    def jacobian(kin: Kinematics) -> Array:
        parts = [w * c.jacobian(kin, times)[0] for c, w in zip(constraints, weights)]
        return np.concatenate(parts) * scale

    def step(pose: Array, seen: tuple[Array, Kinematics], damping: float) -> Array:
        nonlocal slope
        r, kin = seen
        slope = jacobian(kin)
        pushing = slope * (r != 0.0)[:, None]  # rows inside their bounds do not push
        gram = pushing @ pushing.T
        gram.flat[:: len(r) + 1] += damping * float(np.trace(gram)) / len(r) + 1e-12
        change = -pushing.T @ np.linalg.solve(gram, r)
        change *= min(1.0, LONGEST / max(float(np.linalg.norm(change * scale)), 1e-12))
        return character.manifold.plus(pose, change * scale)

    found = lessen(np.array(q), look, step, DAMPING, iterations=STEPS, enough=NEAR, gain=1e-5)
    if found.size < NEAR:
        slope = jacobian(found.seen[1])
    return character.manifold.minus(found.x, q), slope
