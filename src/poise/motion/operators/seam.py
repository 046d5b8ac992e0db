"""Where a motion best meets itself: the pair of frames most alike in pose and velocity.

The distance of frames i and j, after frame i has been brought onto frame j on the ground, is

    D² = Σ_d ρ_d² ( (q_j ⊖ q_i)_d² + τ² (v_j − v_i)_d² )    [m²]

with ρ = 1 for a translation and, for a rotation, the reach [m] of what hangs from the joint in the rest
pose; τ = 0.1 s: a difference in velocity counts as the distance it makes in that time.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.motion.clip import Clip
from poise.motion.operators.ground import FLAT, between, moved, turned

VELOCITY_TIME = 0.1  # [s]
LEAST_REACH = 0.05  # of the whole character's: a wrist without a hand still counts


def best_seam(clip: Clip, margin: int, shortest: int) -> tuple[int, int]:
    """First and closing frame (i, j): i ≤ margin, j ≥ F − 1 − margin, j − i ≥ shortest. Ties: the longest."""
    character, q, v = clip.character, clip.q, clip.velocity
    weight = lever_arms(character) ** 2
    last = clip.frames - 1
    best, found = np.inf, (0, last)
    for i in range(min(margin, last - shortest) + 1):
        closing = np.arange(last, max(last - margin, i + shortest) - 1, -1)
        shift, yaw = between(character, q[i], q[closing])
        here = moved(character, q[i], shift * FLAT, yaw)
        pose = character.manifold.minus(q[closing], here)  # (n, nv)
        speed = v[closing] - turned(character, v[i], yaw)
        distance = (pose**2 + VELOCITY_TIME**2 * speed**2) @ weight
        k = int(np.argmin(distance))
        if distance[k] < best:
            best, found = float(distance[k]), (i, int(closing[k]))
    return found


def lever_arms(character: Character) -> Array:
    """How far a unit of each degree of freedom moves what it carries, (nv,) [1 or m/rad]."""
    position, turn = character.rest_placement()
    spots = [
        np.array([position[i], *(position[i] + turn[i] @ np.asarray(p) for p in body.points.values())])
        for i, body in enumerate(character.bodies)
    ]
    reach = np.zeros(len(character.bodies))
    for i in range(len(character.bodies)):
        hanging = np.concatenate([spots[k] for k in character.subtree(i)])
        reach[i] = np.linalg.norm(hanging - position[i], axis=1).max()
    reach = np.maximum(reach, LEAST_REACH * reach.max() if reach.max() > 0 else 1.0)
    arms = np.ones(character.nv)
    for i, body in enumerate(character.bodies):
        dofs = character.dofs(i)
        match body.joint.kind:
            case JointKind.HINGE | JointKind.BALL:
                arms[dofs] = reach[i]
            case JointKind.PLANAR:
                arms[dofs.start + 2] = reach[i]
            case JointKind.FREE:
                arms[dofs.start + 3 : dofs.stop] = reach[i]
    return arms
