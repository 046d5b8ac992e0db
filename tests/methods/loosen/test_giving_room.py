"""Targets on limbs that stand or lean: what is drawn to its animated place gives way, and only then."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise import constraints as c
from poise.handles import CentreOfMass
from poise.methods.loosen.hit.drag import drag
from poise.motion import Clip, operators
from poise.studio.server.drag_step import corrected

AT = 0.5
ASIDE = np.array([0.05, 0.0, 0.02])


@pytest.fixture(scope="module")
def punch() -> Clip:
    return operators.trim(clips.get("punch"), 0.0, 1.0)


def place(clip: Clip, point: str, time: float) -> np.ndarray:
    where = clip.character.point(point)
    positions, turns = clip.character.placement(clip.q[round(time * clip.fps)][None])
    return positions[0, where.body] + turns[0, where.body] @ where.position


def asked(clip: Clip, aside: np.ndarray) -> list[c.Constraint]:
    return [c.pin("LeftBall", place(clip, "LeftBall", AT) + aside, AT, name="foot")]


def test_a_foot_that_stands_goes_to_its_target_and_stands_before_and_after(punch):
    """The root is driven, so feet are anchored: no correction moved them."""
    hit = poise.hit(punch, asked(punch, ASIDE), root="driven")
    loose = poise.loosen(punch, root="driven", window=float(hit.problem.all_windows.max()))
    assert hit.report.met
    goal = place(punch, "LeftBall", AT) + ASIDE
    assert np.linalg.norm(place(hit.clip, "LeftBall", AT) - goal) < 1e-4
    for time in (AT - 0.4, AT + 0.4):
        assert np.linalg.norm(place(hit.clip, "LeftBall", time) - place(loose.clip, "LeftBall", time)) < 2e-3
    for time in (AT - 0.4, AT, AT + 0.4):  # and the other foot all the while
        assert np.linalg.norm(place(hit.clip, "RightBall", time) - place(punch, "RightBall", time)) < 2e-3


def test_what_a_target_asks_for_is_no_warning_about_standing(punch):
    found = poise.hit(punch, asked(punch, ASIDE), root="driven")
    plants = {plant.part: plant for plant in found.problem.simulator.plants}
    times = np.asarray(punch.times)
    own, other = plants["left foot"].stands(times), plants["right foot"].stands(times)
    near = np.abs(times - AT) < 0.2
    assert not own[near].any()
    assert own[np.abs(times - AT) > 0.3].all()
    assert other.all()


def test_the_centre_of_mass_is_no_reason_to_let_go(punch):
    kin_com = poise.kinematics.Kinematics(punch.character, punch.q[round(AT * punch.fps)][None]).com[0]
    wanted = [c.constrain(CentreOfMass(), kin_com + [0.01, 0.0, 0.0], AT)]
    found = poise.hit(punch, wanted, root="driven")
    assert all(not plant.aimed for plant in found.problem.simulator.plants)


def test_a_drag_shows_what_the_release_makes(punch):
    first = poise.hit(punch, asked(punch, ASIDE), root="driven")
    moved = drag(first, asked(punch, 1.2 * ASIDE))
    shown = corrected(moved, moved.asked, None, None)
    assert np.linalg.norm(place(shown, "LeftBall", AT) - place(punch, "LeftBall", AT) - 1.2 * ASIDE) < 3e-3


def test_a_drag_in_time_lets_go_at_the_new_time(punch):
    first = poise.hit(punch, asked(punch, ASIDE), root="driven")
    later = [c.pin("LeftBall", place(punch, "LeftBall", 0.7) + ASIDE, 0.7, name="foot")]
    moved = drag(first, later)
    plant = next(p for p in moved.problem.simulator.plants if p.part == "left foot")
    assert not plant.stands(np.array([0.7]))[0]
    assert plant.stands(np.array([0.3]))[0]


def test_a_hand_that_leans_in_a_capture(shared_data):
    path = shared_data / "cmu_cgspeed_bvh" / "49_06.bvh"
    clip = operators.trim(poise.load(str(path)), 1.5, 2.9)
    time = round((2.225 - 1.5) * clip.fps) * clip.dt
    goal = place(clip, "LeftHand", time) + [0.05, 0.0, 0.0]
    found = poise.hit(clip, [c.pin("LeftHand", goal, time)])
    assert found.report.met
    assert np.linalg.norm(place(found.clip, "LeftHand", time) - goal) < 1e-4
