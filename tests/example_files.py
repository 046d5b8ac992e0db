"""Files that the examples of verbs name, made where they are needed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

import poise
from captures_made import c3d_bytes
from formats.urdf_robot import urdf
from fuzz.seeds import MOTION, SKELETON
from poise.character.presets import humanoid
from poise.clips import faces
from poise.formats.gltf.container import glb_bytes
from poise.formats.gltf.scene import Scene, SceneMesh, SceneNode
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.markers import Markers
from poise.methods.key.path.key import PathKey
from poise.methods.key.sheet.keyframes import Keyframes
from poise.methods.markers.attached import Attached, positions
from poise.methods.markers.landmarks import placed_on
from poise.methods.plan.scene import bundled
from poise.project.drunken_boxer import drunken_boxer

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
SIDES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6),
         (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]  # fmt: skip
"""A box of edge 1, and its triangles."""


def hop() -> Keyframes:
    """A body that crouches a little and comes up again."""
    rest = humanoid().rest_pose()
    z = float(Kinematics(humanoid(), rest).com[0, 2])
    path = [PathKey(0.0, (0, 0, z)), PathKey(1.2, (0, 0, z - 0.1)), PathKey(2.5, (0, 0, z))]
    return Keyframes(humanoid(), {0.0: rest, 2.5: rest}, name="hop").with_path(path)


def robot(path: Path) -> None:
    """A character whose thighs go by names that nobody knows."""
    text = poise.clips.get("walk").save("plain.bvh").read_text()
    for side in ("Left", "Right"):
        text = text.replace(f"{side}UpLeg", f"leg_{side[0]}")
    Path("plain.bvh").write_text(text)
    poise.load("plain.bvh").save(path)


def hero(path: Path) -> None:
    """A walker whose bones have the names that Mixamo gives them; what it does is called Run."""
    text = poise.repeat(poise.clips.get("walk"), 2).save("Run.bvh").read_text()
    Path("Run.bvh").write_text(re.sub(r"(?m)^(\s*(?:ROOT|JOINT) )", r"\1mixamorig:", text))
    poise.load("Run.bvh").save(path)


def captured() -> Markers:
    """A few steps of a walker who wears CMU's markers."""
    clip = poise.clips.get("walk")
    names = [
        side + name for side in "LR" for name in ("FWT", "BWT", "SHO", "ELB", "WRA", "KNE", "ANK", "TOE")
    ]
    worn = [placed_on(clip.character, name, 1.0) for name in ("C7", "CLAV", *names)]
    points = Attached(np.array([w.body for w in worn]), np.array([w.place for w in worn]))
    return Markers(("C7", "CLAV", *names), positions(clip.character, clip.q[:8], points), clip.rate)


def recorded(markers: Markers) -> bytes:
    """The same as a C3D file: millimetres, z up, facing −y."""
    x, y, z = 1000 * np.moveaxis(markers.positions, 2, 0)
    places = np.stack([y, -x, z, np.ones_like(x)], axis=2)
    return c3d_bytes(places, names=markers.names, rate=markers.fps)


def fox(path: Path) -> None:
    """A figure whose head has a name of its own, and a tail where others have an arm."""
    text = poise.clips.get("wave").save("plain.bvh").read_text()
    for name, own in (("Head", "b_Head_05"), ("LeftArm", "b_Tail01_012"), ("LeftForeArm", "b_Tail02_013")):
        assert f"JOINT {name}\n" in text
        text = text.replace(f"JOINT {name}\n", f"JOINT {own}\n")
    Path("plain.bvh").write_text(text)
    poise.load("plain.bvh").save(path)


def tail(path: Path) -> None:
    """Something soft to hang on."""
    points = np.array(CORNERS, dtype=float) * 0.2
    node = SceneNode("tail", -1, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), np.ones(3))
    document = Scene([node], [SceneMesh("tail", 0, points, [(np.array(SIDES), None)])]).document(path, b"")
    path.write_bytes(glb_bytes(document.content, document.buffer(0, "the tail")))


def capture(path: Path) -> None:
    """A motion, and its skeleton beside it."""
    path.with_name("02.asf").write_text(SKELETON)
    path.write_text(MOTION)


