"""A free root stands on contact forces alone: nothing pulls, nothing slips, nothing invisible holds it."""

from __future__ import annotations

import numpy as np
import pytest
from performers import worst

import poise
from poise import characters, clips
from poise.character import Point
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.perform.control.whole_body import SAFE
from poise.methods.perform.script.pose import JointPose
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.timed_pose import TimedPose
from poise.methods.perform.simulate.soles import soles
from poise.motion import Clip
from poise.operations.values.disturbance import Impulse, Load, Push, ThrowAt
from poise.world import World, step


def per_step(result):
    """Pushes of each step: times, and for each the places and forces."""
    pushed = result.pushes
    for k, t in enumerate(result.trace.times[:-1]):
        own = np.abs(pushed.time - t) < 1e-9
        yield k, pushed.ball[own], pushed.place[own], pushed.force[own]


def root_wrench_by_mujoco(result, every=40):
    """Per looked-at step: what a second engine says the root must be given from outside, force and moment
    about the world's origin, for the motion as it went; and the same of the contact forces."""
    mujoco = pytest.importorskip("mujoco")
    from poise.dynamics.mujoco_model import model

    character = result.clip.character
    built = model(character, limits=False, passive=False)
    data = mujoco.MjData(built)
    q, v, h = result.trace.q, result.trace.v, np.diff(result.trace.times)
    for k, _, places, forces in per_step(result):
        if k % every:
            continue
        data.qpos[:], data.qvel[:] = q[k], v[k]
        data.qacc[:] = (v[k + 1] - v[k]) / h[k]
        mujoco.mj_inverse(built, data)
        need = np.array(data.qfrc_inverse[:6])
        turn = Kinematics(character, q[k]).rotations[0, 0]
        moment = turn @ need[3:] + np.cross(q[k, :3], need[:3])
        given = np.concatenate([forces.sum(axis=0), np.cross(places, forces).sum(axis=0)])
        yield np.concatenate([need[:3], moment]), given, need, data.qfrc_inverse.copy(), k


@pytest.mark.parametrize("name", ["ymca", "conducting"])
def test_dancers_stand_on_their_feet_and_are_on_the_beat(name):
    result = poise.perform(script=name, root="free")
    assert result.fell is None
    assert result.met
    assert worst(result) < 0.1
    assert max(a.jump for a in result.arrivals) < 5.0
    heel = Kinematics(result.clip.character, result.clip.q).point("LeftHeel")
    assert np.abs(heel - heel[0]).max() < 0.003, "feet neither slip nor sink"


@pytest.mark.parametrize("blow", [(0.0, 0.0, 0.0), (15.0, 0.0, 0.0), (0.0, 15.0, 0.0)])
def test_a_second_engine_finds_no_force_but_those_of_contacts(blow):
    hits = [Impulse(1.0, "Chest", blow)] if any(blow) else []
    result = poise.perform(script="ymca", root="free", disturbances=hits)
    weight = 9.81 * result.clip.character.total_mass
    for need, given, *_ in root_wrench_by_mujoco(result):
        np.testing.assert_allclose(given, need, atol=1e-6 * weight)
    assert np.abs(result.trace.torque[:, :6]).max() == 0.0


def test_torques_are_what_a_second_engine_asks_of_the_joints():
    result = poise.perform(script="ymca", root="free")
    character = result.clip.character
    for _, _, _, need, k in root_wrench_by_mujoco(result):
        own = np.abs(result.pushes.time - result.trace.times[k]) < 1e-9
        kin = Kinematics(character, result.trace.q[k])
        contact = np.zeros(character.nv)
        bodies = soles(character).body[result.pushes.ball[own]]
        for body, place, force in zip(bodies, result.pushes.place[own], result.pushes.force[own]):
            own_place = kin.rotations[0, body].T @ (place - kin.positions[0, body])
            jacobian = kin.point_jacobian(Point(int(body), own_place))[0]
            contact += jacobian.T @ force
        np.testing.assert_allclose(result.trace.torque[k, 6:], (need - contact)[6:], atol=1e-5)


def test_nothing_pulls_and_friction_is_within_its_cone():
    result = poise.perform(script="ymca", root="free", disturbances=[Impulse(1.0, "Chest", (18.0, 4.0, 0.0))])
    force = result.pushes.force
    assert (force[:, 2] >= -1e-9).all()
    slip = np.linalg.norm(force[:, :2], axis=1)
    assert (slip <= 0.9 * SAFE * force[:, 2] + 1e-6).all()


@pytest.mark.parametrize("blow", [(15.0, 0.0, 0.0), (-10.0, 0.0, 0.0), (0.0, 15.0, 0.0)])
def test_pushed_it_recovers(blow):
    result = poise.perform(script="conducting", root="free", disturbances=[Impulse(1.0, "Chest", blow)])
    assert result.fell is None
    com = Kinematics(result.clip.character, result.clip.q).com[:, :2]
    calm = poise.perform(script="conducting", root="free").clip
    away = np.linalg.norm(com - Kinematics(calm.character, calm.q).com[:, :2], axis=1)
    assert away.max() > 0.005
    assert away[-1] < 0.005
    assert worst(result) < 0.1


def test_pushed_too_hard_it_falls_and_says_so():
    result = poise.perform(script="ymca", root="free", disturbances=[Impulse(1.0, "Chest", (60.0, 0.0, 0.0))])
    assert 1.0 < result.fell < 2.5
    assert not result.met
    outcome = next(o for o in result.report.outcomes if o.name == "on its feet")
    assert outcome.reason.startswith(f"fell at {result.fell:.2f} s: the centre of mass left the feet")
    assert outcome.error > 5.0
    assert np.isfinite(result.trace.q).all()
    lowest = Kinematics(result.clip.character, result.clip.q).positions[:, :, 2].min()
    assert lowest > -0.1, "it lies on the floor, not below it"


