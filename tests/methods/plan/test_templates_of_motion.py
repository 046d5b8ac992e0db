"""Templates: any body stands, steps, reaches and jumps as it is asked, and the ground can carry it."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import poise
from poise import characters
from poise.errors import InputError
from poise.gravity import EARTH
from poise.kinematics import Kinematics
from poise.methods.ground.result import Left
from poise.methods.plan.template.build import build_of
from poise.methods.plan.template.eased import eased, hump, smooth
from poise.methods.plan.template.feet import foot_path
from poise.methods.plan.template.gait import ground_frame
from poise.methods.plan.template.kinds import jump, walk
from poise.methods.plan.template.performed import level_in_flight
from poise.methods.plan.template.posing import CentreTask, PlaceTask, Posture, exponential, posed
from poise.methods.plan.template.standing import posture_weights, standing
from poise.methods.plan.template.weight import carried_path
from poise.methods.plan.template.wish import Wish
from poise.operations.declare import complaints
from poise.operations.plan import Plan
from poise.operations.values.template import OPTIONS, TEMPLATES
from poise.world import World
from poise.world.shapes import Box
from poise.world.surface import Surface

DATA = Path(os.environ.get("DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
STRANGERS = ("khronos_gltf/CesiumMan.glb", "cmu_cgspeed_bvh/02_01.bvh", "mjcf_mujoco/humanoid.xml")


def stranger_file(name: str) -> Path:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not in {DATA}: this body was not tried")
    return DATA / name


def stranger(name: str):
    return poise.load(str(stranger_file(name))).character


def test_the_weight_falls_as_the_ground_pushes():
    """Newton and Euler, by differences: what pushes at p carries c, and in flight nothing pushes."""
    dt, frames = 1 / 60, 240
    t = np.arange(frames) * dt
    pressure = np.column_stack([0.3 * smooth((t - 1.0) / 1.5), 0.05 * np.sin(t)])
    height = 1.0 + 0.02 * np.sin(3 * t)
    turning = np.column_stack([0.2 * np.sin(5 * t), 0.1 * np.cos(4 * t)])
    c = carried_path(pressure, height, np.zeros(frames), turning, dt)
    push = np.diff(height, 2) / dt**2 + EARTH
    left = push[:, None] * (c - pressure)[1:-1] - height[1:-1, None] * np.diff(c, 2, axis=0) / dt**2
    np.testing.assert_allclose(left, turning[1:-1], atol=1e-9)
    falls = height.copy()
    falls[100:130] = 1.0 + 2.0 * (t[100:130] - t[100]) - 0.5 * EARTH * (t[100:130] - t[100]) ** 2
    c = carried_path(pressure, falls, np.zeros(frames), 0 * turning, dt)
    assert np.abs(np.diff(c[102:128], 2, axis=0)).max() < 1e-9


def test_curves_keep_their_keys():
    t = np.linspace(0, 2, 2001)
    x = eased([(0.5, 1.0), (1.0, 2.0, 3.0, -9.81), (1.6, 0.5)], t)
    assert (x[0], x[-1]) == (1.0, 0.5)
    k = 1000
    assert x[k] == pytest.approx(2.0, abs=1e-12)
    assert (x[k] - x[k - 1]) / 1e-3 == pytest.approx(3.0, abs=0.02)
    assert hump(np.array([0.0, 0.5, 1.0])).tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("name", ["humanoid", "lamp", "camel", "biped180"])
def test_every_preset_stands_flat_with_its_weight_over_its_feet(name):
    stand = standing(characters.get(name))
    kin = Kinematics(stand.build.character, stand.q)
    for leg, sole in zip(stand.build.legs, stand.soles):
        np.testing.assert_allclose(kin.positions[0, leg.foot], sole + leg.origin, atol=2e-3 * stand.build.leg)
    reach = np.abs(stand.soles[:, :2]).max(axis=0) + 0.2 * stand.build.leg
    assert (np.abs(kin.com[0, :2]) < reach).all()
    beyond = exponential(stand.build.character, stand.q[None])[0]
    bounded = np.isfinite(stand.build.character.lower)
    assert (beyond[bounded] <= stand.build.character.upper[bounded] + 0.02).all()
    assert len(stand.build.legs) == {"lamp": 1, "camel": 4}.get(name, 2)


@pytest.mark.parametrize("file", STRANGERS)
def test_strangers_stand_with_knees_forward(file):
    stand = standing(stranger(file))
    at = stand.kin.positions[0]
    for leg in stand.build.legs:
        middle = 0.5 * (at[leg.hip] + at[leg.foot])
        assert at[leg.knee, 0] > middle[0] + 0.01 * stand.build.leg
        assert at[leg.hip, 2] > 0.8 * (stand.build.leg - leg.origin[2])
    for arm in stand.build.arms:
        assert at[arm.hand, 2] < at[arm.upper, 2] - 0.2 * stand.build.leg


def test_poses_do_their_tasks_and_keep_their_limits():
    character = characters.get("humanoid")
    stand = standing(character)
    build = stand.build
    target = stand.kin.com + np.array([[0.02, 0.0, -0.08]])
    foot = build.legs[0].foot
    held = stand.kin.positions[:, foot]
    tasks = [
        CentreTask(target, np.full((1, 3), 1e4)),
        PlaceTask(foot, np.zeros(3), held, np.full(1, 3e4)),
    ]
    q = posed(character, stand.q[None], tasks, Posture(stand.q[None], posture_weights(build), build.moves))
    kin = Kinematics(character, q)
    np.testing.assert_allclose(kin.com, target, atol=1e-3)
    np.testing.assert_allclose(kin.positions[:, foot], held, atol=1e-3)


def test_feet_stand_roll_and_clear_what_is_in_their_way():
    stand = standing(characters.get("humanoid"))
    box = Surface("sill", Box((0.05, 1.0, 0.05)), place=(0.3, 0.0, 0.05))
    score = walk.score(stand, Wish(over=1.2, world=World.flat(0.0).with_surfaces([box])))
    for k, leg in enumerate(stand.build.legs):
        path = foot_path(score, k, leg)
        for plant in score.plants[k]:
            flat = (score.times > plant.start + plant.load) & (score.times < plant.end - plant.unload)
            if flat.any():
                assert np.ptp(path.place[flat], axis=0).max() < 1e-9
        assert np.abs(np.diff(path.place, 2, axis=0)).max() * 3600 < 120
        ball = path.place + np.einsum("fij,j->fi", path.turn @ leg.flat.T, leg.ball - leg.origin)
        over = (np.abs(ball[:, 0] - 0.3) < 0.05) & ~path.stands
        assert (ball[over, 2] > 0.1).all()
    lies, _ = score.world.under(np.array([[0.3, 0.0, 3.0], [1.0, 0.0, 3.0]]))
    np.testing.assert_allclose(lies[:, 2], [0.1, 0.0], atol=1e-4)


def test_feet_lie_on_slopes():
    slope = Surface("slope", Box((2.0, 2.0, 0.1)), turn=(0.0, -0.1, 0.0))
    place, turn = ground_frame(World((slope,)), np.array([0.5, 0.0]), 0.3, 3.0)
    assert place[2] == pytest.approx(0.5 * np.tan(0.1) + 0.1 / np.cos(0.1), abs=5e-3)
    np.testing.assert_allclose(turn[:, 2], [-np.sin(0.1), 0.0, np.cos(0.1)], atol=1e-6)


@pytest.mark.parametrize("template", ["stand", "walk", "run", "turn", "reach", "crouch", "bow"])
def test_a_person_does_it_and_the_ground_carries_it(template):
    result = poise.plan(template)
    assert result.met, str(result.report)
    names = [o.name for o in result.report.outcomes]
    assert any("stays" in n for n in names)
    assert any(n.startswith("carried") for n in names)
    assert poise.check(result.clip, world=result.stands_in).verdict.score > 0.95


@pytest.mark.parametrize("file", STRANGERS[:2])
def test_strangers_walk(file):
    result = poise.plan("walk", character=stranger(file), steps=2)
    assert result.met, str(result.report)
    assert poise.check(result.clip, floor=0.0).verdict.score > 0.95


def test_a_walk_goes_where_it_is_asked():
    result = poise.plan("walk", footsteps=((0.45, -0.08), (0.85, 0.12), (0.85, -0.06)), grounded=False)
    kin = Kinematics(result.character, result.clip.q)
    for side, place in (("Left", (0.85, 0.12)), ("Right", (0.85, -0.06))):
        np.testing.assert_allclose(kin.point(f"{side}Foot")[-1, :2], place, atol=5e-3)
    routed = poise.plan("walk", route=((1.0, 0.0), (1.5, 0.8)), grounded=False)
    end = Kinematics(routed.character, routed.clip.q).com[-1, :2]
    np.testing.assert_allclose(end, (1.5, 0.8), atol=0.12)


def test_a_jump_flies_as_high_and_far_as_it_is_asked():
    result = poise.plan("jump", over=0.4, high=0.2, grounded=False)
    rise = next(o for o in result.report.outcomes if o.name == "rise")
    assert rise.met
    assert rise.wanted[0] == pytest.approx(0.2)
    kin = Kinematics(result.character, result.clip.q)
    feet = kin.point("LeftFoot")
    assert feet[-1, 0] - feet[0, 0] == pytest.approx(0.4, abs=0.01)
    begin, end = result.asked.score.flights[0]
    air = slice(int(np.ceil(begin * 60)) + 1, int(end * 60) - 1)
    fall = np.diff(kin.com[air, 2], 2) * 3600
    np.testing.assert_allclose(fall, -EARTH, atol=1.0)


def test_a_jump_can_turn():
    stand = standing(characters.get("humanoid"))
    score = jump.score(stand, Wish(angle=1.0))
    assert score.yaw[-1] == pytest.approx(1.0)
    assert score.plants[0][-1].turn[1, 0] == pytest.approx(np.sin(1.0))


def pitched(clip, body):
    """How far forward a body is turned from how it is at first, at most [rad]."""
    turns = Kinematics(clip.character, clip.q).rotations[:, body]
    away = turns @ turns[0].T
    return float(np.arctan2(away[:, 0, 2], away[:, 2, 2]).max())


def test_four_legs_crouch_level_and_their_wrists_fold_forward():
    camel = characters.get("camel")
    clip = poise.plan("crouch", character=camel, grounded=False, fps=10).clip
    build, kin = build_of(camel), Kinematics(camel, clip.q)
    assert pitched(clip, build.chest) < np.radians(10.0)
    low = int(kin.com[:, 2].argmin())
    for leg in build.legs[2:]:
        wrist = int(camel.parents[leg.foot])
        above = int(camel.parents[wrist])
        a, b, c = (kin.positions[low, k] for k in (above, wrist, leg.foot))
        share = (a[2] - b[2]) / (a[2] - c[2])
        assert b[0] > a[0] + share * (c[0] - a[0]) + 0.05, "ahead of the way from elbow to foot"


def test_who_reaches_far_takes_the_weight_along_as_far_as_feet_carry_it():
    """With the weight kept where it was, the head stayed 21 cm short, and the neck went beyond its limits."""
    camel = characters.get("camel")
    build, stand = build_of(camel), standing(camel)
    place = stand.kin.positions[0, build.head] + np.array([0.6, 0.0, -0.2]) * build.leg
    result = poise.plan("reach", character=camel, grounded=False, fps=20, to=tuple(map(float, place)))
    assert result.met, str(result.report)
    ((_, body, point, _, time),) = result.asked.reaches
    kin, hero = Kinematics(camel, result.clip.q), round(time * 20)
    got = kin.positions[hero, body] + kin.rotations[hero, body] @ point
    np.testing.assert_allclose(got, place, atol=0.015 * build.leg)
    assert kin.com[hero, 0] - kin.com[0, 0] > 0.2
    assert kin.com[:, 0].max() < max(sole[0] + leg.tip[0] for leg, sole in zip(build.legs, stand.soles))


def test_a_lamp_reaches_and_its_base_stays_on_the_ground():
    """More rounds of weight and limbs answering each other drove it off its base."""
    result = poise.plan("reach", character=characters.get("lamp"))
    assert result.met, str(result.report)


def test_a_fox_that_reaches_stays_calm():
    """Its head is a sixth of its weight: twisted against a weight that stayed, its legs snapped."""
    fox = poise.load(str(stranger_file("khronos_gltf/Fox.glb")), scale=0.01).character
    clip = poise.plan("reach", character=fox, grounded=False).clip
    v = clip.character.manifold.velocity(clip.q, clip.dt)[:, 6:]
    assert np.abs(np.diff(v, axis=0) / clip.dt).max() < 200  # [rad/s²]; it had 900


def test_who_sits_down_does_not_bow_to_the_ground():
    clip = poise.plan("sit down", character=characters.humanoid(), grounded=False, fps=20).clip
    assert pitched(clip, build_of(clip.character).chest) < np.radians(55.0)


def test_what_does_not_fit_is_refused_by_name():
    with pytest.raises(
        InputError, match="'walk' needs a body with two legs or four legs, and 'lamp' has one"
    ):
        poise.plan("walk", character=characters.get("lamp"))
    with pytest.raises(InputError, match="'trot' needs a body with four legs"):
        poise.plan("trot")
    with pytest.raises(InputError, match="'route': 'jump' does not take it; it takes over, high"):
        poise.plan("jump", route=((1.0, 0.0),))
    with pytest.raises(InputError, match="'modes': it is about how a scene is searched for"):
        poise.plan("jump", modes=5)
    with pytest.raises(InputError, match="'over': a scene says that itself"):
        poise.plan("lamp jump", over=1.0)
    with pytest.raises(InputError, match=r"step of 0.90 m is too high for legs of 0.94 m"):
        poise.plan("step up", high=0.9)
    with pytest.raises(InputError, match="ask for a nearer one"):
        poise.plan("reach", to=(5.0, 0.0, 1.0))


def test_templates_are_declared_once():
    assert complaints(Plan) == []
    assert set(OPTIONS) <= set(Plan.__struct_fields__)
    for name in TEMPLATES:
        folder = Path(jump.__file__).parent
        assert (folder / f"{name.replace(' ', '_')}.py").exists()


def test_the_same_wish_gives_the_same_bits():
    first, second = (poise.plan("turn", spin=40.0).clip.q for _ in range(2))
    assert np.array_equal(first, second)


def test_builds_are_told_by_labels():
    camel, person = (build_of(characters.get(n)) for n in ("camel", "humanoid"))
    assert [leg.front for leg in camel.legs] == [False, False, True, True]
    assert [leg.side for leg in person.legs] == [1.0, -1.0]
    assert len(person.arms) == 2
    assert not camel.arms


def test_who_has_no_legs_is_told_so(tmp_path):
    """A tower of blocks stands on nothing that a template could move."""
    from poise.character import Body, Character, Joint, Mass, Shape

    block = Shape.box((0.0, 0.0, 0.25), (0.2, 0.2, 0.25))
    tower = Character(
        "tower",
        [
            Body("Base", None, Joint.free(), mass=Mass.of_shapes([block], mass=5.0), shapes=(block,)),
            Body(
                "Top",
                "Base",
                Joint.ball(),
                offset=(0.0, 0.0, 0.5),
                mass=Mass.of_shapes([block], mass=5.0),
                shapes=(block,),
            ),
        ],
    )
    with pytest.raises(InputError, match="legs"):
        poise.plan("jump", character=tower)


@pytest.mark.parametrize(("kind", "options"), [("run", {}), ("jump", {"over": 0.5}), ("hop", {})])
def test_legs_do_not_snap_straight_where_they_push_off(kind, options):
    """A knee that goes through being straight turns by tens of degrees from frame to frame and back."""
    clip = poise.plan(kind, character="humanoid", grounded=False, **options).clip
    v = clip.character.manifold.velocity(clip.q, clip.dt)[:, 6:]
    assert np.abs(np.diff(v, axis=0) / clip.dt).max() < 560  # [rad/s²]; a run had 990
    name = "khronos_gltf/CesiumMan.glb"
    if kind == "hop" or not (DATA / name).exists():
        return
    clip = poise.plan(kind, character=str(DATA / name), grounded=False, **options).clip
    v = clip.character.manifold.velocity(clip.q, clip.dt)[:, 6:]
    assert np.abs(np.diff(v, axis=0) / clip.dt).max() < 760  # its legs are half as long; 1150 and 1290


def test_a_picture_shows_what_is_reached_and_not_where_feet_stand():
    assert "targets" not in poise.plan("stand").drawn()
    assert not {"targets", "frames"} & set(poise.plan("sit down").drawn()), "figures are where they are"
    reached = poise.plan("reach")
    shown = reached.drawn()
    (place,) = shown["targets"]
    ((name, body, point, wanted, time),) = reached.asked.reaches
    hero = shown["frames"][shown["hero"]]
    assert hero == round(time * reached.clip.fps)
    assert shown["frames"] == sorted(set(shown["frames"]))
    kin = Kinematics(reached.clip.character, reached.clip.q[[hero]])
    got = kin.positions[0, body] + kin.rotations[0, body] @ point
    assert np.linalg.norm(got - place) < 0.02, (name, wanted)


def test_flights_that_are_lowered_leave_no_corner_between_them():
    t = np.arange(0, 3, 1 / 240)
    flights, deep = [(0.8, 0.9), (1.2, 1.3), (2.2, 2.3)], [0.05, 0.02, 0.04]
    low = level_in_flight(t, flights, deep)
    for (a, b), d in zip(flights, deep):
        np.testing.assert_allclose(low[(t >= a) & (t <= b)], d)
    assert low[t < 0.5].max() == 0.0
    assert low[(t > 1.61) & (t < 1.89)].max() == 0.0, "it comes up where there is time"
    assert low[-1] == 0.0
    blow = np.abs(np.diff(low, 2)) * 240**2
    assert blow.max() < 6.0 * 0.05 / 0.3**2, "no more than the ease takes by itself"


def test_a_runner_keeps_the_hips_level_because_heels_rise_in_time():
    """An ankle at the end of its way under a foot that stayed flat rolled the hips by 21 degrees."""
    clip = poise.plan("run", character="humanoid", grounded=False).clip
    hips = Kinematics(clip.character, clip.q).rotations[:, clip.character.index("Hips")]
    assert np.degrees(np.abs(np.arcsin(hips[:, 2, 1]))).max() < 8


@pytest.mark.parametrize(
    ("before", "left", "taken"), [(0.0, 0.02, False), (0.1, 0.02, True), (0.0, 0.0, False)]
)
def test_the_ground_is_taken_only_where_more_is_carried(before, left, taken):
    """A robot whose hands brush the floor as it bows was carried already; stilling them moved it by 6 cm."""
    result = poise.plan("stand", seconds=0.5, grounded=False)
    own, q = result.clip, np.array(result.clip.q)
    q[:, 0] += 1e-4
    rests = [Left(share, 0.0, 0.0, 0.1, "left foot") for share in (before, left)]
    ground = SimpleNamespace(changed=True, clip=own.with_q(q), before=rests[0], left=rests[1])
    result.settled(ground, lambda report: report)
    assert (result.clip is ground.clip) == taken
    carried = next(o for o in result.report.outcomes if o.name.startswith("carried"))
    assert carried.error == pytest.approx(left if taken else before)
