"""What ``check`` finds in motions that are wrong in a known way, and that it finds nothing in right ones."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from known_bodies import lever, lifted, piston, smoothstep, standing, thrown

import poise
from poise import Clip, Keyframes, characters, clips
from poise.character import Mass
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.templates.pendulum import Pendulum
from poise.methods.key.pose.values import pose
from poise.motion import operators
from poise.motion.travel import Travel
from poise.plausibility import jumps
from poise.plausibility.finding import KINDS
from poise.plausibility.playback_speed import Pace, pace_of, spoken
from poise.plausibility.polygon import distance_outside
from poise.plausibility.result import CheckResult
from poise.world import World, ground, step


def test_bundled_clips_are_plausible():
    for name in clips.names():
        report = poise.check(clips.get(name)).report
        assert report.plausible, str(report)
        assert report.score > (0.8 if name == "planar_walk" else 0.9)  # half a step of it is told
        assert not report.questions, str(report)
        assert report.world.floor.shape.height == pytest.approx(0.0, abs=0.002)
        assert len(report.flights) == {"jump": 1, "planar_jump": 1, "run": 2}.get(name, 0)
        for flight in report.flights:
            assert flight.parabola.gravity == pytest.approx(9.81, rel=0.005)


@pytest.mark.parametrize("factor", [1.3, 1 / 1.3, 2.0, 0.5])
def test_a_jump_at_the_wrong_speed_is_told_so(factor):
    report = poise.check(operators.speed(clips.get("jump"), factor)).report
    assert len(report.flights) == 1
    assert report.pace.ratio == pytest.approx(factor, rel=0.01)
    (finding,) = report.of("gravity")
    assert finding.amount == pytest.approx(9.81 * factor**2, rel=0.02)
    assert (finding.start, finding.end) == (report.flights[0].start, report.flights[0].end)
    times, way = (factor, "fast") if factor > 1 else (1 / factor, "slow")
    assert f"plays about {times:.2g}× too {way}" in report.verdict
    assert not report.plausible
    assert {f.kind for f in report.findings if f.serious} == {"gravity"}, "one cause, one complaint"


def test_ratios_in_words():
    assert spoken(2.07) == "plays about 2× too fast"
    assert spoken(0.49) == "plays about 2× too slow"
    assert spoken(1.31) == "plays about 1.3× too fast"
    assert spoken(2.2) == "plays about 2.2× too fast"
    assert spoken(2.2, uncertainty=0.08) == "plays about 2× too fast"
    assert Pace(9.6, 0.3, 1).words == "plays at the right speed"
    assert not Pace(14.0, 3.0, 1).off, "too uncertain to say"
    assert pace_of([]) is None


def test_speed_is_agreed_on_by_all_flights():
    fits = [poise.check(thrown(g, up=0.25 * g), filter="off").report.flights[0].parabola for g in (9.0, 10.0)]
    pace = pace_of(fits)
    assert 9.0 < pace.gravity < 10.0
    assert pace.uncertainty >= 0.3


@pytest.mark.parametrize(("raised", "kind"), [(0.05, "hover"), (-0.05, "penetration")])
def test_standing_beside_the_given_floor(raised, kind):
    walk = lifted(clips.get("walk"), raised)
    found = poise.check(walk, floor=0.0).report.of(kind)
    assert {f.where for f in found} == {"left foot", "right foot"}
    for finding in found:
        assert finding.amount == pytest.approx(0.05, abs=0.003)
        assert finding.unit == "m"
        assert "5.0 cm" in finding.words or "4.9 cm" in finding.words
    own = poise.check(walk).report
    assert not own.of(kind), "against its own floor it is right"
    assert own.world.floor.shape.height == pytest.approx(raised, abs=0.002)
    assert any("cm " + ("above" if raised > 0 else "below") in note for note in own.notes)


def test_dragged_feet_are_reported_with_their_way():
    still = standing(2.0)
    q = np.array(still.q)
    t = still.times
    q[:, 0] += 0.03 * smoothstep((t - 0.7) / 0.4)
    report = poise.check(still.with_q(q)).report
    assert {f.where for f in report.findings} == {"left foot", "right foot"}
    for finding in report.of("skate"):
        assert finding.amount == pytest.approx(0.03, abs=0.001)
        assert 0.6 * 120 < finding.start < finding.end < 1.2 * 120
    assert not poise.check(still).report.findings


def test_a_long_slide_is_serious():
    still = standing(2.0)
    q = np.array(still.q)
    q[:, 1] += 0.25 * smoothstep((still.times - 0.5) / 1.0)
    report = poise.check(still.with_q(q)).report
    assert not report.plausible
    assert report.findings[0].kind == "skate"


def test_a_pivot_on_the_ball_of_the_foot_is_no_skate():
    """Turning about a point of the sole moves every other point, but that one holds."""
    still = standing(1.5)
    character = still.character
    spot = Kinematics(character, still.q[:1]).point("LeftBall")[0]
    lift = character.index("RightUpLeg")
    q = np.array(still.q)
    q[:, character.coordinates(lift)] = so3.exp([0.0, -0.6, 0.0])
    turn = so3.exp(np.outer(0.5 * smoothstep((still.times - 0.4) / 0.6), [0.0, 0.0, 1.0]))
    q[:, :3] = spot + so3.rotate(turn, q[:, :3] - spot)
    q[:, 3:7] = so3.multiply(turn, q[:, 3:7])
    report = poise.check(still.with_q(q)).report
    assert any(c.part == "left foot" for c in report.contacts)
    assert not report.of("skate")


def test_a_kick_in_the_air_changes_the_spin():
    """From mid-flight on it turns about the vertical through its centre of mass: ΔH = I_zz ω."""
    clip, rate = thrown(), 6.0
    inertia = clip.character.bodies[0].mass.inertia[2, 2]
    q = np.array(clip.q)
    late = np.clip(clip.times - clip.times[30], 0.0, None)
    q[:, 3:] = so3.exp(np.outer(rate * late, [0.0, 0.0, 1.0]))
    report = poise.check(clip.with_q(q), filter="off").report
    (finding,) = report.of("spin")
    assert finding.amount == pytest.approx(inertia * rate, rel=1e-6)
    assert report.flights[0].parabola.gravity == pytest.approx(9.81, rel=1e-9)
    jump = clips.get("jump")
    turn = so3.exp(np.outer(9.0 * np.clip(jump.times - jump.times[84], 0.0, None), [0.0, 0.0, 1.0]))
    com, q = Kinematics(jump.character, jump.q).com, np.array(jump.q)
    q[:, :3] = com + so3.rotate(turn, q[:, :3] - com)
    q[:, 3:7] = so3.multiply(turn, q[:, 3:7])
    assert poise.check(jump.with_q(q)).report.of("spin")
    assert not poise.check(jump).report.of("spin")


def test_a_push_in_the_air_is_reported():
    clip = thrown()
    q = np.array(clip.q)
    q[:, 1] += 0.5 * 4.0 * clip.times**2
    (finding,) = poise.check(clip.with_q(q), filter="off").report.of("drift")
    assert finding.amount == pytest.approx(4.0, rel=1e-6)


def test_what_floats_is_asked_about_or_condemned():
    """It stands, rises half a metre and stays there: on a step, if there is one; on level ground, on
    nothing."""
    still = standing(3.0)
    floating = lifted(still, 0.5 * smoothstep((still.times - 0.8) / 0.7))
    free = poise.check(floating).report
    assert free.plausible
    assert "plausible if there is a step of 50 cm" in free.verdict
    (question,) = free.questions
    assert (question.kind, question.name) == ("surface", "step")
    assert 0 < question.sure < 1
    given = poise.check(floating, floor=0.0).report
    assert not given.plausible
    assert not given.questions
    (finding,) = [f for f in given.of("support") if f.serious]
    assert finding.end == pytest.approx(still.frames - 1, abs=6)
    assert [p.kind for p in given.phases][-1] == "unexplained"
    held = poise.check(lifted(still, 0.5), floor=0.0).report
    assert not held.plausible, "nothing is there that could hold it"


def test_what_was_assumed_can_be_confirmed():
    still = standing(3.0)
    floating = lifted(still, 0.5 * smoothstep((still.times - 0.8) / 0.7))
    for names in ("all", "step", ["step"]):
        sure = poise.check(floating, confirm=names).report
        assert not sure.questions
        assert sure.world["step"].source == "confirmed"
        assert ": plausible" in sure.verdict
        assert " if " not in sure.verdict
    again = poise.check(floating, world=sure.world).report
    assert again.plausible
    assert not again.questions
    with pytest.raises(poise.errors.InputError, match=r"stool.*step"):
        poise.check(floating, confirm="stool")


def test_a_world_is_given_as_data_or_as_a_file(tmp_path):
    still = standing(2.0)
    high = lifted(still, 0.3)
    world = World((ground(0.0), step("table", (-1, -1), (1, 1), 0.3)))
    path = tmp_path / "world.json"
    path.write_text(json.dumps(world.to_dict()))
    for given in (world, world.to_dict(), path, str(path)):
        report = poise.check(high, world=given).report
        assert report.plausible, str(report)
        assert {c.surface for c in report.contacts} == {"table"}
        assert not report.questions
    assert not poise.check(high, floor=0.0).report.plausible
    with pytest.raises(poise.errors.InputError, match="floor and a world"):
        poise.check(high, floor=0.0, world=world)


def test_turning_over_a_place_that_holds_is_no_flight():
    """Round a corner that stays in the air the centre of mass nearly follows a parabola, of weak gravity."""
    clip = thrown(seconds=0.4)
    corner = np.asarray(clip.character.bodies[0].points["corner0"])
    turn = so3.exp(np.outer(2.5 * (clip.times - 0.2), [0.0, 1.0, 0.0]))
    upright = so3.between(-corner, (0.0, 0.0, 1.0))
    q = np.array(clip.q)
    q[:, 3:] = so3.multiply(turn, upright)
    q[:, :3] = [0.0, 0.0, 1.5] - so3.rotate(q[:, 3:], corner)
    held = poise.check(clip.with_q(q), floor=0.0, filter="off").report
    assert [(p.kind, p.parts) for p in held.phases] == [("unexplained", ("corner0",))]
    q[:, 0] += 2.0 * clip.times  # the same, but the corner flies along
    assert [p.kind for p in poise.check(clip.with_q(q), floor=0.0, filter="off").report.phases] == ["flight"]


def test_a_jump_that_stops_in_the_air_is_implausible():
    jump = clips.get("jump")
    stop = operators.warp(jump, [(1.3, 1.3), (1.35, 2.6)])
    assert not poise.check(stop, floor=0.0).report.plausible
    assert poise.check(stop).report.questions, "there may be something it stands on"


def test_leaning_too_far_is_out_of_balance():
    # Over its heel, the one patch that a foot without a leg has, and far beyond.
    upright, leaning = (poise.check(lever(angle, seconds=2.0), floor=0.0).report for angle in (-0.19, 0.6))
    assert not upright.of("balance")
    (finding,) = leaning.of("balance")
    beyond = distance_outside(leaning.physics.polygon(60), np.array([0.8 * math.sin(0.6), 0.0]))
    assert finding.amount == pytest.approx(beyond, rel=0.02)
    assert beyond > 0.15
    assert finding.unit == "m"
    assert finding.serious


def test_falling_faster_than_gravity_on_the_floor_is_a_pull():
    """A weight on a foot goes down with 2 g: something would have to pull with all its weight."""
    t = np.arange(0, 1.2, 1 / 120)
    drop = 0.5 * 2 * 9.81 * np.clip(t - 0.4, 0.0, 0.25) ** 2
    drop[t > 0.65] += 2 * 9.81 * 0.25 * (1 - np.exp(-(t[t > 0.65] - 0.65) / 0.05)) * 0.05
    report = poise.check(piston(2.2 - drop), floor=0.0).report
    (finding,) = report.of("pull")
    assert finding.amount == pytest.approx(5.0 * 9.81, rel=0.4)
    assert 0.3 < finding.start / 120 < finding.end / 120 < 0.75
    assert not poise.check(piston(2.2 - 0.2 * drop), floor=0.0).report.of("pull")


def test_superhuman_effort_is_reported():
    """An arm that shakes a tenth of a turn ten times a second."""
    clip = standing(1.0)
    character, q = clip.character, np.array(clip.q)
    span = character.coordinates("RightArm")
    shake = 0.6 * np.sin(2 * np.pi * 10 * clip.times)
    q[:, span] = so3.multiply(q[:, span], so3.exp(np.outer(shake, [1.0, 0.0, 0.0])))
    found = poise.check(clip.with_q(q), filter="off").report.of("torque")
    assert found
    assert {f.where for f in found} >= {"RightArm"}
    assert all(f.amount > f.expected for f in found)


def test_without_mass_or_feet_it_says_what_was_skipped():
    walk = clips.get("walk")
    nothing = walk.character.with_masses([Mass()] * len(walk.character.bodies), "none")
    report = poise.check(Clip(nothing, walk.q, walk.rate, loop=True, travel=walk.travel)).report
    assert report.physics.forces is None
    assert any("no mass" in note for note in report.notes)
    assert {c.part for c in report.contacts} == {"left foot", "right foot"}
    lamp = characters.get("lamp")
    report = poise.check(Clip(lamp, np.repeat(lamp.rest_pose()[None], 60, axis=0), 60)).report
    assert any("feet" in note for note in report.notes)
    assert any("torques" in note for note in report.notes)
    assert report.plausible
    for name in characters.names():
        character = characters.get(name)
        assert (
            poise.check(Clip(character, np.repeat(character.rest_pose()[None], 40, axis=0), 60)).report.score
            > 0.5
        ), name


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_very_short_clips_are_poses(frames):
    clip = standing()
    report = poise.check(clip.with_q(clip.q[:frames])).report
    assert report.plausible
    assert any("too few" in note for note in report.notes)


def test_a_rest_pose_before_the_motion_is_left_out():
    walk = operators.unroll(clips.get("walk"), 1)
    q = np.concatenate([walk.character.rest_pose()[None] + 0.0, walk.q])
    q[0, 0] += 3.0
    report = poise.check(Clip(walk.character, q, walk.rate)).report
    assert any("frame 0" in note for note in report.notes)
    assert report.plausible, str(report)
    assert report.phases[0].start == 1
    assert min(contact.start for contact in report.contacts) == 1


def test_the_report_is_plain_data():
    jump = operators.speed(clips.get("jump"), 1.3)
    report = poise.check(jump).report
    data = json.loads(report.to_json())
    assert data["plausible"] is False
    assert data["pace"]["speed_ratio"] == pytest.approx(1.3, rel=0.01)
    assert len(data["curve"]) == jump.frames
    assert {f["kind"] for f in data["findings"]} <= set(KINDS)
    assert all(0 <= f["score"] <= 1 for f in data["findings"])
    flight = next(p for p in data["phases"] if p["kind"] == "flight")
    assert flight["flight"]["gravity"] == pytest.approx(9.81 * 1.69, rel=0.02)
    assert flight["score"] == min(report.curve)
    assert {c["part"] for c in data["contacts"]} == {"left foot", "right foot"}
    assert data["contacts"][0]["surface"] == "floor"
    assert [s["name"] for s in data["world"]["surfaces"]] == ["floor"]
    assert data["questions"] == []
    assert data["flights"][0]["gravity"] == flight["flight"]["gravity"]
    assert {f["about"] for f in data["findings"] if f["serious"]} == {"recording"}


def test_it_is_offered_at_the_top():
    found = poise.check(clips.get("wave"))
    assert isinstance(found, CheckResult)
    assert found.clip is clips.get("wave") or found.clip == clips.get("wave")
    assert found.met == found.report.plausible
    assert "plausible" in repr(found.report)


def test_the_plot_is_a_page(tmp_path):
    from PIL import Image

    path = poise.check(clips.get("run")).report.plot(tmp_path / "run.png")
    with Image.open(path) as image:
        assert image.size[0] > 1200
        assert len(set(image.convert("L").tobytes())) > 50
    with pytest.raises(poise.errors.InputError, match=r"\.png"):
        poise.check(clips.get("run")).report.plot(tmp_path / "run.xyz")


def test_who_hangs_needs_no_floor():
    """A swing by both hands: held by something unseen, and no foot stands or slides anywhere."""
    figure, bar = characters.humanoid(), np.array([0.0, 0.0, 2.2])
    reach = pose(figure, {"LeftArm": (np.pi / 2, 0, 0), "RightArm": (-np.pi / 2, 0, 0)})
    kin = Kinematics(figure, reach)
    length = (kin.point("LeftHand")[0] - kin.com[0])[2] - 0.01
    start = bar + length * np.array([-np.sin(0.5), 0.0, -np.cos(0.5)])
    swing = PathKey(0.0, start, (0, 0, 0), Pendulum(tuple(bar)))
    tracks = Keyframes(figure, {0.0: reach, 3.0: reach})
    tracks = tracks.with_path([swing, PathKey(3.0, start)])
    for side in ("Left", "Right"):
        tracks = tracks.pin(f"{side}Hand", to=bar + [0.0, kin.point(f"{side}Hand")[0][1], 0.0])
    report = poise.check(poise.key(tracks, fps=60)).report
    assert report.plausible, str(report)
    assert {phase.kind for phase in report.phases} == {"unexplained"}
    assert {p for phase in report.phases for p in phase.parts} <= {"left hand", "right hand"}
    assert {q.kind for q in report.questions} == {"hold"}
    assert "plausible if something unseen is held by the" in report.verdict
    assert not poise.check(poise.key(tracks, fps=60), confirm="all").report.questions


@pytest.mark.parametrize(
    ("travel", "moves"),
    [(None, False), (Travel(), False), (Travel((0.3, 0.0, 0.0)), True), (Travel(yaw=0.4), True)],
    ids=["no loop", "in place", "gliding", "turning"],
)
def test_a_still_pose_moves_where_its_loop_does(travel, moves):
    """A statue is nothing to judge; one that slides or turns from cycle to cycle is."""
    who = characters.get("humanoid")
    q = np.tile(who.rest_pose(), (30, 1))
    clip = Clip(who, q, 30) if travel is None else Clip(who, q, 30, loop=True, travel=travel)
    report = poise.check(clip).report
    assert (report.unjudged == "nothing moves in it") == (not moves), str(report)
    assert (report.to_dict()["score"] is not None) == moves


@pytest.mark.parametrize("frames", [5, 8, 20])
def test_jitter_is_looked_for_in_clips_shorter_than_its_window(frames):
    take = SimpleNamespace(dt=1 / 60, lead=0)
    physics = SimpleNamespace(
        take=take, scale=1.0, footing=SimpleNamespace(belongs=np.ones(frames, dtype=bool))
    )
    found = jumps._jitter(physics, np.zeros((frames, 2, 3)), np.zeros((frames, 2)), np.arange(2))
    assert not list(found)
