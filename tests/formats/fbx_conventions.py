"""One human motion as FBX files with the habits of Mixamo, of Unreal's mannequin and of Maya's HumanIK.

Where joints are is decided first, y up, z ahead, in centimetres: rotations R (F) of every joint in the world.
Each convention then has frames B of its own in the bones (world rotation R B), orders of angles, rotations
before and after them, an up axis and scales, and the numbers of the file follow by SciPy's rotations:

    Rpre⁻¹ (R_p B_p)⁻¹ (R B) Rpost     in the joint's own order
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from fbx_made import MadeFbx
from scipy.spatial.transform import Rotation

FRAMES = 25
JOINTS = [  # role, parent, offset [cm]
    ("hips", "", (0, 95, 0)), ("spine", "hips", (0, 10, -1)), ("chest", "spine", (0, 14, 0)),
    ("upper", "chest", (0, 14, 0)), ("neck", "upper", (0, 13, 1)), ("head", "neck", (0, 10, 2)),
    ("l_clavicle", "upper", (6, 9, 1)), ("l_arm", "l_clavicle", (12, 0, -2)), ("l_fore", "l_arm", (27, 0, 0)),
    ("l_hand", "l_fore", (26, 0, 0)), ("r_clavicle", "upper", (-6, 9, 1)),
    ("r_arm", "r_clavicle", (-12, 0, -2)), ("r_fore", "r_arm", (-27, 0, 0)),
    ("r_hand", "r_fore", (-26, 0, 0)),
    ("l_thigh", "hips", (9, -6, 0)), ("l_shin", "l_thigh", (0, -42, 0)), ("l_foot", "l_shin", (0, -40, -2)),
    ("l_toe", "l_foot", (0, -6, 13)), ("r_thigh", "hips", (-9, -6, 0)), ("r_shin", "r_thigh", (0, -42, 0)),
    ("r_foot", "r_shin", (0, -40, -2)), ("r_toe", "r_foot", (0, -6, 13)),
]  # fmt: skip
_SIDES = {"l": ("Left", "l"), "r": ("Right", "r")}
_MIXAMO = {"hips": "Hips", "spine": "Spine", "chest": "Spine1", "upper": "Spine2", "neck": "Neck",
           "head": "Head", "clavicle": "Shoulder", "arm": "Arm", "fore": "ForeArm", "hand": "Hand",
           "thigh": "UpLeg", "shin": "Leg", "foot": "Foot", "toe": "ToeBase"}  # fmt: skip
_UNREAL = {"hips": "pelvis", "spine": "spine_01", "chest": "spine_02", "upper": "spine_03", "neck": "neck_01",
           "head": "head", "clavicle": "clavicle", "arm": "upperarm", "fore": "lowerarm", "hand": "hand",
           "thigh": "thigh", "shin": "calf", "foot": "foot", "toe": "ball"}  # fmt: skip
ORDERS = ["xyz", "xzy", "yzx", "yxz", "zxy", "zyx"]


def mixamo(role: str) -> str:
    side, _, part = role.rpartition("_")
    return f"mixamorig:{_SIDES[side][0] if side else ''}{_MIXAMO[part]}"


def hik(role: str) -> str:
    side, _, part = role.rpartition("_")
    return f"Character1_{_SIDES[side][0] if side else ''}{_MIXAMO[part]}"


def unreal(role: str) -> str:
    side, _, part = role.rpartition("_")
    return f"{_UNREAL[part]}_{_SIDES[side][1]}" if side else _UNREAL[part]


@dataclass(frozen=True)
class Truth:
    """Where joints are: names of roles, places (F, n, 3) [cm] and rotations (F) of each, y up, z ahead."""

    places: dict[str, np.ndarray] = field(default_factory=dict)
    turns: dict[str, Rotation] = field(default_factory=dict)

    def in_metres(self, role: str) -> np.ndarray:
        """As Poise has them: z up, x ahead."""
        return self.places[role][:, [2, 0, 1]] / 100.0


def truth(seed: int = 1) -> Truth:
    """A motion in which every joint turns about every axis."""
    rng, out, times = np.random.default_rng(seed), Truth(), np.arange(FRAMES) / 24
    for role, parent, offset in JOINTS:
        swing = 0.35 * np.sin(times[:, None] * rng.uniform(2, 7, 3) + rng.uniform(0, 6, 3))
        own = Rotation.from_rotvec(swing)
        if parent:
            out.turns[role] = out.turns[parent] * own
            out.places[role] = out.places[parent] + out.turns[parent].apply(offset)
        else:
            way = np.stack([10 * np.sin(times), 3 * np.cos(5 * times), 80 * times], axis=1)
            out.turns[role], out.places[role] = own, np.array(offset) + way
    return out


@dataclass(frozen=True)
class Convention:
    """Habits of a program."""

    names: object
    settings: dict[str, float]
    frame: np.ndarray
    """From y up, z ahead, to the file's axes."""
    bones: dict[str, Rotation] = field(default_factory=dict)
    """Frames in the bones, by role; else those of the world."""
    orders: dict[str, int] = field(default_factory=dict)
    pre: dict[str, Rotation] = field(default_factory=dict)
    post: dict[str, Rotation] = field(default_factory=dict)
    scales: dict[str, float] = field(default_factory=dict)
    inherit: int = 1
    top: tuple[str, ...] = ()
    """Nodes above the hips, that stand at the origin."""
    helpers: tuple[tuple[str, str, str], ...] = ()
    """Bones that are no body: name, the node they hang from, the role that they copy."""
    null: bool = False
    """Whether the topmost of them is no bone."""
    take: str = "Take 001"


