"""Templates obey their laws: closed forms, energies, and an independent integrator."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from poise.errors import InputError
from poise.methods.key.path.templates import (
    Given,
    Hermite,
    Pendulum,
    ProjectileI,
    ProjectileII,
    ProjectileIII,
    kinds,
    template_from_dict,
)
from poise.methods.key.path.templates.elliptic import incomplete, jacobi
from poise.methods.key.path.templates.spherical import SphericalSwing
from poise.methods.key.path.templates.swing import Swing

G = 9.81
UP = np.array([0.0, 0.0, 1.0])
EXAMPLES = [Hermite(), ProjectileI(), ProjectileII(), ProjectileIII(3.0), Pendulum((0.2, -0.1, 2.0))]


def given(start=(0, 0, 1), end=(1, 0.5, 0.8), duration=0.7, gravity=G, velocity=None, end_velocity=None):
    def vector(x):
        return None if x is None else np.asarray(x, dtype=float)

    return Given(vector(start), vector(end), duration, gravity, vector(velocity), vector(end_velocity))


def slope(f, t, d=1e-3):
    weights = np.array([45, -9, 1]) / (60 * d)
    return sum(w * (f(t + k * d) - f(t - k * d)) for k, w in zip((1, 2, 3), weights))


def oracle(reach, velocity, times, gravity=G):
    from scipy.integrate import solve_ivp

    length2 = float(reach @ reach)

    def rates(_, y):
        r, v = y[:3], y[3:]
        return np.concatenate([v, -gravity * UP - (v @ v - gravity * r[2]) / length2 * r])

    y0 = np.concatenate([reach, velocity])
    found = solve_ivp(
        rates, (0, times[-1]), y0, method="DOP853", rtol=1e-13, atol=1e-13, t_eval=times, max_step=0.02
    )
    return found.y[:3].T, found.y[3:].T


# Table 1 -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "v_s", "v_e", "moves", "retimes"),
    [
        (EXAMPLES[0], True, True, False, False),
        (EXAMPLES[1], False, False, False, False),
        (EXAMPLES[2], True, False, True, False),
        (EXAMPLES[3], False, False, False, True),
        (EXAMPLES[4], True, False, True, False),
    ],
    ids=kinds(),
)
def test_table_1(template, v_s, v_e, moves, retimes):
    """The flags, and that a template's curve depends on what it takes and on nothing else."""
    assert template.takes_start_velocity == v_s
    assert template.takes_end_velocity == v_e
    assert template.moves_end == moves
    base = {"velocity": (0.5, 0.1, 0.4), "end_velocity": (1, 0, 0)}
    assert (template.wanted_duration(given(**base)) is not None) == retimes

    def curve(**changes):
        arc = template.arc(given(**{**base, **changes}))
        return arc.at(np.linspace(0, arc.duration, 7)).position

    same = curve()
    assert (np.abs(curve(velocity=(0.7, 0.3, -0.4)) - same).max() > 1e-3) == v_s
    assert (np.abs(curve(end_velocity=(0, 3, 0)) - same).max() > 1e-3) == v_e
    assert (np.abs(curve(end=(1.5, 0.5, 0.9)) - same).max() > 1e-3) == (not moves)
    if not moves:
        np.testing.assert_allclose(same[-1], (1, 0.5, 0.8), atol=1e-14)
    np.testing.assert_allclose(same[0], (0, 0, 1), atol=1e-14)


@pytest.mark.parametrize("template", EXAMPLES, ids=kinds())
@pytest.mark.parametrize("velocity", [(0.5, 0.0, 0.1), (1.0, 2.0, 0.5), (8.0, 0.0, 0.0)])
def test_velocity_and_acceleration_are_derivatives(template, velocity):
    arc = template.arc(given(duration=1.3, velocity=velocity, end_velocity=(0.2, 0.1, -1)))
    t = np.linspace(0.05, 1.25, 23)
    motion = arc.at(t)
    np.testing.assert_allclose(slope(lambda s: arc.at(s).position, t), motion.velocity, atol=1e-9)
    np.testing.assert_allclose(slope(lambda s: arc.at(s).velocity, t), motion.acceleration, atol=1e-7)


