"""What each constraint asks for, by places in plain numpy: signs, order of points, sides of planes."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise import constraints as c
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.motion import Clip

TIME = 0.4
FAR = (0.31, -0.2, 0.15)
"""How far off what is asked for lies from where the clip is [m]."""


@pytest.fixture(scope="module")
def punch() -> Clip:
    return clips.get("punch")


@pytest.fixture(scope="module")
def now(punch):
    """Places of points, turns of bodies and the centre of mass at the time, without compiled kernels."""
    who, q = punch.character, punch.at([TIME])
    at, turn = (np.asarray(x)[0] for x in who.placement(q))
    masses = np.array([b.mass.mass for b in who.bodies])
    centres = at + np.einsum("nij,nj->ni", turn, np.array([b.mass.centre for b in who.bodies]))

    def place(name: str) -> np.ndarray:
        point = who.point(name)
        return at[point.body] + turn[point.body] @ np.asarray(point.position)

    return place, lambda name: turn[who.index(name)], masses @ centres / masses.sum()


def error(clip: Clip, asked: c.Constraint) -> np.ndarray:
    """By how much the clip misses it at the time (dim,)."""
    q, v = clip.at([TIME]), clip.sampler.velocity([TIME])
    return asked.violation(asked.error(Kinematics(clip.character, q, v), np.array([TIME])))[0]


def test_points_are_pinned_and_joined(punch, now):
    place, _, centre = now
    left, right = place("LeftHandCentre"), place("RightHandCentre")
    assert error(punch, c.pin("LeftHandCentre", left + FAR, TIME)) == pytest.approx(-np.array(FAR), abs=1e-9)
    asked = c.joined("LeftHandCentre", "RightHandCentre", TIME, offset=right - left + FAR)
    assert error(punch, asked) == pytest.approx(-np.array(FAR), abs=1e-9)
    assert error(punch, c.balanced(centre + FAR, TIME)) == pytest.approx(-np.array(FAR), abs=1e-9)


def test_distances_are_kept_from_both_sides(punch, now):
    hand = now[0]("LeftHandCentre")
    away = hand + np.array([0.3, 0.4, 0.0])
    for least, most, missed in ((0.2, 0.6, 0.0), (0.7, 0.9, -0.2), (0.1, 0.4, 0.1)):
        found = error(punch, c.keep_distance("LeftHandCentre", away, TIME, least=least, most=most))
        assert np.linalg.norm(found) == pytest.approx(abs(missed), abs=1e-9)
        assert np.sum(found) == pytest.approx(missed, abs=1e-9), "signed: too near is negative"


@pytest.mark.parametrize("normal", [(0.0, 0.0, 1.0), (0.6, 0.0, 0.8), (0.0, -1.0, 0.0)])
def test_planes_have_two_sides(punch, now, normal):
    height = float(now[0]("RightToe") @ np.array(normal))
    for over in (-0.1, 0.1):
        plane = {"height": height - over, "normal": normal}
        assert error(punch, c.on_plane("RightToe", TIME, **plane)) == pytest.approx([over], abs=1e-9)
        assert error(punch, c.above("RightToe", TIME, **plane)) == pytest.approx([min(over, 0.0)], abs=1e-9)


def test_turns_are_measured_from_what_is_asked(punch, now):
    turn = so3.from_matrix(now[1]("Head"))
    off = np.array([0.2, -0.3, 0.1])
    asked = so3.multiply(turn, so3.exp(-off))
    assert error(punch, c.oriented("Head", asked, TIME)) == pytest.approx(off, abs=1e-9)


def test_velocities_are_those_of_the_points(punch):
    who, step = punch.character, 1e-5

    def place(time):
        point = who.point("RightHandCentre")
        at, turn = (np.asarray(x)[0] for x in who.placement(punch.at([time])))
        return at[point.body] + turn[point.body] @ np.asarray(point.position)

    speed = (place(TIME + step) - place(TIME - step)) / (2 * step)
    assert np.linalg.norm(speed) > 0.05
    assert error(punch, c.at_rest("RightHandCentre", TIME)) == pytest.approx(speed, abs=1e-4)
    asked = c.moving("RightHandCentre", speed + FAR, TIME)
    assert error(punch, asked) == pytest.approx(-np.array(FAR), abs=1e-4)


def test_limits_are_those_of_the_character_in_its_coordinates(punch):
    who = punch.character
    found = {asked.name: asked for asked in c.joint_limits(who)}
    assert set(found) == {f"limits of {b.name}" for b in who.bodies if b.joint.limited}
    beyond = np.array(who.rest_pose())
    knee = who.index("LeftLeg")
    beyond[who.coordinates(knee)] = who.upper[who.dofs(knee)] + 0.25
    bent = Clip(who, np.tile(beyond, (3, 1)), 5)
    missed = {name: np.abs(error(bent, asked)).max() for name, asked in found.items()}
    assert missed.pop("limits of LeftLeg") == pytest.approx(0.25, abs=1e-9)
    assert max(missed.values()) == 0.0


def test_the_path_of_another_clip_is_where_its_point_goes(punch):
    path = c.path_of(punch, "RightHandCentre", until=0.5)
    for time in (0.0, 0.2, 0.4):
        place = Kinematics(punch.character, punch.at([time])).point("RightHandCentre")[0]
        frame = round(time * punch.fps) / punch.fps
        if abs(frame - time) < 1e-9:
            assert path.at(np.array([time]))[0] == pytest.approx(place, abs=1e-9)
