"""Matrices of a whole clip: the band against dense algebra, the gradient against differences, threads."""

from __future__ import annotations

import numpy as np
import pytest
from test_elastic_rows import compiled, dense_jacobian, random_change, system_of

from poise import constraints as c
from poise.methods.adapt.problem.price import price
from poise.methods.adapt.solve.banded_matrix import submatrix
from poise.operations.values.displacement import Displacement
from poise.solvers.banded import factorise, multiply, solve
from poise.workers import on_threads


def dense(band: np.ndarray) -> np.ndarray:
    """The symmetric matrix that a band stands for."""
    n, width = band.shape
    full = np.zeros((n, n))
    for k in range(width):
        at = np.arange(n - k)
        full[at + k, at] = full[at, at + k] = band[: n - k, k]
    return full


@pytest.mark.parametrize(
    ("clip", "layer"),
    [
        ("jump", Displacement(0.3)),
        ("jump", Displacement({"*leg*": 0.2, "*": 0.5})),
        ("jump", Displacement(0.3, locked=[(0.4, 1.0)], basis="linear")),
        ("walk", Displacement(0.1)),
    ],
    ids=["even", "by joint", "locked", "loop"],
)
def test_band_equals_dense(clip, layer):
    rows = compiled()[:8] + [c.at_rest("LeftToe", (0.2, 0.25))]
    system = system_of(rows, clip=clip, layer=layer)
    system.evaluate(random_change(system, 0.1))
    rng = np.random.default_rng(0)
    weight, force = rng.uniform(0.5, 2, system.table.count), rng.normal(size=system.table.count)
    weight[::3] = 0.0
    force[::3] = 0.0
    n = system.space.count
    band, gradient = np.zeros((n, system.space.bandwidth + 1)), np.zeros(n)
    system.add_to(band, gradient, weight, force)
    j = dense_jacobian(system)
    np.testing.assert_allclose(dense(band), j.T @ (weight[:, None] * j), atol=1e-10 * weight.max())
    np.testing.assert_allclose(gradient, j.T @ force, atol=1e-10)


def test_the_price_is_the_integral_it_says():
    from poise.dynamics import mass_matrix
    from poise.methods.adapt.problem.price import POINTS

    system = system_of(compiled(), layer=Displacement(0.2, smoothness=0.05, knees=7.0))
    space = system.space
    band, diagonal = price(space, "mass", {"Hips": 3.0}, np.asarray(space.clip.q))
    character = space.clip.character
    values = random_change(system, 0.1)
    x = np.zeros(space.count)
    x[space.slot] = values.T
    stride = int(space.spacing / (POINTS * space.clip.dt))
    at = np.arange(0, space.clip.frames, stride)
    d = space.evaluate(values, space.stencil.at(at), 0)
    bend = space.evaluate(values, space.stencil.at(at), 2)
    gram = mass_matrix(character, space.clip.q[at], armature=np.zeros(character.nv)) / character.total_mass
    dear = np.where(character.dof_body == 0, 3.0, 1.0)
    scaled = np.sqrt(dear) * d
    own = np.einsum("fi,fij,fj->", scaled, gram, scaled) + np.sum((0.1 * diagonal + 0.01) * d**2)
    shins = [character.names.index(f"{side}Leg") for side in ("Left", "Right")]
    knees = np.where(np.isin(character.dof_body, shins), 7.0, 1.0)
    own += 0.05 * 0.1**4 * np.sum(knees * (diagonal + 0.02) * bend**2)
    step = 120.0 * space.clip.dt * space.clip.frames / len(at)
    mx = multiply(band, x)
    assert x @ mx == pytest.approx(step * own, rel=1e-10)
    np.testing.assert_allclose(mx, dense(band) @ x, atol=1e-10 * np.abs(mx).max())


def test_gradient_of_the_merit_is_a_derivative():
    rows = [*compiled(), c.pin("RightHand", (3.0, 0, 1.0), 0.5)]  # the last is far: its loss is straight
    system = system_of(rows)
    table = system.table
    at = random_change(system, 0.1)
    error = system.evaluate(at)
    _, force = table.pull(error)
    n = system.space.count
    gradient = np.zeros(n)
    system.add_to(np.zeros((n, system.space.bandwidth + 1)), gradient, table.weight, force)
    direction = random_change(system, 1.0, 4)
    x = np.zeros(n)
    x[system.space.slot] = direction.T
    step = 1e-6
    losses = [table.loss(system.evaluate(at + s * direction, jacobian=False)) for s in (step, -step)]
    assert gradient @ x == pytest.approx((losses[0] - losses[1]) / (2 * step), rel=1e-6)


def test_factor_and_submatrix():
    rng = np.random.default_rng(2)
    n, width = 60, 9
    band = rng.normal(size=(n, width + 1))
    band[:, 0] = 30.0
    full = dense(np.where(np.arange(n)[:, None] + np.arange(width + 1) < n, band, 0.0))
    kept = np.sort(rng.choice(n, 35, replace=False))
    place = np.full(n, -1)
    place[kept] = np.arange(len(kept))
    out = np.zeros((len(kept), width + 1))
    submatrix(band, kept, place, out)
    np.testing.assert_array_equal(dense(out), full[np.ix_(kept, kept)])
    right = rng.normal(size=(n, 3))
    np.testing.assert_allclose(full @ solve(factorise(band.copy()), right), right, atol=1e-9)


def test_bits_do_not_depend_on_threads():
    results = []
    for threads in (1, 2, 5):
        with on_threads(threads):
            system = system_of(
                [*compiled(), c.above("Head", c.Always(), height=3.0)], layer=Displacement(0.1)
            )
            n = system.space.count
            band, gradient = np.zeros((n, system.space.bandwidth + 1)), np.zeros(n)
            error = system.evaluate(random_change(system, 0.1))
            system.add_to(band, gradient, *system.table.pull(error))
            results.append((error, band, gradient))
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other))
