"""The integrator: order of its energy drift, MuJoCo's Euler step, implicit springs, driven roots."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from poise import dynamics
from poise.arrays import Array
from poise.character import Body, Character, Joint, JointKind, Mass
from random_trees import random_character, random_state


def total_energy(character: Character, q: Array, v: Array) -> Array:
    return dynamics.kinetic_energy(character, q, v) + dynamics.potential_energy(character, q)


@pytest.mark.parametrize("root", list(JointKind))
def test_energy_drift_is_of_first_order(root: JointKind) -> None:
    rng = np.random.default_rng(11)
    character = random_character(rng, 7, root=root)
    q, v, _ = random_state(rng, character, 6)
    before = total_energy(character, q, v)
    steps = np.array([800, 1600, 3200])
    drifts = []
    for count in steps:
        end = dynamics.simulate(character, q, v, step=0.2 / count, steps=int(count))
        drifts.append(np.abs(total_energy(character, *end) - before).max())
    orders = np.log2(np.array(drifts[:-1]) / drifts[1:])
    assert_allclose(orders, 1.0, atol=0.1)


def test_steps_equal_mujoco_euler() -> None:
    mujoco = pytest.importorskip("mujoco")
    from poise.dynamics.mujoco_model import model

    rng = np.random.default_rng(5)
    character = random_character(rng, 10)
    q, v, tau = random_state(rng, character, 3)
    built = model(character, timestep=0.002)
    end_q, end_v = dynamics.simulate(character, q, v, tau=tau, step=0.002, steps=50)
    for f in range(3):
        data = mujoco.MjData(built)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q[f], v[f], tau[f]
        mujoco.mj_step(built, data, 50)
        assert_allclose(end_v[f], data.qvel, atol=1e-9 * max(1.0, float(np.abs(end_v[f]).max())))
        assert_allclose(character.manifold.minus(end_q[f], data.qpos), 0, atol=1e-9)


def test_free_fall_and_spin_are_exact() -> None:
    """A ball thrown: the parabola of semi-implicit Euler, and a constant spin to rounding."""
    ball = Body("ball", None, Joint.free(), mass=Mass(0.4, inertia=(0.01, 0.01, 0.01)))
    thrown = Character("ball", [ball])
    v = np.array([1.0, 2.0, 3.0, 4.0, -5.0, 6.0])
    q, end = dynamics.simulate(thrown, thrown.rest_pose(), v, step=0.01, steps=100)
    assert_allclose(end, v + [0, 0, -9.81, 0, 0, 0], atol=1e-12)
    assert_allclose(q[:3], [1, 2, 3 - 9.81 * 0.01**2 * 100 * 101 / 2], atol=1e-12)
    turned = thrown.manifold.plus(thrown.rest_pose(), v)
    assert_allclose(np.abs(q[3:] @ turned[3:]), 1, atol=1e-12)


def test_stable_springs_are_armature() -> None:
    """Armature h (Kd + h Kp) with the explicit spring force is one step of backward Euler."""
    rng = np.random.default_rng(9)
    character = random_character(rng, 8, kinds=[JointKind.HINGE, JointKind.SLIDE], root=JointKind.HINGE)
    q, v, target = random_state(rng, character, 4)
    kp, kd, h = rng.uniform(1e3, 1e5, character.nv), rng.uniform(10, 1e3, character.nv), 0.01
    own = np.array(character.tree.armature)
    tau = kp * (target - q) - (kd + h * kp) * v
    got = dynamics.forward_dynamics(character, q, v, tau, armature=own + h * (kd + h * kp))
    matrices, bias = dynamics.mass_matrix(character, q), dynamics.bias(character, q, v)
    for f in range(4):
        # v' solves M (v' − v)/h + bias = kp (target − q − h v') − kd v'
        left = matrices[f] / h + np.diag(kd + h * kp)
        right = matrices[f] @ v[f] / h - bias[f] + kp * (target[f] - q[f])
        assert_allclose(v[f] + h * got[f], np.linalg.solve(left, right), rtol=1e-9, atol=1e-12)


def test_a_driven_root_drags_what_hangs_from_it() -> None:
    """A pendulum on a cart that accelerates: θ̈ = −(g sin θ + ẍ cos θ) / l for a point mass."""
    l = 0.8
    cart = Body("cart", None, Joint.slide((1, 0, 0)), mass=Mass(5.0, inertia=(1, 1, 1)))
    bob = Body("bob", "cart", Joint.hinge((0, -1, 0)), mass=Mass(2.0, (0, 0, -l)))
    character = Character("cart", [cart, bob])
    q = np.array([[0.3, 0.7], [1.0, -0.2]])
    v = np.array([[2.0, 1.0], [0.0, 3.0]])
    push = np.array([[4.0], [-7.0]])
    got = dynamics.forward_dynamics(character, q, v, np.zeros((2, 2)), prescribed={"cart": push})
    angle = q[:, 1]
    assert_allclose(got[:, 0], push[:, 0], atol=0)
    assert_allclose(got[:, 1], -(9.81 * np.sin(angle) + push[:, 0] * np.cos(angle)) / l, rtol=1e-13)
    held = dynamics.simulate(character, q, v, step=0.01, steps=10, prescribed={"cart": push})[1]
    assert_allclose(held[:, 0], v[:, 0] + 0.1 * push[:, 0], rtol=1e-14)
