"""A dive by the inertia handle: stretched, tucked, stretched, and head down by momentum alone. Fig. 10."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scenes import example

import poise
from poise.kinematics import Kinematics

G = 9.81
FEET = [f"{side}{point}" for side in ("Left", "Right") for point in ("Heel", "Ball", "Toe")]


@pytest.fixture(scope="module")
def module():
    return example("12_dive")


@pytest.fixture(scope="module")
def dive(module):
    return module.scene()


@pytest.fixture(scope="module")
def air(dive):
    """Times of the flight, none as near to a key as differences reach, and poses there."""
    start, end = dive.flight
    t = np.linspace(start + 2e-3, end - 2e-3, 80)
    t = t[np.abs(t[:, None] - np.asarray(dive.tracks.key_times)).min(axis=1) > 1.1e-3]
    return t, dive.tracks.at(t).q


def test_everything_keyed_is_met(dive):
    assert dive.report.met
    assert dive.tracks.path.hints == ()


def test_one_pose_for_all_of_the_flight(dive, module):
    start, end = dive.flight
    poses = [key.value for key in dive.tracks.pose_track.keys if start < key.time <= end + 1e-9]
    assert len(poses) == 2
    np.testing.assert_allclose(poses[0][3:], poses[1][3:], atol=1e-12)  # the same joints: it is held
    np.testing.assert_allclose(poses[0][3:], module.SOFT.of(dive.clip.character)[3:], atol=1e-12)


def test_inertia_is_met(dive, module, air):
    t, q = air
    wanted = dive.tracks.inertia.values.at(t)[:, 0]
    np.testing.assert_allclose(module.gyration(dive.clip.character, q), wanted, rtol=1e-9)
    assert wanted.max() / wanted.min() > 1.6


def test_one_handle_tucks_and_stretches(dive, air):
    """Hips and knees bend and straighten although nobody keyed them."""
    _, q = air
    character = dive.clip.character
    knee, hip = (np.degrees(q[:, character.coordinates(n)][:, 0]) for n in ("LeftLeg", "LeftUpLeg"))
    middle = slice(len(q) // 4, len(q) // 2)
    assert knee[middle].max() > 95
    assert hip[middle].min() < -105
    assert knee[-1] < 15
    assert abs(hip[-1]) < 12
    assert q[-1, character.coordinates("LeftArm")][0] < math.radians(-150)


def test_the_centre_of_mass_is_on_its_parabola(dive, air):
    t, q = air
    start = next(key for key in dive.tracks.path.keys if key.time == dive.flight[0])
    top = start.template.height
    up = math.sqrt(2 * G * (top - start.position[2]))
    since = t - start.time
    com = Kinematics(dive.clip.character, q).com
    np.testing.assert_allclose(com[:, 2], start.position[2] + up * since - 0.5 * G * since**2, atol=1e-9)
    np.testing.assert_allclose(com[:, 0], start.position[0] + example("12_dive").SPEED * since, atol=1e-9)
    assert com[:, 2].max() == pytest.approx(top, abs=1e-3)


def test_momentum_is_constant_and_the_tuck_turns_faster(dive, module, air):
    t, q = air
    character, step = dive.clip.character, 5e-4
    near = [dive.tracks.at(t + k * step).q for k in (-2, -1, 1, 2)]
    velocity = (8 * (near[2] - near[1]) - (near[3] - near[0])) / (12 * step)
    momentum = Kinematics(character, q, velocity).momentum[:, 4]
    assert momentum.mean() > 15
    assert np.abs(momentum - momentum.mean()).max() < 1e-6 * momentum.mean()
    turning = velocity[:, 2]
    radius = module.gyration(character, q)
    assert turning[radius < 0.28].mean() > 2 * turning[radius > 0.45].mean()


def test_it_enters_head_down(dive, module):
    kin = Kinematics(dive.clip.character, dive.tracks.at([dive.flight[1]]).q)
    hands, toes = kin.point("LeftFingertips")[0], kin.point("LeftToe")[0]
    line = toes - hands
    assert math.degrees(math.atan2(abs(line[0]), line[2])) < 8
    assert abs(hands[2]) < 0.02
    before = Kinematics(dive.clip.character, dive.tracks.at([dive.flight[0]]).q)
    turned = kin.q[0, 2] - before.q[0, 2]
    assert 150 < math.degrees(turned) < 190


def test_feet_are_on_the_platform_while_they_are_held(dive, module):
    kin = Kinematics(dive.clip.character, dive.clip.q)
    for pin in dive.tracks.pins:
        held = pin.gain(dive.clip.times) > 1 - 1e-9
        assert held.any()
        gap = np.linalg.norm(kin.point(pin.name)[held] - pin.targets.keys[0].value, axis=1)
        assert gap.max() < 1e-4, pin.name
    on = dive.clip.times <= dive.flight[0]
    assert min(kin.point(point)[on, 2].min() for point in FEET) > module.BOARD - 1e-3


def test_limits_are_kept(dive):
    character = dive.clip.character
    assert (dive.clip.q[:, 3:] >= character.lower[3:] - 1e-9).all()
    assert (dive.clip.q[:, 3:] <= character.upper[3:] + 1e-9).all()


def test_it_is_plausible_but_for_going_below_the_platform(dive):
    last = int(dive.flight[1] * dive.clip.fps)
    report = poise.check(poise.Clip(dive.clip.character, dive.clip.q[:last], dive.clip.rate)).report
    (flight,) = report.flights
    assert flight.parabola.gravity == pytest.approx(G, abs=0.01)
    assert {finding.kind for finding in report.findings if finding.serious} == {"penetration"}
    # What is left is told, of the take-off alone: in the air nothing pushes, to where the clip is cut.
    told = [finding for finding in report.findings if not finding.serious]
    assert {finding.kind for finding in told} <= {"impact", "nowhere"}
    assert all(finding.start < dive.flight[0] * dive.clip.fps + 1 for finding in told)
    assert report.world.floor.shape.height == pytest.approx(3.0, abs=1e-3)
