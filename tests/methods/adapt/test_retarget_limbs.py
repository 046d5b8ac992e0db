"""Any body: motors, odd rest poses, fingers, spines of other counts; and a table that knows what failed."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import characters, clips
from poise.character import Body, Character, Joint, JointKind
from poise.character.labels import roles
from poise.character.limbs import limb_joints
from poise.contacts.patches import patches
from poise.manifold import so3
from poise.methods.adapt.retarget.correspondence import correspond
from poise.methods.adapt.retarget.measured import Line, Measured
from poise.methods.adapt.retarget.near_hands import GONE, HALF, NEAR, TOLERANCE, nearer
from poise.methods.adapt.retarget.reference_pose import natural, reference
from poise.methods.adapt.retarget.transfer import Transfer
from poise.methods.adapt.retarget.trunk import trunk
from poise.motion import Clip, operators
from robots import motor_humanoid

BONES = [
    (f"{side} {a}", f"{side} {b}")
    for side in ("left", "right")
    for a, b in (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shin"), ("shin", "foot"))
]


def directions(clip: Clip) -> dict[str, np.ndarray]:
    """Unit vectors of bones between limb joints, by plain placement."""
    places, turns = clip.character.placement(clip.q)
    known, joints = roles(clip.character), limb_joints(clip.character)

    def at(role):
        joint = joints[known[role]]
        return places[:, joint.body] + turns[:, joint.body] @ joint.centre

    ways = {a: at(b) - at(a) for a, b in BONES}
    return {a: w / np.linalg.norm(w, axis=1, keepdims=True) for a, w in ways.items()}


def apart(one: Clip, other: Clip) -> dict[str, np.ndarray]:
    """Angles between the bones of two clips [degrees]."""
    a, b = directions(one), directions(other)
    return {k: np.degrees(np.arccos(np.clip((a[k] * b[k]).sum(axis=1), -1, 1))) for k in a}


@pytest.fixture(scope="module")
def walk() -> Clip:
    return operators.resample(operators.unroll(clips.get("walk"), 2), 30)


def test_shoulders_and_hips_of_motors_turn_as_balls_do(walk):
    robot = motor_humanoid()
    moved = Transfer(walk, correspond(walk.character, robot, {})).clip_on_target()
    for bone, off in apart(walk, moved).items():
        assert np.median(off) < 4, bone
        assert off.max() < 12, bone
    value = moved.q[:, 7:]
    assert (value >= robot.lower[6:] - 1e-9).all()
    assert (value <= robot.upper[6:] + 1e-9).all()
    assert np.abs(np.diff(value, axis=0)).max() < 0.6  # hinges do not jump to their other way


def test_a_walk_on_a_robot_is_met_and_measured(walk):
    result = poise.retarget(walk, motor_humanoid())
    off = apart(walk, result.clip)
    assert np.median(np.concatenate(list(off.values()))) < 10
    assert max(float(np.percentile(v, 98)) for v in off.values()) < 30
    slides = result.report.details["manner"]["slide"]
    assert slides[1] < 0.01
    assert result.met, str(result.report)


def test_a_limb_that_points_elsewhere_is_named(walk):
    """The table is measured on the clip that is handed out, not on what was solved for."""
    human = characters.humanoid()
    transfer = Transfer(walk, correspond(walk.character, human, {}))
    moved = transfer.clip_on_target()
    assert all(line.met for line in Measured(transfer, moved).table())
    q = np.array(moved.q)
    span = human.coordinates("LeftArm")
    q[:, span] = so3.multiply(q[:, span], so3.exp([0.0, 0.0, 0.9]))
    wrong = Measured(transfer, moved.with_q(q)).table()
    missed = {(line.limb, line.what) for line in wrong if not line.met}
    assert ("left upper arm", "direction") in missed
    assert not any(limb.startswith("right") for limb, what in missed if what == "direction")
    nodding = np.array(moved.q)
    span = human.coordinates(human.names[roles(human)["head"]])
    if human.bodies[roles(human)["head"]].joint.kind is JointKind.BALL:
        nodding[:, span] = so3.multiply(nodding[:, span], so3.exp([0.0, 1.2, 0.0]))
        lines = Measured(transfer, moved.with_q(nodding)).table()
        assert ("head", "gaze") in {(line.limb, line.what) for line in lines if not line.met}


CURLED = {
    "LeftUpLeg": (0.0, -2.6, 0.0), "RightUpLeg": (0.0, -2.6, 0.0),
    "LeftLeg": (0.0, 2.4, 0.0), "RightLeg": (0.0, 2.4, 0.0),
}  # fmt: skip


def curled(clip: Clip) -> Clip:
    """The same motion of a figure whose rest nobody stands in: thighs up, knees folded."""
    before = clip.character
    hinged = [b.name for b in before.bodies if b.joint.kind is JointKind.HINGE]
    bodies = []
    for body in before.bodies:
        turn = so3.exp(CURLED.get(body.name, (0.0, 0.0, 0.0)))
        joint = body.joint if body.parent is None else Joint.ball()
        bodies.append(body.replaced(joint=joint, rest=so3.multiply(np.asarray(body.rest), turn)))
    after = before.with_bodies(bodies, name="curled")
    q = np.tile(after.rest_pose(), (clip.frames, 1))
    for body in before.bodies:
        own = clip.q[:, before.coordinates(body.name)]
        if body.name in hinged:
            own = so3.exp(own * np.asarray(body.joint.axis))
        if body.joint.kind is JointKind.FREE:
            q[:, after.coordinates(body.name)] = own
        elif own.shape[1] == 4:
            back = so3.exp(-np.array(CURLED.get(body.name, (0.0, 0.0, 0.0))))
            q[:, after.coordinates(body.name)] = so3.multiply(back, own)
    return Clip(after, q, clip.rate)


def test_a_rest_that_does_not_stand_is_told_from_the_motion(walk):
    human, odd = walk.character, curled(walk)
    for a, b in zip(directions(walk).values(), directions(odd).values()):
        np.testing.assert_allclose(a, b, atol=1e-9)  # what one sees is the same
    assert natural(human, human.rest_placement().positions)
    assert not natural(odd.character, odd.character.rest_placement().positions)
    assert natural(odd.character, reference(odd.character, odd).positions)
    back = Transfer(odd, correspond(odd.character, human, {})).clip_on_target()
    for bone, off in apart(odd, back).items():
        assert np.median(off) < 5, bone
    # And the other way, where a motion of the odd figure is given along.
    there = Transfer(walk, correspond(human, odd.character, {}), onto=odd).clip_on_target()
    for bone, off in apart(walk, there).items():
        assert np.median(off) < 5, bone


def with_spine(count: int, finger: tuple[float, ...] = ()) -> Character:
    """A figure with that many joints between hips and chest, and a finger with these ways between joints."""
    rows = [("Hips", None, (0, 0, 0.95))]
    for k in range(count):
        rows.append((f"Spine{k + 1}", rows[-1][0], (0, 0, 0.4 / count)))
    chest = rows[-1][0]
    rows += [("Neck", chest, (0, 0, 0.2)), ("Head", "Neck", (0, 0, 0.1))]
    for side, s in (("Left", 1), ("Right", -1)):
        rows += [
            (f"{side}Shoulder", chest, (0, 0.03 * s, 0.12)),
            (f"{side}Arm", f"{side}Shoulder", (0, 0.15 * s, 0)),
            (f"{side}ForeArm", f"{side}Arm", (0, 0.29 * s, 0)),
            (f"{side}Hand", f"{side}ForeArm", (0, 0.26 * s, 0)),
            (f"{side}UpLeg", "Hips", (0, 0.09 * s, -0.03)),
            (f"{side}Leg", f"{side}UpLeg", (0, 0, -0.43)),
            (f"{side}Foot", f"{side}Leg", (0, 0, -0.42)),
        ]
        parent = f"{side}Hand"
        for k, way in enumerate(finger):
            rows.append((f"{side}HandIndex{k}", parent, (0, way * s, 0)))
            parent = rows[-1][0]
    return Character(
        f"spine of {count}",
        [Body(n, up, Joint.ball() if up else Joint.free(), at) for n, up, at in rows],
    )


def test_spines_of_other_counts_bend_alike():
    short, long = with_spine(2), with_spine(5)
    q = np.tile(short.rest_pose(), (5, 1))
    bend = np.linspace(0.0, 0.5, 5)[:, None] * [0.0, 1.0, 0.0]
    for name in ("Spine1", "Spine2"):
        q[:, short.coordinates(name)] = so3.exp(bend)
    clip = Clip(short, q, 30)
    moved = Transfer(clip, correspond(short, long, {})).clip_on_target()
    own = [so3.log(moved.q[-1, long.coordinates(f"Spine{k + 1}")])[1] for k in range(5)]
    assert min(own) > 0.05  # each takes its part
    ends = [c.placement(p.q).rotations[-1, c.index("Neck")] for c, p in ((short, clip), (long, moved))]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


def test_fingers_are_paired_from_their_tips():
    three, four = with_spine(3, (0.09, 0.04, 0.025)), with_spine(2, (0.025, 0.065, 0.04, 0.025))
    pairing = correspond(three, four, {})
    names = {four.names[t]: three.names[s] for t, s in pairing.pairs.items()}
    assert names["LeftHandIndex3"] == "LeftHandIndex2"
    assert names["LeftHandIndex1"] == "LeftHandIndex0"
    assert "LeftHandIndex0" not in names


def test_a_fourth_joint_at_the_end_of_a_finger_is_its_tip():
    three, tipped = with_spine(3, (0.09, 0.04, 0.025)), with_spine(2, (0.09, 0.04, 0.025, 0.02))
    for source, target in ((three, tipped), (tipped, three)):
        pairing = correspond(source, target, {})
        names = {target.names[t]: source.names[s] for t, s in pairing.pairs.items()}
        for k in range(3):
            assert names[f"LeftHandIndex{k}"] == f"LeftHandIndex{k}"
        assert "LeftHandIndex3" not in names


def test_bones_stay_in_their_sockets(walk):
    """Files whose hips may slide: feet are reached by turning, not by pulling a leg out."""
    human = with_spine(3)
    bodies = [
        b.replaced(joint=Joint.free()) if b.name in ("LeftUpLeg", "RightUpLeg") else b for b in human.bodies
    ]
    loose = human.with_bodies(bodies)
    result = poise.retarget(walk, loose)
    for name in ("LeftUpLeg", "RightUpLeg"):
        place = result.clip.q[:, loose.coordinates(name)][:, :3]
        offset = np.asarray(loose.bodies[loose.index(name)].offset)
        assert np.linalg.norm(place - offset, axis=1).max() < 2e-3


def swinging(speed: float) -> Clip:
    """A robot whose elbow swings at most at 6 rad/s, with a motor of that limit."""
    robot = motor_humanoid(speed=speed)
    q = np.tile(robot.rest_pose(), (61, 1))
    t = np.arange(61) / 30
    q[:, robot.coordinates("left_elbow_link")] = 0.5 + np.sin(6.0 * t)[:, None]
    return Clip(robot, q, 30)


def test_motors_are_not_overrun_by_adaptation():
    quick = swinging(4.0)
    assert np.abs(quick.velocity).max() > 5.5
    result = poise.adapt(quick, plants=False, floor=False)
    own = result.clip.character.dofs("left_elbow_link")
    assert np.abs(result.clip.velocity[:, own]).max() < 4.3
    (told,) = [o for o in result.report.outcomes if o.name == "speed of left_elbow_link"]
    assert told.met
    free = poise.adapt(quick, plants=False, floor=False, joint_limits=False)
    assert np.abs(free.clip.velocity).max() > 5.5


def test_motors_are_not_overrun_by_what_adaptation_does_itself():
    """A robot that stands still comes near no limit until it is asked to reach."""
    robot = motor_humanoid(speed=2.0)
    still = Clip(robot, np.tile(robot.rest_pose(), (61, 1)), 60)
    hand = still.character.placement(still.q).positions[0, robot.index("left_wrist_yaw_link")]
    reach = poise.constraints.pin("left_wrist_yaw_link", hand + (0.1, 0.0, 0.15), 0.4)
    result = poise.adapt(still, [reach], plants=False, floor=False)
    quick = poise.adapt(still, [reach], plants=False, floor=False, joint_limits=False)
    fastest, before = (np.abs(np.diff(r.clip.q[:, 7:], axis=0)).max() * 60 for r in (result, quick))
    assert before > 2.4
    assert fastest < 2.1
    told = [o for o in result.report.outcomes if o.name.startswith("speed of ")]
    assert told
    assert all(o.met for o in told)


def test_a_motor_that_is_overrun_in_every_cycle_of_a_loop_is_named_once():
    clip = swinging(4.0)
    q = np.array(clip.q)
    q[:, clip.character.coordinates("left_elbow_link")] = (
        0.5 + np.sin(np.arange(61) * 4 * np.pi / 61)[:, None]
    )
    looped = Clip(clip.character, q, 60, loop=True)
    found = [f for f in poise.check(looped).report.findings if f.kind == "speed"]
    assert found
    assert all(0 <= f.start < 61 for f in found)


def test_check_names_motors_that_are_overrun():
    found = [f for f in poise.check(swinging(4.0)).report.findings if f.kind == "speed"]
    assert found
    assert {f.where for f in found} == {"left_elbow_link"}
    assert max(f.amount for f in found) == pytest.approx(6.0, abs=0.5)
    assert not [f for f in poise.check(swinging(20.0)).report.findings if f.kind == "speed"]


def test_a_report_is_plain_data():
    import msgspec

    from poise import clips

    report = poise.retarget(clips.get("walk"), onto="humanoid").report
    assert msgspec.json.decode(msgspec.json.encode(report.to_dict()))["details"]["limbs"]


def test_a_robot_whose_root_is_its_chest_keeps_it_upright(shared_data):
    """The waist hangs below: root and waist turned against each other move no foot, but all that is above."""
    robot = poise.load(shared_data / "mjcf_mujoco" / "humanoid.xml").character
    made = poise.retarget(clips.get("walk"), robot)
    missed = [outcome.name for outcome in made.report.missed]
    assert missed == ["torque of motors"], str(made.report)  # its ankles give 20 N·m
    lines = {(line.limb, line.what): np.degrees(line.worst) for line in made.table}
    assert lines["chest", "heading"] < 3
    assert lines["chest", "upright"] < 3
    assert lines["shoulders", "direction"] < 4


def test_a_bone_that_is_usually_off_says_so():
    off = Line("left shin", "direction", np.radians(12), np.radians(20), 0.5, np.radians(30), "rad").outcome()
    assert not off.met
    assert off.reason == "12° half of the time, where 10° are allowed"
    fine = Line("left shin", "direction", np.radians(3), np.radians(20), 0.5, np.radians(30), "rad").outcome()
    far = Line("left shin", "direction", np.radians(3), np.radians(40), 0.5, np.radians(30), "rad").outcome()
    assert (fine.met, far.met) == (True, False)
    assert fine.reason == far.reason == ""


def ankles_and_feet() -> Character:
    """A robot whose ankles are motors, and whose feet turn about another axis in the same point."""
    bodies = []
    for body in motor_humanoid().bodies:
        name = body.name.replace("ankle_roll_link", "foot").replace("ankle_pitch_link", "ankle")
        parent = body.parent and body.parent.replace("ankle_roll_link", "foot")
        parent = parent and parent.replace("ankle_pitch_link", "ankle")
        bodies.append(body.replaced(name=name, parent=parent))
    return Character("ankles and feet", bodies)


def test_an_ankle_of_motors_and_its_foot_are_one(walk):
    """Not a foot and its toes: the shin would be laid along the way from the knee to the toes."""
    robot = ankles_and_feet()
    known = roles(robot)
    assert not any(role.endswith("toes") for role in known), known
    pairing = correspond(walk.character, robot, {})
    for side in ("left", "right"):
        source = pairing.pairs[robot.index(f"{side}_foot")]
        assert source == roles(walk.character)[f"{side} foot"]
    off = apart(walk, Transfer(walk, pairing).clip_on_target())
    assert max(np.median(off[f"{side} shin"]) for side in ("left", "right")) < 4


def test_soles_stand_on_the_ground_and_not_ankles(shared_data):
    """MuJoCo's humanoid has no points but its joints: the soles are the lower side of its capsules."""
    robot = poise.load(shared_data / "mjcf_mujoco" / "humanoid.xml").character
    made = poise.retarget(clips.get("walk"), robot)
    skin = patches(robot)
    places, turns = robot.placement(made.clip.q)
    under = [k for k, name in enumerate(skin.names) if "sole" in name]
    low = [
        (places[:, b] + np.einsum("fij,j->fi", turns[:, b], skin.place[k]))[:, 2] - skin.radius[k]
        for k in under
        for b in [int(skin.body[k])]
    ]
    usual = np.median(np.min(low, axis=0))  # where the sole rolls about its ankle, its front dips
    assert usual > -0.03  # 0.07 below with soles at the ankles


