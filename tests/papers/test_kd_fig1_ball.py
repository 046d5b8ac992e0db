"""Kry et al. 2012, Fig. 1: a ball on a spring, its anchor keyframed; three windows against full dynamics.

With the anchor's acceleration a(t) the ball's deviation from its animated place obeys m ẍ + c ẋ + k x = −m a.
A window remembers δ seconds of it,

    x_KD(t; δ) = −∫₀^δ G(s) a(t − s) ds,    G(s) = e^{−γs} sin(ωs)/ω,

and full dynamics all of it. Here both sides are computed: the left by the simulator, the right by quadrature.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from numpy.testing import assert_allclose

from poise.arrays import Array
from poise.character import Body, Character, Joint, Mass
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.window.error_map import error_map
from poise.methods.loosen.window.length import adaptive, auto, oscillator_window
from poise.motion import Clip
from poise.operations.loosen import Simulation
from poise.operations.values.tension import Spring

MASS, FREQUENCY, RATIO, RATE = 1.5, 2.0, 0.12, 120
OMEGA_N = 2 * math.pi * FREQUENCY
GAMMA, OMEGA = RATIO * OMEGA_N, OMEGA_N * math.sqrt(1 - RATIO**2)
WINDOWS = (5 / 60, 15 / 60, 60 / 60)
"""Short, middle and long [s]."""
OPTIONS = Simulation(gravity="off", step=1 / 960)
RAIL = Joint.slide((1.0, 0.0, 0.0))


def character() -> Character:
    """The red ball (root, moved as animated) and the green ball on a spring along the same rail."""
    mass = Mass(MASS, (0, 0, 0), (1e-3,) * 3)
    red = Body("red", None, RAIL, mass=mass)
    return Character("balls", [red, Body("green", "red", RAIL, (0.3, 0, 0), mass=mass)])


def anchor(t: Array, derivative: int = 0) -> Array:
    """Keyframed: to the right by 1 m, and soon back again; smooth (bell-shaped speeds)."""
    out = np.zeros_like(t)
    for at, way in ((1.0, 1.0), (1.9, -1.0)):
        z, wide = (t - at) / 0.12, 0.12
        bell = np.exp(-0.5 * z**2) / (wide * math.sqrt(2 * math.pi))
        if derivative == 0:
            out += way * 0.5 * (1 + np.vectorize(math.erf)(z / math.sqrt(2)))
        else:
            out += way * bell * (1.0 if derivative == 1 else -z / wide)
    return out


def deviation(t: Array, window: float) -> Array:
    """−∫₀^δ G(s) a(t − s) ds by Gauss's rule on short pieces, (T,)."""
    x, w = leggauss(8)
    edges = np.linspace(0, window, max(2, math.ceil(window / 0.01)) + 1)
    half = 0.5 * np.diff(edges)[:, None]
    s = (0.5 * (edges[1:] + edges[:-1])[:, None] + half * x).ravel()
    weight = (half * w).ravel()
    response = np.exp(-GAMMA * s) * np.sin(OMEGA * s) / OMEGA
    return -(anchor(t[:, None] - s, 2) * (response * weight)).sum(axis=1)


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    t = np.arange(0, 4 * RATE) / RATE
    clip = Clip(character(), np.stack([anchor(t), np.zeros_like(t)], axis=1), RATE)
    tension = Spring(stiffness=MASS * OMEGA_N**2, damping=2 * GAMMA * MASS)
    return Simulator(clip, tension, OPTIONS)


def green(simulator: Simulator, window: float) -> Array:
    """Deviation of the green ball at every frame [m], (F,)."""
    return simulator.states(simulator.clip.times, window)[0][:, 1]


@pytest.mark.parametrize("window", WINDOWS)
def test_each_window_remembers_its_part_of_the_anchor_s_motion(simulator, window):
    expected = deviation(np.asarray(simulator.clip.times), window)
    assert_allclose(green(simulator, window), expected, atol=0.005 * np.abs(expected).max())


def test_longer_windows_approach_full_dynamics_and_short_ones_the_anchor(simulator):
    t = np.asarray(simulator.clip.times)
    full = simulator.full()[:, 1]
    assert_allclose(full, deviation(t, 4.0), atol=0.005 * np.abs(full).max())
    swing = np.abs(full).max()
    seen = [green(simulator, w) for w in WINDOWS]
    moved = [np.abs(x).max() for x in seen]
    apart = [np.abs(x - full).max() for x in seen]
    assert moved[0] < 0.3 * swing  # the short window hardly leaves the anchor
    assert moved[0] < moved[1]
    assert apart[0] > apart[1] > apart[2]
    assert apart[2] < 2 * math.exp(-GAMMA * WINDOWS[2]) * swing


def test_error_map_is_the_forgotten_part(simulator):
    t = np.asarray(simulator.clip.times)
    forgotten = np.array([np.abs(deviation(t, 5.0) - deviation(t, w)) for w in WINDOWS])
    assert_allclose(error_map(simulator, WINDOWS), forgotten, atol=0.01 * forgotten.max())


def test_steady_driving_is_the_closed_form():
    # Anchor A sin Ωt for ever: what a window leaves out is the free swing of the steady state at its start.
    rate, turns = 1.3, 4
    big = 2 * math.pi * rate
    frames = round(turns / rate * 130)
    dt = turns / rate / frames
    t = np.arange(frames) * dt
    clip = Clip(character(), np.stack([0.2 * np.sin(big * t), 0 * t], axis=1), 1 / dt, loop=True)
    tension = Spring(stiffness=MASS * OMEGA_N**2, damping=2 * GAMMA * MASS)
    simulator = Simulator(clip, tension, OPTIONS)
    gain = 0.2 * big**2 / (OMEGA_N**2 - big**2 + 2j * GAMMA * big)

    def steady(t: Array) -> tuple[Array, Array]:
        z = gain * np.exp(1j * big * t)
        return z.imag, (1j * big * z).imag

    for window in (0.1, 0.35, 1.0):
        delta = round(window / simulator.h) * simulator.h
        x0, v0 = steady(t - delta)
        fade = math.exp(-GAMMA * delta)
        free = fade * (x0 * math.cos(OMEGA * delta) + (v0 + GAMMA * x0) / OMEGA * math.sin(OMEGA * delta))
        assert_allclose(green(simulator, window), steady(t)[0] - free, atol=0.004 * abs(gain))


def test_chosen_windows_are_enough_for_the_ball_and_one_impulse_is_not(simulator):
    t, epsilon = np.asarray(simulator.clip.times), 1e-3
    full = deviation(t, 5.0)
    window = auto(simulator, tolerance=epsilon)
    assert np.abs(green(simulator, window) - full).max() < 1.01 * epsilon
    each = adaptive(simulator, tolerance=epsilon)
    own = simulator.states(t, each)[0][:, 1]
    assert np.abs(own - full).max() < 1.01 * epsilon
    assert each[: RATE // 2].max() < 0.1 * window  # nothing has happened yet
    # The paper's estimate: the largest acceleration times one step of a hundredth of a second.
    speed = np.abs(anchor(t, 2)).max() * 0.01
    impulse = oscillator_window(MASS, 2 * GAMMA * MASS, MASS * OMEGA_N**2, speed, epsilon)
    assert impulse < window
    assert np.abs(green(simulator, impulse) - full).max() > 1.5 * epsilon
