"""The affine figure, the exponential, the warp and its momentum: against rigid kinematics and differences."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from poise.character import Character, presets
from poise.dynamics.modal import Rayleigh
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.plan.model.affine_figure import AffineFigure
from poise.methods.plan.model.exponential import rotations, turned
from poise.methods.plan.model.linear_dynamics import Footing
from poise.methods.plan.model.momentum import Momentum
from poise.methods.plan.model.warp import Warp, apart, side_by_side
from poise.methods.plan.scene import hold
from poise.methods.plan.scene.hold import Hold
from poise.methods.plan.scene.springs import stiffness
from poise.methods.plan.solve.projection import current_places, project, stretches
from random_trees import random_character

FEET = (Hold("LeftFoot"), Hold("RightFoot"))


def bent(character: Character, seed: int = 1, size: float = 0.3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return character.manifold.plus(character.rest_pose(), size * rng.normal(size=character.nv))


def affine(figure: AffineFigure, q: np.ndarray) -> np.ndarray:
    """The true 𝐖 of a pose."""
    kin = Kinematics(figure.character, q)
    turns = kin.rotations[0] @ np.swapaxes(figure.rotations, 1, 2)
    return np.concatenate([kin.positions[0, 0][:, None], side_by_side(turns)], axis=1)


@pytest.mark.parametrize("size", [0.0, 1e-8, 1e-3, 0.5, 0.7072, 2.0, 3.1, 5.0])
def test_exponential_and_its_two_derivatives(size):
    rng = np.random.default_rng(3)
    axis = rng.normal(size=(20, 3))
    theta, rate = size * axis / np.linalg.norm(axis, axis=1)[:, None], rng.normal(size=(20, 3))
    found = turned(theta, rate)
    assert_allclose(found.value, so3.to_matrix(so3.exp(theta)), atol=1e-14)
    assert_allclose(rotations(theta), found.value, atol=1e-14)
    h = 1e-3
    weights = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}

    def difference(field: str, direction: np.ndarray) -> np.ndarray:
        return sum(
            w / h * getattr(turned(theta + k * h * direction, rate), field) for k, w in weights.items()
        )

    assert_allclose(found.rate, difference("value", rate), atol=1e-10)
    for k, axis in enumerate(np.eye(3)):
        assert_allclose(found.by_angle[:, k], difference("value", axis), atol=1e-10)
        assert_allclose(found.rate_by_angle[:, k], difference("rate", axis), atol=1e-9)


@pytest.mark.parametrize("make", [presets.biped180, presets.lamp, presets.planar_humanoid])
def test_points_energy_inertia_and_momentum_are_those_of_the_rigid_figure(make):
    character = make()
    figure = AffineFigure(character, bent(character, 1, 0.1))
    q, rng = bent(character, 2), np.random.default_rng(5)
    v = rng.normal(size=character.nv)
    kin = Kinematics(character, q, v)
    w = affine(figure, q)
    for name in [*character.points][:: max(1, len(character.points) // 9)]:
        assert_allclose(w @ figure.column(name), kin.point(name)[0], atol=1e-12)
    assert_allclose(w @ figure.centre, kin.com[0], atol=1e-12)
    h = 1e-5
    ahead, behind = (affine(figure, character.manifold.plus(q, s * h * v)) for s in (1, -1))
    rate = (ahead - behind) / (2 * h)
    from poise.dynamics import kinetic_energy

    assert_allclose(0.5 * np.trace(rate @ figure.mass @ rate.T), kinetic_energy(character, q, v), rtol=1e-7)
    second = w @ figure.centred_mass @ w.T
    assert_allclose(np.trace(second) * np.eye(3) - second, kin.inertia[0], atol=1e-10)
    x = w @ figure.centred_mass @ rate.T
    skew = [x[1, 2] - x[2, 1], x[2, 0] - x[0, 2], x[0, 1] - x[1, 0]]
    assert_allclose(skew, kin.momentum[0, 3:], atol=1e-6 * np.abs(kin.momentum).max())


def test_displacement_is_what_turns_the_bones():
    character = presets.biped180()
    figure = AffineFigure(character, bent(character, 4, 0.2))
    u = np.random.default_rng(0).normal(size=character.nv)
    turns = (figure.turning.reshape(-1, character.nv) @ u).reshape(-1, 3)
    assert_allclose(figure.displacement(turns, u[:3]), u, atol=1e-12)


def test_warp_keeps_what_is_held_and_nothing_is_nearer():
    character = presets.biped180()
    figure = AffineFigure(character, character.rest_pose())
    columns = hold.columns(figure, FEET)
    warp = Warp(figure, columns, figure.reference @ columns)
    rng = np.random.default_rng(1)
    turns = rotations(0.4 * rng.normal(size=(3, figure.bones, 3)))
    pose = warp.pose(turns)
    assert_allclose(pose @ columns, np.broadcast_to(figure.reference @ columns, (3, 3, 8)), atol=1e-12)
    # Any other pose that keeps the constraints is further away.
    _, sizes, right = np.linalg.svd(columns.T)
    free = right[(sizes > 1e-9).sum() :].T  # 𝐖 may move along these
    best = ((apart(pose) - turns) ** 2).sum()
    for _ in range(5):
        other = pose + 1e-3 * rng.normal(size=(3, 3, free.shape[1])) @ free.T
        assert ((apart(other) - turns) ** 2).sum() > best
    assert_allclose(warp.pose(rotations(np.zeros((1, figure.bones, 3))))[0], figure.reference, atol=1e-12)
    # Saying the same thing twice changes nothing.
    twice = np.concatenate([columns, figure.column("LeftHeel")[:, None]], axis=1)
    assert_allclose(Warp(figure, twice, figure.reference @ twice).pose(turns), pose, atol=1e-10)


def momentum_by_matrices(warp: Warp, theta: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """J and L of one instant from 𝐖 𝐌_c 𝐖ᵀ and 𝐖 𝐌_c 𝐖̇ᵀ as they are written."""
    turns, rates = rotations(theta, rate)
    w, dw = warp.pose(turns)[0], (warp.pose(rates) - warp.pose(0 * rates))[0]
    second, x = (w @ warp.figure.centred_mass @ other.T for other in (w, dw))
    skew = np.array([x[1, 2] - x[2, 1], x[2, 0] - x[0, 2], x[0, 1] - x[1, 0]])
    return np.trace(second) * np.eye(3) - second, skew


def test_momentum_gradients_agree_with_differences():
    character = presets.lamp()
    figure = AffineFigure(character, character.rest_pose())
    columns = hold.columns(figure, (Hold("Base"),))
    warp = Warp(figure, columns, figure.reference @ columns)
    momentum = Momentum(warp)
    rng = np.random.default_rng(2)
    theta, rate = 0.5 * rng.normal(size=(2, 1, figure.bones, 3))
    found = momentum.gradients(turned(theta, rate))
    inertia, angular = momentum.values(*rotations(theta, rate))
    assert_allclose(found.inertia, inertia, atol=1e-13)
    assert_allclose(found.angular, angular, atol=1e-13)
    whole = momentum_by_matrices(warp, theta, rate)
    assert_allclose(inertia[0], whole[0], atol=1e-13)
    assert_allclose(angular[0], whole[1], atol=1e-13)
    parts = [found.gradients[0, :6], found.gradients[0, 6:9], found.gradients[0, 9:]]
    upper = np.triu_indices(3)
    h = 1e-6
    for k in range(3 * figure.bones):
        step = np.zeros((1, figure.bones, 3))
        step.flat[k] = h
        up, down = (momentum.gradients(turned(theta + s * step, rate)) for s in (1, -1))
        assert_allclose(parts[0][:, k], (up.inertia - down.inertia)[0][upper] / (2 * h), atol=1e-8)
        assert_allclose(parts[1][:, k], (up.angular - down.angular)[0] / (2 * h), atol=1e-8)
        up, down = (momentum.gradients(turned(theta, rate + s * step)) for s in (1, -1))
        assert_allclose(parts[2][:, k], (up.angular - down.angular)[0] / (2 * h), atol=1e-8)


@pytest.mark.parametrize("make", [presets.biped180, presets.lamp])
def test_projection_gives_true_poses_that_hold_to_rounding(make):
    character = make()
    holds = FEET if character.name == "biped 180" else (Hold("Base"),)
    q0 = character.rest_pose()
    footing = Footing.at(character, q0, holds, stiffness(character, q0), Rayleigh(0.5, 0.005), at_least=10)
    low = min(10, len(footing.modes))
    states = np.random.default_rng(4).normal(size=(6, low)) / np.sqrt(footing.modes.eigenvalues[:low])
    angles = (states @ footing.turning[:, :low].T).reshape(6, -1, 3)
    angles *= 0.8 / np.abs(angles).max()
    places = current_places(character, q0, holds)
    found = project(footing.figure, footing.warp.pose(rotations(angles)), places)
    for q in found.q:
        now = current_places(character, q, holds)
        assert np.abs(now.positions - places.positions).max() < 1e-12
        assert np.abs(now.rotations - places.rotations).max() < 1e-11
    assert found.left < 1e-12
    if len(holds) == 2:  # one thing held never bends a bone
        assert 0 < stretches(footing.warp.pose(rotations(angles))).max() < 0.2
        assert 0 < found.step.max() < 0.5


def test_modes_hold_to_first_order_and_flights_have_no_momentum():
    character = presets.biped180()
    q0 = character.rest_pose()
    k = stiffness(character, q0)
    standing = Footing.at(character, q0, FEET, k, Rayleigh(0.5, 0.005), at_least=20)
    assert_allclose(hold.rows(standing.figure, FEET) @ standing.modes.shapes, 0, atol=1e-9)
    flying = Footing.at(character, q0, (), k, Rayleigh(0.5, 0.005), at_least=20)
    assert_allclose(flying.figure.kin.momentum_matrix[0] @ flying.modes.shapes, 0, atol=1e-8)
    assert flying.modes.eigenvalues[0] > 1
    assert len(flying.modes) >= 20


def test_what_does_not_turn_is_refused():
    rng = np.random.default_rng(0)
    slider = next(
        c
        for c in (random_character(np.random.default_rng(s), 8) for s in range(50))
        if any(b.joint.kind.name == "SLIDE" for b in c.bodies[1:])
    )
    with pytest.raises(InputError, match="joint"):
        AffineFigure(slider, slider.manifold.random(rng))
