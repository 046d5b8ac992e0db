"""Feet that stand: found in clips, held in place, or placed by the solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import clips, load
from poise import constraints as c
from poise.constraints import FootPlace, FootPlant
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods import adaptation
from poise.methods.adaptation.plants import feet_of, runs
from poise.motion import Clip


def off_by(result_clip: Clip, plants) -> np.ndarray:
    """Distance of every planted point from its mark, over all frames [m]."""
    kin, found = Kinematics(result_clip.character, result_clip.q), []
    for plant in plants:
        for pin in plant.pins(result_clip.character):
            times = pin.when.times(result_clip)
            frames = np.rint(times * result_clip.fps).astype(int)
            found.append(np.linalg.norm(kin.point(pin.handle.point)[frames] - pin.target.at(times), axis=1))
    return np.concatenate(found)


def test_runs():
    assert runs(np.array([True, True, False, True])) == [(0, 1), (3, 3)]
    assert runs(np.zeros(3, dtype=bool)) == []


def test_the_jump_stands_then_flies_then_stands():
    jump = clips.get("jump")
    plants = adaptation.detect(jump)
    assert len(plants) == 4  # both feet, before and after
    down = np.zeros(jump.frames, dtype=bool)
    for plant in plants:
        for when in plant.intervals.values():
            frames = np.rint(when.times(jump) * jump.fps).astype(int)
            down[frames] = True
            heights = Kinematics(jump.character, jump.q).point(next(iter(plant.intervals)))[frames, 2]
            assert heights.max() - heights.min() < 0.1
    flight = runs(~down)
    assert len(flight) == 1
    com = Kinematics(jump.character, jump.q).com[:, 2]
    assert flight[0][0] < np.argmax(com) < flight[0][1]


def test_marks_keep_the_foot_rigid():
    jump = clips.get("jump")
    kin = Kinematics(jump.character, jump.q)
    for plant in adaptation.detect(jump):
        if len(plant.intervals) == 2:
            heel, ball = plant.intervals
            frame = int(np.rint(plant.intervals[heel].times(jump)[0] * jump.fps))
            length = np.linalg.norm(kin.point(ball)[frame] - kin.point(heel)[frame])
            assert np.linalg.norm(plant.marks[1]) == pytest.approx(length, rel=0.02)
            targets = [pin.target.value for pin in plant.pins(jump.character)]
            assert np.linalg.norm(targets[1] - targets[0]) == pytest.approx(np.linalg.norm(plant.marks[1]))
        again = FootPlant.from_dict(plant.to_dict())
        assert again.marks == plant.marks
    with pytest.raises(InputError, match="marks"):
        replace(plant, marks=((0.0, 0.0, 0.0),) * 3)


def test_unknown_feet_are_an_error():
    from poise.character import Body, Character, Joint

    with pytest.raises(InputError, match="feet"):
        feet_of(Character("box", [Body("box", None, Joint.free())]))


def test_a_moved_plant_is_stepped_on():
    jump = clips.get("jump")
    plants = adaptation.detect(jump)
    moved = [replace(p, place=FootPlace(p.place.x + 0.06, p.place.y, p.place.yaw)) for p in plants[-2:]]
    result = adaptation.adapt(jump, [*plants[:2], *moved], floor=0.0)
    assert off_by(result.clip, [*plants[:2], *moved]).max() < 2e-3
    exact = adaptation.adapt(jump, [*plants[:2], *moved], floor=0.0, exact=True)
    assert off_by(exact.clip, [*plants[:2], *moved]).max() < 2.5e-4
    assert exact.report.met, str(exact.report)


def test_free_plants_follow_what_is_reached_for():
    jump = clips.get("jump")
    found = adaptation.detect(jump)
    frame = 15
    place = Kinematics(jump.character, jump.q).point("RightHandCentre")[frame] + [1.1, 0.0, 0.1]
    reach = c.pin("RightHandCentre", place, float(jump.times[frame]))
    free = [replace(p, place=None) for p in found]
    held = adaptation.adapt(jump, [*found, reach])
    result = adaptation.adapt(jump, [*free, reach])
    assert all(p.place is not None for p in result.plants)
    assert off_by(result.clip, result.plants).max() < 2e-3  # they stand, wherever they are
    shift = [np.hypot(p.place.x - q.place.x, p.place.y - q.place.y) for p, q in zip(result.plants, found)]
    assert max(shift) > 0.02
    cost = [r.descents[0].cost for r in (held, result)]
    assert cost[1] < cost[0]  # free feet make the change smaller
    assert result.report.met, str(result.report)


def test_free_places_have_exact_derivatives():
    """The border against differences: merit along places and coefficients together."""
    jump = clips.get("jump")
    free = [replace(p, place=None) for p in adaptation.detect(jump)]
    setup = adaptation.adapt(jump, free, steps=1).setup
    problem = setup.problem
    stage = problem.stages[0]
    coefficients = [s.zero() for s in problem.stages]
    _, system = problem.solve(0, coefficients, problem.free.estimate, effort=None)
    rng = np.random.default_rng(0)
    at = 0.05 * rng.normal(size=coefficients[0].shape)
    places = problem.free.estimate + 0.05 * rng.normal(size=problem.free.estimate.shape)
    change = rng.normal(size=places.shape)
    n = stage.space.count
    problem.free.set_targets(system, places)
    error = system.evaluate(at)
    acting, force = system.table.pull(error)
    band, gradient = stage.band.copy(), np.zeros(n)
    system.add_to(band, gradient, acting, force)
    from poise.methods.adaptation.band import factorise

    problem.free.step(system, factorise(band), gradient, acting, force, places, np.zeros_like(places))
    slope = float(force @ problem.free.along(system, change)) + problem.free.slope(places, change)
    merits = []
    for sign in (1e-6, -1e-6):
        problem.free.set_targets(system, places + sign * change)
        merits.append(
            system.table.loss(system.evaluate(at, jacobian=False)) + problem.free.cost(places + sign * change)
        )
    assert slope == pytest.approx((merits[0] - merits[1]) / 2e-6, rel=1e-5)


@pytest.fixture(scope="module")
def walk(shared_data) -> Clip:
    return load(shared_data / "cmu_cgspeed_bvh" / "02_01.bvh", drop_tpose=True)


def test_a_captured_walk_stands_still_and_reaches(walk):
    plants = adaptation.detect(walk)
    assert len(plants) == 6
    frame = 171
    place = Kinematics(walk.character, walk.q).point("RightHand")[frame] + [0.35, 0.0, 0.15]
    reach = c.pin("RightHand", place, float(walk.times[frame]))
    exact = adaptation.adapt(walk, [*plants, reach], floor=True, exact=True)
    off = off_by(exact.clip, plants)
    assert np.sqrt(np.mean(off**2)) < 2.5e-4
    assert off.max() < 1.5e-3
    assert exact.report.met, str(exact.report)
    usual = adaptation.adapt(walk, [*plants, reach], floor=True)
    assert usual.report.met, str(usual.report)
    assert slide(usual.clip, plants) < 0.035 < slide(walk, plants)
    assert knee_acceleration(usual.clip) < 1.1 * knee_acceleration(walk)


def test_a_hand_out_of_reach_does_not_tear_the_feet_along(walk):
    plants = adaptation.detect(walk)
    frame = 171
    place = Kinematics(walk.character, walk.q).point("RightHand")[frame] + [0.0, 0.0, 3.0]
    result = adaptation.adapt(
        walk, [*plants, c.pin("RightHand", place, float(walk.times[frame]), name="far")], floor=True
    )
    assert off_by(result.clip, plants).max() < 0.02
    assert result.report.message.startswith("far pulls against plant")
    assert result.report.details["shares"][0]["name"] == "far"


def slide(clip: Clip, plants) -> float:
    """Mean horizontal speed of planted points [m/s]."""
    kin, speeds = Kinematics(clip.character, clip.q), []
    for plant in plants:
        for name, when in plant.intervals.items():
            frames = np.rint(when.times(clip) * clip.fps).astype(int)
            steps = np.diff(kin.point(name)[frames, :2], axis=0)
            speeds.append(np.linalg.norm(steps, axis=1) / clip.dt)
    return float(np.concatenate(speeds).mean())


def knee_acceleration(clip: Clip) -> float:
    """99th percentile of the knees' angular acceleration [rad/s²]."""
    knees = [clip.character.dofs(n) for n in ("LeftLeg", "RightLeg")]
    a = [np.linalg.norm(np.gradient(clip.velocity[:, k], clip.dt, axis=0), axis=1) for k in knees]
    return float(np.percentile(np.concatenate(a), 99))
