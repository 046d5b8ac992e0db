"""The best of the poses that several starts lead to.

What is asked of a body may have several solutions (bent knees, a bow). Each frame is solved from a start with
limbs a little bent. Where that ends in no rest, or with the trunk far from the desired pose, it is also
solved from more crouched ones, and the pose that keeps best to what is asked, then to the desired pose, is
taken. Frames know of no others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.methods.keyframing.pose_solver import PoseSolver, Solved
from poise.methods.keyframing.posture import DEAR, limber, posture_weights
from poise.methods.keyframing.task import weight_of_gain

FAR = 0.25
"""A trunk turned farther than this from the desired pose [rad] calls for other starts."""
CROUCHES = (0.8, 1.2)
"""How far inside their limits those have all hinges [rad]."""
STRICT = 1e12
"""What strict misses weigh in the comparison [m⁻², rad⁻²]."""


def best_poses(solver: PoseSolver, pose: Array, targets: Sequence[Array], gains: Sequence[Array]) -> Solved:
    """Poses (F, nq) for targets (F, size) and gains (F,) of each task of the solver."""
    figure = solver.character
    best = solver.solve(limber(figure, pose), pose, targets, gains)
    trunk = posture_weights(figure) >= DEAR
    way = np.abs(figure.manifold.minus(best.q, pose)[:, trunk]).max(axis=1, initial=0.0)
    doubtful = np.flatnonzero((way > FAR) | ~best.settled)
    if not len(doubtful):
        return best
    wanted = [np.asarray(target)[doubtful] for target in targets]
    firm = [np.asarray(gain)[doubtful] for gain in gains]
    q, errors = np.array(best.q), [np.array(e) for e in best.errors]
    iterations, settled = np.array(best.iterations), np.array(best.settled)
    least = _cost(solver, q[doubtful], pose[doubtful], [e[doubtful] for e in errors], firm)
    for bend in CROUCHES:
        other = solver.solve(limber(figure, pose[doubtful], bend=bend), pose[doubtful], wanted, firm)
        cost = _cost(solver, other.q, pose[doubtful], other.errors, firm)
        better = cost < least
        chosen = doubtful[better]
        q[chosen], settled[chosen] = other.q[better], other.settled[better]
        for own, new in zip(errors, other.errors):
            own[chosen] = new[better]
        iterations[doubtful] += other.iterations
        least = np.minimum(least, cost)
    return Solved(q, tuple(errors), iterations, settled, best.history)


def _cost(
    solver: PoseSolver, q: Array, pose: Array, errors: Sequence[Array], gains: Sequence[Array]
) -> Array:
    """What the poses (F, nq) miss, (F,)."""
    gap = solver.character.manifold.minus(pose, q)
    cost = 0.5 * gap**2 @ posture_weights(solver.character)
    for task, error, gain in zip(solver.tasks, errors, gains):
        weight = task.weight * weight_of_gain(gain) if task.level is None else STRICT
        cost = cost + 0.5 * weight * (error**2).sum(axis=1)
    return np.asarray(cost)
