"""Feet of any body: lifted at rest, known by their ankle alone, and still without shaking what is above."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import characters, clips, load
from poise.arrays import Array
from poise.character import Character
from poise.character.feet_at_rest import feet_at_rest
from poise.character.labels import roles
from poise.contacts.patches import FOOT, patches
from poise.manifold import so3
from poise.methods.adapt.plants.detect import known_feet
from poise.methods.adapt.plants.soled import soled
from poise.motion import Clip, operators


def soles(clip: Clip) -> Array:
    """Heights of the lowest flesh of both feet (F,), by plain placement."""
    skin, (places, turns) = patches(clip.character), clip.character.placement(clip.q)
    own = np.flatnonzero(skin.kind == FOOT)
    bodies = skin.body[own]
    at = places[:, bodies] + np.einsum("fkij,kj->fki", turns[:, bodies], skin.place[own])
    return np.asarray((at[..., 2] - skin.radius[own]).min(axis=1))


def shaken(clip: Clip, body: int) -> float:
    """Third differences of a body's way, root mean square [m]."""
    return float(
        np.sqrt((np.diff(clip.character.placement(clip.q).positions[:, body], 3, axis=0) ** 2).mean())
    )


def bones_off(source: Clip, made: Clip) -> Array:
    """Angles between thighs and shins of two motions (4, F) [degrees]."""
    found = []
    for side in ("left", "right"):
        for a, b in ((f"{side} thigh", f"{side} shin"), (f"{side} shin", f"{side} foot")):
            ways = []
            for clip in (source, made):
                known, at = roles(clip.character), clip.character.placement(clip.q).positions
                ways.append(at[:, known[b]] - at[:, known[a]])
            sine = np.linalg.norm(np.cross(*ways), axis=1)
            found.append(np.degrees(np.arctan2(sine, (ways[0] * ways[1]).sum(axis=1))))
    return np.array(found)


def on_its_toes(character: Character, angle: float) -> Character:
    """The same, at rest with the right foot turned about its ankle, toes down."""
    foot = character.names[roles(character)["right foot"]]
    turn = so3.exp([0.0, angle, 0.0])
    bodies = [
        b.replaced(rest=so3.multiply(np.asarray(b.rest), turn)) if b.name == foot else b
        for b in character.bodies
    ]
    return character.with_bodies(bodies, name="on its toes")


def toed() -> Character:
    """The humanoid with toes as bodies, as captured figures have them, and no heels."""
    human = characters.humanoid()
    bodies = []
    for body in human.bodies:
        points = {
            n: p for n, p in body.points.items() if "Heel" not in n and "Ball" not in n and "Toe" not in n
        }
        bodies.append(body.replaced(points=points))
    for side in ("Left", "Right"):
        if f"{side}ToeBase" not in human.names:
            toe = next(b for b in human.bodies if b.name == f"{side}Foot")
            bodies.append(
                toe.replaced(name=f"{side}ToeBase", parent=toe.name, offset=(0.14, 0.0, -0.06), points={})
            )
    return Character("toed", bodies)


def test_a_foot_that_is_lifted_at_rest_is_as_the_other():
    plain = toed()
    assert feet_at_rest(plain) is plain.rest_placement()
    odd = on_its_toes(plain, 0.6)
    little = on_its_toes(plain, 0.1)
    assert feet_at_rest(little) is little.rest_placement()
    level = feet_at_rest(odd)
    np.testing.assert_allclose(level.positions, plain.rest_placement().positions, atol=1e-9)
    np.testing.assert_allclose(level.rotations, plain.rest_placement().rotations, atol=1e-9)


def test_a_lifted_rest_does_not_tilt_the_foot_that_stands(shared_data):
    """The file's rest is a frame of its walk: the right foot was 36° off on everybody."""
    walk = load(shared_data / "fbx_ozz" / "pab_walk.fbx")
    figure = load(shared_data / "cmu_cgspeed_bvh" / "02_01.bvh").character
    made = poise.retarget(walk, figure)
    for line in made.table:
        if line.limb in ("left foot", "right foot"):
            assert np.degrees(line.worst) < 6, str(line)
    assert made.met, str(made.report)


def test_feet_known_by_their_ankles_get_heel_and_ball_from_their_shapes(shared_data):
    robot = load(shared_data / "mjcf_mujoco" / "humanoid.xml").character
    assert [len(foot) for foot in known_feet(robot)] == [1, 1]
    found = soled(robot)
    assert found is not None
    assert known_feet(found.hung) == [("LeftHeel", "LeftBall"), ("RightHeel", "RightBall")]
    at, turns = found.hung.rest_placement()
    own = [found.hung.point(p) for p in ("LeftHeel", "LeftBall")]
    heel, ball = (at[p.body] + turns[p.body] @ p.position for p in own)
    under = patches(robot)
    lowest = (under.rest[:, 2] - under.radius)[under.kind == FOOT].min()
    assert heel[2] == pytest.approx(lowest, abs=1e-9)
    assert ball[2] == pytest.approx(lowest, abs=1e-9)
    assert ball[0] - heel[0] > 0.15
    assert soled(characters.humanoid()) is None  # it has its own
    clip = Clip(robot, np.tile(robot.rest_pose(), (3, 1)), 30)
    assert np.array_equal(found.back(found.there(clip)).q, clip.q)


def test_soles_of_robots_stand_flat_on_the_ground(shared_data):
    """Held by its ankle alone a foot rolls about it, by its middle about its edge: soles dipped by 7 cm."""
    robot = load(shared_data / "mjcf_mujoco" / "humanoid.xml").character
    for walk in (clips.get("walk"), captured(shared_data)):
        made = poise.retarget(walk, robot)
        assert made.clip.character is robot
        assert made.plants
        assert all(point in robot.points for plant in made.plants for point in plant.intervals)
        low = soles(made.clip)
        assert low.min() > -0.01
        assert np.percentile(low, 30) < 0.01
        # Its motors are too weak for this walk, and it says so.
        assert all(o.met for o in made.report.outcomes if o.name != "torque of motors"), str(made.report)


def captured(folder) -> Clip:
    walk = load(folder / "cmu_cgspeed_bvh" / "02_01.bvh", drop_tpose=True)
    return operators.resample(walk, 30)


def test_knees_do_not_swing_out_where_a_foot_lands(shared_data):
    """With keys 0.15 s apart knees swung by 30° before and after a landing."""
    wheel = operators.resample(load(shared_data / "cmu_cgspeed_bvh" / "49_06.bvh", drop_tpose=True), 30)
    figure = load(shared_data / "cmu_cgspeed_bvh" / "02_01.bvh").character
    made = poise.retarget(wheel, figure)
    assert np.percentile(bones_off(wheel, made.clip), 98, axis=1).max() < 16
    assert made.met, str(made.report)


def test_feet_that_stop_do_not_shake_the_hips(shared_data):
    """Legs alone make feet exact; with the root among them the whole body shook along, 2.6 times as much."""
    walk = captured(shared_data)
    robot = load(shared_data / "mjcf_mujoco" / "humanoid.xml").character
    made = poise.retarget(walk, robot)
    hips = roles(robot)["hips"]
    assert shaken(made.clip, hips) < 1.6 * shaken(made.transfer.clip_on_target(), hips)
    assert made.report.details["manner"]["slide"][1] < 0.02
