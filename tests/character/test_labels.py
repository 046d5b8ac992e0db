"""Sides, limbs and roles from names, trees and rest poses."""

from __future__ import annotations

import numpy as np
import pytest
from skeletons import from_bvh, from_glb, from_mjcf, human, skeleton

from poise.character import Body, Character, Joint, presets
from poise.character.labels import ROLES, labelled, parts, path_from_root, roles
from poise.character.naming import Part, read_name
from random_trees import random_character


@pytest.mark.parametrize(
    ("name", "side", "part"),
    [
        ("mixamorig:LeftForeArm", "left", Part.FOREARM),
        ("mixamorig:RightHandMiddle2", "right", Part.FINGER),
        ("upper_arm.L", "left", Part.UPPER_ARM),
        ("thigh.R", "right", Part.THIGH),
        ("DEF-forearm.L.001", "left", Part.FOREARM),
        ("L_UpperLeg", "left", Part.THIGH),
        ("upperarm_l", "left", Part.UPPER_ARM),
        ("calf_r", "right", Part.SHIN),
        ("ball_r", "right", Part.TOES),
        ("ik_hand_l", "left", Part.HELPER),
        ("upperarm_twist_01_r", "right", Part.HELPER),
        ("lradius", "left", Part.FOREARM),
        ("rfemur", "right", Part.THIGH),
        ("lhipjoint", "left", Part.HIP),
        ("lowerback", "", Part.SPINE),
        ("rShldr", "right", Part.SHOULDER),
        ("lThighBend", "left", Part.THIGH),
        ("abdomenUpper", "", Part.SPINE),
        ("right_upper_arm", "right", Part.UPPER_ARM),
        ("shin_left", "left", Part.SHIN),
        ("Bip01 L Calf", "left", Part.SHIN),
        ("Character1_LeftUpLeg", "left", Part.THIGH),
        ("LoArm_L", "left", Part.FOREARM),
        ("toe1-1.R", "right", Part.TOES),
        ("LeftFootThumb1", "left", Part.TOES),
        ("Skeleton_arm_joint_L__4_", "left", Part.ARM),
        ("b_RightUpperArm_06", "right", Part.UPPER_ARM),
        ("FrontLeg_L", "left", Part.FORELEG),
        ("rear", "", Part.UNKNOWN),
        ("rEar", "right", Part.FACE),
        ("HeadTop_End", "", Part.HELPER),
        ("Hips", "", Part.HIPS),
        ("pelvis", "", Part.HIPS),
        ("Bone", "", Part.UNKNOWN),
        ("", "", Part.UNKNOWN),
        ("脊椎", "", Part.UNKNOWN),
    ],
)
def test_what_a_name_says(name, side, part):
    reading = read_name(name)
    assert (reading.side, reading.part) == (side, part)


def of(character):
    return {role: character.names[i] for role, i in roles(character).items()}


def sided(names: dict[str, str]) -> dict[str, str]:
    """{"thigh": "{}UpLeg"} with Left and Right filled in."""
    return {f"{s.lower()} {p}": n.format(s) for s in ("Left", "Right") for p, n in names.items()}


MIXAMO = {
    "clavicle": "{}Shoulder",
    "upper_arm": "{}Arm",
    "forearm": "{}ForeArm",
    "hand": "{}Hand",
    "thigh": "{}UpLeg",
    "shin": "{}Leg",
    "foot": "{}Foot",
}