@pytest.mark.parametrize("template", EXAMPLES, ids=kinds())
def test_json_round_trip(template):
    assert template_from_dict(json.loads(json.dumps(template.to_dict()))) == template


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (7, "kind"),
        ({"kind": "projectile"}, "projectile_1"),
        ({"kind": "projectile_3"}, "height"),
        ({"kind": "projectile_3", "height": math.nan}, "height"),
        ({"kind": "projectile_3", "height": "tall"}, "height"),
        ({"kind": "pendulum", "pivot": [1, 2]}, "pivot"),
        ({"kind": "pendulum", "pivot": [1, 2, None]}, "pivot"),
        ({"kind": "hermite", "height": 2}, "height"),
    ],
)
def test_broken_data_is_refused_by_name(data, says):
    with pytest.raises(InputError, match=says):
        template_from_dict(data)


# Hermite and projectiles -----------------------------------------------------------------------


def test_hermite_reproduces_a_cubic(rng):
    c = rng.normal(size=(4, 3))

    def cubic(t, derivative=0):
        return np.polynomial.polynomial.polyval(t, np.polynomial.polynomial.polyder(c, derivative)).T

    ends = {"start": cubic(0.0), "end": cubic(0.9), "velocity": cubic(0.0, 1), "end_velocity": cubic(0.9, 1)}
    arc = Hermite().arc(given(duration=0.9, **ends))
    t = np.linspace(0, 0.9, 11)
    motion = arc.at(t)
    for derivative, found in enumerate(motion):
        np.testing.assert_allclose(found, cubic(t, derivative), atol=1e-12)


def test_projectile_one_is_ballistic_between_its_ends():
    arc = ProjectileI().arc(given(gravity=1.62))
    motion = arc.at(np.array([0.0, 0.3, 0.7]))
    np.testing.assert_allclose(motion.position[[0, 2]], [(0, 0, 1), (1, 0.5, 0.8)], atol=1e-15)
    np.testing.assert_array_equal(motion.acceleration, np.tile((0, 0, -1.62), (3, 1)))


def test_projectile_two_starts_as_one_would_until_told():
    one, two = ProjectileI().arc(given()), ProjectileII().arc(given())
    t = np.linspace(0, 0.7, 5)
    np.testing.assert_array_equal(one.at(t).position, two.at(t).position)
    thrown = ProjectileII().arc(given(velocity=(1, 2, 3))).at(np.array([0.7]))
    np.testing.assert_allclose(thrown.position[0], (0.7, 1.4, 1 + 2.1 - 0.5 * G * 0.49), atol=1e-14)


@pytest.mark.parametrize("z_end", [0.2, 1.0, 1.8])
def test_projectile_three_has_its_apex_when_in_time(z_end):
    template, ask = ProjectileIII(2.0), {"end": (1, 0, z_end)}
    time = template.wanted_duration(given(**ask))
    assert time == pytest.approx(math.sqrt(2 * 1.0 / G) + math.sqrt(2 * (2 - z_end) / G), rel=1e-15)
    arc = template.arc(given(duration=time, **ask))
    apex = arc.at(np.array([math.sqrt(2 * 1.0 / G)]))
    assert apex.position[0, 2] == pytest.approx(2.0, abs=1e-14)
    assert apex.velocity[0, 2] == pytest.approx(0.0, abs=1e-13)
    late = template.arc(given(duration=1.5 * time, **ask)).at(np.array([0.0, 1.5 * time]))
    np.testing.assert_allclose(late.position, [(0, 0, 1), (1, 0, z_end)], atol=1e-14)


@pytest.mark.parametrize(
    ("template", "changes", "says"),
    [
        (ProjectileIII(0.9), {}, "apex at 0.9 m lies below the start of the arc at 1 m"),
        (ProjectileIII(1.1), {"end": (1, 0, 1.2)}, "below the end of the arc at 1.2 m"),
        (ProjectileIII(1.0), {"end": (1, 0, 1.0)}, "no time of flight"),
        (ProjectileIII(2.0), {"gravity": 0.0}, "without gravity"),
        (Pendulum((0, 0, 1)), {}, "no length"),
    ],
)
def test_the_impossible_is_refused(template, changes, says):
    with pytest.raises(InputError, match=says):
        template.arc(given(**changes))


