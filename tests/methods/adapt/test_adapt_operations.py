"""Reach, look, move a foot, bend a route, close a loop, be surprised: short requests, whole promises."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips, load
from poise import constraints as c
from poise.character.labels import point_named
from poise.errors import InputError, UnknownNameError
from poise.kinematics import Kinematics
from poise.methods.adapt.plants.detect import detect
from poise.motion import Clip, operators
from poise.operations.adapt import PlantMove
from poise.operations.values.look import Look


def at(clip: Clip, point: str, time: float) -> np.ndarray:
    return Kinematics(clip.character, clip.at([time])).point(point)[0]


def test_hands_reach_in_turn():
    reach = clips.get("reach")
    first, second = (
        at(reach, "RightHandCentre", 0.4) + [0.05, 0, 0.1],
        at(reach, "LeftHandCentre", 0.8) + 0.05,
    )
    result = poise.adapt(reach, [c.pin("right hand", first, 0.4), c.pin("LeftHandCentre", second, 0.8)])
    assert result.report.met, str(result.report)
    np.testing.assert_allclose(at(result.clip, "RightHandCentre", 0.4), first, atol=1e-4)
    np.testing.assert_allclose(at(result.clip, "LeftHandCentre", 0.8), second, atol=1e-4)
    with pytest.raises(InputError, match="tail"):
        poise.adapt(reach, [c.pin("tail", first, 0.4)])
    with pytest.raises(UnknownNameError, match="tail"):
        point_named(reach.character, "tail")
    assert point_named(reach.character, "left foot") == "LeftFoot"


def test_the_head_looks_there():
    wave = clips.get("wave")
    place = np.array([1.0, 1.5, 1.2])
    result = poise.adapt(wave, look=[Look(place, (0.5, 1.0))])
    assert result.report.met, str(result.report)
    for time in (0.5, 0.75, 1.0):
        kin = Kinematics(wave.character, result.clip.at([time]))
        head = wave.character.index("Head")
        forward = kin.rotations[0, head] @ wave.character.rest_placement()[1][head].T @ [1.0, 0.0, 0.0]
        way = place - kin.positions[0, head]
        assert forward @ way / np.linalg.norm(way) > np.cos(0.02)


def test_a_walk_bends_and_its_feet_stand():
    walk = operators.unroll(clips.get("walk"), 3)
    for options, turn in (
        ({"turn": np.degrees(0.8)}, 0.8),
        ({"route": [(0, 0), (2, 0.0), (3.4, 1.4)]}, None),
    ):
        result = poise.reroute(walk, **options)
        assert result.report.met, str(result.report)
        way = result.clip.q[:, :2]
        if turn is not None:
            first, last = way[10] - way[0], way[-1] - way[-11]
            facing = [np.arctan2(v[1], v[0]) for v in (first, last)]
            assert facing[1] - facing[0] == pytest.approx(turn, abs=0.15)
        else:
            assert np.linalg.norm(way[-1] - [3.4, 1.4]) < 0.1
        manner = result.report.details["manner"]
        assert manner["slide"][1] < 0.01
        assert manner["knees"][1] < 1.15 * manner["knees"][0]
    straight = poise.reroute(walk, turn=0.0)
    still = poise.adapt(walk, detect(walk), floor=True, plants=False)
    np.testing.assert_allclose(straight.clip.q, still.clip.q, atol=1e-4)


def test_routes_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="unroll"):
        poise.reroute(clips.get("walk"), turn=1.0)
    with pytest.raises(InputError, match="too short"):
        poise.reroute(clips.get("wave"), turn=1.0)
    walk = operators.unroll(clips.get("walk"), 2)
    with pytest.raises(InputError, match="leave 'turn' out"):
        poise.reroute(walk, 1.0, route=[(0, 0), (1, 0)])
    with pytest.raises(InputError, match="two places"):
        poise.reroute(walk, route=[(0, 0), (0, 0)])


def test_nothing_foretells_a_surprise():
    jump = clips.get("jump")
    time = float(jump.times[24])
    asked = c.pin("RightHandCentre", at(jump, "RightHandCentre", time) + [0.12, 0, 0.06], time)
    calm = poise.adapt(jump, detect(jump), floor=True, plants=False)
    result = poise.adapt(jump, [asked], known={asked.name: time - 0.3})
    assert result.report.met, str(result.report)
    known = int(np.ceil((time - 0.3) * jump.fps))
    np.testing.assert_array_equal(result.clip.q[:known], calm.clip.q[:known])
    planned = poise.adapt(jump, [*detect(jump), asked], floor=True, plants=False)
    assert np.abs(planned.clip.q[known - 2] - calm.clip.q[known - 2]).max() > 1e-3  # who knows plans ahead
    with pytest.raises(InputError, match="cannot become known"):
        poise.adapt(jump, [asked], known={asked.name: time + 0.1})
    with pytest.raises(InputError, match="field 'known': no constraint named 'tail'"):
        poise.adapt(jump, [asked], known={"tail": 0.1})


def test_a_foot_is_moved_by_its_number_and_the_floor_goes_with_feet():
    jump = clips.get("jump")
    result = poise.adapt(jump, move=PlantMove(2, (0.05, 0.02), turn=10.0, lift=0.1))
    assert result.report.met, str(result.report)
    before, after = detect(jump)[1], result.plants[1]
    np.testing.assert_allclose(np.subtract(after.place, before.place), (0.05, 0.02, np.radians(10.0)))
    assert after.height == pytest.approx(before.height + 0.1)
    assert any(o.name.startswith("floor") for o in result.setup.requirements.floor)
    assert not poise.adapt(jump, floor=False).setup.requirements.floor
    assert not poise.adapt(jump, plants=False).setup.requirements.floor
    with pytest.raises(InputError, match=f"no foot plant 9; the clip has {len(detect(jump))}"):
        poise.adapt(jump, move=PlantMove(9))
    with pytest.raises(InputError, match="needs 'plants' on"):
        poise.adapt(jump, move=PlantMove(1), plants=False)


def test_a_captured_walk_closes_into_a_loop(shared_data):
    """Root motion, a turn from cycle to cycle, and feet that stand across the seam."""
    walk = load(shared_data / "cmu_cgspeed_bvh" / "02_01.bvh", drop_tpose=True)
    result = poise.loop(walk, search=0.6)
    assert result.clip.loop
    assert abs(result.clip.travel.yaw) > 0
    assert result.report.met, str(result.report)
    twice = operators.unroll(result.clip, 2)
    foot = Kinematics(twice.character, twice.q).point("LeftToeBase")
    speed = np.linalg.norm(np.diff(foot, axis=0), axis=1) * twice.fps
    seam = result.clip.frames
    jump = np.abs(np.diff(speed[seam - 5 : seam + 5])).max()
    assert jump < 0.3  # no jolt where the end meets the start [m/s per frame]


def test_plants_hold_feet_where_clips_are_joined():
    """A join keeps poses, not feet: while it lasts they slide, unless they are told to stand."""
    jump = clips.get("jump")
    joined = operators.join(jump, clips.get("wave"))
    result = poise.adapt(joined, detect(joined), floor=True, plants=False)
    assert result.report.met
    during = slice(jump.frames - 1, jump.frames + round(0.3 * jump.fps))
    slides = []
    for clip in (joined, result.clip):
        kin = Kinematics(clip.character, clip.q)
        soles = np.stack(
            [kin.point(f"{s}{p}")[during, :2] for s in ("Left", "Right") for p in ("Heel", "Ball")]
        )
        slides.append(np.linalg.norm(np.diff(soles, axis=1), axis=2).mean() * clip.fps)
    assert slides[0] > 0.1
    assert slides[1] < 1e-3
