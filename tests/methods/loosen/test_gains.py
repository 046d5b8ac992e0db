"""Springs of a tension: each joint alone is an oscillator of the frequency and damping ratio asked for."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import presets
from poise.methods.loosen.simulate.gains import inertia_of, lag, resolve
from poise.operations.values.tension import LEGS, TENSIONS, Spring

CHARACTER = presets.get("humanoid")
INERTIA = inertia_of(CHARACTER)
IN_LEGS = np.array(
    [
        CHARACTER.bodies[body].limb in ("leg", "foot")
        for body in range(len(CHARACTER.bodies))
        for _ in range(CHARACTER.bodies[body].joint.nv)
    ]
)


def oscillators(gains) -> tuple[np.ndarray, np.ndarray]:
    """Frequency [Hz] and damping ratio of every degree of freedom on its own."""
    kp, kd = gains.stiffness[0], gains.damping[0]
    return np.sqrt(kp / INERTIA) / (2 * np.pi), kd / (2 * np.sqrt(kp * INERTIA))


@pytest.mark.parametrize("name", TENSIONS)
def test_legs_of_presets_swing_three_times_as_fast_and_die_away_as_soon(name):
    """Three times the frequency at the same ratio: nine times the stiffness, three times the damping."""
    frequency, ratio = oscillators(resolve(CHARACTER, name))
    preset = TENSIONS[name]
    assert IN_LEGS.any()
    assert not IN_LEGS.all()
    np.testing.assert_allclose(frequency[~IN_LEGS], preset.frequency)
    np.testing.assert_allclose(frequency[IN_LEGS], LEGS * preset.frequency)
    np.testing.assert_allclose(ratio, preset.ratio, err_msg="legs are tenser, not damped otherwise")


def test_numbers_are_meant_for_every_joint_alike():
    for spec in (3.0, Spring(3.0, 0.7)):
        frequency, ratio = oscillators(resolve(CHARACTER, spec))
        np.testing.assert_allclose(frequency, 3.0)
        np.testing.assert_allclose(ratio, 0.7)


def test_later_entries_win_and_the_rest_is_relaxed():
    gains = resolve(CHARACTER, {"Head": 1.0, "Left*": 2.0, "LeftArm": Spring(5.0, 1.0)})
    frequency, ratio = oscillators(gains)
    for body, wanted in (("Head", (1.0, 0.7)), ("LeftHand", (2.0, 0.7)), ("LeftArm", (5.0, 1.0))):
        span = CHARACTER.dofs(CHARACTER.index(body))
        np.testing.assert_allclose(frequency[span], wanted[0], err_msg=body)
        np.testing.assert_allclose(ratio[span], wanted[1], err_msg=body)
    np.testing.assert_allclose(frequency[CHARACTER.dofs(CHARACTER.index("RightArm"))], 4.5)


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
    np.testing.assert_allclose(lag(CHARACTER, resolve(CHARACTER, 2.0)), 2 * 0.7 / (2 * np.pi * 2.0))
