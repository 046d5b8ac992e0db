"""Batched kinematics against loops over frames in Pinocchio and MuJoCo.

The job: 1000 frames of a character of 25 bodies on ball joints (78 degrees of freedom); placements of
all bodies, Jacobians of 4 points, centre of mass with its Jacobian, linear and angular momentum.
All engines run in one process, in turn, writing to arrays allocated beforehand; best of several rounds.

    python benchmarks/kinematics.py
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from poise.character import Body, Character, Joint, Mass, Point
from poise.kinematics import Bundle, Kinematics

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from oracles import PinocchioOracle, mujoco_model

LIMBS = {"arm": (0.0, 0.2, 0.0), "leg": (0.0, 0.1, -0.3)}


def character_of_balls() -> Character:
    """25 bodies: a pelvis, four of spine and head, five in each limb; every joint a ball."""
    mass = Mass(2.0, (0.02, 0.0, 0.08), np.diag([0.02, 0.02, 0.005]))
    bodies = [Body("pelvis", None, Joint.free(), mass=mass)]

    def chain(host: str, name: str, count: int, step: tuple[float, float, float]) -> None:
        for k in range(count):
            parent = host if k == 0 else f"{name}{k - 1}"
            bodies.append(Body(f"{name}{k}", parent, Joint.ball(), offset=step, mass=mass))

    chain("pelvis", "spine", 4, (0.0, 0.0, 0.15))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for host, limb in (("spine2", "arm"), ("pelvis", "leg")):
            x, y, z = LIMBS[limb]
            chain(host, f"{side} {limb}", 5, (x, sign * y, z))
    return Character("25 balls", bodies)


def interleaved(jobs: dict[str, Callable[[], Any]], rounds: int = 15) -> dict[str, float]:
    """Least seconds of each job, run in turn so that a busy moment hits all alike.

    A turn repeats its job for about 20 ms: engines are compared warm, not by whose data the one
    before has thrown out of the cache.
    """
    repeats: dict[str, int] = {}
    for name, job in jobs.items():
        job()
        began = time.perf_counter()
        job()
        repeats[name] = max(1, round(0.02 / (time.perf_counter() - began)))
    best = dict.fromkeys(jobs, np.inf)
    for _ in range(rounds):
        for name, job in jobs.items():
            began = time.perf_counter()
            for _ in range(repeats[name]):
                job()
            best[name] = min(best[name], (time.perf_counter() - began) / repeats[name])
    return best


def run(frames: int = 1000, rounds: int = 15) -> list[dict[str, Any]]:
    """Metrics: key, value, unit, direction, peer, ratio (peer's time over ours)."""
    import mujoco
    import pinocchio as pin

    rng = np.random.default_rng(1)
    character = character_of_balls()
    q, v = character.manifold.random(rng, frames, spread=0.5), rng.normal(size=(frames, character.nv))
    names = ("left arm4", "right arm4", "left leg4", "right leg4")
    nv, bodies = character.nv, [character.index(n) for n in names]
    tip = np.array([0.1, 0.0, -0.05])  # points off the bodies' origins, as fingertips are
    points = tuple(Point(i, tip) for i in bodies)
    ours = Bundle(character, frames, points)

    oracle = PinocchioOracle(character)
    ids = [oracle.add_point(i, tip, f"point {i}") for i in bodies]
    qp, model, data = oracle.q(q), oracle.model, oracle.data
    jacobians, com_jacobian = np.zeros((frames, 4, 6, nv)), np.zeros((frames, 3, nv))
    momentum = np.zeros((frames, 6))

    def pinocchio_loop() -> None:
        for f in range(frames):
            pin.computeJointJacobians(model, data, qp[f])
            for k, frame in enumerate(ids):
                jacobians[f, k] = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
            com_jacobian[f] = pin.jacobianCenterOfMass(model, data, qp[f])
            pin.ccrba(model, data, qp[f], v[f])
            momentum[f] = data.hg.vector

    mj = mujoco_model(character)
    state = mujoco.MjData(mj)
    mj_jacobians, mj_com = np.zeros((frames, 4, 3, nv)), np.zeros((frames, 3, nv))
    mj_momentum = np.zeros((frames, 6))
    mj_positions, mj_rotations = np.zeros((frames, mj.nbody - 1, 3)), np.zeros((frames, mj.nbody - 1, 9))

    def mujoco_loop() -> None:
        for f in range(frames):
            state.qpos[:] = q[f]
            state.qvel[:] = v[f]
            mujoco.mj_kinematics(mj, state)
            mujoco.mj_comPos(mj, state)
            mujoco.mj_comVel(mj, state)
            mujoco.mj_subtreeVel(mj, state)
            mj_positions[f], mj_rotations[f] = state.xpos[1:], state.xmat[1:]
            for k, i in enumerate(bodies):
                place = state.xpos[i + 1] + state.xmat[i + 1].reshape(3, 3) @ tip
                mujoco.mj_jac(mj, state, mj_jacobians[f, k], None, place, i + 1)
            mujoco.mj_jacSubtreeCom(mj, state, mj_com[f], 1)
            mj_momentum[f, :3] = character.total_mass * state.subtree_linvel[1]
            mj_momentum[f, 3:] = state.subtree_angmom[1]

    def pose_by_pose() -> None:
        kin = Kinematics(character, q[0], v[0])
        kin.point_jacobians(points)
        _ = kin.com_jacobian, kin.momentum

    jobs = {
        "poise": lambda: ours.update(q, v),
        "pinocchio": pinocchio_loop,
        "mujoco": mujoco_loop,
        "one pose": pose_by_pose,
    }
    took = interleaved(jobs, rounds)
    np.testing.assert_allclose(ours.momentum, momentum, atol=1e-9)
    np.testing.assert_allclose(ours.com_jacobian, mj_com, atol=1e-9)
    np.testing.assert_allclose(ours.point_jacobians, mj_jacobians, atol=1e-9)
    np.testing.assert_allclose(ours.point_jacobians, jacobians[:, :, :3], atol=1e-9)
    rows: list[dict[str, Any]] = [
        {
            "key": f"kinematics/{frames} frames, against {peer}",
            "value": 1e3 * took["poise"],
            "unit": "ms",
            "direction": "lower",
            "peer": f"{peer} loop",
            "ratio": took[peer] / took["poise"],
        }
        for peer in ("pinocchio", "mujoco")
    ]
    rows.append(
        {
            "key": "kinematics/one pose through Python",
            "value": 1e6 * took["one pose"],
            "unit": "µs",
            "direction": "lower",
            "peer": "pinocchio, one frame",
            "ratio": took["pinocchio"] / frames / took["one pose"],
        }
    )
    return rows


if __name__ == "__main__":
    for row in run():
        print(f"{row['key']:36s} {row['value']:9.2f} {row['unit']:3s} {row['ratio']:6.1f} × {row['peer']}")