def test_hips_do_not_sway_for_millimetres_at_the_feet(shared_data):
    """Few keys cannot hold feet exactly; a root that helps them carries the whole body along."""
    walk = poise.load(shared_data / "cmu_cgspeed_bvh" / "02_01.bvh", drop_tpose=True)
    walk = operators.resample(walk, 30)
    body = poise.load(shared_data / "cmu_asfamc" / "02_01.amc").character
    result = poise.retarget(walk, body)
    plain = result.transfer.clip_on_target()
    hips = roles(body)["hips"]
    moved = body.placement(result.clip.q).positions[:, hips] - body.placement(plain.q).positions[:, hips]
    assert np.abs(moved).max() < 0.06  # 0.12 without
    usual = [line.usual for line in result.table if line.what == "direction"]
    assert np.degrees(max(usual)) < 3.5  # 4.2 … 9 without
    assert result.met, str(result.report)


def test_hands_come_as_near_as_they_must():
    """Those that touch meet; a hand apart they keep their way; nothing jumps where they come near."""
    apart = np.linspace(0.0, 0.4, 401)
    way = np.tile([0.0, 0.3, 0.4], (401, 1))  # half a leg of one metre
    length = np.linalg.norm(nearer(way, apart, 1.0), axis=1)
    assert length[0] < 1e-9
    near = apart < NEAR
    allowed = TOLERANCE * np.minimum(1.0, apart / HALF)
    assert (np.abs(length - apart)[near] < allowed[near] + 1e-9).all()
    assert np.allclose(length[apart > GONE], 0.5)
    assert np.abs(np.diff(length)).max() < 0.005
    kept = nearer(way[:1], np.array([0.2]), 2.0)  # 0.25 legs: within the tolerance
    assert np.allclose(kept, way[:1])