def _along(rng: np.random.Generator) -> dict[str, Rotation]:
    return {role: Rotation.from_euler("xyz", rng.uniform(-180, 180, 3), degrees=True) for role, *_ in JOINTS}


def conventions() -> dict[str, Convention]:
    """The three, made anew: their frames are drawn from fixed seeds."""
    rng = np.random.default_rng(5)
    y_up = np.eye(3)
    z_up = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    film = {"TimeMode": 11, "UnitScaleFactor": 1.0}
    pre = {role: Rotation.from_euler("xyz", rng.uniform(-90, 90, 3), degrees=True) for role, *_ in JOINTS}
    post = {
        role: Rotation.from_euler("xyz", rng.uniform(-20, 20, 3), degrees=True)
        for role in ("l_arm", "r_shin")
    }
    upright = {
        "UpAxis": 1,
        "UpAxisSign": 1,
        "FrontAxis": 2,
        "FrontAxisSign": 1,
        "CoordAxis": 0,
        "CoordAxisSign": 1,
    }
    standing = {
        "UpAxis": 2,
        "UpAxisSign": 1,
        "FrontAxis": 1,
        "FrontAxisSign": -1,
        "CoordAxis": 0,
        "CoordAxisSign": 1,
    }
    return {
        "mixamo": Convention(
            mixamo, {**film, **upright}, y_up, bones=_along(rng), pre=pre, take="mixamo.com"
        ),
        "unreal": Convention(
            unreal, {**film, **standing}, z_up, bones=_along(rng), top=("root",), take="Unreal Take",
            helpers=(("ik_foot_root", "root", ""), ("ik_foot_l", "ik_foot_root", "l_foot"),
                     ("ik_hand_root", "root", ""), ("ik_hand_gun", "ik_hand_root", "r_hand")),
        ),
        "hik": Convention(
            hik, {**film, **upright}, y_up, pre=pre, post=post, inherit=2, null=True,
            top=("Character1_Reference",), scales={"spine": 1.25, "l_arm": 0.8},
            orders={role: k % 6 for k, (role, *_) in enumerate(JOINTS)},
        ),
    }  # fmt: skip


def write(path: Path, convention: Convention, motion: Truth) -> Path:
    """The motion as such a file."""
    made, times = MadeFbx(**convention.settings), np.arange(FRAMES) / 24
    layer = made.take(convention.take, (FRAMES - 1) / 24)
    models: dict[str, int] = {}
    above = 0
    for k, name in enumerate(convention.top):
        above = models[name] = made.model(name, above, "Null" if k == 0 and convention.null else "LimbNode")
    turn = Rotation.from_matrix(convention.frame)
    one = Rotation.identity()
    world = {role: turn * motion.turns[role] * convention.bones.get(role, one) for role, *_ in JOINTS}
    place = {role: turn.apply(motion.places[role]) for role, *_ in JOINTS}

    def animated(name: str, parent: int, spot: np.ndarray, local: Rotation, role: str) -> int:
        order = ORDERS[convention.orders.get(role, 0)]
        before, after = convention.pre.get(role, one), convention.post.get(role, one)
        angles = (before.inv() * local * after).as_euler(order, degrees=True)
        angles = np.unwrap(angles, period=360, axis=0)[:, np.argsort(["xyz".index(a) for a in order])]
        own = {
            "RotationActive": 1, "RotationOrder": convention.orders.get(role, 0),
            "InheritType": convention.inherit,
            "PreRotation": tuple(before.as_euler("xyz", degrees=True)),
            "PostRotation": tuple(after.as_euler("xyz", degrees=True)),
            "Lcl_Translation": tuple(spot[0]), "Lcl_Rotation": tuple(angles[0]),
            "Lcl_Scaling": (convention.scales.get(role, 1.0),) * 3,
        }  # fmt: skip
        model = made.model(name, parent, **own)
        made.keys3(layer, model, "Lcl Translation", times, spot)
        made.keys3(layer, model, "Lcl Rotation", times, angles)
        return model

    for role, parent, _ in JOINTS:
        if parent:
            spot = world[parent].inv().apply(place[role] - place[parent]) / convention.scales.get(parent, 1.0)
            models[role] = animated(
                convention.names(role), models[parent], spot, world[parent].inv() * world[role], role
            )
        else:
            models[role] = animated(convention.names(role), above, place[role], world[role], role)
    for name, parent, role in convention.helpers:
        still = np.zeros((FRAMES, 3)), Rotation.identity(FRAMES)
        spot, local = (place[role], world[role]) if role else still
        models[name] = animated(name, models[parent], spot, local, "")
    return made.write(path)
