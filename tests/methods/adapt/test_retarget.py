"""Performances given to other characters: proportions, rest poses, names; feet stand, limits hold."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import characters, clips, load
from poise.character import Character, Joint, JointKind
from poise.errors import InputError, UnknownNameError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.adapt.result import AdaptResult
from poise.methods.adapt.retarget.alignment import carry
from poise.methods.adapt.retarget.correspondence import correspond
from poise.methods.adapt.retarget.transfer import Transfer
from poise.motion import Clip


def resized(character: Character, factor: float, *parts: str) -> Character:
    """All bones, or those whose names hold one of ``parts``, longer or shorter."""
    bodies = []
    for body in character.bodies:
        own = factor if not parts or any(p in body.name for p in parts) else 1.0
        points = {n: own * np.asarray(p) for n, p in body.points.items()}
        bodies.append(body.replaced(offset=own * np.asarray(body.offset), points=points))
    return character.with_bodies(bodies, name=f"{character.name} × {factor}")


def unlimited(character: Character) -> Character:
    """Every turning joint a ball without limits."""
    turning = (JointKind.BALL, JointKind.HINGE)
    bodies = [b.replaced(joint=Joint.ball()) if b.joint.kind in turning else b for b in character.bodies]
    return character.with_bodies(bodies)


def renamed(character: Character, name) -> Character:
    bodies = [
        b.replaced(name=name(b.name), parent=None if b.parent is None else name(b.parent), points={})
        for b in character.bodies
    ]
    return character.with_bodies(bodies, skin=None)


def transferred(clip: Clip, character: Character) -> Clip:
    return Transfer(clip, correspond(clip.character, character, {})).clip_on_target()


def test_the_same_character_moves_the_same():
    walk = clips.get("walk")
    again = transferred(walk, characters.humanoid())
    turned = walk.character.manifold.minus(again.q, walk.q)
    np.testing.assert_allclose(turned[:, 6:], 0.0, atol=1e-6)
    np.testing.assert_allclose(turned[:, :2], 0.0, atol=1e-6)
    assert np.ptp(turned[:, 2]) < 1e-6  # the ground may be found a little higher
    assert again.loop
    np.testing.assert_allclose(again.travel.translation, walk.travel.translation)


def test_a_smaller_one_takes_smaller_steps():
    walk = clips.get("walk")
    small = transferred(walk, resized(walk.character, 0.7))
    np.testing.assert_allclose(small.travel.translation, 0.7 * np.asarray(walk.travel.translation))
    np.testing.assert_allclose(small.q[:, :2], 0.7 * walk.q[:, :2], atol=1e-6)
    np.testing.assert_allclose(small.q[:, 7:], walk.q[:, 7:], atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_rest_poses_that_differ_are_solved(seed):
    """Another rest of every limb, the same directions of all bones afterwards."""
    source = unlimited(characters.humanoid())
    rng = np.random.default_rng(seed)
    bodies = [
        b.replaced(rest=so3.multiply(np.asarray(b.rest), so3.exp(0.6 * rng.normal(size=3))))
        if b.name.endswith(("Arm", "UpLeg", "Leg"))
        else b
        for b in source.bodies
    ]
    target = source.with_bodies(bodies)
    frames = source.manifold.plus(source.rest_pose(), 0.3 * rng.normal(size=(8, source.nv)))
    clip = Clip(source, frames, 30)
    moved = transferred(clip, target)
    before, after = Kinematics(source, clip.q).positions, Kinematics(target, moved.q).positions
    for child in ("LeftForeArm", "LeftHand", "RightForeArm", "LeftLeg", "LeftFoot", "RightLeg"):
        i = source.index(child)
        up = int(source.parents[i])
        while np.linalg.norm(before[0, i] - before[0, up]) < 0.01:
            up = int(source.parents[up])
        np.testing.assert_allclose(after[:, i] - after[:, up], before[:, i] - before[:, up], atol=1e-6)


def test_hinges_bend_in_the_plane_of_the_limb():
    """Balls onto hinges: upper and lower limbs point as the performer's, whatever twist the balls had."""
    target = characters.humanoid()
    source = unlimited(target)
    rng = np.random.default_rng(4)
    q = np.tile(source.rest_pose(), (6, 1))
    for name, bend in (("LeftForeArm", 1.2), ("LeftLeg", 1.2)):
        i = target.index(name)
        own = so3.exp(bend * np.asarray(target.bodies[i].joint.axis))
        q[:, source.coordinates(i)] = own
        up = source.index("LeftArm" if "Arm" in name else "LeftUpLeg")
        along = np.asarray(target.bodies[i].offset)
        twist = 0.4 * rng.normal(size=(6, 1)) * along / np.linalg.norm(along)
        # A twist of the upper bone that the lower one undoes: a ball can, a hinge cannot.
        q[:, source.coordinates(up)] = so3.exp(twist)
        q[:, source.coordinates(i)] = so3.multiply(so3.exp(-twist), own)
    moved = transferred(Clip(source, q, 30), target)
    before, after = (Kinematics(c, p).positions for c, p in ((source, q), (target, moved.q)))
    for first, last in (("LeftArm", "LeftForeArm"), ("LeftForeArm", "LeftHand"), ("LeftUpLeg", "LeftLeg")):
        a, b = target.index(first), target.index(last)
        # The twist that hinges cannot follow counts a little: a tenth of a degree.
        np.testing.assert_allclose(after[:, b] - after[:, a], before[:, b] - before[:, a], atol=1e-3)


