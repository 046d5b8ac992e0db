"""Every Jacobian against central differences along ⊕, and closed forms for mass quantities."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Character
from poise.kinematics import Kinematics
from tipped_trees import ROOTS, random_character

STEP = 1e-5


def differences(character: Character, q, quantity):
    """d quantity(q ⊕ ε e_j)/dε for one configuration: (…, nv)."""
    steps = STEP * np.eye(character.nv)
    ahead = quantity(character.manifold.plus(q, steps))
    behind = quantity(character.manifold.plus(q, -steps))
    return np.moveaxis((ahead - behind) / (2 * STEP), 0, -1)


@pytest.fixture(params=ROOTS, ids=lambda k: k.name)
def scene(request):
    rng = np.random.default_rng(int(request.param))
    character = random_character(rng, 12, request.param)
    return character, character.manifold.random(rng), rng.normal(size=character.nv)


QUANTITIES = {
    "point": (lambda k: k.point("tip9"), lambda k: k.point_jacobian("tip9")),
    "com": (lambda k: k.com, lambda k: k.com_jacobian),
    "covariance": (lambda k: k.covariance.tensor, lambda k: k.covariance.jacobian),
    "inertia": (lambda k: k.inertia[:, *np.triu_indices(3)], lambda k: k.inertia_jacobian),
    "momentum": (lambda k: k.momentum, lambda k: k.momentum_jacobian),
}


@pytest.mark.parametrize("name", QUANTITIES)
def test_jacobians_are_derivatives(scene, name):
    character, q, v = scene
    value, jacobian = QUANTITIES[name]

    def at(configurations):
        return value(Kinematics(character, configurations, np.tile(v, (len(configurations), 1))))

    exact = jacobian(Kinematics(character, q, v))[0]
    np.testing.assert_allclose(exact, differences(character, q, at), atol=1e-8 * max(1, abs(exact).max()))


def test_angular_jacobian_turns_the_body(scene):
    character, q, _ = scene
    kin = Kinematics(character, q)
    body = character.index("b9")
    rates = differences(character, q, lambda x: Kinematics(character, x).rotations[:, body])  # (3, 3, nv)
    spin = np.einsum("ijk,lj->ilk", rates, kin.rotations[0, body])  # Ṙ Rᵀ = [ω]×
    omega = np.stack([spin[2, 1], spin[0, 2], spin[1, 0]])
    np.testing.assert_allclose(kin.angular_jacobian("b9")[0], omega, atol=1e-8)


def test_velocities_and_momentum_are_rates(scene):
    character, q, v = scene
    kin = Kinematics(character, q, v)
    last = character.index("b11")
    linear, angular = kin.point_jacobian("b11")[0] @ v, kin.angular_jacobian(last)[0] @ v
    np.testing.assert_allclose(kin.velocities[0, last], [*linear, *angular], atol=1e-12)
    np.testing.assert_allclose(kin.momentum[0], kin.momentum_matrix[0] @ v, atol=1e-11)
    rate = character.total_mass * kin.com_jacobian[0] @ v
    np.testing.assert_allclose(kin.momentum[0, :3], rate, atol=1e-11)


def test_inertia_is_that_of_its_bodies(scene):
    character, q, _ = scene
    kin = Kinematics(character, q)
    total = np.zeros((3, 3))
    for i, body in enumerate(character.bodies):
        turn = kin.rotations[0, i]
        arm = kin.positions[0, i] + turn @ np.asarray(body.mass.centre) - kin.com[0]
        total += turn @ np.asarray(body.mass.inertia) @ turn.T
        total += body.mass.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    np.testing.assert_allclose(kin.inertia[0], total, atol=1e-12)


def test_far_from_the_origin_nothing_is_lost():
    rng = np.random.default_rng(5)
    character = random_character(rng, 12)
    q = character.manifold.random(rng)
    v = rng.normal(size=character.nv)
    far = q.copy()
    far[:3] += [4096.0, -8192.0, 1024.0]
    near, away = Kinematics(character, q, v), Kinematics(character, far, v)
    np.testing.assert_allclose(away.inertia, near.inertia, atol=1e-9)
    np.testing.assert_allclose(away.momentum_jacobian, near.momentum_jacobian, atol=1e-9)
