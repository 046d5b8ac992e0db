"""Bounded pulls and limbs judged as wholes: solved poses are minima of the merit as written on paper."""

from __future__ import annotations

import numpy as np
import pytest
from sweeps import Sweep
from test_pose_sweeps import PLANE, SPACE, sweep_of

from poise.arrays import Array
from poise.errors import InputError
from poise.handles import PointPosition
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.key.frames.evaluate import FIRM
from poise.methods.key.pose.posture import posture
from poise.methods.key.pose.solver import PoseSolver
from poise.methods.key.pose.task import Task, weight_of_gain

LIMBS = [
    (side + upper, side + lower)
    for side in ("Left", "Right")
    for upper, lower in (("Arm", "ForeArm"), ("UpLeg", "Leg"))
]


def merit(sweep: Sweep, q: Array, goals: list[Array], gain: float) -> float:
    """½ Σ p (pose ⊖ q)², thighs and upper arms as the bend asks, and what pins pull.

    That is, for each, the integral of min(w e, F (2 − F / w e)).
    """
    own, kin = posture(sweep.solver.character), Kinematics(sweep.figure, q)
    wanted, w = np.array(sweep.pose), float(weight_of_gain(np.array(gain)))
    for upper, lower in LIMBS:  # the line from joint to tip points as desired, however much it is bent
        span, angle = sweep.figure.coordinates(upper), sweep.figure.coordinates(lower).start
        axis = np.array(sweep.figure.bodies[sweep.figure.index(lower)].joint.axis)
        tip = next(b.name for b in sweep.figure.bodies if b.parent == lower)
        bones = [np.array(sweep.figure.bodies[sweep.figure.index(n)].offset) for n in (lower, tip)]
        lines = [bones[0] + so3.to_matrix(so3.exp(axis * bent[angle])) @ bones[1] for bent in (q, sweep.pose)]
        across = [line - axis * (axis @ line) for line in lines]
        lead = np.arctan2(axis @ np.cross(*across), across[0] @ across[1])
        hinge = sweep.figure.dofs(lower).start
        lead *= float(np.linalg.norm(own.limbs.axis[own.limbs.hinge.tolist().index(hinge)]))
        if span.stop - span.start == 4:
            wanted[span] = so3.multiply(sweep.pose[span], so3.exp(axis * lead))
        else:
            wanted[span] += lead * (
                axis @ np.array(sweep.figure.bodies[sweep.figure.index(upper)].joint.axis)
            )
    gap = sweep.figure.manifold.minus(wanted, q)
    total = 0.5 * float(own.weights @ gap**2)
    for task, goal in zip(sweep.solver.tasks, goals):
        e = float(np.linalg.norm(task.handle.bind(sweep.figure).value(kin)[0] - goal))
        edge = FIRM / w
        inner = min(e, edge)
        total += 0.5 * w * inner**2
        if e > edge:
            total += FIRM * (2.0 * (e - edge) - edge * np.log(e / edge))
    return total


@pytest.mark.parametrize("share", [0.8, 1.3])
@pytest.mark.parametrize("gain", [0.9, 0.999])
@pytest.mark.parametrize("figure", [SPACE, PLANE], ids=lambda c: c.name)
@pytest.mark.parametrize("tip", ["LeftHand", "LeftFoot"])
def test_solved_poses_are_minima(figure, tip, gain, share):
    """Without joint limits, so that no bound holds anything back."""
    sweep = sweep_of(figure, tip, (1, 0, 0.3))
    goals = [*sweep.held, sweep.base + share * sweep.along]
    character = sweep.solver.character
    free = PoseSolver(character, sweep.solver.tasks, pose_weight=posture(character), limits=False)
    solved = free.solve(sweep.pose, sweep.pose, goals, [gain] * len(goals))
    assert solved.settled.all()
    here, h = merit(sweep, solved.q[0], goals, gain), 1e-5
    for v in h * np.eye(figure.nv):
        ahead, behind = (merit(sweep, figure.manifold.plus(solved.q[0], s * v), goals, gain) for s in (1, -1))
        assert abs(ahead - behind) / (2.0 * h) < 1e-5
        assert ahead + behind > 2.0 * here


def test_a_bound_must_be_positive():
    with pytest.raises(InputError, match="most it pulls"):
        Task(PointPosition("LeftHand"), most=0.0)