def high_hips(clip: Clip, up: float) -> Clip:
    """The same motion of a figure whose file has the joint of the hips higher in the same body."""
    before = clip.character
    hips = before.names[roles(before)["hips"]]
    shift = np.array([0.0, 0.0, up])
    bodies = []
    for body in before.bodies:
        if body.name == hips:
            points = {n: tuple(np.asarray(p) - shift) for n, p in body.points.items()}
            body = body.replaced(points=points, shapes=())
        elif body.parent == hips:
            body = body.replaced(offset=tuple(np.asarray(body.offset) - shift))
        bodies.append(body)
    after = before.with_bodies(bodies, name="high")
    q = np.array(clip.q)
    q[:, :3] += so3.to_matrix(q[:, 3:7]) @ shift
    return Clip(after, q, clip.rate)


def test_hands_keep_to_the_trunk_and_not_to_where_a_file_has_its_hips():
    guard = operators.resample(clips.get("punch"), 30)
    far = high_hips(guard, 0.2)
    known, arms = roles(guard.character), {}
    for name, clip in (("as it is", guard), ("high", far)):
        arms[name] = clip.character.placement(clip.q).positions
    np.testing.assert_allclose(
        arms["high"][:, known["left hand"]], arms["as it is"][:, known["left hand"]], atol=1e-9
    )
    lines = [trunk(at, known) for at in arms.values()]
    shares = [line.share(at[:, known["left hand"]]) for line, at in zip(lines, arms.values())]
    np.testing.assert_allclose(*shares, atol=1e-9)
    transfer = Transfer(far, correspond(far.character, guard.character, {}))
    near = [line for line in Measured(transfer, guard).table() if line.limb.endswith("to trunk")]
    assert near
    assert all(line.worst < 1e-6 for line in near)
    result = poise.retarget(far, guard.character)
    assert max(float(off.max()) for bone, off in apart(guard, result.clip).items() if "arm" in bone) < 8


def test_a_place_on_the_trunk_is_between_hips_and_shoulders():
    places = np.array([[[0, 0.1, 1.0], [0, -0.1, 1.0], [0, 0.2, 1.5], [0, -0.2, 1.5]]], dtype=float)
    line = trunk(places, {"left thigh": 0, "right thigh": 1, "left upper_arm": 2, "right upper_arm": 3})
    assert line is not None
    hands = np.array([[[0.3, 0.1, 1.25]], [[0.3, 0.0, 0.4]], [[0.3, 0.0, 2.0]]])
    shares = [float(line.share(hand)[0]) for hand in hands]
    np.testing.assert_allclose(shares, [0.5, 0.0, 1.0])
    np.testing.assert_allclose(line.at(np.array([0.5])), [[0, 0, 1.25]])
    assert trunk(places, {"left thigh": 0, "right thigh": 1}) is None
