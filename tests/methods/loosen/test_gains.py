"""Springs of a tension: each limb swings at the frequency and damping ratio asked for."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import presets
from poise.dynamics.modal import modes
from poise.methods.loosen.simulate.gains import lag, limbs_of, resolve, standing_bodies, swinging_inertia
from poise.methods.loosen.simulate.simulator import Simulator
from poise.motion import Clip
from poise.operations.loosen import Simulation
from poise.operations.values.tension import HEAD, LEGS, TENSIONS, Spring

CHARACTER = presets.get("humanoid")
INERTIA = swinging_inertia(CHARACTER)
IN_LEGS = np.array(
    [
        CHARACTER.bodies[body].limb in ("leg", "foot")
        for body in range(len(CHARACTER.bodies))
        for _ in range(CHARACTER.bodies[body].joint.nv)
    ]
)


def oscillators(gains) -> tuple[np.ndarray, np.ndarray]:
    """Frequency [Hz] and damping ratio of every degree of freedom, of the limb it belongs to."""
    kp, kd = gains.stiffness[0], gains.damping[0]
    return np.sqrt(kp / INERTIA) / (2 * np.pi), kd / (2 * np.sqrt(kp * INERTIA))


@pytest.mark.parametrize("name", TENSIONS)
def test_legs_of_presets_swing_three_times_as_fast_and_die_away_as_soon(name):
    """Three times the frequency at the same ratio: nine times the stiffness, three times the damping."""
    frequency, ratio = oscillators(resolve(CHARACTER, name))
    preset = TENSIONS[name]
    assert IN_LEGS.any()
    assert not IN_LEGS.all()
    others = ~IN_LEGS
    others[CHARACTER.dofs("Head")] = False
    np.testing.assert_allclose(frequency[others], preset.frequency)
    np.testing.assert_allclose(frequency[CHARACTER.dofs("Head")], HEAD * preset.frequency)
    np.testing.assert_allclose(frequency[IN_LEGS], LEGS * preset.frequency)
    np.testing.assert_allclose(ratio, preset.ratio, err_msg="legs are tenser, not damped otherwise")


def test_numbers_are_meant_for_every_joint_alike():
    for spec in (3.0, Spring(3.0, 0.45)):
        frequency, ratio = oscillators(resolve(CHARACTER, spec))
        np.testing.assert_allclose(frequency, 3.0)
        np.testing.assert_allclose(ratio, 0.45)


def test_later_entries_win_and_the_rest_is_relaxed():
    gains = resolve(CHARACTER, {"Head": 1.0, "Left*": 2.0, "LeftArm": Spring(5.0, 1.0)})
    frequency, ratio = oscillators(gains)
    for body, wanted in (("Head", (1.0, 0.45)), ("LeftHand", (2.0, 0.45)), ("LeftArm", (5.0, 1.0))):
        span = CHARACTER.dofs(CHARACTER.index(body))
        np.testing.assert_allclose(frequency[span], wanted[0], err_msg=body)
        np.testing.assert_allclose(ratio[span], wanted[1], err_msg=body)
    np.testing.assert_allclose(frequency[CHARACTER.dofs(CHARACTER.index("RightArm"))], 2.8)


def test_between_keys_an_octave_takes_as_long_anywhere():
    gains = resolve(CHARACTER, [(1.0, 2.0), (3.0, 8.0)], np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    frequency = np.sqrt(gains.stiffness / INERTIA) / (2 * np.pi)
    np.testing.assert_allclose(
        frequency, np.repeat([[2.0], [2.0], [4.0], [8.0], [8.0]], CHARACTER.nv, axis=1)
    )


def test_a_loop_goes_back_to_its_first_key():
    gains = resolve(CHARACTER, [(0.0, 2.0), (1.0, 8.0), (2.0, 2.0)], np.array([1.5, 2.0, 3.0]), period=2.0)
    frequency = np.sqrt(gains.stiffness / INERTIA) / (2 * np.pi)
    np.testing.assert_allclose(frequency[:, 0], [4.0, 2.0, 8.0])


def test_lag_is_twice_the_ratio_over_the_angular_frequency():
    np.testing.assert_allclose(lag(resolve(CHARACTER, 2.0)), 2 * 0.45 / (2 * np.pi * 2.0))


@pytest.mark.parametrize("name", ["humanoid", "camel", "lamp"])
def test_a_limb_swings_at_the_frequency_that_it_is_told(name):
    """By the modes of the whole mass matrix, everything but the limb held."""
    character = presets.get(name)
    gains = resolve(character, Spring(4.5, 0.3))
    every = np.arange(character.nv)
    assert limbs_of(character)
    for limb in limbs_of(character):
        own = np.concatenate([every[character.dofs(body)] for body in limb])
        if not len(own):
            continue
        held = [int(d) for d in every if d not in own]
        found = modes(
            character, character.rest_pose(), gains.stiffness[0], damping=gains.damping[0], fixed=held
        )
        assert found.frequencies[0] == pytest.approx(4.5, rel=1e-6)
        assert found.ratios[0] == pytest.approx(0.3, rel=1e-6)


def test_an_arm_swings_so_in_the_simulation():
    """Let go from its slowest mode's shape, by the times at which it passes its rest."""
    rest = CHARACTER.rest_pose()
    gains = resolve(CHARACTER, Spring(4.5, 0.0))
    every = np.arange(CHARACTER.nv)
    own = np.concatenate([every[CHARACTER.dofs(b)] for b in CHARACTER.select("left arm")])
    found = modes(CHARACTER, rest, gains.stiffness[0], fixed=[int(d) for d in every if d not in own])
    shape = found.shapes[:, 0] / np.abs(found.shapes[:, 0]).max()
    clip = Clip(CHARACTER, np.tile(rest, (2, 1)), 1000)
    keyed = {"*": "keyed", "left arm": Spring(4.5, 0.0)}
    simulator = Simulator(clip, keyed, Simulation(gravity="off", step=0.0005))
    steps = np.full((1, 1000), 1)
    times = np.arange(1001) * simulator.h
    table = np.tile(rest, (1001, 1)), np.zeros((1001, CHARACTER.nv))
    begin = CHARACTER.manifold.plus(rest, 0.02 * shape)[None], np.zeros((1, CHARACTER.nv))
    q = simulator.tabled(*table, times, np.array([0]), steps, begin)[0][0]
    height = found.coordinates(CHARACTER.manifold.minus(q, rest))[:, 0]
    cross = np.flatnonzero(height[1:] * height[:-1] < 0)
    at = cross + height[cross] / (height[cross] - height[cross + 1])
    half = np.diff(at).mean() * simulator.h
    assert 1 / (2 * half) == pytest.approx(4.5, rel=0.01)


def test_forelegs_stand_too():
    camel = presets.get("camel")
    front = [i for i, b in enumerate(camel.bodies) if b.limb == "foreleg"]
    assert front
    assert set(front) <= standing_bodies(camel)
    assert not any(CHARACTER.bodies[i].limb in ("arm", "hand") for i in standing_bodies(CHARACTER))