def test_shoulder_and_leg_are_settled_by_the_tree():
    found = of(human())
    assert found == {
        "hips": "Hips",
        "spine": "Spine",
        "chest": "Chest",
        "neck": "Neck",
        "head": "Head",
        **sided({**MIXAMO, "toes": "{}Toe"}),
    }
    joints = {
        "Arm": "Shoulder",
        "ForeArm": "Elbow",
        "Hand": "Wrist",
        "UpLeg": "Hip",
        "Leg": "Knee",
        "Foot": "Ankle",
    }
    calls = {f"{s}{a}": f"{s}{b}" for s in ("Left", "Right") for a, b in joints.items()}
    calls |= {f"{s}Shoulder": f"{s}Collar" for s in ("Left", "Right")}
    named_by_joint = of(human(calls))
    assert named_by_joint["left upper_arm"] == "LeftShoulder"
    assert named_by_joint["left clavicle"] == "LeftCollar"
    assert named_by_joint["right hand"] == "RightWrist"
    assert named_by_joint["right thigh"] == "RightHip"
    assert named_by_joint["right shin"] == "RightKnee"


def test_a_wrist_above_a_hand_belongs_to_the_forearm():
    bodies = list(human().bodies)
    hand = next(b for b in bodies if b.name == "LeftHand")
    wrist = hand.replaced(name="LeftWrist", parent="LeftForeArm", offset=(0, 0.18, 0), points={})
    bodies[bodies.index(hand)] = hand.replaced(parent="LeftWrist", offset=(0, 0.08, 0))
    character = human().with_bodies([*bodies, wrist])
    assert parts(character)[character.index("LeftWrist")] is Part.FOREARM
    assert of(character)["left hand"] == "LeftHand"


def test_names_that_say_nothing_are_read_from_the_rest_pose():
    plain = human()
    blank = human({n: f"bone{i}" for i, n in enumerate(plain.names)})
    wanted, got = roles(plain), roles(blank)
    same = [r for r in wanted if got.get(r) == wanted[r]]
    assert {
        "hips",
        "head",
        "left thigh",
        "right shin",
        "left foot",
        "right forearm",
        "left hand",
        "chest",
    } <= set(same)


def nameless(rows: list[tuple]) -> Character:
    """Rows of (number of the parent or −1, offset)."""
    bodies = []
    for i, (up, offset) in enumerate(rows):
        joint = Joint.free() if up < 0 else Joint.ball()
        bodies.append(Body(f"b{i}", None if up < 0 else f"b{up}", joint, offset))
    return Character("nameless", bodies)


