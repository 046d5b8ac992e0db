"""Rigs for inverse kinematics, whose feet hang beside the legs, are adapted and given motions like others."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import poise
from poise import clips, load
from poise.character import Body, Character, Joint, JointKind
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.adapt.plants.detect import detect
from poise.methods.adapt.retarget.stream import RetargetStream
from poise.motion import Clip
from poise.motion.hung_feet import hanging

FEET = (("LeftFoot", "LeftLeg"), ("RightFoot", "RightLeg"))


def beside(character: Character, kind: Joint | None = None) -> Character:
    """The same figure below a node that stays, feet beside the legs on that node."""
    at, turns = character.rest_placement()
    bodies = [Body("rig", None, Joint.free())]
    for i, b in enumerate(character.bodies):
        if b.name.endswith("Ankle"):
            continue
        if b.parent is None or b.name.endswith("Foot"):
            rest = tuple(so3.from_matrix(turns[i]))
            joint = kind if kind is not None and b.parent is not None else Joint.free()
            b = b.replaced(parent="rig", offset=tuple(at[i]), rest=rest, joint=joint)
        bodies.append(b)
    return Character("rig", bodies, mass_source=character.mass_source)


@cache
def walking() -> tuple[Clip, Clip]:
    """The bundled walk, and the same of the rig."""
    walk = clips.get("walk")
    who = beside(walk.character)
    kin = Kinematics(walk.character, walk.q)
    q = np.tile(who.rest_pose(), (walk.frames, 1))
    for i, body in enumerate(walk.character.bodies):
        if body.name not in who.names:
            continue
        span = who.coordinates(body.name)
        if body.parent is None or body.name.endswith("Foot"):
            turn = so3.continuous(so3.from_matrix(kin.rotations[:, i]))
            q[:, span] = np.column_stack([kin.positions[:, i], turn])
        else:
            q[:, span] = walk.q[:, walk.character.coordinates(i)]
    return walk, Clip(who, q, walk.rate, name="walk")


def ankles(clip: Clip) -> np.ndarray:
    """Where feet are beside where their shins end, (F, 2, 3)."""
    found = hanging(clip.character)
    hung = clip if found is None else found.there(clip)
    return np.stack([hung.q[:, hung.character.coordinates(foot)][:, :3] for foot, _ in FEET], axis=1)


def test_a_motion_goes_there_and_back():
    walk, rig = walking()
    found = hanging(rig.character)
    hung = found.there(rig)
    for name in set(walk.character.names) & set(rig.character.names):
        a, b = (c.character.placement(c.q) for c in (walk, hung))
        i, k = walk.character.index(name), hung.character.index(name)
        np.testing.assert_allclose(a.positions[:, i], b.positions[:, k], atol=1e-12)
        np.testing.assert_allclose(a.rotations[:, i], b.rotations[:, k], atol=1e-12)
    assert hung.character.index("LeftFoot") in hung.character.subtree("LeftLeg")
    np.testing.assert_allclose(np.abs(found.back(hung).q), np.abs(rig.q), atol=1e-12)
    assert hanging(walk.character) is None
    assert hanging(found.hung) is None


def test_feet_that_cannot_move_are_refused():
    who = beside(clips.get("walk").character, Joint(JointKind.BALL))
    assert hanging(who) is None
    with pytest.raises(InputError, match="'LeftFoot' does not hang from 'LeftLeg'"):
        poise.retarget(clips.get("walk"), who)


def test_a_step_is_moved_as_on_a_leg():
    _, rig = walking()
    moved = poise.adapt(rig, move=[{"plant": 2, "by": (0.08, 0.03)}])
    assert moved.met, str(moved.report)
    points = list(detect(rig)[1].intervals)
    before, after = (Kinematics(rig.character, c.q).point(points[0]) for c in (rig, moved.clip))
    assert np.abs(after - before)[:, 0].max() == pytest.approx(0.08, abs=0.03)
    assert moved.clip.character is rig.character
    # The leg carries the foot: it does not come off.
    assert np.linalg.norm(ankles(moved.clip) - ankles(rig), axis=2).max() < 2e-3
    np.testing.assert_allclose(moved.poses(3, 9), moved.clip.q[3:9], atol=1e-9)


def test_a_performance_comes_and_goes():
    walk, rig = walking()
    there = poise.retarget(walk, rig.character)
    assert there.met, str(there.report)
    assert there.clip.character is rig.character
    away = np.linalg.norm(ankles(there.clip) - ankles(rig).mean(axis=0), axis=2)
    assert away.max() < 2e-3
    back = poise.retarget(rig, walk.character)
    assert back.met, str(back.report)
    same = [Kinematics(c.character, c.q).point("LeftFoot") for c in (walk, there.clip, back.clip)]
    assert np.abs(same[1] - same[0]).max() < 0.04
    assert np.abs(same[2] - same[0]).max() < 0.04


def test_a_stream_carries_feet_along():
    walk, rig = walking()
    stream = RetargetStream(walk.character, rig.character, float(walk.rate), warm_up=walk)
    made = Clip(rig.character, np.array([stream.frame(q) for q in walk.q]), walk.rate)
    assert np.linalg.norm(ankles(made) - ankles(rig), axis=2).max() < 1e-9
    foot = [Kinematics(c.character, c.q).point("LeftFoot") for c in (walk, made)]
    assert np.abs(foot[1] - foot[0]).max() < 0.08
    stream = RetargetStream(rig.character, walk.character, float(walk.rate), warm_up=rig)
    again = np.array([stream.frame(q) for q in rig.q])
    foot = Kinematics(walk.character, again).point("LeftFoot")
    assert np.abs(foot - Kinematics(walk.character, walk.q).point("LeftFoot")).max() < 0.08


def test_a_game_character_walks(shared_data):
    robot = load(shared_data / "threejs" / "RobotExpressive.glb")
    assert detect(robot)
    made = poise.retarget(clips.get("walk"), robot.character)
    missed = [o.name for o in made.report.outcomes if not o.met]
    assert not [name for name in missed if not name.endswith("direction")], (
        missed
    )  # its legs are short and wide
    assert hanging(robot.character).there(made.clip).character is not robot.character
