"""Vibration modes and damped spectra: closed forms, defining equations, and the nonlinear dynamics itself."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from poise.arrays import Array
from poise.character import Body, Character, Joint, JointKind, Mass, presets
from poise.dynamics import forward_dynamics, mass_matrix, potential_energy
from poise.dynamics.modal import Rayleigh, damped_spectrum, gravity_gradient, linearised, modes, slowest_decay
from poise.errors import InputError, UnknownNameError
from poise.kinematics import Kinematics
from random_trees import random_character, random_state

RAIL = Joint.slide((1.0, 0.0, 0.0))


def two_masses(m1: float = 2.0, m2: float = 0.5) -> Character:
    """Two masses on a rail, the second sliding on the first."""
    first, second = Mass(m1, (0, 0, 0), (1e-3,) * 3), Mass(m2, (0, 0, 0), (1e-3,) * 3)
    return Character("train", [Body("a", None, RAIL, mass=first), Body("b", "a", RAIL, mass=second)])


def pendulum(length: float = 0.7, mass: float = 1.3) -> Character:
    """A rod on a hinge about y that hangs along −z in its rest pose."""
    moments = (mass * length**2 / 12, mass * length**2 / 12, 1e-4)
    rod = Mass(mass, (0, 0, -length / 2), moments)
    return Character("pendulum", [Body("rod", None, Joint.hinge((0, 1, 0)), mass=rod)])


def tree(seed: int = 3, n: int = 7) -> tuple[Character, Array, Array, np.random.Generator]:
    """A random character, a pose and joint stiffnesses."""
    rng = np.random.default_rng(seed)
    character = random_character(rng, n)
    q = random_state(rng, character, 1)[0][0]
    return character, q, rng.uniform(1, 40, size=character.nv), rng


def test_two_coupled_masses_swing_as_the_quadratic_formula_says():
    m1, m2, k1, k2 = 2.0, 0.5, 80.0, 30.0
    found = modes(two_masses(m1, m2), np.zeros(2), [k1, k2])
    # det(K − λM) = m1 m2 λ² − (k1 m2 + k2 (m1 + m2)) λ + k1 k2
    expected = np.sort(np.roots([m1 * m2, -(k1 * m2 + k2 * (m1 + m2)), k1 * k2]))
    assert_allclose(found.eigenvalues, expected, rtol=1e-12)
    assert_allclose(found.frequencies, np.sqrt(expected) / (2 * np.pi), rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_modes_solve_their_equation_and_are_mass_normalised(seed):
    character, q, k, rng = tree(seed)
    c = rng.uniform(0, 3, size=character.nv)
    found = modes(character, q, k, damping=c, fixed=["b0", character.nv - 1])
    free = np.arange(6, character.nv - 1)
    mass, shapes = mass_matrix(character, q), found.shapes
    assert len(found) == len(free)
    assert (shapes[:6] == 0).all()
    assert (shapes[-1] == 0).all()
    assert_allclose(shapes.T @ mass @ shapes, np.eye(len(free)), atol=1e-11)
    left, right = (k[:, None] * shapes)[free], (mass @ shapes * found.eigenvalues)[free]
    assert_allclose(left, right, atol=1e-10 * np.abs(left).max())
    assert (np.diff(found.eigenvalues) >= 0).all()
    assert_allclose(found.damping, np.einsum("im,i,im->m", shapes, c, shapes), rtol=1e-10)
    # Any motion of the free joints is a sum of modes.
    u = np.zeros(character.nv)
    u[free] = rng.normal(size=len(free))
    assert_allclose(found.motion(found.coordinates(u)), u, atol=1e-10)


def test_a_few_modes_are_the_first_of_all():
    character, q, k, _ = tree()
    few, every = (modes(character, q, k, count=count) for count in (4, None))
    assert_allclose(few.eigenvalues, every.eigenvalues[:4], rtol=1e-9, atol=1e-12)


def test_slow_swings_of_the_nonlinear_dynamics_follow_the_mode():
    # Springs on every joint, no gravity; released from a little of the third mode, it stays in it.
    character, q0, k, _ = tree(seed=5, n=5)
    manifold = character.manifold
    found = modes(character, q0, k)
    shape, omega = found.shapes[:, 2], float(found.angular[2])
    size = 1e-5
    q, v = manifold.plus(q0, size * shape), np.zeros(character.nv)
    steps = 400
    h = 2 * np.pi / omega / steps

    def rate(q: Array, v: Array) -> Array:
        return forward_dynamics(character, q, v, -k * manifold.minus(q, q0), gravity=np.zeros(3))

    for n in range(steps + 1):
        if n % 100 == 50:
            u = found.coordinates(manifold.minus(q, q0)) / size
            expected = np.zeros(len(found))
            expected[2] = np.cos(omega * n * h)
            assert_allclose(u, expected, atol=3e-3)
        a1 = rate(q, v)  # midpoint rule
        v1 = v + 0.5 * h * a1
        a2 = rate(manifold.plus(q, 0.5 * h * v), v1)
        q, v = manifold.plus(q, h * v1), v + h * a2


def test_rayleigh_damping_leaves_independent_oscillators():
    character, q, k, _ = tree(seed=8)
    rayleigh = Rayleigh(mass=0.7, stiffness=0.02)
    found = modes(character, q, k, damping=rayleigh)
    assert_allclose(found.damping, 0.7 + 0.02 * found.eigenvalues, rtol=1e-9)
    root = np.sqrt((found.damping / 2) ** 2 - found.eigenvalues + 0j)
    expected = np.concatenate([-found.damping / 2 + root, -found.damping / 2 - root])
    roots = damped_spectrum(character, q, k, rayleigh)
    for one in expected:
        assert np.abs(roots - one).min() < 1e-7 * max(1.0, abs(one))
    assert_allclose(found.decay.min(), -roots[0].real, rtol=1e-8)
    assert_allclose(found.ratios, found.damping / (2 * found.angular), rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_every_root_makes_the_quadratic_pencil_singular(seed):
    character, q, k, rng = tree(seed)
    c = rng.uniform(0.05, 4, size=character.nv)  # nothing like proportional
    fixed = range(6)
    roots = damped_spectrum(character, q, k, c, fixed=fixed)
    system = linearised(character, q, k, damping=c, fixed=fixed)
    assert len(roots) == 2 * (character.nv - 6)
    assert (np.diff(roots.real) <= 0).all()
    for root in roots:
        pencil = root**2 * system.mass + root * system.damping + system.stiffness
        values = np.linalg.svd(pencil, compute_uv=False)
        assert values[-1] < 1e-9 * values[0]
    assert slowest_decay(character, q, k, c, fixed=fixed) == pytest.approx(-roots.real.max())


def test_gravity_holds_a_hanging_rod_and_topples_a_standing_one():
    length, mass = 0.7, 1.3
    rod = pendulum(length, mass)
    hanging = modes(rod, [0.0], [0.0], gravity=(0, 0, -9.81))
    assert_allclose(hanging.angular, np.sqrt(1.5 * 9.81 / length), rtol=1e-6)
    standing = modes(rod, [np.pi], [0.0], damping=[0.1], gravity=(0, 0, -9.81))
    assert standing.eigenvalues[0] == pytest.approx(-1.5 * 9.81 / length, rel=1e-6)
    assert standing.frequencies[0] == 0
    assert standing.decay[0] < 0
    assert slowest_decay(rod, [np.pi], [0.0], [0.1], gravity=(0, 0, -9.81)) == pytest.approx(
        standing.decay[0]
    )


@pytest.mark.parametrize("root", [JointKind.FREE, JointKind.BALL, JointKind.HINGE])
def test_gravity_gradient_is_the_hessian_of_potential_energy(root):
    rng = np.random.default_rng(11)
    character = random_character(rng, 6, root=root)
    q, _, _ = random_state(rng, character, 1)
    hessian = gravity_gradient(character, q[0])
    assert_allclose(hessian, hessian.T, rtol=1e-12)
    step = 1e-3
    for _ in range(5):
        u = rng.normal(size=character.nv)
        around = character.manifold.plus(q[0], step * np.array([-u, 0 * u, u]))
        energy = potential_energy(character, around)
        curvature = (energy[0] - 2 * energy[1] + energy[2]) / step**2
        assert u @ hessian @ u == pytest.approx(curvature, rel=1e-4, abs=1e-4)


def test_bad_questions_are_named():
    character = two_masses()
    with pytest.raises(InputError, match="1 to 2"):
        modes(character, np.zeros(2), [1.0, 1.0], count=3)
    with pytest.raises(InputError, match="nothing can vibrate"):
        modes(character, np.zeros(2), [1.0, 1.0], fixed=["a", "b"])
    with pytest.raises(UnknownNameError, match="no joint named 'c'"):
        modes(character, np.zeros(2), [1.0, 1.0], fixed=["c"])
    with pytest.raises(InputError, match="0 to 1, not 2"):
        modes(character, np.zeros(2), [1.0, 1.0], fixed=[2])
    with pytest.raises(InputError, match="stiffness"):
        modes(character, np.zeros(2), [1.0])
    light = Character("light", [Body("a", None, RAIL, mass=Mass(1.0)), Body("b", "a", RAIL)])
    with pytest.raises(InputError, match="b of 'light' moves no mass"):
        modes(light, np.zeros(2), [1.0, 1.0])


def test_held_modes_keep_what_is_held_and_swing_no_slower():
    character, q, k, rng = tree(2)
    rows = rng.normal(size=(4, character.nv))
    rows = np.concatenate([rows, rows[:1] + rows[1:2]])  # one too many: the rank counts
    free, held = modes(character, q, k), modes(character, q, k, held=rows)
    assert len(held) == character.nv - 4
    assert_allclose(rows @ held.shapes, 0, atol=1e-10)
    mass = mass_matrix(character, q)
    assert_allclose(held.shapes.T @ mass @ held.shapes, np.eye(len(held)), atol=1e-9)
    projected = held.shapes.T @ (k[:, None] * held.shapes)
    assert_allclose(projected, np.diag(held.eigenvalues), atol=1e-8 * held.eigenvalues[-1])
    # Rayleigh: constraints never lower a frequency, and interlace.
    assert (held.eigenvalues >= free.eigenvalues[: len(held)] - 1e-9 * free.eigenvalues[-1]).all()
    assert (held.eigenvalues <= free.eigenvalues[4:] + 1e-9 * free.eigenvalues[-1]).all()


def test_modes_without_momentum_are_the_free_ones_without_the_six_rigid():
    character = presets.lamp()
    q = character.rest_pose()
    free = modes(character, q, character.stiffness)
    flying = modes(character, q, character.stiffness, held=Kinematics(character, q).momentum_matrix[0])
    assert_allclose(free.eigenvalues[:6], 0, atol=1e-6)
    assert_allclose(flying.eigenvalues, free.eigenvalues[6:], rtol=1e-8)


def test_holding_everything_is_refused():
    with pytest.raises(InputError, match="no motion"):
        modes(two_masses(), np.zeros(2), [1.0, 1.0], held=np.eye(2))
