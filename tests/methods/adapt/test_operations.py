"""Reach, look, bend a route, close a loop, be surprised: thin functions, whole promises."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips, load
from poise import constraints as c
from poise.errors import InputError, UnknownNameError
from poise.kinematics import Kinematics
from poise.methods import adapt as adaptation
from poise.methods.adapt.requests import point_named
from poise.motion import Clip, operators


def at(clip: Clip, point: str, time: float) -> np.ndarray:
    return Kinematics(clip.character, clip.at([time])).point(point)[0]


def test_hands_reach_in_turn():
    reach = clips.get("reach")
    first, second = (
        at(reach, "RightHandCentre", 0.4) + [0.05, 0, 0.1],
        at(reach, "LeftHandCentre", 0.8) + 0.05,
    )
    result = adaptation.reach(reach, {"right hand": [(0.4, first)], "LeftHandCentre": [(0.8, second)]})
    assert result.report.met, str(result.report)
    np.testing.assert_allclose(at(result.clip, "RightHandCentre", 0.4), first, atol=1e-4)
    np.testing.assert_allclose(at(result.clip, "LeftHandCentre", 0.8), second, atol=1e-4)
    with pytest.raises(UnknownNameError, match="tail"):
        adaptation.reach(reach, {"tail": [(0.4, first)]})
    with pytest.raises(InputError, match="right hand"):
        adaptation.reach(reach, {"right hand": [(0.4, (1.0, 2.0))]})
    assert point_named(reach.character, "left foot") == "LeftFoot"


def test_the_head_looks_there():
    wave = clips.get("wave")
    place = np.array([1.0, 1.5, 1.2])
    result = adaptation.look_at(wave, place, (0.5, 1.0))
    assert result.report.met, str(result.report)
    for time in (0.5, 0.75, 1.0):
        kin = Kinematics(wave.character, result.clip.at([time]))
        head = wave.character.index("Head")
        forward = kin.rotations[0, head] @ wave.character.rest_placement()[1][head].T @ [1.0, 0.0, 0.0]
        way = place - kin.positions[0, head]
        assert forward @ way / np.linalg.norm(way) > np.cos(0.02)


def test_a_walk_bends_and_its_feet_stand():
    walk = operators.unroll(clips.get("walk"), 3)
    for options, turn in (({"turn": 0.8}, 0.8), ({"route": [(0, 0), (2, 0.0), (3.4, 1.4)]}, None)):
        result = adaptation.follow_route(walk, **options)
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
    straight = adaptation.follow_route(walk, turn=0.0)
    still = adaptation.adapt(walk, adaptation.detect(walk), floor=True)
    np.testing.assert_allclose(straight.clip.q, still.clip.q, atol=1e-4)


def test_routes_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="unroll"):
        adaptation.follow_route(clips.get("walk"), turn=1.0)
    with pytest.raises(InputError, match="too short"):
        adaptation.follow_route(clips.get("wave"), turn=1.0)
    walk = operators.unroll(clips.get("walk"), 2)
    with pytest.raises(InputError, match="two places"):
        adaptation.follow_route(walk, [(0, 0), (0, 0)])


def test_nothing_foretells_a_surprise():
    jump = clips.get("jump")
    time = float(jump.times[24])
    asked = c.pin("RightHandCentre", at(jump, "RightHandCentre", time) + [0.12, 0, 0.06], time)
    calm = adaptation.adapt(jump, adaptation.detect(jump), floor=True)
    result = adaptation.surprised(jump, [(time - 0.3, asked)])
    assert result.report.met, str(result.report)
    known = int(np.ceil((time - 0.3) * jump.fps))
    np.testing.assert_array_equal(result.clip.q[:known], calm.clip.q[:known])
    planned = adaptation.adapt(jump, [*adaptation.detect(jump), asked], floor=True)
    assert np.abs(planned.clip.q[known - 2] - calm.clip.q[known - 2]).max() > 1e-3  # who knows plans ahead
    with pytest.raises(InputError, match="cannot become known"):
        adaptation.surprised(jump, [(time + 0.1, asked)])


def test_a_captured_walk_closes_into_a_loop(shared_data):
    """Root motion, a turn from cycle to cycle, and feet that stand across the seam."""
    walk = load(shared_data / "cmu_cgspeed_bvh" / "02_01.bvh", drop_tpose=True)
    result = adaptation.close_loop(walk, search=0.6)
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
    result = adaptation.adapt(joined, adaptation.detect(joined), floor=True)
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
