"""Fig. 1 of the paper: seven pendulum swings from bar to bar, a projectile off the last, a landing."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

from poise.kinematics import Kinematics
from poise.methods.key.path.templates import Hermite, Pendulum, ProjectileI


@pytest.fixture(scope="module")
def bar():
    return example("10_monkey_bar").scene()


@pytest.fixture(scope="module")
def seen(bar):
    """What the baked frames do: kinematics and times."""
    return Kinematics(bar.clip.character, bar.clip.q), np.arange(len(bar.clip.q)) / bar.clip.fps


def during(times, start, end):
    return (times >= start - 1e-9) & (times <= end + 1e-9)


def test_it_is_made_of_seven_pendulums_links_and_a_projectile(bar):
    kinds = [type(key.template) for key in bar.tracks.path.keys]
    assert kinds[:14] == [Pendulum, Hermite] * 6 + [Pendulum, ProjectileI]
    assert not bar.tracks.path.hints
    assert bar.report.met
    assert not bar.report.warnings
    assert len(bar.tracks.pose_track.keys) <= 38  # of twelve poses, mirrored


def test_the_centre_of_mass_swings_about_the_bar_in_hand(bar, seen):
    kin, times = seen
    length = example("10_monkey_bar").LENGTH
    for swing in bar.swings:
        held = during(times, swing.start, swing.end)
        assert held.sum() > 25
        np.testing.assert_allclose(
            np.linalg.norm(kin.com[held] - swing.bar, axis=1), length, rtol=0, atol=1e-9
        )


def test_every_swing_keeps_its_energy(bar):
    """Speed by differences of solved poses against height: nothing of the template is asked."""
    step = 1e-3
    for swing in bar.swings:
        t = np.linspace(swing.start + 2 * step, swing.end - 2 * step, 9)
        before, now, after = (
            Kinematics(bar.clip.character, bar.tracks.at(t + h).q).com for h in (-step, 0.0, step)
        )
        speed = np.linalg.norm((after - before) / (2 * step), axis=1)
        energy = 0.5 * speed**2 + 9.81 * now[:, 2]  # per kilogram
        assert np.ptp(energy) < 2e-5  # of some 18 J/kg, differences' own error


def test_hands_hold_on(bar, seen):
    kin, times = seen
    for swing in bar.swings:
        held = during(times, swing.start, swing.end)
        way = kin.point(f"{swing.hand}HandCentre")[held] - swing.bar
        assert np.linalg.norm(way[:, [0, 2]], axis=1).max() < 1e-4


def test_hands_take_turns_and_arms_are_nearly_straight(bar, seen):
    _, times = seen
    assert [s.hand for s in bar.swings] == ["Right", "Left"] * 3 + ["Right"]
    for swing in bar.swings:
        held = during(times, swing.start + 0.05, swing.end)
        elbow = bar.clip.q[held, bar.clip.character.coordinates(f"{swing.hand}ForeArm")]
        assert np.degrees(np.abs(elbow)).max() < 35


def test_the_path_of_the_centre_of_mass_has_no_corner(bar):
    for key in bar.tracks.path.resolved().keys[1:-1]:
        np.testing.assert_allclose(key.arriving, key.leaving, atol=1e-9)


def test_bars_only_pull(bar):
    """Between two swings and on them: what holds the body up against gravity points up, never down."""
    t = np.linspace(bar.swings[0].start, bar.swings[-1].end - 1e-6, 2000)
    assert (bar.tracks.path.at(t).acceleration[:, 2] > -9.81).all()


def test_it_flies_to_the_floor(bar, seen):
    kin, times = seen
    scene, off = example("10_monkey_bar"), bar.swings[-1].end
    air = during(times, off, off + scene.FLIGHT)
    t, z, x = times[air], kin.com[air, 2], kin.com[air, 0]
    assert np.abs(np.polynomial.polynomial.polyfit(t - off, z, 2)[2] + 0.5 * 9.81) < 1e-6
    assert np.abs(np.diff(x, 2)).max() < 1e-9


def test_feet_land_and_stay(bar, seen):
    kin, times = seen
    scene = example("10_monkey_bar")
    lands = bar.swings[-1].end + scene.FLIGHT
    for point in ("LeftBall", "RightBall", "LeftHeel", "RightHeel"):
        place = kin.point(point)
        assert place[:, 2].min() > -2e-3
        stays = place[times > lands + 0.06]
        assert np.abs(stays - stays[-1]).max() < 1e-4
        assert abs(stays[-1, 2]) < 1e-4
    swinging = times < bar.swings[-1].end
    assert min(kin.point(p)[swinging, 2].min() for p in ("LeftToe", "RightToe")) > 0.2


def test_it_ends_at_rest_over_its_feet(bar, seen):
    kin, _ = seen
    assert np.abs(bar.clip.q[-1] - bar.clip.q[-2]).max() * bar.clip.fps < 1e-3
    heel, toe = (kin.point(p)[-1, 0] for p in ("LeftHeel", "RightToe"))
    assert heel < kin.com[-1, 0] < toe


def test_joints_keep_their_limits_and_do_not_snap(bar):
    character, q = bar.clip.character, bar.clip.q
    for body in character.bodies[1:]:
        angle = q[:, character.coordinates(body.name)][:, 0]
        assert angle.min() >= body.joint.lower[0] - 1e-9
        assert angle.max() <= body.joint.upper[0] + 1e-9
    rate = np.diff(q, axis=0)[:, 2:] * bar.clip.fps
    change = np.abs(np.diff(rate, axis=0)).max(axis=1) * bar.clip.fps
    touch = round((bar.swings[-1].end + example("10_monkey_bar").FLIGHT) * bar.clip.fps)
    assert np.abs(rate).max() < 18  # [rad/s]: knees that give way
    assert np.delete(change, np.arange(touch - 4, touch + 4)).max() < 400  # [rad/s²]
    assert change.max() < 1000  # on landing
