"""Feet that stand: found in clips, held in place, or placed by the solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from poise import clips, load
from poise import constraints as c
from poise.constraints import FootPlace, FootPlant
from poise.contacts.differentiated_clip import runs
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.adapt.plants.detect import detect, feet_of, move_plant
from poise.methods.adapt.plants.quality import manner
from poise.motion import Clip, operators
from poise.operations.adapt import PlantMove


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
    plants = detect(jump)
    assert len(plants) == 4  # both feet, before and after
    down = np.zeros(jump.frames, dtype=bool)
    for plant in plants:
        for when in plant.intervals.values():
            frames = np.rint(when.times(jump) * jump.fps).astype(int)
            down[frames] = True
            heights = Kinematics(jump.character, jump.q).point(next(iter(plant.intervals)))[frames, 2]
            assert heights.max() - heights.min() < 0.15  # the heel rises while the ball still stands
    flight = runs(~down)
    assert len(flight) == 1
    com = Kinematics(jump.character, jump.q).com[:, 2]
    assert flight[0][0] < np.argmax(com) < flight[0][1]


def test_marks_keep_the_foot_rigid():
    jump = clips.get("jump")
    kin = Kinematics(jump.character, jump.q)
    for plant in detect(jump):
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
    plants = detect(jump)
    moved = [replace(p, place=FootPlace(p.place.x + 0.06, p.place.y, p.place.yaw)) for p in plants[-2:]]
    result = poise.adapt(jump, [*plants[:2], *moved], floor=0.0, plants=False)
    assert off_by(result.clip, [*plants[:2], *moved]).max() < 2e-3
    exact = poise.adapt(jump, [*plants[:2], *moved], floor=0.0, exact=True, plants=False)
    assert off_by(exact.clip, [*plants[:2], *moved]).max() < 2.5e-4
    assert exact.report.met, str(exact.report)


def test_free_plants_follow_what_is_reached_for():
    jump = clips.get("jump")
    found = detect(jump)
    frame = 15
    place = Kinematics(jump.character, jump.q).point("RightHandCentre")[frame] + [1.1, 0.0, 0.1]
    reach = c.pin("RightHandCentre", place, float(jump.times[frame]))
    free = [replace(p, place=None) for p in found]
    held = poise.adapt(jump, [*found, reach], plants=False)
    result = poise.adapt(jump, [*free, reach], plants=False)
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
    free = [replace(p, place=None) for p in detect(jump)]
    setup = poise.adapt(jump, free, iterations=1, plants=False).setup
    problem = setup.problem
    stage = problem.stages[0]
    coefficients = [s.start for s in problem.stages]
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
    from poise.solvers.banded import factorise

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
    plants = detect(walk)
    assert len(plants) == 6
    frame = 171
    place = Kinematics(walk.character, walk.q).point("RightHand")[frame] + [0.35, 0.0, 0.15]
    reach = c.pin("RightHand", place, float(walk.times[frame]))
    exact = poise.adapt(walk, [*plants, reach], floor=True, exact=True, plants=False)
    off = off_by(exact.clip, plants)
    assert np.sqrt(np.mean(off**2)) < 1e-4
    assert off.max() < 2.5e-4
    assert exact.report.met, str(exact.report)


@pytest.mark.parametrize(
    ("name", "count"),
    [("02_01", 6), ("143_01", 5), ("80_08", 2), ("143_23", 2), ("143_24", 18), ("16_01", 4)],
)
def test_captured_feet_stand_and_nothing_trembles(shared_data, name, count):
    """Walk, run (whose header is twice too fast), pick-up, punch, kick, jump."""
    clip = load(shared_data / "cmu_cgspeed_bvh" / f"{name}.bvh", drop_tpose=True)
    plants = detect(clip)
    assert len(plants) == count
    result = poise.adapt(clip, plants, floor=True, plants=False)
    before, after = (manner(each, plants) for each in (clip, result.clip))
    assert after.slide < 0.035 < before.slide
    assert after.knees < 1.1 * before.knees
    assert after.jerk < 1.1 * before.jerk
    told = result.report.details["manner"]
    assert told["slide"] == (before.slide, after.slide)
    assert "feet slide" in result.report.message


def test_exact_plants_hold_and_say_what_it_cost(shared_data):
    clip = load(shared_data / "cmu_cgspeed_bvh" / "80_08.bvh", drop_tpose=True)
    plants = detect(clip)
    result = poise.adapt(clip, plants, floor=True, exact=True, plants=False)
    assert off_by(result.clip, plants).max() < 2e-4
    knees, jerk = (result.report.details["manner"][n] for n in ("knees", "jerk"))
    assert knees[1] < 1.1 * knees[0]
    assert jerk[1] < 1.3 * jerk[0]


def test_a_plant_moved_by_a_foot_does_not_pop_the_knee(walk):
    plants = detect(walk)
    moved = move_plant(plants, "plant 4 of LeftFoot, LeftToeBase", (0.0, 0.12), turn=0.2)
    assert [p is q for p, q in zip(plants, moved)] == [True, True, True, False, True, True]
    result = poise.adapt(walk, moved, floor=True, plants=False)
    assert off_by(result.clip, moved).max() < 2e-3
    knees = result.report.details["manner"]["knees"]
    assert knees[1] < 1.1 * knees[0]
    with pytest.raises(InputError, match="plant 9"):
        move_plant(plants, "plant 9")
    with pytest.raises(InputError, match="has a place"):
        move_plant([replace(plants[0], place=None)], 0, (0.1, 0.0))


def test_a_hand_out_of_reach_does_not_tear_the_feet_along(walk):
    plants = detect(walk)
    frame = 171
    place = Kinematics(walk.character, walk.q).point("RightHand")[frame] + [0.0, 0.0, 3.0]
    result = poise.adapt(
        walk,
        [*plants, c.pin("RightHand", place, float(walk.times[frame]), name="far")],
        floor=True,
        plants=False,
    )
    assert off_by(result.clip, plants).max() < 2e-3
    assert result.report.message.startswith("far is out of reach")
    assert result.report.details["shares"][0]["name"] == "far"


def test_thresholds_follow_size_and_tempo(walk):
    """A giant in slow motion stands as the walker does."""
    from poise.motion import operators

    plants = detect(walk)
    quick = walk.replaced(rate=3 * walk.rate)
    assert len(detect(quick)) >= len(plants) - 1  # a foot that leaves as the clip begins is too brief then
    every_other = operators.resample(walk, 30)
    assert len(detect(every_other)) == len(plants)


def test_loops_stand_across_their_seam():
    for name in ("walk", "run"):
        clip = clips.get(name)
        plants = detect(clip)
        assert len(plants) == 2
        starts = [min(w.start for w in p.intervals.values()) for p in plants]
        assert all(0 <= t < clip.duration for t in starts)
        if name == "walk":
            assert max(w.end for p in plants for w in p.intervals.values()) > clip.duration
        moved = move_plant(plants, 0, (0.0, 0.05))
        result = poise.adapt(clip, moved, floor=True, exact=True, plants=False)
        assert result.report.met, str(result.report)
        assert result.clip.loop


def lone_foot(x: np.ndarray, z: np.ndarray) -> Clip:
    from poise.character import Body, Character, Joint

    foot = Character("foot", [Body("left foot", None, Joint.free())])
    q = np.tile(foot.rest_pose(), (len(x), 1))
    q[:, 0], q[:, 2] = x, z
    return Clip(foot, q, 60)


def test_stairs_are_stood_on():
    """A foot far above the lowest place is down where nothing is below it."""
    step = np.concatenate([np.linspace(0, 1, 21)[1:], np.ones(40)])  # climbs for 20 frames, stands for 40
    height = np.concatenate([0.2 * (k + step) for k in range(4)])
    plants = detect(lone_foot(1.5 * height, height), [("left foot",)])
    assert [round(p.height, 1) for p in plants] == [0.2, 0.4, 0.6, 0.8]


def test_a_creeping_foot_is_parted():
    """Slow throughout, but over a fifth of a metre: no single place."""
    x = np.concatenate([np.zeros(60), np.linspace(0, 0.2, 60), np.full(60, 0.2)])
    plants = detect(lone_foot(x, 0 * x), [("left foot",)])
    assert [round(p.place.x, 2) for p in plants] == [0.0, 0.2]


def test_feet_moved_up_stairs_lift_the_body():
    """The root is priced by what carries it: it rises with the steps instead of folding up."""
    walk = operators.unroll(clips.get("walk"), 3)
    count = len(detect(walk))
    result = poise.adapt(
        walk, move=[PlantMove(k + 1, by=(0.0, 0.0), lift=0.17 * max(0, k - 1)) for k in range(count)]
    )
    hips = [c.q[:, 2] for c in (walk, result.clip)]
    last = 0.17 * (count - 2)
    assert abs((hips[1] - hips[0])[-1] - last) < 0.1 * last
    assert abs((hips[1] - hips[0])[0]) < 0.03
    jerk = result.report.details["manner"]["jerk"]
    assert jerk[1] < 2.0 * jerk[0]
    assert result.met
