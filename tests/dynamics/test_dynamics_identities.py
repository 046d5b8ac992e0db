"""What forward, inverse dynamics, mass matrix and energy must be to one another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from poise import dynamics
from poise.arrays import Array
from poise.character import Body, Character, Joint, JointKind, Mass
from poise.errors import InputError, UnknownNameError
from random_trees import random_character, random_state

trees = st.tuples(st.integers(0, 2**32 - 1), st.integers(1, 14), st.sampled_from(list(JointKind)))
slowly = settings(max_examples=30, deadline=None, derandomize=True)


def build(seed: int, n: int, root: JointKind) -> tuple[Character, Array, Array, Array, np.random.Generator]:
    rng = np.random.default_rng(seed)
    character = random_character(rng, n, root=root)
    return character, *random_state(rng, character, 4), rng


def scale_of(values: Array) -> float:
    return max(1.0, float(np.abs(values).max(initial=0.0)))


@given(trees)
@slowly
def test_inverse_undoes_forward(tree: tuple[int, int, JointKind]) -> None:
    character, q, v, tau, rng = build(*tree)
    wrenches = rng.normal(size=(4, len(character.bodies), 6))
    a = dynamics.forward_dynamics(character, q, v, tau, wrenches=wrenches)
    back = dynamics.inverse_dynamics(character, q, v, a, wrenches=wrenches)
    assert_allclose(back, tau, atol=1e-10 * scale_of(a))


@given(trees)
@slowly
def test_mass_matrix_is_the_columns_of_inverse_dynamics(tree: tuple[int, int, JointKind]) -> None:
    character, q, v, _, _ = build(*tree)
    matrices = dynamics.mass_matrix(character, q)
    still = dynamics.bias(character, q, v)
    for d in range(character.nv):
        unit = np.zeros_like(v)
        unit[:, d] = 1
        column = dynamics.inverse_dynamics(character, q, v, unit) - still
        assert_allclose(matrices[:, :, d], column, atol=1e-12 * scale_of(still))
    assert_allclose(matrices, matrices.transpose(0, 2, 1), atol=0)


@given(trees)
@slowly
def test_prescribed_joints_against_a_dense_solve(tree: tuple[int, int, JointKind]) -> None:
    character, q, v, tau, rng = build(*tree)
    names = [n for n in character.names if rng.uniform() < 0.4]
    told = {n: rng.normal(size=(4, character.bodies[character.index(n)].joint.nv)) for n in names}
    armature = rng.uniform(0, 1, size=character.nv)
    got = dynamics.forward_dynamics(character, q, v, tau, armature=armature, prescribed=told)
    fixed = np.zeros(character.nv, dtype=bool)
    wanted = np.zeros_like(v)
    for name, values in told.items():
        fixed[character.dofs(name)] = True
        wanted[:, character.dofs(name)] = values
    matrices = dynamics.mass_matrix(character, q, armature=armature)
    rest = tau - dynamics.bias(character, q, v) - np.einsum("fij,fj->fi", matrices, wanted)
    for f in range(4):
        free = np.ix_(~fixed, ~fixed)
        wanted[f, ~fixed] = np.linalg.solve(matrices[f][free], rest[f, ~fixed])
    assert_allclose(got, wanted, atol=1e-9 * scale_of(wanted))


@given(trees)
@slowly
def test_kinetic_energy_and_power(tree: tuple[int, int, JointKind]) -> None:
    """Energy changes at the rate the joint forces work: holds only if all velocity terms are right."""
    character, q, v, tau, _ = build(*tree)
    matrices = dynamics.mass_matrix(character, q)
    kinetic = dynamics.kinetic_energy(character, q, v)
    assert_allclose(kinetic, 0.5 * np.einsum("fi,fij,fj->f", v, matrices, v), rtol=1e-11, atol=1e-12)
    a = dynamics.forward_dynamics(character, q, v, tau)

    def energy(t: float) -> Array:
        there = character.manifold.plus(q, t * v)
        moving = dynamics.kinetic_energy(character, there, v + t * a)
        return moving + dynamics.potential_energy(character, there)

    eps = 1e-5
    rate = (8 * (energy(eps) - energy(-eps)) - (energy(2 * eps) - energy(-2 * eps))) / (12 * eps)
    largest = float(np.abs(energy(0.0)).max()) + float(np.abs(a).max(initial=0.0))
    assert_allclose(rate, np.sum(tau * v, axis=1), atol=1e-8 * max(1.0, largest))


def test_one_pose_and_no_pose() -> None:
    character, q, v, tau, _ = build(3, 6, JointKind.FREE)
    a = dynamics.forward_dynamics(character, q, v, tau)
    assert_allclose(dynamics.forward_dynamics(character, q[2], v[2], tau[2]), a[2], atol=0)
    assert_allclose(dynamics.inverse_dynamics(character, q[2], v[2], a[2]), tau[2], atol=1e-10)
    assert dynamics.mass_matrix(character, q[0]).shape == (character.nv, character.nv)
    assert dynamics.kinetic_energy(character, q[0], v[0]).shape == ()
    assert dynamics.potential_energy(character, q).shape == (4,)
    assert dynamics.forward_dynamics(character, q[:0], v[:0], tau[:0]).shape == (0, character.nv)


def test_pendulum_in_closed_form() -> None:
    """A rod on a hinge: (I + m l²) θ̈ = −m g l sin θ."""
    m, l, inertia = 2.0, 0.7, 0.05
    rod = Body("rod", None, Joint.hinge((0, 1, 0)), mass=Mass(m, (0, 0, -l), (inertia, inertia, 0.01)))
    pendulum = Character("pendulum", [rod])
    angles = np.linspace(-3, 3, 11)[:, None]
    got = dynamics.forward_dynamics(pendulum, angles, np.zeros((11, 1)), np.zeros((11, 1)))
    assert_allclose(got, -m * 9.81 * l * np.sin(angles) / (inertia + m * l * l), rtol=1e-13, atol=1e-14)
    sideways = dynamics.forward_dynamics(pendulum, angles, 0 * angles, 0 * angles, gravity=(3.0, 0, 0))
    assert_allclose(sideways, -m * 3 * l * np.cos(angles) / (inertia + m * l * l), rtol=1e-13, atol=1e-14)


def test_wrong_input_is_explained() -> None:
    character, q, v, tau, _ = build(5, 5, JointKind.FREE)
    with pytest.raises(InputError, match=r"v must have shape"):
        dynamics.forward_dynamics(character, q, v[:2], tau)
    with pytest.raises(InputError, match="finite"):
        dynamics.bias(character, np.full_like(q, np.nan), v)
    with pytest.raises(InputError, match="negative"):
        dynamics.mass_matrix(character, q, armature=-np.ones(character.nv))
    with pytest.raises(UnknownNameError, match="b0"):
        dynamics.forward_dynamics(character, q, v, tau, prescribed={"nobody": np.zeros(6)})
    with pytest.raises(InputError, match=r"'b0' must have shape"):
        dynamics.forward_dynamics(character, q, v, tau, prescribed={"b0": np.zeros(5)})
    with pytest.raises(InputError, match="wrenches"):
        dynamics.inverse_dynamics(character, q, v, tau, wrenches=np.zeros((4, 1, 6)))
    with pytest.raises(InputError, match="step"):
        dynamics.simulate(character, q, v, step=0.0, steps=1)


def test_a_joint_without_mass_is_named() -> None:
    bodies = [Body("trunk", None, Joint.free(), mass=Mass(1.0, inertia=(1, 1, 1)))]
    bodies.append(Body("ghost", "trunk", Joint.hinge((0, 0, 1))))
    character = Character("light", bodies)
    q, v = character.rest_pose(), np.zeros(7)
    with pytest.raises(InputError, match="'ghost' moves but carries no mass"):
        dynamics.forward_dynamics(character, q, v, v)
    armature = np.eye(7)[6] * 0.1
    fine = dynamics.forward_dynamics(character, q, v, v, armature=armature)
    assert_allclose(fine, [0, 0, -9.81, 0, 0, 0, 0], atol=1e-14)
