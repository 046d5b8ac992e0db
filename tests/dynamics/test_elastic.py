"""Elastic bodies against closed forms: volume, statics, vibration, rotation; and against finer models."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from elastic_bodies import bar, box, random_shape

from poise.dynamics.elastic import ElasticBody, Material, Surface, lattice_around, merged
from poise.dynamics.elastic.body import rayleigh
from poise.dynamics.elastic.chains import run_along, settle
from poise.dynamics.elastic.full import FullSimulation
from poise.dynamics.elastic.inertia import Drive, drive_of, fields
from poise.dynamics.elastic.large import Runs, large, run_large
from poise.dynamics.elastic.reduced import reduced
from poise.dynamics.elastic.stepping import transitions
from poise.dynamics.modal import Rayleigh
from poise.errors import InputError, MissingDependencyError
from poise.manifold import so3

DOWN = np.array([0.0, 0.0, -9.81])


# Lattice -------------------------------------------------------------------------------------


def icosphere(radius: float, rounds: int = 4) -> Surface:
    g = (1 + 5**0.5) / 2
    v = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g),
         (0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]  # fmt: skip
    f = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2),
         (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11),
         (6, 2, 10), (8, 6, 7), (9, 8, 1)]  # fmt: skip
    corners = np.array(v)[np.array(f)]
    for _ in range(rounds):
        a, b, c = np.moveaxis(corners, 1, 0)
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        corners = np.concatenate(
            [np.stack(t, 1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        )
    corners = radius * corners / np.linalg.norm(corners, axis=2, keepdims=True)
    return Surface(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), "ball")


@pytest.mark.parametrize("cell", [0.11, 0.07, 0.04])
def test_the_inside_has_the_volume_and_centre_of_the_surface(cell):
    ball = icosphere(0.1)
    lattice = lattice_around(ball.moved((0.3, -0.2, 0.1)), cell)
    assert lattice.volume == pytest.approx(ball.volume, rel=4e-3)
    body = ElasticBody(lattice, Material(density=500.0), np.array([0]))
    assert body.mass.sum() == pytest.approx(500 * lattice.volume, rel=1e-12)
    centre = np.asarray(body.mass.sum(axis=1)).ravel() @ body.nodes / body.mass.sum()
    np.testing.assert_allclose(centre, (0.3, -0.2, 0.1), atol=2e-4)


def test_overlapping_parts_are_filled_once():
    both = merged([box((0.2, 0.1, 0.1)), box((0.2, 0.1, 0.1), (0.1, 0.0, 0.0))], "two")
    assert lattice_around(both, 0.05).volume == pytest.approx(0.3 * 0.1 * 0.1, rel=1e-3)


def test_embedded_points_follow_quadratic_fields_exactly():
    lattice = lattice_around(icosphere(0.1, 2), 0.06)
    points = icosphere(0.1, 2).points
    cell, weights = lattice.embed(points)

    def field(x):
        return np.stack([x[:, 0] * x[:, 1], x[:, 2] ** 2 - x[:, 0], 1 + 3 * x[:, 1] * x[:, 2]], axis=1)

    moved = np.einsum("pa,pai->pi", weights, field(lattice.nodes)[lattice.element_nodes[cell]])
    np.testing.assert_allclose(moved, field(points), atol=1e-12)


# Forces --------------------------------------------------------------------------------------


def test_forces_are_the_gradient_of_the_energy_and_stiffness_theirs():
    body = bar(0.12, 0.04, poisson=0.3)
    u, way = random_shape(body, 1e-3), random_shape(body, 1.0, 1)
    e = 1e-7
    slope = (body.energy(u + e * way) - body.energy(u - e * way)) / (2 * e)
    assert slope == pytest.approx(float((body.force(u) * way).sum()), rel=1e-6)
    change = (body.force(u + e * way) - body.force(u - e * way))[body.free] / (2 * e)
    np.testing.assert_allclose(
        (body.stiffness(u) @ way[body.free].ravel()).reshape(-1, 3), change, atol=1e-6 * np.abs(change).max()
    )


def test_a_bed_holds_by_its_springs_alone_at_any_size_of_elements():
    bedded = []
    for cell in (0.04, 0.025):
        free = bar(0.12, 0.04, cell=cell)
        nothing, k = np.zeros(0, dtype=np.int64), 3e6
        body = ElasticBody(free.lattice, free.material, nothing, free.lattice.gram(np.array(k)))
        shift = np.array([1e-3, -2e-3, 5e-4])
        u = np.tile(shift, (len(body.nodes), 1))
        np.testing.assert_allclose(body.force(u).sum(axis=0), k * body.lattice.volume * shift, rtol=1e-9)
        energy = 0.5 * k * body.lattice.volume * float(shift @ shift)
        assert body.energy(u) == pytest.approx(energy, rel=1e-9)
        u, way, e = random_shape(body, 1e-4), random_shape(body, 1.0, 1), 1e-7
        slope = (body.energy(u + e * way) - body.energy(u - e * way)) / (2 * e)
        assert slope == pytest.approx(float((body.force(u) * way).sum()), rel=1e-6)
        change = ((body.force(u + e * way) - body.force(u - e * way)) / (2 * e)).ravel()
        np.testing.assert_allclose(body.stiffness(u) @ way.ravel(), change, atol=1e-6 * np.abs(change).max())
        weight = body.weight(DOWN)
        bedded.append(float(body.balance(weight)[:, 2].mean()))
        assert bedded[-1] == pytest.approx(-1000 * 9.81 / k, rel=1e-3)
    assert bedded[0] == pytest.approx(bedded[1], rel=1e-3)


def test_turning_costs_nothing_inside():
    body = bar(0.12, 0.04, poisson=0.3)
    turn = so3.to_matrix(so3.exp(np.array([0.7, -1.1, 0.4])))
    u = body.nodes @ turn.T - body.nodes + [0.1, 0.2, 0.3]
    assert body.energy(u) < 1e-12 * body.material.young * body.lattice.volume


def test_stiffness_at_rest_is_that_of_linear_elasticity():
    import skfem
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    body = bar(0.12, 0.04, poisson=0.3)
    cells = skfem.MeshHex.init_tensor(np.linspace(0, 0.12, 4), [0, 0.04], [0, 0.04])
    basis = skfem.Basis(cells, skfem.ElementVector(skfem.ElementHexS2()), intorder=6)
    theirs = linear_elasticity(*lame_parameters(body.material.young, 0.3)).assemble(basis)
    held = basis.get_dofs(lambda x: np.isclose(x[0], 0.0)).flatten()
    free = basis.complement_dofs(held)
    ours, oracle = body.stiffness().toarray(), theirs[free][:, free].toarray()
    np.testing.assert_allclose(np.linalg.eigvalsh(ours)[:40], np.linalg.eigvalsh(oracle)[:40], rtol=1e-4)


# A bar ---------------------------------------------------------------------------------------


def bending_frequencies(length: float, thick: float, young: float, density: float) -> np.ndarray:
    """Of a clamped slender bar [Hz]."""
    roots = np.array([1.87510407, 4.69409113])
    stiffness, line = young * thick**4 / 12, density * thick**2
    return roots**2 / (2 * np.pi * length**2) * np.sqrt(stiffness / line)


def test_a_bar_of_one_row_of_elements_vibrates_as_it_should():
    body = bar(0.6, 0.03)
    found = reduced(body, count=6, load=np.zeros(3), rest=np.zeros(body.nodes.shape)).frequencies
    wanted = bending_frequencies(0.6, 0.03, 1e6, 1000.0)
    np.testing.assert_allclose(found[[0, 1]], wanted[0], rtol=0.01)  # both ways alike
    np.testing.assert_allclose(found[[2, 3]], wanted[1], rtol=0.02)


def test_elements_thicker_than_the_bar_bend_as_the_bar_does():
    # 3 cm of bar in 4.5 cm of element.
    body = bar(0.45, 0.03, cell=0.045)
    found = reduced(body, count=2, load=np.zeros(3), rest=np.zeros(body.nodes.shape)).frequencies
    np.testing.assert_allclose(found, bending_frequencies(0.45, 0.03, 1e6, 1000.0)[0], rtol=0.04)


def test_a_bar_sags_by_its_weight():
    body = bar(0.3, 0.03, young=5e7)
    sag = body.balance(body.weight(DOWN))
    end = body.nodes[:, 0] > 0.3 - 1e-9
    line, stiffness = 1000 * 0.03**2 * 9.81, 5e7 * 0.03**4 / 12
    shear = line * 0.3**2 / (2 * (5 / 6) * (5e7 / 2) * 0.03**2)
    assert -sag[end, 2].mean() == pytest.approx(line * 0.3**4 / (8 * stiffness) + shear, rel=0.01)


def test_a_soft_bar_hangs_and_stays_as_long_as_it_is():
    body = bar(0.3, 0.03, young=2e5)
    sag = body.balance(body.weight(DOWN))
    end = body.nodes[:, 0] > 0.3 - 1e-9
    assert -sag[end, 2].mean() > 0.1  # far beyond the linear range
    middle = (np.abs(body.nodes[:, 1] - 0.015) < 1e-9) | (np.abs(body.nodes[:, 2] - 0.015) < 1e-9)
    along = body.nodes[middle] + sag[middle]
    order = np.argsort(body.nodes[middle][:, 0])
    # The axis: means of what is on opposite sides at equal x.
    xs = np.unique(np.round(body.nodes[middle][:, 0], 9))
    axis = np.array([along[np.isclose(body.nodes[middle][:, 0], x)].mean(axis=0) for x in xs])
    assert np.linalg.norm(np.diff(axis, axis=0), axis=1).sum() == pytest.approx(0.3, rel=0.02)
    assert len(order) > 10


def test_what_is_too_soft_is_said_to_collapse():
    body = bar(0.3, 0.03, young=50.0)
    with pytest.raises(InputError, match="Young's modulus"):
        reduced(body, count=2, load=-DOWN, rest=body.balance(body.weight(DOWN)))


# The small model -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rod():
    return rod_of(8e6)


@pytest.fixture(scope="module")
def limp():
    return rod_of(1.5e6)


def rod_of(young):
    body = bar(0.3, 0.04, cell=0.04, young=young, poisson=0.3, density=500.0)
    rest = body.balance(body.weight(DOWN))
    return reduced(body, count=8, load=-DOWN, rest=rest, ratio=0.05)


def still(steps: int) -> Drive:
    channels = np.zeros((steps, 12))
    channels[:, 2] = 9.81
    return Drive(channels, np.zeros((steps, 3)))


def orders(model, drive, h, begin=None):
    """First and second order of the states at every step, (K + 1, 2, 2m)."""
    table = transitions(model, drive, h, 1)
    out = np.empty((len(table) + 1, 2, 2 * len(model)))
    start = np.zeros(out.shape[1:])
    start[0] = 0.0 if begin is None else begin
    run_along(table, model.pulls, h, start, out)
    return out


def test_modes_are_orthonormal_and_derivatives_stand_aside(rod):
    flat = rod.shapes.reshape(len(rod), -1)
    mass = rod.body.free_mass
    np.testing.assert_allclose(flat @ (mass @ flat.T), np.eye(len(rod)), atol=1e-8)
    bends = rod.bends.reshape(len(rod.bends), -1)
    np.testing.assert_allclose(bends @ (mass @ bends.T), np.eye(len(bends)), atol=1e-6)
    np.testing.assert_allclose(bends @ (mass @ flat.T), 0.0, atol=1e-6)


def test_free_vibration_keeps_its_energy_and_damped_loses_it(rod):
    import dataclasses

    def energy(model, steps=2000, h=1 / 120):
        begin = np.zeros(2 * len(model))
        begin[: len(model)] = 1e-3
        out = orders(model, still(steps), h, begin)[:, 0]
        q, v = out[:, : len(model)], out[:, len(model) :]
        return 0.5 * (v**2).sum(axis=1) + 0.5 * (model.eigenvalues * q**2).sum(axis=1)

    free = energy(dataclasses.replace(rod, damping=Rayleigh()))
    np.testing.assert_allclose(free, free[0], rtol=1e-9)
    damped = energy(rod)
    assert (np.diff(damped) <= 1e-15).all()
    assert damped[-1] < 1e-6 * damped[0]


def quadratic(model, q):
    """f(q) by its pairs, (m,)."""
    b = int(np.sqrt(2 * len(model.pulls)))
    return np.array([q[i] * q[j] for i in range(b) for j in range(i + 1)]) @ model.pulls


def test_quadratic_forces_are_the_curvature_of_corotated_ones(limp):
    q = np.zeros(len(limp))
    q[:6] = np.random.default_rng(2).normal(size=6) * 1e-4 / np.abs(limp.shapes[:6]).max(axis=(1, 2))
    moved = np.tensordot(q, limp.shapes, 1)
    forces = []
    for sign in (1, -1, 0):
        u = limp.rest.copy()
        u[limp.body.free] += sign * moved
        forces.append(np.einsum("mni,ni->m", limp.shapes, limp.body.force(u)[limp.body.free]))
    wanted = 0.5 * (forces[0] + forces[1] - 2 * forces[2])
    np.testing.assert_allclose(quadratic(limp, q), wanted, atol=0.02 * np.abs(wanted).max())


def test_first_and_second_order_are_those_of_the_nonlinear_motion(limp):
    """Against the same steps with the forces of where they are: what is left is of third order."""
    h, m = 1 / 240, len(limp)
    table = transitions(limp, still(240), h, 1)

    def off(size):
        begin = np.zeros(2 * m)
        begin[:4] = size / np.abs(limp.shapes[:4]).max(axis=(1, 2))
        both = orders(limp, still(240), h, begin)
        x, path = begin.copy(), [begin.copy()]
        for row in table:
            x[m:] -= 0.5 * h * quadratic(limp, x[:m])
            x = row[:, :-1] @ x + row[:, -1]
            x[m:] -= 0.5 * h * quadratic(limp, x[:m])
            path.append(x.copy())
        return [np.linalg.norm(found - np.array(path)) for found in (both[:, 0], both.sum(axis=1))]

    (first, second), (first_half, second_half) = off(1e-3), off(5e-4)
    assert first / first_half == pytest.approx(4, rel=0.1)
    assert second / second_half == pytest.approx(8, rel=0.1)
    assert second < 0.2 * first


def test_a_swing_to_second_order_loses_its_energy(rod):
    """With what quadratic forces store: the end swings by 5 % of the length and never gains."""
    m, lift = len(rod), rod.body.weight(DOWN)
    begin = np.zeros(2 * m)
    begin[0] = 0.015 / np.abs(rod.shapes[0]).max()
    path = orders(rod, still(480), 1 / 240, begin).sum(axis=1)

    def energy(state):
        u = rod.displacement(state[:m])
        return rod.body.energy(u) - float((lift * u).sum()) + 0.5 * float(state[m:] @ state[m:])

    rest = energy(np.zeros(2 * m))
    found = np.array([energy(s) - rest for s in path[::8]])
    assert (np.diff(found) <= 2e-3 * found[0]).all()
    assert found[-1] < 0.02 * found[0]


def test_a_tilted_bone_starts_in_balance(rod):
    """To second order: a turn of gravity by half a radian."""
    g = 9.81 * np.array([0.0, -np.sin(0.5), -np.cos(0.5)])
    out = np.empty((1, 2, len(rod)))
    settle((-g - rod.load)[None], rod.eigenvalues, rod.gains, rod.couplings, rod.pulls, out)
    wanted = rod.body.balance(rod.body.weight(g))
    moved = np.linalg.norm(wanted - rod.rest, axis=1).max()
    first, second = (rod.displacement(q) - wanted for q in (out[0, 0], out[0].sum(axis=0)))
    assert np.linalg.norm(second, axis=1).max() < 0.01 * moved
    assert np.linalg.norm(second, axis=1).max() < np.linalg.norm(first, axis=1).max()


def test_the_damping_ratio_is_that_of_the_slowest_mode():
    both = rayleigh(0.07, 10.0, 40.0)
    for w in (10.0, 40.0):
        assert both.mass / (2 * w) + both.stiffness * w / 2 == pytest.approx(0.07)


def test_a_spinning_rod_precesses():
    """A rod on the axis of a turntable swings in a plane that stays: its modes split into ω₀ ± Ω."""
    lattice = lattice_around(box((0.04, 0.04, 0.3), (-0.02, -0.02, 0.0)), 0.04)
    body = ElasticBody(lattice, Material(4e5, 0.3, 500.0, 0.0), np.flatnonzero(lattice.nodes[:, 2] < 1e-9))
    model = reduced(body, count=2, load=np.zeros(3), rest=np.zeros(body.nodes.shape))
    spin, h, steps = 4.0, 1 / 1000, 8000
    # A frame that turns evenly about z, without gravity.
    channels = np.zeros((steps, 12))
    channels[:, 6:8] = -(spin**2)
    drive = Drive(channels, np.tile([0.0, 0.0, spin], (steps, 1)))
    out = orders(model, drive, h, np.array([1e-3, 0.0, 0.0, 0.0])).sum(axis=1)
    both = np.tensordot(out[:, :2], model.shapes, 1)
    free = body.free
    tip = both[:, int(np.argmax(body.nodes[free][:, 2])), :2]
    spectrum = np.abs(np.fft.rfft(tip[:, 0] * np.hanning(len(tip)), 1 << 16))
    rates = 2 * np.pi * np.fft.rfftfreq(1 << 16, h)
    peaks = [
        k
        for k in range(1, len(rates) - 1)
        if spectrum[k] > max(spectrum[k - 1], spectrum[k + 1], 0.3 * spectrum.max())
    ]
    own = float(np.sqrt(model.eigenvalues[0]))
    np.testing.assert_allclose([rates[k] for k in peaks], [own - spin, own + spin], rtol=0.02)


def swing(t, size):
    """A bone that turns and shakes: rotations, velocities, spins."""

    def at(t):
        s = np.clip(t / 0.3, 0, 1) ** 3 * (10 - 15 * np.clip(t / 0.3, 0, 1) + 6 * np.clip(t / 0.3, 0, 1) ** 2)
        turn = so3.to_matrix(so3.exp(size * np.stack([0.3 * s, 0.6 * s, 1.2 * s], axis=-1)))
        return turn, size * np.stack(
            [0.02 * np.sin(9 * t) * s, 0.05 * s, 0.03 * (1 - np.cos(7 * t)) * s], axis=-1
        )

    e = 1e-5
    (r, _), (ahead, xa), (back, xb) = at(t), at(t + e), at(t - e)
    rate = np.einsum("tij,tkj->tik", (ahead - back) / (2 * e), r)
    spin = np.stack([rate[:, 2, 1], rate[:, 0, 2], rate[:, 1, 0]], axis=1)
    return r, (xa - xb) / (2 * e), spin


def compared(model, size, seconds=0.5, fine=1 / 480):
    """Full dynamics and both small models of one motion: displacements of nodes inside, (F, n, 3) each."""
    t = np.arange(round(seconds / fine) + 1) * fine
    full = FullSimulation(model.body, model.damping, model.rest, fine)
    truth = full.run(drive_of(*swing(t, size), fine, DOWN), 4)
    h = fine * 4
    drive = drive_of(*swing(t[::4], size), h, DOWN)
    out = orders(model, drive, h).sum(axis=1)
    quick = np.array([model.displacement(q) for q in out[:, : len(model)]])
    more = large(model)
    half = drive_of(*swing(t[::2], size), 2 * fine, DOWN)
    half.channels[:, :3] -= model.load
    found = np.empty((1, len(half.spin) // 2, 2 * len(more)))
    runs = Runs(np.array([0]), np.array([len(half.spin)]), 2, np.zeros((1, 2 * len(more))))
    run_large(0, 1, more.packed, half, 2 * fine, runs, found)
    bent = np.tile(model.rest, (len(truth), 1, 1))
    bent[1:, model.body.free] += np.tensordot(found[0, :, : len(more)], more.shapes, 1)
    return truth, quick, bent


def test_small_motions_of_both_models_are_those_of_full_dynamics(rod):
    truth, quick, bent = compared(rod, 0.35)
    moved = np.linalg.norm(truth - truth[0], axis=2).max()
    assert 0.02 * 0.3 < moved < 0.07 * 0.3, moved
    assert np.linalg.norm(quick - truth, axis=2).max() < 0.003 * 0.3
    assert np.linalg.norm(bent - truth, axis=2).max() < 0.002 * 0.3


def test_large_motions_need_the_corotated_model(limp):
    truth, quick, bent = compared(limp, 1.2)
    assert np.linalg.norm(truth - truth[0], axis=2).max() > 0.25 * 0.3
    assert np.linalg.norm(bent - truth, axis=2).max() < 0.03 * 0.3
    assert np.linalg.norm(bent - truth, axis=2).max() < 0.35 * np.linalg.norm(quick - truth, axis=2).max()


def test_large_free_vibration_keeps_its_energy(limp):
    import dataclasses

    rod = limp
    more = large(dataclasses.replace(rod, damping=Rayleigh()))
    n, steps = len(more), 2400
    begin = np.zeros((1, 2 * n))
    # Struck so that its end swings by a fifth of its length.
    begin[0, n] = np.sqrt(more.eigenvalues[0]) * 0.06 / float(np.abs(more.shapes[0]).max())
    out = np.empty((1, steps, 2 * n))
    still = Drive(np.zeros((steps, 12)), np.zeros((steps, 3)))
    run_large(0, 1, more.packed, still, 1 / 240, Runs(np.array([0]), np.array([steps]), 1, begin), out)
    x, v = out[0, :, :n], out[0, :, n:]
    lift = rod.body.weight(DOWN)
    energies = []
    for q, p in zip(x[::100], v[::100]):
        u = rod.rest.copy()
        u[rod.body.free] += np.tensordot(q, more.shapes, 1)
        energies.append(rod.body.energy(u) - float((lift * u).sum()) + 0.5 * float(p @ p))
    swing_energy = energies[0] - (rod.body.energy(rod.rest) - float((lift * rod.rest).sum()))
    assert swing_energy > 0
    np.testing.assert_allclose(energies, energies[0], atol=0.03 * swing_energy)


def test_a_tilted_body_rests_where_full_statics_has_it(rod):
    # Gravity from aside: 30 degrees.
    g = 9.81 * np.array([0.0, -np.sin(0.5), -np.cos(0.5)])
    steps, h = 3000, 1 / 120
    channels = np.zeros((steps, 12))
    channels[:, :3] = -g
    out = orders(rod, Drive(channels, np.zeros((steps, 3))), h).sum(axis=1)
    found = rod.displacement(out[-1, : len(rod)])
    wanted = rod.body.balance(rod.body.weight(g))
    end = rod.body.nodes[:, 0] > 0.3 - 1e-9
    moved = np.linalg.norm((wanted - rod.rest)[end], axis=1).mean()
    assert np.linalg.norm((found - wanted)[end], axis=1).max() < 0.05 * moved


def test_fields_are_the_accelerations_of_a_turning_frame():
    rng = np.random.default_rng(3)
    x, w, alpha, s = rng.normal(size=(5, 3)), *rng.normal(size=(3, 3))
    S = np.outer(w, w) - (w @ w) * np.eye(3)
    channels = np.array([*s, *alpha, S[0, 0], S[1, 1], S[2, 2], S[0, 1], S[0, 2], S[1, 2]])
    wanted = s + np.cross(alpha, x) + np.cross(w, np.cross(w, x))
    np.testing.assert_allclose(np.tensordot(channels, fields(x), 1), wanted, atol=1e-12)


# What is refused -----------------------------------------------------------------------------


def test_open_and_flat_and_broken_surfaces_are_refused():
    good = box((1.0, 1.0, 1.0))
    with pytest.raises(InputError, match="open: 3 edges"):
        Surface(good.points, good.faces[1:], "lid")
    flat = good.points * [1.0, 1.0, 0.0]
    with pytest.raises(InputError, match="no thickness"):
        Surface(flat, good.faces, "sheet")
    with pytest.raises(InputError, match="nan"):
        Surface(np.where(good.points > 0.5, np.nan, 0.0), good.faces)
    with pytest.raises(InputError, match="name vertex 99"):
        Surface(good.points, [[0, 1, 99]])
    with pytest.raises(InputError, match="no triangles"):
        Surface(good.points, np.zeros((0, 3), dtype=int))
    assert Surface(good.points, good.faces[:, ::-1]).volume == pytest.approx(1.0)  # turned round


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"young": -1.0}, "Young's modulus"),
        ({"young": np.nan}, "Young's modulus"),
        ({"poisson": 0.5}, "Poisson's ratio"),
        ({"density": 0.0}, "density"),
        ({"damping": 1.0}, "damping ratio"),
    ],
)
def test_materials_that_cannot_be(change, word):
    with pytest.raises(InputError, match=word):
        Material(**change)


def test_too_fine_a_lattice_is_refused():
    with pytest.raises(InputError, match="too small"):
        lattice_around(box((1.0, 1.0, 1.0)), 0.002)


def test_the_library_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "skfem", None)
    with pytest.raises(MissingDependencyError, match=r"poise\[soft\]"):
        lattice_around(box((1.0, 1.0, 1.0)), 0.5)
