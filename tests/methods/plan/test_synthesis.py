"""Whole syntheses: keys met, hand-overs without pops, physics of flights, tucks, files and mistakes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poise
from poise.character import presets
from poise.errors import CancelledError, FileFormatError, InputError, UnknownNameError
from poise.kinematics import Kinematics
from poise.methods.plan.plan import plan_segments, settings_for
from poise.methods.plan.result import PlanResult
from poise.methods.plan.scene import bundled as scenes
from poise.methods.plan.scene.hold import Hold
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.reference_pose import ready_pose
from poise.methods.plan.scene.scene import Scene
from poise.methods.plan.scene.segment import Flight, Stance
from poise.methods.plan.solve.flight import solve_flight
from poise.methods.plan.solve.projection import current_places
from poise.operations.plan import Planning

FEET = ("LeftFoot", "RightFoot")


@pytest.fixture(scope="module")
def jump() -> PlanResult:
    return poise.plan("lamp jump")


@pytest.fixture(scope="module")
def punches() -> PlanResult:
    return poise.plan("four punches", judge=False)


def pops(result: PlanResult) -> list[float]:
    """Jumps of the pose at hand-overs [rad, m]."""
    minus = result.character.manifold.minus
    found = []
    for a, b in zip(result.pieces, result.pieces[1:]):
        found.append(float(np.abs(minus(a.pose(np.array([a.duration])), b.pose(np.array([0.0])))).max()))
    return found


def test_a_lamp_jumps(jump):
    assert jump.report.met, jump.report
    assert max(pops(jump)) < 1e-4
    _, air, land = jump.pieces
    rise = Kinematics(jump.character, air.pose(np.linspace(0, air.duration, 20))).point("Base")[:, 2]
    assert rise.max() > 0.05
    start, end = jump.clip.q[0], jump.clip.q[-1]
    assert end[0] - start[0] > 0.1  # it got somewhere
    assert np.abs(jump.character.manifold.minus(end, start)[6:]).max() < 1e-4  # and rests as it began
    assert land.state(land.duration)[1] == pytest.approx(0, abs=1e-3)


def test_it_says_how_far_it_is_within_segments_and_stops_there(jump):
    parts: list[float] = []
    again = poise.plan("lamp jump", progress=parts.append)
    assert_allclose(again.clip.q, jump.clip.q, atol=0)  # watched or not, the same
    assert parts == sorted(parts)
    assert parts[0] == 0.0
    assert parts[-1] < 1.0
    first = [p for p in parts if p < 0.9 / 3]
    assert len(first) > 5, "steps of the first of three segments"
    asked = 0

    def enough() -> bool:
        nonlocal asked
        asked += 1
        return asked == 5

    with pytest.raises(CancelledError, match="plan was cancelled"):
        poise.plan("lamp jump", cancel=enough)
    assert asked == 5, "in the middle of the first segment"


def test_held_feet_stay_to_a_nanometre_and_bones_are_rigid(punches):
    assert punches.report.met, punches.report
    holds = [Hold(f) for f in FEET]
    first = current_places(punches.character, punches.clip.q[0], holds)
    for q in punches.clip.q[::5]:
        now = current_places(punches.character, q, holds)
        assert np.abs(now.positions - first.positions).max() < 1e-9
        assert np.abs(now.rotations - first.rotations).max() < 1e-9
    assert max(pops(punches)) < 1e-3
    for o in punches.report.outcomes:
        assert o.error < (1e-3 if o.unit == "m" else 0.01)
    turns = [np.linalg.norm(p.angles(np.linspace(0, p.duration, 20)), axis=2).max() for p in punches.pieces]
    assert max(turns) < np.pi


def test_a_blow_stops_the_fist(punches):
    before, after = punches.pieces[0], punches.pieces[1]
    fist = "RightHandCentre"
    speeds = []
    for piece, time in ((before, before.duration), (after, 0.0)):
        q, v = piece.state(time)
        speeds.append(np.linalg.norm(Kinematics(punches.character, q).point_jacobian(fist)[0] @ v))
    assert speeds[0] == pytest.approx(5.0, abs=0.02)
    assert speeds[1] < 0.2


def test_the_report_tells_what_the_linear_model_hides(jump):
    looks = jump.report.details["segments"]
    assert [s["segment"] for s in looks] == ["prepare", "air", "land"]
    assert [s["heading"] for s in looks] == [p.frame.heading for p in jump.pieces]
    assert looks[0]["least_vertical"] > -0.5
    assert looks[1]["spin_drift"] < 1e-3
    assert looks[1]["parabola"] < 1e-6
    json.loads(jump.report.to_json())


def test_small_motions_need_the_forces_that_were_planned():
    """E_true / E_lin tends to one as the motion gets small, and grows with it."""
    character = presets.lamp()
    at = Kinematics(character, character.rest_pose()).point("Bulb")[0]
    ratios = []
    for size in (0.003, 0.05):
        goal = at + size * np.array([1.0, 0.0, -1.0])
        found = plan_segments(
            character, [Stance(0.5, ["Base"], [PartialKey("Bulb", position=goal)])], Planning(modes=7)
        )
        ratios.append(found.report.details["segments"][0]["effort_ratio"])
    assert abs(ratios[0] - 1) < 0.35  # gravity's gradient is left out of the linear model
    assert np.isfinite(ratios[1])


def tuck(passive: float) -> tuple[bool, float]:
    """A somersault with the spin that would turn the rest pose by ``passive``: whether, and least inertia."""
    character = presets.biped180()
    q0 = ready_pose(character, FEET, lower=0.1)
    settings = settings_for(character, Planning(modes=15, refine=3, stiffer={"*Arm": 2.0}), q0)
    time = 0.8
    kin = Kinematics(character, q0)
    v = np.zeros(character.nv)
    v[:3] = (0, 0, 0.5 * 9.81 * time)
    v[4] = passive / time  # about the root; the whole spins as one body
    spin = Kinematics(character, q0, v)
    v[:3] += v[:3] - spin.momentum[0, :3] / character.total_mass  # the centre of mass goes straight up
    flight = Flight(FEET, turn=(0, 2 * np.pi, 0), duration=time, name="air")
    motion = solve_flight(flight, settings, (q0, v), 0.0)
    inertia = Kinematics(character, motion.shape(np.linspace(0, time, 30))).inertia[:, 1, 1]
    return all(o.met for o in motion.outcomes(0.0)), float(inertia.min() / kin.inertia[0, 1, 1])


def test_less_spin_makes_it_tuck_more_and_too_little_is_said_to_fail():
    results = {degrees: tuck(np.radians(degrees)) for degrees in (360, 300, 240, 120)}
    assert results[360][0]
    assert results[300][0]
    assert results[240][0]
    assert results[360][1] > results[300][1] > results[240][1]
    assert results[360][1] > 0.9
    assert results[240][1] < 0.75
    assert not results[120][0]


def test_scenes_survive_files(tmp_path):
    for name in scenes.SCENES:
        scene = scenes.get(name)
        again = Scene.load(scene.save(tmp_path / "scene.json"))
        assert again.to_dict() == json.loads(json.dumps(scene.to_dict()))
        assert len(again.segments) == len(scene.segments)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"segments": 3}, "list of segments"),
        ({"segments": [{"kind": "hop"}]}, "kind of segment"),
        ({"segments": [{"kind": "stance", "duration": 1}]}, "segment 1"),
        ({"segments": [{"kind": "stance", "duration": 1, "holds": ["Base"], "colour": 1}]}, "colour"),
        (
            {"segments": [{"kind": "stance", "duration": 1, "holds": ["Base"], "keys": [{"of": "com"}]}]},
            "sets nothing",
        ),
        ({"options": {"speed": 3}}, "speed"),
        ({"who": 1}, "who"),
    ],
)
def test_broken_files_are_explained(tmp_path, change, message):
    data = {**scenes.get("lamp jump").to_dict(), **change}
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(data))
    with pytest.raises(FileFormatError, match=message):
        Scene.load(path)


LAMP = presets.lamp()
STAND = Stance(0.4, ["Base"], name="stand")


@pytest.mark.parametrize(
    "segments, message",
    [
        ([], "at least one"),
        ([Flight()], "must be a Stance"),
        ([STAND, Flight(["Base"], name="hop")], "never reaches"),
        (
            [STAND, Flight(duration=0.3, keys=[PartialKey("com", angular_momentum=(0, 1, 0))])],
            "cannot change",
        ),
    ],
)
def test_impossible_sequences_are_explained(segments, message):
    with pytest.raises(InputError, match=message):
        plan_segments(LAMP, segments, Planning())


def test_wrong_names_are_listed():
    with pytest.raises(UnknownNameError, match="Foot"):
        plan_segments(LAMP, [Stance(0.4, ["Foot"])], Planning())
    with pytest.raises(UnknownNameError, match="Hand"):
        plan_segments(LAMP, [Stance(0.4, ["Base"], [PartialKey("Hand", position=(0, 0, 0))])], Planning())
    with pytest.raises(UnknownNameError, match="springy"):
        plan_segments(LAMP, [STAND], Planning(springs="springy"))
    with pytest.raises(InputError, match="3 numbers"):
        PartialKey("Bulb", position=(0, 0))
    with pytest.raises(InputError, match="at 0"):
        Stance(0.4, ["Base"], [PartialKey("Bulb", at=0.9, position=(0, 0, 0))])


NAN = float("nan")


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Stance(-1, ["Base"]), "duration"),
        (lambda: Stance(NAN, ["Base"]), "duration"),
        (lambda: Stance("long", ["Base"]), "duration.*'long'"),
        (lambda: Stance(1, "Base"), "holds.*list"),
        (lambda: Stance(1, ["Base"], nodes=0), "nodes"),
        (lambda: Stance(1, ["Base"], nodes=1.5), "nodes"),
        (lambda: Stance(1, ["Base"], absorb=-1), "absorb"),
        (lambda: Stance(1, ["Base"], slide=0), "slide"),
        (lambda: Stance(1, ["Base"], least_push=NAN), "least_push"),
        (lambda: Flight(duration=NAN), "duration"),
        (lambda: Flight(height=NAN), "height"),
        (lambda: Flight(turn=(0, 6)), "turn"),
        (lambda: Flight(offset=(0, 6)), "offset"),
        (lambda: PartialKey("Bulb", position=(NAN, 0, 0)), "position.*Bulb"),
        (lambda: PartialKey("Bulb", position="abc"), "position.*Bulb"),
        (lambda: PartialKey("Bulb", position=3), "position.*Bulb"),
        (lambda: PartialKey("Bulb", position=(None, None, None)), "position.*Bulb"),
        (lambda: PartialKey("Bulb", orientation=(None, 0, 0, 1)), "orientation.*Bulb"),
        (lambda: PartialKey("Bulb", position=(0, 0, 0), at=NAN), "time.*Bulb"),
        (lambda: PartialKey("Bulb", position=(0, 0, 0), weight=-1), "weight.*Bulb"),
        (lambda: poise.plan(Scene("lamp", [STAND]), fps=0), "fps"),
        (lambda: poise.plan(Scene("lamp", [STAND]), modes=2.5), "modes"),
        (lambda: poise.plan(Scene("lamp", [STAND]), refine=-1), "refine"),
        (lambda: poise.plan(Scene("lamp", [STAND]), key_weight=NAN), "key_weight"),
        (lambda: poise.plan(Scene("lamp", [STAND]), rayleigh=(1.0,)), "rayleigh"),
        (lambda: poise.plan(Scene("lamp", [STAND]), rayleigh=(-1.0, 0.0)), "rayleigh"),
        (lambda: poise.plan(Scene("lamp", [STAND]), stiffer={"Shade": -1}), "stiffer"),
        (lambda: Scene("lamp", [STAND], options={"stiffer": 3}), "stiffer"),
        (lambda: Scene("lamp", [STAND], options={"modes": 2.5}), "modes"),
        (lambda: Scene("lamp", [STAND], options={"key_weight": NAN}), "key_weight"),
        (lambda: Scene("lamp", [STAND], options={"judge": False}), "judge"),
        (lambda: Scene("lamp", [STAND], lower=NAN), "lower"),
    ],
)
def test_nonsense_is_refused_by_name(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_stopped_points_must_exist():
    with pytest.raises(UnknownNameError, match="Nose"):
        plan_segments(LAMP, [Stance(0.4, ["Base"], stop=["Nose"])], Planning())


def test_a_key_out_of_reach_is_missed_and_said_so():
    found = plan_segments(
        LAMP, [Stance(0.4, ["Base"], [PartialKey("Bulb", position=(3.0, 0, 0.5))], name="reach")], Planning()
    )
    assert not found.report.met
    assert "reach" in found.report.missed[0].name
    assert found.report.missed[0].reason


def test_a_jump_may_go_any_way_round(jump):
    """The same jump in a world turned about the vertical."""
    character = presets.lamp()
    scene = scenes.get("lamp jump")
    heading = 2.0
    turn = np.array([[np.cos(heading), -np.sin(heading)], [np.sin(heading), np.cos(heading)]])
    q0 = character.rest_pose()
    q0[:2] = (3.0, -1.0)
    q0[3:7] = (np.cos(heading / 2), 0, 0, np.sin(heading / 2))
    stance = scene.segments[0]
    vx, vy = turn @ (0.55, 0.0)
    key = PartialKey("com", velocity=(vx, vy, 1.5), angular_velocity=(0.0, 0.0, 0.0))
    turned = Stance(stance.duration, ["Base"], [key], nodes=2, name="prepare")
    found = plan_segments(
        character, [turned, *scene.segments[1:]], Planning(**scene.options, judge=False), reference=q0
    )
    assert found.report.met, found.report
    went = found.clip.q[-1, :2] - found.clip.q[0, :2]
    assert_allclose(turn.T @ went, jump.clip.q[-1, :2] - jump.clip.q[0, :2], atol=0.02)


def test_a_longer_horizon_takes_less_effort():
    """Two reaches of the lamp, one after the other and planned together: the same keys, less work."""
    at = Kinematics(LAMP, LAMP.rest_pose()).point("Bulb")[0]
    reaches = [
        Stance(0.4, ["Base"], [PartialKey("Bulb", position=at + (0.06, 0.0, -0.05))], name="low"),
        Stance(0.4, ["Base"], [PartialKey("Bulb", position=at + (-0.05, 0.0, 0.06))], name="high"),
    ]
    apart, together = (
        plan_segments(LAMP, reaches, Planning(modes=7, together=t, judge=False)) for t in (False, True)
    )
    assert apart.report.met
    assert together.report.met
    assert (len(apart.pieces), len(together.pieces)) == (2, 1)
    efforts = [sum(p.effort for p in r.pieces) for r in (apart, together)]
    assert efforts[1] < 0.97 * efforts[0]
    assert together.clip.duration == pytest.approx(apart.clip.duration)