@pytest.mark.parametrize("strength", [10.0, 0.001])
def test_too_weak_to_stand_it_slumps(strength):
    result = poise.perform(script="ymca", root="free", strength=strength, duration=1.5)
    assert result.fell is not None
    assert np.abs(result.trace.torque).max() <= strength * 1.0001
    assert np.abs(result.trace.v).max() < 100.0


def test_what_it_does_not_know_of_it_carries():
    pack = Load(0.8, "Chest", 5.0, (-0.15, 0.0, 0.1), known=False)
    result = poise.perform(script="ymca", root="free", disturbances=[pack])
    assert result.fell is None
    assert worst(result) < 2.0


def test_a_lasting_push_and_a_ball():
    pushed = poise.perform(
        script="ymca", root="free", disturbances=[Push(1.0, 1.3, "Chest", (40.0, 0.0, 0.0))]
    )
    assert pushed.fell is None
    assert worst(pushed) < 0.5
    pytest.importorskip("mujoco")
    ball = ThrowAt(1.55, "RightHandCentre", (-4.0, 0.0, 0.0), mass=0.8)
    hit = poise.perform(script="ymca", root="free", disturbances=[ball])
    assert hit.touches[0].body in ("RightHand", "RightForeArm")
    assert worst(hit) < 0.5
    assert 0.05 < hit.thrown[0].pose(hit.clip.duration).place[2] < 2.5, "the ball is above the floor"


def test_joints_keep_to_their_limits_on_their_feet():
    from test_limits import past

    blow = Impulse(0.5, "RightHand", (0.0, 12.0, -9.0))
    result = poise.perform(clips.get("wave"), root="free", disturbances=[blow])
    assert past(result.clip, allowed=clips.get("wave").q) <= 2.0


def test_a_clip_is_followed_on_its_feet():
    clip = clips.get("wave")
    result = poise.perform(clip, root="free", tolerance=1.0)
    assert result.fell is None
    assert result.met
    off = clip.character.manifold.minus(result.clip.q, clip.at(result.clip.times))
    arm = np.degrees(np.abs(off[:, clip.character.dofs("RightArm")]).max())
    assert arm < 1.0


def test_a_walk_that_the_ground_carries_is_walked():
    """Its feet roll, and lift, where the clip has them; one that comes down too early, and carries nothing,
    may go on. Held there, it tore the toes to 70° from the clip and the walk 10 cm from it in a second."""
    walk = poise.ground(clips.get("walk")).clip
    result = poise.perform(walk, root="free")
    assert result.fell is None
    assert not result.report.warnings
    assert "ground the clip first" in poise.perform(clips.get("walk"), root="free").report.warnings[-1]

    def places(clip):
        return clip.character.placement(clip.at(result.clip.times)).positions

    off = np.linalg.norm(places(result.clip) - places(walk), axis=2)
    assert np.sqrt((off**2).mean()) < 0.008
    assert off.max() < 0.04
    tapped = poise.perform(walk, root="free", disturbances=[Impulse(0.5, "RightHandCentre", (2.0, 0.0, 0.0))])
    way = np.linalg.norm(places(tapped.clip) - places(result.clip), axis=2).max(axis=0)
    feet = [walk.character.index(n) for n in ("LeftFoot", "RightFoot", "LeftToeBase", "RightToeBase")]
    assert way[feet].max() < 0.02
    assert way.argmax() == walk.character.index("RightHand")


def test_the_same_again_to_the_bit():
    hits = [Impulse(1.0, "Chest", (12.0, 3.0, 0.0))]
    one, two = (poise.perform(script="ymca", root="free", disturbances=hits, duration=1.6) for _ in range(2))
    np.testing.assert_array_equal(one.trace.q, two.trace.q)
    np.testing.assert_array_equal(one.pushes.force, two.pushes.force)


def test_it_stands_on_any_surface():
    stage = World((step("stage", (-1.0, -1.0), (1.0, 1.0), 0.4),)).with_surfaces(World.flat().surfaces)
    result = poise.perform(script="ymca", root="free", world=stage, duration=1.5)
    assert result.fell is None
    low = Kinematics(result.clip.character, result.clip.q).point("LeftHeel")[:, 2]
    np.testing.assert_allclose(low, 0.4, atol=0.01)


def test_errors_name_what_is_wrong():
    script = Script.bundled("ymca")
    with pytest.raises(InputError, match="whole-body control"):
        poise.perform(script=script, root="free", control="composite")
    with pytest.raises(InputError, match="nothing below the feet"):
        poise.perform(script=script, root="free", ground=False)
    clip = clips.get("wave")
    q = clip.q.copy()
    q[0, clip.character.coordinates("LeftArm")] = [0.0, 1.0, 0.0, 0.0]
    with pytest.raises(InputError, match=r"turns 'LeftArm' by .* from frame 0"):
        poise.perform(Clip(clip.character, q, clip.rate), root="free")


@pytest.mark.parametrize("name", ["humanoid", "planar_humanoid", "camel"])
def test_figures_of_all_kinds_stand(name):
    figure = characters.get(name)
    key = TimedPose(JointPose.of(figure, figure.rest_pose()), 1.0)
    result = poise.perform(script=[key], character=figure, root="free")
    assert result.fell is None
