"""Flights: what bends the path of a centre of mass beside gravity, and where a flight begins and ends."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.constraints import constrain
from poise.contacts.ballistics import flight_within, parabola, reweighed
from poise.contacts.find import find
from poise.contacts.mass_doubt import mass_doubt
from poise.contacts.support import lasting
from poise.handles import PointPosition

DT = 1 / 60


def somersault(seconds=0.6, spin=9.0, off=0.03):
    """A centre of mass that falls freely, told from a place ``off`` beside it in a body that turns."""
    t = np.arange(0.0, seconds, DT)
    com = np.stack([1.2 * t, 0.0 * t, 1.0 + 3.0 * t - 0.5 * 9.81 * t**2], axis=1)
    arm = np.stack([np.cos(spin * t), np.zeros_like(t), -np.sin(spin * t)], axis=1)
    across = np.stack([np.sin(spin * t), np.zeros_like(t), np.cos(spin * t)], axis=1)
    doubt = 0.02 * np.stack([arm, across], axis=1)
    return com + off * arm, doubt


def test_guessed_masses_do_not_change_gravity_in_a_somersault():
    seen, doubt = somersault()
    plain = parabola(seen, DT, 0, len(seen) - 1)
    assert abs(plain.gravity - 9.81) > 0.6  # what it is about
    fit = reweighed(plain, seen, DT, doubt, 0, scale=1.0)
    assert fit.gravity == pytest.approx(9.81, abs=0.15)
    # The path is that of the centre of mass as it is seen, with that gravity.
    times = np.arange(len(seen)) * DT
    assert np.abs(seen[:, 2] - fit.height(times)).max() < 0.06


def test_what_falls_at_another_pace_still_does():
    """Masses must not explain a wrong rate away."""
    seen, doubt = somersault()
    for times in (0.8, 1.3):
        fit = flight_within(seen, DT / times, 0, len(seen) - 1)
        again = reweighed(fit, seen, DT / times, doubt, 0, scale=1.0)
        assert again.gravity == pytest.approx(9.81 * times**2, rel=0.05)


def test_masses_that_are_given_are_not_doubted():
    jump = poise.clips.get("jump")
    assert mass_doubt(jump.character, jump.q[:5], 1.0).shape[1] > 3
    known = jump.character.with_bodies(jump.character.bodies, mass_source="given")
    assert mass_doubt(known, jump.q[:5], 1.0).shape == (5, 0, 3)


def test_doubts_are_ways_of_the_centre_of_mass():
    """A limb that is heavier by a little moves the centre of mass along its doubt."""
    from poise.character.labels import labelled
    from poise.kinematics import Kinematics

    jump = poise.clips.get("jump")
    character, q = jump.character, jump.q[::20]
    limbs = [b.limb for b in labelled(character).bodies]
    doubt = mass_doubt(character, q, 1.0)
    arms = list(dict.fromkeys(limbs)).index("arm")
    little = 1e-4
    heavier = character.with_bodies(
        [
            b.replaced(mass=b.mass.scaled(1 + little)) if limb == "arm" else b
            for b, limb in zip(character.bodies, limbs)
        ]
    )
    moved = Kinematics(heavier, q).com - Kinematics(character, q).com
    np.testing.assert_allclose(moved, doubt[:, arms] * little / 0.15, atol=1e-8)


def test_contacts_that_the_end_cuts_off_need_not_last():
    on = np.zeros(100, dtype=bool)
    on[50:56] = True  # 0.05 s
    assert lasting(on, 0.01) == []
    on[:] = False
    on[93:99] = True
    assert lasting(on, 0.01) == [(93, 98)]


@pytest.mark.parametrize("shift", [(0.0, 0.0, 0.2), (0.0, 0.0, 0.5), (0.3, 0.0, 0.3)])
def test_a_quick_reach_is_no_wrong_rate(shift):
    """A walk whose hand was moved steps as walkers do: it does not play twice too fast."""
    walk = poise.clips.get("walk")
    for part in (0.25, 0.5):
        time = part * walk.duration
        hand = walk.character.index("RightHand")
        at = walk.character.placement(walk.at([time])).positions[0, hand] + shift
        moved = poise.adapt(walk, constraints=[constrain(PointPosition("RightHand"), at, time)]).clip
        assert find(moved).pace == 1.0
        assert "too fast" not in poise.check(moved).report.verdict