# Elliptic functions ----------------------------------------------------------------------------


@pytest.mark.parametrize("m", [0.0, 1e-6, 0.3, 0.9, 0.999])
def test_elliptic_functions_against_scipy(m):
    from scipy.special import ellipj, ellipkinc

    u = np.linspace(-9, 9, 101)
    np.testing.assert_allclose(jacobi(u, 1 - m), ellipj(u, m)[:3], atol=3e-14)
    for phi in (-1.5, -0.3, 0.0, 0.7, math.pi / 2):
        exact = ellipkinc(phi, m)
        assert incomplete(math.sin(phi), max(math.cos(phi), 0.0), 1 - m) == pytest.approx(exact, abs=1e-13)


@pytest.mark.parametrize("m1", [1e-6, 1e-12, 1e-20])
def test_elliptic_functions_stay_periodic_beside_the_separatrix(m1):
    quarter = incomplete(1.0, 0.0, m1)
    assert quarter == pytest.approx(math.log(4 / math.sqrt(m1)), rel=1e-5)
    u = np.linspace(0, quarter, 50)
    here, there = jacobi(u, m1), jacobi(u + 2 * quarter, m1)
    np.testing.assert_allclose(there.sn, -here.sn, atol=1e-9)
    np.testing.assert_allclose(there.cn, -here.cn, atol=1e-9)
    np.testing.assert_allclose(here.sn**2 + here.cn**2, 1, atol=1e-15)
    np.testing.assert_allclose(here.dn**2 + (1 - m1) * here.sn**2, 1, atol=1e-15)


# Pendulum --------------------------------------------------------------------------------------


def swing(angle, speed, *, length=1.3, lateral=0.0, azimuth=0.4, duration=4.0, gravity=G):
    """A pendulum from an angle (0 hangs) with a speed along the swing and one across it."""
    side = np.array([math.cos(azimuth), math.sin(azimuth), 0.0])
    across = np.cross(UP, side)
    pivot = np.array([0.5, -0.2, 2.5])
    reach = length * (math.sin(angle) * side - math.cos(angle) * UP)
    velocity = speed * (math.cos(angle) * side + math.sin(angle) * UP) + lateral * across
    ask = given(start=pivot + reach, duration=duration, velocity=velocity, gravity=gravity)
    return Pendulum(tuple(pivot)).arc(ask), pivot, reach, velocity


CASES = [
    # angle, speed, lateral: small, large, from rest, over the top both ways, inverted, near the separatrix
    (0.05, 0.0, 0.0),
    (-1.2, 2.0, 0.0),
    (2.8, 0.0, 0.0),
    (0.3, 9.0, 0.0),
    (-0.3, -9.0, 0.0),
    (3.0, 1.5, 0.0),
    (-3.0, -0.1, 0.0),
    (0.0, 2 * math.sqrt(G * 1.3) * (1 + 1e-7), 0.0),
    (0.0, 2 * math.sqrt(G * 1.3) * (1 - 1e-7), 0.0),
    (0.8, 1.0, 0.7),
    (1.5, 0.0, 5.0),
    (2.9, 0.3, 0.01),
    (0.001, 7.0, 1e-2),
    (-0.5, -8.0, 3.0),
]


@pytest.mark.parametrize(("angle", "speed", "lateral"), CASES)
def test_pendulum_against_an_integrator_and_its_invariants(angle, speed, lateral):
    arc, pivot, reach, velocity = swing(angle, speed, lateral=lateral)
    assert isinstance(arc, SphericalSwing if lateral else Swing)
    t = np.linspace(0, 4, 81)
    motion = arc.at(t)
    r, v = motion.position - pivot, motion.velocity
    np.testing.assert_allclose(np.linalg.norm(r, axis=1), 1.3, rtol=1e-14)
    np.testing.assert_allclose(np.sum(r * v, axis=1), 0, atol=1e-13 * max(1, abs(speed)))
    energy = 0.5 * np.sum(v * v, axis=1) + G * (r[:, 2] + 1.3)
    np.testing.assert_allclose(
        energy, 0.5 * velocity @ velocity + G * (reach[2] + 1.3), rtol=1e-12, atol=1e-13
    )
    turning = np.cross(r, v)[:, 2]
    np.testing.assert_allclose(turning, np.cross(reach, velocity)[2], atol=2e-13 * max(1, abs(speed)))
    places, rates = oracle(reach, velocity, t)
    # Beside the top errors grow like e^{Ωt}: the integrator's own 1e-13 is not held there.
    slack = 1e-6 if abs(abs(speed) - 2 * math.sqrt(G * 1.3)) < 1e-4 else 2e-10
    np.testing.assert_allclose(r, places, atol=slack)
    np.testing.assert_allclose(v, rates, atol=10 * slack)


