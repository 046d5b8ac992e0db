"""Agreement with MuJoCo and Pinocchio on random trees with every kind of joint."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from poise import dynamics
from poise.arrays import Array
from poise.character import Character, JointKind
from poise.dynamics.mujoco_model import model
from poise.speed.pinocchio_twin import PinocchioTwin
from random_trees import random_character, random_state

mujoco = pytest.importorskip("mujoco")
TIGHT = 1e-10
ROOTS = tuple(JointKind)


def close(got: Array, wanted: Array, tolerance: float = TIGHT) -> None:
    """Equal relative to the largest entry."""
    assert_allclose(got, wanted, rtol=0, atol=tolerance * max(1.0, float(np.abs(wanted).max(initial=0.0))))


def sample(seed: int, root: JointKind, frames: int = 5) -> tuple[Character, Array, Array, Array]:
    rng = np.random.default_rng(seed)
    character = random_character(rng, int(rng.integers(1, 16)), root=root)
    return character, *random_state(rng, character, frames)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("seed", range(4))
def test_mujoco(seed: int, root: JointKind) -> None:
    character, q, v, a = sample(seed, root)
    built = model(character)
    data = mujoco.MjData(built)
    rng = np.random.default_rng(seed + 100)
    wrenches = rng.normal(size=(len(q), len(character.bodies), 6))
    forces = dynamics.inverse_dynamics(character, q, v, a)
    matrices = dynamics.mass_matrix(character, q)
    plain = dynamics.forward_dynamics(character, q, v, a)
    pushed = dynamics.forward_dynamics(character, q, v, a, wrenches=wrenches)
    kinetic = dynamics.kinetic_energy(character, q, v)
    potential = dynamics.potential_energy(character, q)
    built.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    for f in range(len(q)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[f], v[f], a[f]
        data.xfrc_applied[:] = 0
        mujoco.mj_inverse(built, data)
        close(forces[f], data.qfrc_inverse)
        data.qfrc_applied[:] = a[f]
        mujoco.mj_forward(built, data)
        close(plain[f], data.qacc)
        columns = np.zeros((character.nv, character.nv))
        for d, unit in enumerate(np.eye(character.nv)):
            column = np.zeros(character.nv)
            mujoco.mj_mulM(built, data, column, unit)
            columns[:, d] = column
        close(matrices[f], columns)
        close(np.array([potential[f], kinetic[f]]), data.energy)
        # MuJoCo pushes at the centre of mass, we push at the body's origin.
        lever = data.xipos[1:] - data.xpos[1:]
        push, twist = wrenches[f, :, :3], wrenches[f, :, 3:]
        data.xfrc_applied[1:] = np.hstack([push, twist - np.cross(lever, push)])
        mujoco.mj_forward(built, data)
        close(pushed[f], data.qacc)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("seed", range(4, 8))
def test_pinocchio(seed: int, root: JointKind) -> None:
    pin = pytest.importorskip("pinocchio")
    character, q, v, a = sample(seed, root)
    oracle = PinocchioTwin(character)
    built, data, poses = oracle.model, oracle.data, oracle.q(q)
    built.gravity.linear[:] = dynamics.GRAVITY
    assert (built.nq, built.nv) == (character.nq, character.nv)
    forces = dynamics.inverse_dynamics(character, q, v, a)
    matrices = dynamics.mass_matrix(character, q)
    accelerations = dynamics.forward_dynamics(character, q, v, a)
    holding = dynamics.gravity_force(character, q)
    for f in range(len(q)):
        pose = poses[f]
        matrix = np.triu(pin.crba(built, data, pose))
        close(matrices[f], matrix + np.triu(matrix, 1).T)
        close(forces[f], pin.rnea(built, data, pose, v[f], a[f]))
        close(accelerations[f], pin.aba(built, data, pose, v[f], a[f]))
        close(holding[f], pin.computeGeneralizedGravity(built, data, pose))
