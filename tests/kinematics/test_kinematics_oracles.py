"""Kinematic kernels against Pinocchio and MuJoCo on random trees of every joint kind."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from oracles import mujoco_model
from poise.character import JointKind
from poise.kinematics import Kinematics
from poise.speed.pinocchio_twin import PinocchioTwin
from tipped_trees import ROOTS, random_character

TIGHT = {"rtol": 1e-10, "atol": 1e-10}


@pytest.fixture(params=[(root, seed) for root in ROOTS for seed in range(2)], ids=str)
def scene(request):
    root, seed = request.param
    rng = np.random.default_rng(100 * int(root) + seed)
    character = random_character(rng, 9 + 5 * seed, root)
    q = character.manifold.random(rng, 4)
    v = rng.normal(size=(4, character.nv))
    return character, q, v, Kinematics(character, q, v)


def test_pinocchio_agrees(scene):
    character, q, v, kin = scene
    oracle = PinocchioTwin(character)
    frames = [oracle.add_point(p.body, p.position, name) for name, p in character.points.items()]
    points = list(character.points)
    model, data = oracle.model, oracle.data
    for f in range(len(q)):
        qp = oracle.q(q[f])
        pin.forwardKinematics(model, data, qp, v[f])
        pin.computeJointJacobians(model, data, qp)
        pin.updateFramePlacements(model, data)
        for i in range(len(character.bodies)):
            place = data.oMi[oracle.joint[i]] * oracle.place[i]
            np.testing.assert_allclose(kin.positions[f, i], place.translation, **TIGHT)
            np.testing.assert_allclose(kin.rotations[f, i], place.rotation, **TIGHT)
        for name, frame in zip(points, frames):
            jacobian = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
            np.testing.assert_allclose(kin.point(name)[f], data.oMf[frame].translation, **TIGHT)
            np.testing.assert_allclose(kin.point_jacobian(name)[f], jacobian[:3], **TIGHT)
            body = character.point(name).body
            np.testing.assert_allclose(kin.angular_jacobian(body)[f], jacobian[3:], **TIGHT)
            if name == character.names[body]:
                speed = pin.getFrameVelocity(model, data, frame, pin.LOCAL_WORLD_ALIGNED).vector
                np.testing.assert_allclose(kin.velocities[f, body], speed, **TIGHT)
        if character.bodies[0].joint.kind is JointKind.FIXED:
            continue  # Pinocchio leaves mass welded to the world out of the centre of mass
        com_jacobian = pin.jacobianCenterOfMass(model, data, qp)
        np.testing.assert_allclose(kin.com[f], data.com[0], **TIGHT)
        np.testing.assert_allclose(kin.com_jacobian[f], com_jacobian, **TIGHT)
        pin.ccrba(model, data, qp, v[f])
        np.testing.assert_allclose(kin.momentum[f], data.hg.vector, **TIGHT)
        np.testing.assert_allclose(kin.momentum_matrix[f], data.Ag, **TIGHT)
        np.testing.assert_allclose(kin.inertia[f], data.Ig.inertia, **TIGHT)
        by_q = pin.computeCentroidalDynamicsDerivatives(model, data, qp, v[f], np.zeros(model.nv))[0]
        np.testing.assert_allclose(kin.momentum_jacobian[f], by_q, rtol=1e-9, atol=1e-9)


def test_mujoco_agrees(scene):
    character, q, v, kin = scene
    model = mujoco_model(character)
    data = mujoco.MjData(model)
    nv = character.nv
    assert (model.nq, model.nv) == (character.nq, nv)
    for f in range(len(q)):
        data.qpos[:], data.qvel[:] = q[f], v[f]
        mujoco.mj_forward(model, data)
        mujoco.mj_subtreeVel(model, data)
        np.testing.assert_allclose(kin.positions[f], data.xpos[1:], **TIGHT)
        np.testing.assert_allclose(kin.rotations[f].reshape(-1, 9), data.xmat[1:], **TIGHT)
        np.testing.assert_allclose(kin.com[f], data.subtree_com[1], **TIGHT)
        np.testing.assert_allclose(
            kin.momentum[f, :3], character.total_mass * data.subtree_linvel[1], **TIGHT
        )
        np.testing.assert_allclose(kin.momentum[f, 3:], data.subtree_angmom[1], **TIGHT)
        jacobian, turning = np.zeros((3, nv)), np.zeros((3, nv))
        mujoco.mj_jacSubtreeCom(model, data, jacobian, 1)
        np.testing.assert_allclose(kin.com_jacobian[f], jacobian, **TIGHT)
        for name, point in character.points.items():
            mujoco.mj_jac(model, data, jacobian, turning, kin.point(name)[f], point.body + 1)
            np.testing.assert_allclose(kin.point_jacobian(name)[f], jacobian, **TIGHT)
            np.testing.assert_allclose(kin.angular_jacobian(point.body)[f], turning, **TIGHT)