def test_the_separatrix_is_the_limit_of_both_sides():
    length, omega = 1.3, math.sqrt(G / 1.3)
    t = np.linspace(0, 1.5, 9)
    half_sine = np.tanh(omega * t)  # θ(0) = 0, θ' = 2Ω: reaches the top in infinite time
    exact = -length * (1 - 2 * half_sine**2)
    for factor in (1.0, 1 - 1e-12, 1 + 1e-12):
        arc, pivot, *_ = swing(0.0, 2 * omega * length * factor, azimuth=0.0)
        np.testing.assert_allclose(arc.at(t).position[:, 2] - pivot[2], exact, atol=1e-9)
    late = swing(0.0, 2 * omega * length, azimuth=0.0, duration=60.0)[0].at(np.array([60.0]))
    assert np.isfinite(late.position).all()


def test_period_of_a_large_swing():
    from scipy.special import ellipk

    arc, _, _, _ = swing(2.5, 0.0, duration=1000.0)
    period = 4 * ellipk(math.sin(1.25) ** 2) / math.sqrt(G / 1.3)
    start, later = arc.at(np.array([0.0, 100 * period])).position
    np.testing.assert_allclose(later, start, atol=1e-10)


def test_conical_pendulum_turns_evenly_at_one_height():
    tilt, length = 0.6, 1.3
    rate = math.sqrt(G / (length * math.cos(tilt)))
    arc, pivot, reach, _ = swing(tilt, 0.0, lateral=rate * length * math.sin(tilt), azimuth=0.0)
    t = np.linspace(0, 4, 33)
    radius = length * math.sin(tilt)
    exact = np.stack([radius * np.cos(rate * t), radius * np.sin(rate * t), np.full(33, reach[2])], axis=1)
    np.testing.assert_allclose(arc.at(t).position - pivot, exact, atol=1e-12)


def test_spherical_tends_to_planar():
    flat, nearly = swing(1.0, 2.0)[0], swing(1.0, 2.0, lateral=1e-9)[0]
    assert isinstance(flat, Swing)
    assert isinstance(nearly, SphericalSwing)
    t = np.linspace(0, 4, 41)
    np.testing.assert_allclose(flat.at(t).position, nearly.at(t).position, atol=1e-8)


def test_without_gravity_it_goes_evenly_round():
    arc, pivot, reach, velocity = swing(0.7, 1.0, lateral=2.0, gravity=0.0)
    angle = np.linspace(0, 4, 9)[:, None] * np.linalg.norm(velocity) / 1.3
    exact = np.cos(angle) * reach + 1.3 * np.sin(angle) * velocity / np.linalg.norm(velocity)
    np.testing.assert_allclose(arc.at(np.linspace(0, 4, 9)).position - pivot, exact, atol=1e-13)


@pytest.mark.parametrize("angle", [0.0, math.pi])
@pytest.mark.parametrize("gravity", [G, 0.0])
def test_at_rest_in_balance_it_stays(angle, gravity):
    arc, pivot, reach, _ = swing(angle, 0.0, gravity=gravity, duration=2.0)
    np.testing.assert_allclose(
        arc.at(np.linspace(0, 2, 5)).position, np.tile(pivot + reach, (5, 1)), atol=1e-12
    )


def test_the_part_along_the_arm_is_dropped():
    ask = given(start=(0, 0, 1), velocity=(1, 0, 5))
    pendulum = Pendulum((0, 0, 2))
    np.testing.assert_allclose(pendulum.admitted(ask.start_velocity, ask), (1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(pendulum.arc(ask).at(np.array([0.0])).velocity[0], (1, 0, 0), atol=1e-14)