def test_best_fit_of_directions():
    rng = np.random.default_rng(1)
    turn = so3.to_matrix(so3.exp(rng.normal(size=3)))
    ways = [(turn @ b, b) for b in rng.normal(size=(3, 3))]
    np.testing.assert_allclose(carry(ways), turn, atol=1e-12)
    one = carry(ways[:1])
    np.testing.assert_allclose(one @ ways[0][1], ways[0][0], atol=1e-12)


def test_joints_are_known_by_role_or_by_map():
    walk = clips.get("walk")
    other = {"LeftUpLeg": "thigh_l", "LeftLeg": "calf_l", "RightUpLeg": "thigh_r", "RightLeg": "calf_r"}
    by_role = renamed(walk.character, lambda n: other.get(n, n))
    pairing = correspond(walk.character, by_role, {})
    assert {walk.character.names[s]: by_role.names[t] for t, s in pairing.pairs.items()}[
        "LeftUpLeg"
    ] == "thigh_l"
    dumb = renamed(characters.lamp(), lambda n: f"x{n}")
    with pytest.raises(InputError, match="map"):
        poise.retarget(walk, dumb)
    with pytest.raises(UnknownNameError, match="Nobody"):
        poise.retarget(walk, dumb, map={"Hips": dumb.names[0], "Nobody": dumb.names[1]})
    with pytest.raises(InputError, match=r"map.*expected text, got a whole number"):
        poise.retarget(walk, dumb, map={"Hips": 3})
    chosen = correspond(walk.character, by_role, {"Chest": "Spine"})
    assert chosen.pairs[by_role.index("Spine")] == walk.character.index("Chest")


def planted(result: AdaptResult) -> float:
    """The farthest that a planted point is from its mark [m]."""
    clip, worst = result.clip, 0.0
    for plant in result.plants:
        for pin in plant.pins(clip.character):
            times = pin.when.times(clip)
            kin = Kinematics(clip.character, clip.at(times))
            off = kin.point(pin.handle.point) - pin.target.at(times)
            worst = max(worst, float(np.linalg.norm(off, axis=1).max()))
    return worst


def test_long_arms_keep_hands_where_they_were():
    punch = clips.get("punch")
    long = resized(punch.character, 1.3, "ForeArm", "Hand")
    result = poise.retarget(punch, long, hands=True)
    assert planted(result) < 2e-3
    hand = [Kinematics(c.character, c.q).point("RightHand") for c in (punch, result.clip)]
    free = poise.retarget(punch, long)
    far = Kinematics(long, free.clip.q).point("RightHand")
    assert (
        np.linalg.norm(hand[1] - hand[0], axis=1).mean() < 0.3 * np.linalg.norm(far - hand[0], axis=1).mean()
    )


def test_limits_and_floor_of_the_new_character_hold():
    jump = clips.get("jump")
    result = poise.retarget(jump, resized(jump.character, 0.6))
    assert planted(result) < 2e-3
    small = result.clip.character
    value = small.manifold.minus(result.clip.q, small.rest_pose())
    for i, body in enumerate(small.bodies):
        if body.joint.kind is JointKind.HINGE:
            own = value[:, small.dofs(i)]
            assert (own > small.lower[small.dofs(i)] - 0.02).all(), body.name
            assert (own < small.upper[small.dofs(i)] + 0.02).all(), body.name
    heel = Kinematics(small, result.clip.q).point("LeftHeel")[:, 2]
    assert heel.min() > -2e-3


@pytest.mark.parametrize("options", [{}, {"key_spacing": 0.1}, {"iterations": 20}], ids=str)
def test_a_long_clip_with_many_plants_stands_throughout(shared_data, options):
    """What one plant of seventeen gains is little beside all the rest: it must be worth a step too."""
    kick = load(shared_data / "cmu_cgspeed_bvh" / "143_24.bvh", drop_tpose=True)
    assert planted(poise.retarget(kick, characters.humanoid(), **options)) < 1.5e-3


@pytest.fixture(scope="module")
def walk(shared_data) -> Clip:
    return load(shared_data / "cmu_cgspeed_bvh" / "02_01.bvh", drop_tpose=True)


@pytest.mark.parametrize("who", ["humanoid", "small", "long-armed", "CesiumMan"])
def test_a_captured_walk_on_other_characters(walk, shared_data, who):
    target = {
        "humanoid": characters.humanoid,
        "small": lambda: resized(walk.character, 0.7),
        "long-armed": lambda: resized(walk.character, 1.4, "ForeArm", "Hand"),
        "CesiumMan": lambda: load(shared_data / "khronos_gltf" / "CesiumMan.glb").character,
    }[who]()
    result = poise.retarget(walk, target)
    assert planted(result) < 2e-3
    knees = result.report.details["manner"]["knees"]
    assert knees[1] < 1.1 * knees[0]
    transfer = Transfer(walk, correspond(walk.character, target, {}))
    for ours, theirs in (transfer.pairing.roles()[f"{side} foot"] for side in ("left", "right")):
        wanted = transfer.moved(transfer.source.positions[:, ours])
        got = Kinematics(target, result.clip.q).positions[:, theirs]
        assert np.linalg.norm(got - wanted, axis=1).mean() < 0.03  # ankles follow
    assert result.report.met, str(result.report)