def generated(path: Path) -> None:
    """Joints of a walk as models of motion write them: HumanML3D's 22, y up, 20 frames per second."""
    clip = poise.resample(poise.repeat(poise.clips.get("walk"), 2), 20).clip
    at = dict(zip(clip.character.names, np.moveaxis(Kinematics(clip.character, clip.q).positions, 1, 0)))
    middle = {
        "Spine2": (at["Spine"] + at["Chest"]) / 2,
        "Neck": (at["Chest"] + at["Head"]) / 2,
        "LeftCollar": 0.7 * at["Chest"] + 0.3 * at["LeftArm"],
        "RightCollar": 0.7 * at["Chest"] + 0.3 * at["RightArm"],
    }

    def sides(name: str) -> list[str]:
        return [f"Left{name}", f"Right{name}"]

    order = [
        "Hips",
        *sides("UpLeg"),
        "Spine",
        *sides("Leg"),
        "Spine2",
        *sides("Ankle"),
        "Chest",
        *sides("ToeBase"),
    ]
    order += ["Neck", *sides("Collar"), "Head", *sides("Arm"), *sides("ForeArm"), *sides("Hand")]
    there = np.stack([(at | middle)[name] for name in order], axis=1)
    np.save(path, there[..., [1, 2, 0]])  # x ahead, z up → z ahead, y up


def targets(path: Path) -> None:
    """The right hand at a place that a punch and a walk both reach."""
    mark = {
        "name": "fist",
        "handle": {"kind": "point_position", "point": "RightHandCentre"},
        "target": {"value": [0.9, 0.0, 1.35]},
        "when": {"at": 0.85},
    }
    path.write_text(json.dumps([mark]))


def skating(path: Path) -> None:
    """Somebody who stands and waves, and whose left foot slides at the end."""
    clip = poise.clips.get("wave")
    q = np.array(clip.q)
    part = np.clip((clip.times - clip.duration + 0.5) / 0.4, 0.0, 1.0)
    turn = so3.exp(np.outer(0.1 * part**2 * (3.0 - 2.0 * part), [1.0, 0.0, 0.0]))
    leg = clip.character.coordinates("LeftUpLeg")
    q[:, leg] = so3.multiply(q[:, leg], turn)
    clip.with_q(q).save(path)


def nodding(path: Path) -> None:
    """The head, turned by 20 degrees for a moment."""
    turn = {"time": 0.5, "joints": {"Head": [0.985, 0.0, 0.174, 0.0]}}
    path.write_text(json.dumps([turn]))


def captures(path: Path) -> None:
    path.mkdir()
    poise.clips.get("wave").save(path / "wave.bvh")


def room(path: Path) -> None:
    """A wall to run into."""
    corners = np.array(CORNERS) * (2.0, 2.0, 0.1) + (-1.0, 0.0, 0.75)
    faces = np.array(SIDES)
    wall = SceneNode("wall", -1, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), np.ones(3))
    document = Scene([wall], [SceneMesh("wall", 0, corners, [(faces, None)])]).document(path, b"")
    path.write_bytes(glb_bytes(document.content, document.buffer(0, "the wall")))


CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 0.2) for y in (0, 0.2) for z in (0, 0.2)) + "".join(
    f"f {' '.join(map(str, face))}\n"
    for face in ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
)
FLAT = {"surfaces": [{"name": "floor", "shape": {"kind": "ground"}}]}
RECIPE = {"output": ".bvh", "steps": [{"do": "mirror"}]}
MAKERS = {
    "walk.bvh": lambda path: poise.repeat(poise.clips.get("walk"), 2).save(path),
    "stairs.bvh": lambda path: poise.repeat(poise.clips.get("walk"), 2).save(path),
    "take.bvh": lambda path: poise.clips.get("wave").save(path),
    "capture.bvh": lambda path: poise.clips.get("wave").save(path),
    "jump.glb": lambda path: poise.clips.get("jump").save(path),
    "hero.glb": hero,
    "knight.glb": hero,
    "captured.trc": lambda path: poise.save_markers(captured(), path),
    "captured.c3d": lambda path: path.write_bytes(recorded(captured())),
    "your.bvh": lambda path: poise.clips.get("wave").save(path),
    "fox.glb": fox,
    "tail.glb": tail,
    "targets.json": targets,
    "asked.json": targets,
    "skating.bvh": skating,
    "nod.json": nodding,
    "held.json": nodding,
    "motion.npy": generated,
    "02_01.amc": capture,
    "long_capture.bvh": lambda path: poise.clips.get("wave").save(path),
    "walk.glb": lambda path: poise.clips.get("walk").save(path),
    "stairs.json": lambda path: path.write_text(json.dumps(FLAT)),
    "jump.json": lambda path: bundled.get("lamp jump").save(path),
    "robot.glb": robot,
    "robot.urdf": lambda path: path.write_text(urdf()),
    "room.glb": room,
    "hop.json": lambda path: hop().save(path),
    "cape.obj": lambda path: path.write_text(CUBE),
    "boxer.poise": lambda path: drunken_boxer().save(path),
    "clean.json": lambda path: path.write_text(json.dumps(RECIPE)),
    "captures": captures,
    "face.glb": lambda path: poise.motion.operators.trim(faces.get("smile"), 0.4, 1.4).save(path),
    "hat.glb": lambda path: poise.wear(poise.clips.get("punch")).save(path),
}