def star(count: int) -> Character:
    """So many chains of two bodies around one, each with a mirror image."""
    rng, rows = np.random.default_rng(2), [(-1, (0.0, 0.0, 1.0))]
    for way in rng.normal(size=(count // 2, 3)):
        for s in (1.0, -1.0):
            rows += [(0, way * [0.1, 0.1 * s, 0.1]), (len(rows), way * [0.1, 0.1 * s, 0.1])]
    return nameless(rows)


def test_thousands_of_nameless_joints_in_a_star():
    """Every chain compared with every other by their subtrees would take hours."""
    character = star(3000)
    places = character.rest_placement().positions
    away = np.abs(places[:, 1]) > 0.02 * np.ptp(places, axis=0).max()
    side = np.array([b.side for b in labelled(character).bodies])
    assert (side[away] == np.where(places[away, 1] > 0, "left", "right")).all()


def test_thousands_of_nameless_joints_in_a_chain_and_in_a_comb():
    chain = nameless([(i - 1, (0.01, 0.0, 0.0)) for i in range(4000)])
    assert {b.limb for b in labelled(chain).bodies} == {""}
    rows = [(-1, (0.0, 0.0, 1.0))]
    for _ in range(1000):
        spine = len(rows)
        rows += [(max(spine - 3, 0), (0.01, 0.0, 0.0)), (spine, (0, 0.1, -0.1)), (spine + 1, (0, 0.1, -0.1))]
    assert roles(nameless(rows)) == {}


def test_a_tree_is_asked_for_few_subtrees(monkeypatch):
    """As many as there are parts to settle, not one for every pair of joints."""
    asked = []
    subtree = Character.subtree
    monkeypatch.setattr(Character, "subtree", lambda self, body: asked.append(body) or subtree(self, body))
    labelled(star(500))
    roles(star(500))
    assert len(asked) < 20
    asked.clear()
    blank = human({n: f"bone{i}" for i, n in enumerate(human().names)})
    assert "left hand" in roles(blank)
    assert len(asked) < 20


def test_subtrees_and_children_are_runs_of_the_tree(rng):
    character = random_character(rng, 40)
    for i in range(40):
        below = [k for k in range(40) if i in path_from_root(character, k)]
        assert character.subtree(i) == below
        assert list(character.children[i]) == [k for k in range(40) if character.parents[k] == i]


def test_an_unreadable_tree_has_no_roles_and_no_wrong_limbs():
    snake = skeleton([("a", None, (0, 0, 1)), ("b", "a", (1, 0, 0)), ("c", "b", (1, 0, 0))])
    assert roles(snake) == {}
    assert {b.limb for b in labelled(snake).bodies} == {""}
    assert {b.side for b in labelled(snake).bodies} == {"centre"}


def test_labels_given_before_are_kept():
    character = human()
    first = character.bodies[0].replaced(limb="core")
    again = labelled(character.with_bodies([first, *character.bodies[1:]]))
    assert again.bodies[0].limb == "core"
    assert again.bodies[again.index("LeftToe")].limb == "foot"
    assert [again.names[i] for i in again.select("left arm")] == ["LeftShoulder", "LeftArm", "LeftForeArm"]


def test_sides_mirror():
    character = labelled(human())
    at, _ = character.rest_placement()
    for body, place in zip(character.bodies, at):
        want = "left" if place[1] > 1e-9 else "right" if place[1] < -1e-9 else "centre"
        assert body.side == want, body.name


@pytest.mark.parametrize("name", ["humanoid", "planar_humanoid", "biped180"])
def test_presets_have_all_roles_of_a_human(name):
    found = of(presets.get(name))
    lacking = {r for r in ROLES if "clavicle" not in r} - set(found)
    assert lacking - {"neck", "spine"} == set()
    assert found["left foot"] == "LeftFoot"


@pytest.mark.parametrize("name", presets.names())
def test_presets_are_fully_labelled(name):
    character = presets.get(name)
    at, _ = character.rest_placement()
    for body, place in zip(character.bodies, at):
        assert body.side == ("left" if place[1] > 1e-9 else "right" if place[1] < -1e-9 else "centre")
        assert body.limb or name == "lamp"


CMU = {"hips": "Hips", "spine": "LowerBack", "chest": "Spine1", "neck": "Neck", "head": "Head"}
CMU |= sided({**MIXAMO, "toes": "{}ToeBase"})


@pytest.mark.parametrize("clip", ["02_01", "143_01", "143_23", "143_24", "16_01", "49_06", "80_08", "88_01"])
def test_cgspeed(shared_data, clip):
    character = from_bvh(shared_data / f"cmu_cgspeed_bvh/{clip}.bvh", 0.0564)
    assert of(character) == CMU
    limbs = {b.name: (b.side, b.limb) for b in labelled(character).bodies}
    assert limbs["LHipJoint"] == ("left", "leg")
    assert limbs["RThumb"] == ("right", "hand")


def test_mixamo(shared_data):
    character = from_bvh(shared_data / "bvh_python/test_freebvh.bvh", 0.01)
    wanted = {"hips": "Hips", "spine": "Spine", "chest": "Spine2", "neck": "Neck", "head": "Head"}
    wanted |= sided({**MIXAMO, "toes": "{}ToeBase"})
    assert of(character) == {r: f"mixamorig:{n}" for r, n in wanted.items()}


def test_makehuman_dotted(shared_data):
    found = of(from_bvh(shared_data / "makehuman/benchmark.bvh", 0.1, z_up=True))
    assert (found["hips"], found["spine"], found["chest"]) == ("root", "spine05", "spine01")
    for side, mark in (("left", "L"), ("right", "R")):
        got = [
            found[f"{side} {p}"]
            for p in ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot")
        ]
        want = ["clavicle", "upperarm01", "lowerarm01", "wrist", "upperleg01", "lowerleg01", "foot"]
        assert got == [f"{w}.{mark}" for w in want]


def test_makehuman_underscored(shared_data):
    found = of(from_bvh(shared_data / "makehuman/walk1.bvh", 0.1, z_up=True))
    assert (found["hips"], found["spine"], found["chest"], found["head"]) == (
        "Hips",
        "Spine1",
        "Spine3",
        "Head",
    )
    assert [found[f"left {p}"] for p in ("clavicle", "upper_arm", "forearm", "thigh", "shin", "toes")] == [
        f"{n}_L" for n in ("Clavicle", "UpArm", "LoArm", "UpLeg", "LoLeg", "Toe")
    ]


def test_poser(shared_data):
    found = of(from_bvh(shared_data / "threejs/pirouette.bvh", 0.01))
    assert (found["hips"], found["spine"], found["chest"]) == ("hip", "abdomen", "chest")
    assert [
        found[f"right {p}"] for p in ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot")
    ] == [f"r{n}" for n in ("Collar", "Shldr", "ForeArm", "Hand", "Thigh", "Shin", "Foot")]


@pytest.mark.parametrize(("path", "z_up"), [("bvh_toolbox/walk01.bvh", False), ("pybvh/bvh_test1.bvh", True)])
def test_plain_bvh(shared_data, path, z_up):
    found = of(from_bvh(shared_data / path, 0.01, z_up=z_up))
    assert found["hips"] == "Hips"
    assert {r: n for r, n in found.items() if r in sided(MIXAMO)} == sided(MIXAMO)


def test_gltf(shared_data):
    man = of(from_glb(shared_data / "khronos_gltf/CesiumMan.glb"))
    assert (man["hips"], man["chest"]) == ("Skeleton_torso_joint_1", "torso_joint_3")
    assert man["head"] == "Skeleton_neck_joint_2"
    assert [man[f"left {p}"] for p in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toes")] == [
        *(f"Skeleton_arm_joint_L__{i}_" for i in (4, 3, 2)),
        *(f"leg_joint_L_{i}" for i in (1, 2, 3, 5)),
    ]
    fox = from_glb(shared_data / "khronos_gltf/Fox.glb")
    assert of(fox)["left thigh"] == "b_LeftLeg01_015"
    assert of(fox)["left shin"] == "b_LeftLeg02_016"
    assert parts(fox).count(Part.TAIL) == 3
    robot = of(from_glb(shared_data / "threejs/RobotExpressive.glb"))
    assert (robot["hips"], robot["chest"], robot["left shin"]) == ("Body", "Torso", "LowerLeg.L")
    assert (robot["right clavicle"], robot["right upper_arm"]) == ("Shoulder.R", "UpperArm.R")


def test_mjcf(shared_data):
    found = of(from_mjcf(shared_data / "mjcf_mujoco/humanoid.xml"))
    assert (found["hips"], found["chest"], found["head"]) == ("pelvis", "torso", "head")
    assert found["right forearm"] == "lower_arm_right"
    cmu = of(from_mjcf(shared_data / "mjcf_dm_control/humanoid_CMU.xml"))
    assert (cmu["hips"], cmu["spine"], cmu["chest"], cmu["neck"]) == (
        "root",
        "lowerback",
        "thorax",
        "lowerneck",
    )
    assert [
        cmu[f"left {p}"]
        for p in ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toes")
    ] == [f"l{n}" for n in ("clavicle", "humerus", "radius", "hand", "femur", "tibia", "foot", "toes")]


def test_odd_files_do_no_harm(shared_data):
    for path in sorted((shared_data / "synthetic_edge").glob("*.bvh")):
        if "duplicate" in path.stem:
            continue
        character = labelled(from_bvh(path, 0.01))
        assert all(np.isfinite(b.offset).all() for b in character.bodies)
        assert set(roles(character)) <= set(ROLES)
