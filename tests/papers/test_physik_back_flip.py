"""A back flip by momentum: turned by its shape, on a parabola, down on its feet. The paper's future work."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

from poise.kinematics import Kinematics
from poise.manifold import so3

FEET = [f"{side}{point}" for side in ("Left", "Right") for point in ("Heel", "Ball", "Toe")]


@pytest.fixture(scope="module")
def flip():
    return example("15_back_flip").scene()


@pytest.fixture(scope="module")
def kin(flip):
    return Kinematics(flip.clip.character, flip.clip.q)


def aloft(flip, count):
    """Times in the air, none as near to a key as the differences reach."""
    t = np.linspace(flip.leaves + 2e-3, flip.lands - 2e-3, count)
    keys = np.asarray(flip.tracks.key_times)
    return t[np.abs(t[:, None] - keys).min(axis=1) > 1e-4]


def test_all_is_met(flip):
    assert flip.report.met
    assert not flip.report.warnings
    assert not flip.tracks.path.hints


def test_angular_momentum_is_constant_in_the_air(flip):
    """Momentum of the solved motion, by differences of its poses."""
    momentum, _, _ = flip.turning(aloft(flip, 40))
    assert momentum.mean() < -30  # backwards [kg·m²/s]
    assert np.ptp(momentum) < 1e-6 * abs(momentum.mean())


def test_the_tuck_turns_it_faster(flip):
    momentum, inertia, turning = flip.turning(aloft(flip, 40))
    np.testing.assert_allclose(inertia * turning, momentum, rtol=1e-6)  # symmetric: about y alone
    assert inertia.max() / inertia.min() > 3.5
    assert np.argmax(-turning) == np.argmin(inertia)


def test_it_turns_over_backwards_once(flip):
    t = np.linspace(flip.leaves + 1e-4, flip.lands - 1e-4, 200)
    turn = flip.tracks.at(t).q[:, 3:7]
    steps = so3.log(so3.multiply(turn[1:], so3.conjugate(turn[:-1])))
    swept = np.degrees(steps[:, 1].sum())
    posed = 20 - -12  # hips lean back when they leave, forward when they land [°]
    assert swept == pytest.approx(posed - 360, abs=1.0)
    assert np.abs(steps[:, [0, 2]]).max() < 1e-9


def test_the_centre_of_mass_is_on_its_parabola(flip, kin):
    t, scene = flip.times, example("15_back_flip")
    air = (t > flip.leaves) & (t < flip.lands)
    way = kin.com[air]
    time = t[air] - t[air][0]
    fit = np.polynomial.polynomial.polyfit(time, way, 2)
    np.testing.assert_allclose(fit[2], [0, 0, -0.5 * 9.81], atol=1e-7)
    np.testing.assert_allclose(np.polynomial.polynomial.polyval(time, fit).T, way, rtol=0, atol=1e-9)
    assert fit[0, 2] + fit[1, 2] ** 2 / (2 * 9.81) == pytest.approx(scene.APEX, abs=1e-8)


def test_feet_are_on_the_floor_before_and_after(flip, kin):
    t, scene = flip.times, example("15_back_flip")
    for name in FEET:
        place = kin.point(name)
        assert place[:, 2].min() > -2e-3
        stands, landed = t <= scene.PUSH, t > flip.lands + 0.07
        assert np.abs(place[stands] - place[0]).max() < 1e-4
        assert np.abs(place[landed] - place[-1]).max() < 1e-4
        assert abs(place[-1, 2]) < 1e-4
    air = (t > flip.leaves + 0.1) & (t < flip.lands - 0.1)
    assert min(kin.point(name)[air, 2].min() for name in FEET) > 0.1


def test_feet_do_not_jump_where_they_leave_and_land(flip):
    """The pins let go and take hold in no time: poses, path and spin have the feet there."""
    eps = 1e-5
    for at in (flip.leaves, flip.lands):
        before, after = (Kinematics(flip.clip.character, flip.tracks.at([at + h]).q) for h in (-eps, eps))
        for name in FEET:
            assert np.linalg.norm(after.point(name) - before.point(name)) < 3e-4


def test_knees_give_way_and_it_recovers(flip, kin):
    t, character = flip.times, flip.clip.character
    knee = np.degrees(flip.clip.q[:, character.coordinates("LeftLeg")][:, 0])
    landing = np.searchsorted(t, flip.lands)
    assert knee[landing] > 25
    assert knee[landing:].max() > 85
    assert knee[-1] < 15
    assert np.abs(character.manifold.minus(flip.clip.q[-1], flip.clip.q[-2])).max() * 60 < 1e-3


def test_joints_keep_their_limits_and_do_not_snap(flip):
    character, q = flip.clip.character, flip.clip.q
    for body in character.bodies[1:]:
        value = q[:, character.coordinates(body.name)]
        value = so3.log(value) if value.shape[1] == 4 else value
        assert (value >= np.asarray(body.joint.lower) - 1e-9).all()
        assert (value <= np.asarray(body.joint.upper) + 1e-9).all()
    rate = character.manifold.minus(q[1:], q[:-1])[:, 6:] * 60
    assert np.abs(rate).max() < 22  # [rad/s]: knees at take-off
    assert np.abs(np.diff(rate, axis=0)).max() * 60 < 800
