"""The table of names in the guide: every rig in it is understood, joint by joint; controls are no body."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from skeletons import human

from poise.character import Body, Character, Joint
from poise.character.labels import labelled, parts, roles
from poise.character.naming import Part, read_name

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "characters.md"
PLAIN = {
    "hips": "Hips", "spine": "Spine", "chest": "Chest", "neck": "Neck", "head": "Head",
    "clavicle": "LeftShoulder", "upper arm": "LeftArm", "forearm": "LeftForeArm", "hand": "LeftHand",
    "thigh": "LeftUpLeg", "shin": "LeftLeg", "foot": "LeftFoot", "toes": "LeftToe",
}  # fmt: skip


def rows() -> dict[str, dict[str, str]]:
    """Rig → part → name, as the guide has them."""
    lines = GUIDE.read_text().split("## Names that are understood")[1].splitlines()
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    head = table[0][1:]
    return {row[0]: dict(zip(head, row[1:])) for row in table[2:]}


def right(name: str) -> str:
    """The right joint's name."""
    swaps = [("左", "右"), ("Left", "Right"), ("left", "right"), (" L ", " R "), ("_L_", "_R_"), (".L", ".R")]
    for old, new in swaps:
        if old in name:
            return name.replace(old, new)
    return re.sub(r"^L_", "R_", re.sub(r"_l$", "_r", re.sub(r"^l(?=[A-Zfhtcr])", "r", name)))


@pytest.mark.parametrize("rig", rows())
def test_every_rig_of_the_table_is_understood(rig):
    said = {part: name for part, name in rows()[rig].items() if name}
    names = {PLAIN[part]: name for part, name in said.items()}
    names |= {PLAIN[p].replace("Left", "Right"): right(n) for p, n in said.items() if "Left" in PLAIN[p]}
    names["Spine1"] = {
        "Unity humanoid": "Chest",
        "VRM (VRoid)": "J_Bip_C_Chest",
        "Unreal": "spine_02",
        "Rigify": "DEF-spine.002",
        "Xsens MVN": "L3",
        "MikuMikuDance": "上半身1",
    }.get(rig, "upperback" if rig.startswith("CMU") else "Spine mid")
    for part, plain in PLAIN.items():
        if part not in said:
            names |= {plain: f"link {part}", plain.replace("Left", "Right"): f"link of the other {part}"}
    figure = human(names)
    if rig == "Unitree":  # motors
        motor = Joint.hinge((0, 1, 0))
        figure = figure.with_bodies(
            [b if b.parent is None else b.replaced(joint=motor) for b in figure.bodies]
        )
    found = {role: figure.names[i] for role, i in roles(figure).items()}
    for part, name in said.items():
        role = part.replace(" ", "_")
        if "Left" in PLAIN[part]:
            assert found[f"left {role}"] == name
            assert found[f"right {role}"] == right(name)
        else:
            assert found[role] == name


@pytest.mark.parametrize(
    "name",
    ["elbowIK.l", "ik_hand_gun", "ik_foot_root", "foot_pole.L", "hand_target_r", "LeftKneePole",
     "KneeTarget.R", "upperarm_twist_01_l", "lowerarm_correctiveRoot_l", "CTRL_hand_l", "MCH-forearm.L",
     "ORG-hand.L", "VIS_knee.L", "heelIK.r", "LeftArmRoll", "Bip01 L ForeTwist", "upperLegTwist.l",
     "J_Sec_L_Bust1"],
)  # fmt: skip
def test_controls_are_no_body(name):
    assert read_name(name).part is Part.HELPER


def test_helpers_beside_limbs_change_no_role():
    plain = human()
    extra = [
        Body("elbowIK.l", "Hips", Joint.ball(), (0, 0.5, 0.4)),
        Body("ik_hand_gun", "Hips", Joint.ball(), (0, -0.5, 0.4)),
        Body("KneeTarget.l", "Hips", Joint.ball(), (0.4, 0.1, -0.4)),
        Body("LeftArmTwist", "LeftArm", Joint.ball(), (0, 0.1, 0)),
        Body("LeftFootIK", "Hips", Joint.ball(), (0, 0.1, -0.9)),
    ]
    rigged = Character("rig", [*plain.bodies, *extra], mass_source="none")
    one, other = ({r: c.names[i] for r, i in roles(c).items()} for c in (plain, rigged))
    assert one == other
    what = dict(zip(rigged.names, parts(rigged)))
    assert all(what[b.name] is Part.HELPER for b in extra)
    limbs = {b.name: b.limb for b in labelled(rigged).bodies}
    assert limbs["elbowIK.l"] == ""
    assert limbs["LeftArmTwist"] == "arm"


def test_a_neck_that_only_twists_is_a_neck_and_other_twists_are_not():
    names = {"Neck": "NeckTwist01", "LeftArm": "LeftArm"}
    plain = human(names)
    rigged = Character(
        "rig",
        [*plain.bodies, Body("LeftThighTwist", "LeftUpLeg", Joint.ball(), (0, 0, -0.1))],
        mass_source="none",
    )
    found = {role: rigged.names[i] for role, i in roles(rigged).items()}
    assert found["neck"] == "NeckTwist01"
    assert parts(rigged)[rigged.index("LeftThighTwist")] is Part.HELPER


def test_a_column_of_one_name_ends_in_neck_and_head():
    """As in Rigify: what stands above the shoulders is no spine."""
    column = {"Hips": "spine", "Spine": "spine.001", "Spine1": "spine.002", "Chest": "spine.003"}
    figure = human(column | {"Neck": "spine.004", "Head": "spine.006"})
    found = {role: figure.names[i] for role, i in roles(figure).items()}
    assert (found["chest"], found["neck"], found["head"]) == ("spine.003", "spine.004", "spine.006")


@pytest.mark.parametrize(
    ("name", "side", "part"),
    [("左腕", "left", Part.UPPER_ARM), ("右足首", "right", Part.FOOT), ("左足ＩＫ", "left", Part.HELPER),
     ("左足D", "left", Part.HELPER), ("右肩C", "right", Part.HELPER), ("両目", "", Part.FACE),
     ("右人指２", "right", Part.FINGER), ("左腕捩", "left", Part.HELPER), ("センター", "", Part.UNKNOWN)],
)  # fmt: skip
def test_japanese_names(name, side, part):
    assert read_name(name)[:2] == (side, part)


@pytest.mark.parametrize(
    ("name", "part"),
    [("Fist.L", Part.HAND), ("talus_r", Part.FOOT), ("calcn_r", Part.FOOT), ("LLegDigit11", Part.TOES),
     ("LArmDigit21", Part.FINGER)],
)  # fmt: skip
def test_words_of_further_rigs(name, part):
    assert read_name(name).part is part
