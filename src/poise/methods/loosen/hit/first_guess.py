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

NEAR = 1e-4
"""Near enough to start from [m² or rad²]: the dynamics will take it further away than that."""


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

    def residual(pose: Array) -> tuple[Array, Kinematics]:
        kin = Kinematics(character, pose[None])
        return np.concatenate(
            [w * c.violation(c.error(kin, times))[0] for c, w in zip(constraints, weights)]
        ), kin

    pose = np.array(q)
    r, kin = residual(pose)
    damping = 1e-3
    for _ in range(40):
        size = float(r @ r)
        j = np.concatenate([w * c.jacobian(kin, times)[0] for c, w in zip(constraints, weights)]) * scale
        if size < NEAR:
            break
        pushing = j * (r != 0.0)[:, None]  # rows inside their bounds do not push
        gram = pushing @ pushing.T
        gram.flat[:: len(r) + 1] += damping * float(np.trace(gram)) / len(r) + 1e-12
        step = -pushing.T @ np.linalg.solve(gram, r)
        length = float(np.linalg.norm(step * scale))
        step *= min(1.0, 0.7 / max(length, 1e-12))
        after = character.manifold.plus(pose, step * scale)
        r_after, kin_after = residual(after)
        size_after = float(r_after @ r_after)
        if size_after < size:
            pose, r, kin = after, r_after, kin_after
            damping = max(damping * 0.2, 1e-9)
            if size - size_after < 1e-5 * size:
                break
        else:
            damping *= 10.0
            if damping > 1e3:
                break
    return character.manifold.minus(pose, q), j
