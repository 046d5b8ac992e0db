"""Moves of the pointer: a few steps bring a target there, wherever the drag began, whatever way it took."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise import constraints as c
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.drag import drag, drag_along
from poise.methods.loosen.hit.hit import HitResult

HAND, WINDOW = "RightHandCentre", 0.3


@pytest.fixture(scope="module")
def punch():
    return clips.get("punch")


def place(clip, frame: int) -> np.ndarray:
    return Kinematics(clip.character, clip.q).point(HAND)[frame]


def begun(clip, constraints) -> HitResult:
    found = poise.hit(clip, constraints, "relaxed", WINDOW)
    assert found.report.met
    return found


@pytest.mark.parametrize("way", [(-1, 0, 0), (0, 1, 0), (0, -1, 0), (-0.6, 0, 0.8), (0, 0, -1)])
def test_far_from_where_it_began_a_move_is_met_at_once(punch, way):
    time, here = float(punch.times[51]), place(punch, 51)
    first = begun(punch, [c.pin(HAND, here, time)])
    for far in (0.02, 0.06, 0.12, 0.2):
        found = drag(first, [c.pin(HAND, here + far * np.array(way), time)])
        assert found.report.met, far
        assert found.report.iterations <= 4
        assert found.report.outcomes[0].error < 1e-4


def test_where_the_clip_is_moved_too_the_loose_motion_of_the_moved_clip_is_there(punch):
    time, here = float(punch.times[51]), place(punch, 51)
    found = begun(punch, [c.pin(HAND, here, time)])
    for far in (0.04, 0.08, 0.12):
        way = np.zeros((punch.frames, punch.character.nv))
        way[:, 1] = far * np.sin(np.pi * punch.times / punch.duration)  # it sways to its left
        moved = punch.with_q(punch.character.manifold.plus(punch.q, way))
        there = here + [0.0, 0.5 * far, -far]
        found = drag_along(found, moved, [c.pin(HAND, there, time)])
        assert found.report.met, far
        assert np.linalg.norm(place(found.clip, 51) - there) < 1e-3
        apart = np.abs(found.clip.q[:, 1] - punch.q[:, 1]).max()
        assert apart == pytest.approx(far, rel=1e-2), "the root is the moved clip's"


def test_one_of_two_targets_is_dragged_and_the_other_holds(punch):
    times, places = punch.times[[30, 51]], [place(punch, 30), place(punch, 51)]
    first = begun(punch, [c.pin(HAND, p, float(t)) for p, t in zip(places, times)])
    for far in (0.02, 0.06, 0.1):
        asked = [places[0], places[1] + [0, far, 0]]
        found = drag(first, [c.pin(HAND, p, float(t)) for p, t in zip(asked, times)])
        assert [o.met for o in found.report.outcomes] == [True, True], far


def test_a_move_knows_nothing_of_the_way_and_none_is_no_move(punch):
    time, here = float(punch.times[51]), place(punch, 51)
    first = begun(punch, [c.pin(HAND, here, time)])
    there = [c.pin(HAND, here + [0.0, 0.05, 0.05], time)]
    plain = drag(first, there).solution.x
    drag(first, [c.pin(HAND, here + [0.0, -0.3, 0.1], time)])
    assert np.array_equal(drag(first, there).solution.x, plain)
    still = drag(first, [c.pin(HAND, here, time)])
    assert np.array_equal(still.solution.x, first.solution.x)
    assert still.report.iterations == 0


@pytest.mark.parametrize("way", [(0, 0, 1), (0.4, 0.9, 0), (0, -0.9, 0.4)])
def test_out_of_reach_the_limb_follows_the_pointer_smoothly_and_as_near_as_it_gets(punch, way):
    time, here, stride = float(punch.times[51]), place(punch, 51), 0.008
    first = begun(punch, [c.pin(HAND, here, time)])
    towards = stride * np.array(way) / np.linalg.norm(way)
    out = [here + k * towards for k in range(76)]  # 0.6 m, and back
    hands, misses, last = [], [], first
    for there in out + out[::-1]:
        last = drag(first, [c.pin(HAND, there, time)], last)
        pose = last.problem.states(last.solution.x)
        hands.append(Kinematics(punch.character, pose).point(HAND)[0])
        misses.append(np.linalg.norm(hands[-1] - there))
    assert misses[75] > 0.1, "the test is about targets out of reach"
    steps = np.linalg.norm(np.diff(hands, axis=0), axis=1)
    assert steps.max() < 2.5 * stride
    assert misses[-1] < 1e-4
    found = poise.hit(punch, [c.pin(HAND, out[-1], time)], "relaxed", WINDOW)
    nearest = found.report.outcomes[0].error
    assert misses[75] < nearest + 0.03


def test_along_with_the_clip_targets_may_come_and_move_in_time(punch):
    time, here = float(punch.times[51]), place(punch, 51)
    first = begun(punch, [c.pin(HAND, here, time)])
    moved = punch.with_q(punch.q.copy())
    later = drag_along(first, moved, [c.pin(HAND, place(punch, 53), float(punch.times[53]))])
    assert later.report.met
    both = drag_along(
        first, moved, [c.pin(HAND, here, time), c.pin(HAND, place(punch, 30), float(punch.times[30]))]
    )
    assert len(both.report.outcomes) == 2
    assert both.report.outcomes[0].error < 0.05  # its correction has no curve for the second
