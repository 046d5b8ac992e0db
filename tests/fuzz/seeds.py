"""Small sound files of every kind, from which fuzzing starts: made by Poise or written here by hand."""

from __future__ import annotations

import base64
import json
import struct
import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np

from poise import project as projects
from poise.character import Body, Character, Joint, Mass, MorphTarget, Shape, ShapeKind, Skin
from poise.character.presets import lamp
from poise.constraints import Constraint, FootPlant
from poise.constraints.target import as_target
from poise.constraints.when import as_when
from poise.formats.captures import save_markers
from poise.formats.captures.fitted import as_markers
from poise.formats.gltf.container import glb_bytes, parsed
from poise.formats.usd.package import packed
from poise.handles import PointPosition
from poise.methods.key.sheet.keyframes import Keyframes
from poise.motion import Clip
from poise.project.journal import journal_path
from poise.serve import frames

for place in (Path(__file__).parents[1], Path(__file__).parents[1] / "formats"):
    sys.path.insert(0, str(place))
from fbx_made import cycling, layered, painted, swinging  # noqa: E402

from captures_made import MOT, TRC, c3d_bytes  # noqa: E402

SCRIPT = """
name = "wave"
character = "humanoid"
start = "Rest"
beats = {tempo = 120, count = 16, start = 0.5}
quantise = true
[poses.Rest]
RightArm = [75, 0, 0]
[poses.Up]
RightArm = [10, 5.5, -3e0]
RightForeArm = 40
[[keys]]
pose = "Up"
after = 0.5
style = "snappy"
lead = 0.1
joints = ["Right*"]
velocity = {RightArm = [10, 0, 0]}
[[keys]]
pose = "Rest"
at = 2.0
[[keys]]
pose = "Up"
beat = 7
"""
WORLD = {
    "surfaces": [
        {"name": "floor", "shape": {"kind": "ground", "height": 0.1, "slope": [0.1, 0.0]}},
        {
            "name": "stairs",
            "shape": {"kind": "stairs", "steps": 3},
            "place": [1.0, 0.0, 0.0],
            "friction": 0.5,
        },
        {"name": "rope", "shape": {"kind": "rope", "places": [[0, 0, 1], [1, 0, 1]]}, "carried": "Hips"},
        {
            "name": "lift",
            "shape": {
                "kind": "mesh",
                "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
                "triangles": [[0, 1, 2]],
            },
            "track": {"times": [0.0, 1.0], "places": [[0, 0, 0], [0, 0, 1]], "turns": [[0, 0, 0], [0, 0, 1]]},
        },
    ]
}
MACHINE = {
    "character": "humanoid",
    "poses": {"Rest": {"RightArm": [75, 0, 0]}, "Up": {"RightArm": [10, 0, 0]}},
    "states": [
        {"name": "idle", "pose": "Rest", "seconds": 0.5, "next": "wave", "on": {"hey": "wave"}},
        {"name": "wave", "pose": "Up", "seconds": 0.25, "next": "idle"},
    ],
    "cues": [{"at": 0.4, "name": "hey"}],
}
SCENE = {
    "name": "hop", "character": "lamp", "lower": 0.02, "feet": ["Base"], "options": {"modes": 8, "rate": 30},
    "segments": [
        {"kind": "stance", "duration": 0.6, "holds": ["Base", {"what": "Base", "turn": 0.1}],
         "keys": [{"of": "com", "at": 0.3, "position": [0.0, None, 0.1], "relative": True, "weight": 2.0}]},
        {"kind": "flight", "lands": ["Base"]},
        {"kind": "stance", "duration": 0.5, "holds": ["Base"]},
    ],
}  # fmt: skip
RECIPE = {
    "poise": "recipe", "version": 1, "output": ".glb", "read": {"up": "z"},
    "steps": [
        {"do": "fix", "floor": 0.0}, {"do": "retarget", "onto": "humanoid"}, {"do": "adapt"},
        {"do": "loosen", "tension": "relaxed"}, {"do": "check"},
        {"do": "convert", "fps": "24000/1001", "range": [0, 1]},
    ],
}  # fmt: skip
MODEL = """<mujoco model="toy"><size nkey="2"/><compiler angle="radian"/>
<default><geom density="500"/></default>
<worldbody><geom type="plane" size="1 1 1"/>
<body name="torso" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.2"/>
<site name="top" pos="0 0 0.2"/>
<body name="arm" pos="0.1 0 0"><joint name="elbow" axis="0 1 0" range="-1 1" limited="true" stiffness="2"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/></body>
<body name="leg" pos="0 0 -0.2"><joint type="ball"/><geom size="0.05"/></body></body></worldbody>
<keyframe><key time="0" qpos="0 0 1 1 0 0 0 0.1 1 0 0 0"/>
<key time="0.1" qpos="0 0 1 1 0 0 0 0.2 1 0 0 0"/></keyframe>
</mujoco>"""
GRID = """<mujoco><worldbody><body name="a"><freejoint/><geom size="0.1"/>
<replicate count="3" offset="0 0 0.1"><site pos="0 0 0"/></replicate></body></worldbody></mujoco>"""
SKELETON = """:version 1.10
:name toy
:units
  mass 1.0
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name lfemur
    direction 0.3 -0.9 0
    length 7
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
    id 2
    name ltibia
    direction 0.3 -0.9 0
    length 7
    axis 0 0 20 XYZ
    dof rx
    limits (-10.0 170.0)
  end
:hierarchy
  begin
    root lfemur
    lfemur ltibia
  end
"""
MOTION = ":FULLY-SPECIFIED\n:DEGREES\n" + "".join(
    f"{k}\nroot 0 1 {k} 0 0 0\nlfemur 1 2 {k}\nltibia {3 * k}\n" for k in (1, 2, 3)
)
OBJECT = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1/1 4/2 3/3\n"
MIDI = bytes.fromhex(
    "4d546864000000060001000200604d54726b0000001400ff510307a12083 00ff510309c8008300ff2f00".replace(" ", "")
) + bytes.fromhex("4d54726b0000000c00903c406080 3c4000ff2f00".replace(" ", ""))


ROBOT = """<robot name="toy"><link name="base"><inertial><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
</inertial><visual><geometry><mesh filename="arm.stl"/></geometry></visual>
<collision><geometry><box size="0.1 0.1 0.4"/></geometry></collision></link><link name="tool"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
<origin xyz="0 0 0.1" rpy="0 0.2 0"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1.5" effort="40" velocity="6"/></joint>
<joint name="grip" type="fixed"><parent link="arm"/><child link="tool"/></joint></robot>
"""


SET = """<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
<geom type="plane" size="0 0 1"/><body pos="1 0 0" euler="0 0 30"><geom type="box" size="1 1 0.1"/>
<geom type="mesh" mesh="m" pos="0 0 1"/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
</worldbody></mujoco>"""
STAGE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "Lift"
{
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 24: (0, 0, 1) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "Crate"
    {
        double size = 0.5
    }
}
def Mesh "Floor"
{
    point3f[] points = [(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)]
    int[] faceVertexCounts = [4]
    int[] faceVertexIndices = [0, 1, 2, 3]
}
def Cylinder "Pillar"
{
    double radius = 0.1
    double height = 2
    uniform token axis = "Y"
}
"""
LEDGER = """{"clip":"a.bvh","state":"done","output":"a.glb","sha256":"00","source":"11","recipe":"22"}
{"clip":"b.bvh","state":"failed","problem":"no","recipe":"22"}
"""


def toy() -> Character:
    """Three bodies with masses, a shape, a point and a skin of one tetrahedron with a morph target."""
    mass = Mass(1.0, (0, 0, 0.1), np.eye(3) * 0.01)
    ball = Shape(ShapeKind.SPHERE, (0.1, 0, 0))
    bodies = [
        Body("Hips", None, Joint.free(), (0, 0, 1), mass=mass, shapes=(ball,)),
        Body("Spine", "Hips", Joint.ball(), (0, 0, 0.3), mass=mass, points={"top": np.array([0, 0, 0.2])}),
        Body("Knee", "Hips", Joint.hinge((0, 1, 0), -1.0, 2.0), (0, 0.1, -0.4), mass=mass),
    ]
    corners = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]) + [0, 0, 1]
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    binds = np.tile(np.eye(4), (3, 1, 1))
    binds[:, :3, 3] = [[0, 0, -1], [0, 0, -1.3], [0, -0.1, -0.6]]
    smile = MorphTarget("smile", np.array([1]), np.array([[0.0, 0, 0.05]]))
    skin = Skin(corners, faces, [[0, 1]] * 4, [[0.5, 0.5]] * 4, binds, (smile,))
    return Character("toy", bodies, skin=skin)


def clip() -> Clip:
    """Four frames of it."""
    who = toy()
    q = np.tile(who.rest_pose(), (4, 1))
    q[:, 0] = [0, 0.1, 0.2, 0.3]
    q[:, -1] = [0, 0.2, 0.4, 0.2]
    return Clip(who, q, 30, name="toy", morphs=np.linspace(0, 1, 4)[:, None])


def sparse_gltf() -> dict[str, Any]:
    """Written by hand: a sparse accessor without a base, a cubic spline, uneven keys, a matrix."""
    times, turns = (
        struct.pack("<3f", 0, 0.4, 1),
        struct.pack("<36f", *([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0] * 3)),
    )
    spots = struct.pack("<2H", 1, 2) + struct.pack("<6f", 1, 0, 0, 0, 1, 0)
    data = times + turns + spots
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return {
        "asset": {"version": "2.0", "extras": {"rate": "30"}},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "a", "children": [1], "scale": [2, 2, 2]},
            {"name": "b", "mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 2}, "material": 0}], "extras": {"x": []}}],
        "materials": [{"name": "m", "pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0, 1]}}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR"},
            {"bufferView": 1, "componentType": 5126, "count": 9, "type": "VEC4"},
            {"componentType": 5126, "count": 3, "type": "VEC3", "sparse": {
                "count": 2, "indices": {"bufferView": 2, "componentType": 5123},
                "values": {"bufferView": 3}}},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 12},
            {"buffer": 0, "byteOffset": 12, "byteLength": 144},
            {"buffer": 0, "byteOffset": 156, "byteLength": 4},
            {"buffer": 0, "byteOffset": 160, "byteLength": 24},
        ],
        "buffers": [{"byteLength": len(data), "uri": uri}],
        "animations": [{"name": "turn",
                        "samplers": [{"input": 0, "output": 1, "interpolation": "CUBICSPLINE"}],
                        "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}]}],
    }  # fmt: skip


def stage_set() -> dict[str, Any]:
    """A node with a plain mesh, moved by an animation."""
    corners = np.array([[0, 0, 0], [0, 0, 3], [3, 0, 3], [3, 0, 0]], dtype="<f4")
    sides = np.array([0, 1, 2, 0, 2, 3], dtype="<u2")
    times, places = np.array([0, 1], dtype="<f4"), np.array([[0, 0, 0], [0, 1, 0]], dtype="<f4")
    blob = corners.tobytes() + sides.tobytes() + times.tobytes() + places.tobytes()
    uri = "data:application/octet-stream;base64," + base64.b64encode(blob).decode()
    sizes = (48, 12, 8, 24)
    views = [{"buffer": 0, "byteOffset": sum(sizes[:k]), "byteLength": n} for k, n in enumerate(sizes)]
    kinds = ((5126, 4, "VEC3"), (5123, 6, "SCALAR"), (5126, 2, "SCALAR"), (5126, 2, "VEC3"))
    return {
        "asset": {"version": "2.0"},
        "nodes": [{"name": "floor", "mesh": 0}, {"name": "lift", "mesh": 0, "translation": [0, 1, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": k, "componentType": code, "count": count, "type": kind}
            for k, (code, count, kind) in enumerate(kinds)
        ],
        "bufferViews": views,
        "buffers": [{"byteLength": len(blob), "uri": uri}],
        "animations": [
            {
                "samplers": [{"input": 2, "output": 3}],
                "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}],
            }
        ],
    }


def tracks() -> dict[str, Any]:
    """Key-frames as ``poise pose`` has them."""
    rest = lamp().rest_pose()
    data = Keyframes(lamp(), rest).to_dict()
    data["poses"] = [
        {"time": 0.0, "q": rest.tolist()},
        {"time": 1.0, "joints": {"Knuckle": [0.1]}, "ease": "linear"},
    ]
    data["pins"] = [
        {"point": "Base", "at": [0, 0.4], "to": [0, 0, 0], "gain": 0.5, "fade": 0.05},
        {
            "handle": PointPosition("Base").to_dict(),
            "targets": [{"time": 0.0, "value": [0, 0, 0]}],
            "gains": [{"time": 0.0, "value": [1.0]}, {"time": 1.0, "value": [0.0]}],
        },
    ]
    data["inertia"] = {"measure": "gyration", "keys": [{"time": 0.5, "value": 0.4}]}
    data["path"] = {"keys": [{"time": 0, "position": [0, 0, 1]}]}
    return data  # fmt: skip


def constraints() -> list[dict[str, Any]]:
    """A target in a frame and a foot plant."""
    reach = Constraint(PointPosition("Spine"), as_target([0, 0, 1]), as_when(1 / 30), name="reach")
    plant = FootPlant({"Knee": as_when((0.0, 0.1))}, name="stand")
    return [reach.to_dict(), plant.to_dict()]


def requests() -> bytes:
    """A host's messages: a figure, its motion, and what to do to it."""
    still = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    rest = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.5]])
    who = {
        "id": 1,
        "ask": "character",
        "name": "toy",
        "bones": ["hips", "head"],
        "parents": [-1, 0],
        "tips": ["head"],
    }
    moves = {"id": 2, "ask": "clip", "name": "sway", "character": "toy", "rate": "24000/1001", "loop": False}
    trim = {"id": 3, "ask": "run", "clip": "sway", "keep": "part", "operation": {"do": "trim", "start": 0.05}}
    shape = {"rest_positions": rest, "rest_rotations": still, "tips": np.array([[0.0, 0.0, 1.75]])}
    motion = {"positions": rest + np.arange(4.0)[:, None, None] / 10, "rotations": np.tile(still, (4, 1, 1))}
    told = ((who, shape), (moves, motion), (trim, {}), ({"id": 4, "ask": "forget", "names": ["part"]}, {}))
    return b"".join(frames.packed(head, arrays) for head, arrays in told)


def captures(folder: Path) -> dict[str, list[bytes]]:
    """Markers, forces and joints, small."""
    moving = clip()
    joints = np.array([[[0.1 * k, 0.1 * f, 0.05 * k * k] for k in range(5)] for f in range(2)])
    np.savez(folder / "joints.npz", positions=joints, parents=[-1, 0, 1, 1, 3], fps=30)
    turns = np.full((2, 72), 0.1)
    np.savez(folder / "amass.npz", poses=turns, trans=np.zeros((2, 3)), betas=np.zeros(2), mocap_framerate=30)
    human = np.zeros((2, 263))
    human[:, 3:67] = np.linspace(0, 1, 64)
    np.save(folder / "features.npy", human)
    np.save(folder / "joints.npy", np.linspace(0, 1.7, 132).reshape(2, 22, 3) ** 2)
    save_markers(as_markers(moving), folder / "seed.json")
    places = np.ones((3, 2, 4))
    places[:, :, :3] = np.arange(18).reshape(3, 2, 3)
    return {
        "npy": [(folder / "features.npy").read_bytes(), (folder / "joints.npy").read_bytes()],
        "amass": [(folder / "amass.npz").read_bytes(), (folder / "joints.npz").read_bytes()],
        "trc": [TRC.encode(), moving.save(folder / "seed.trc").read_bytes()],
        "mot": [MOT.encode()],
        "c3d": [c3d_bytes(places), c3d_bytes(places, kind=85, scale=0.1, analog=2)],
        "markers": [(folder / "seed.json").read_bytes()],
    }


PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC"
)
"""One red pixel."""


AVATARS: tuple[dict[str, Any], ...] = (
    {
        "VRMC_vrm": {
            "specVersion": "1.0",
            "meta": {"name": "Ada", "authors": ["me"], "licenseUrl": "https://vrm.dev/licenses/1.0/"},
            "humanoid": {"humanBones": {"hips": {"node": 0}, "spine": {"node": 1}}},
        },
        "VRMC_springBone": {"specVersion": "1.0", "springs": [{"joints": [{"node": 1}]}]},
    },
    {
        "VRM": {
            "exporterVersion": "UniVRM-0.99",
            "humanoid": {"humanBones": [{"bone": "hips", "node": 0}, {"bone": "spine", "node": 1}]},
            "blendShapeMaster": {"blendShapeGroups": [{"name": "A", "binds": [{"mesh": 0, "index": 0}]}]},
        }
    },
)
"""What avatars say of themselves, in both versions of VRM."""


def _avatar(path: Path, extensions: dict[str, Any]) -> bytes:
    """A GLB file as an avatar."""
    content, binary = parsed(path, path.read_bytes())
    return glb_bytes({**content, "extensions": extensions, "extensionsUsed": list(extensions)}, binary)


def _miscounted(bvh: bytes, frames: int) -> bytes:
    """A file with other frames than it says, and a row that is too short."""
    lines = bvh.decode().splitlines()
    where = next(k for k, line in enumerate(lines) if line.startswith("Frames:"))
    lines[where] = f"Frames: {frames}"
    lines[-1] = " ".join(lines[-1].split()[:4])
    return "\n".join(lines).encode()


def make(folder: Path) -> dict[str, list[bytes]]:
    """The seeds of every reader, by its name."""
    moving = clip()
    found: dict[str, list[bytes]] = {}
    for kind in ("bvh", "glb", "fbx", "gltf", "usda", "xml", "npz"):
        found[kind] = [moving.save(folder / f"seed.{kind}").read_bytes()]
    found["usdz"] = [packed({"a.usda": found["usda"][0], "b.png": PICTURE})]
    found["fbx"] += [painted(folder / "painted.fbx", content=PICTURE).read_bytes()]
    layered(folder / "layers.fbx", weight=np.linspace(0, 100, 13), BlendMode=2)
    found["fbx"] += [(folder / "layers.fbx").read_bytes(), swinging(folder / "swing.fbx").read_bytes()]
    found["fbx"] += [cycling(folder / "cycle.fbx").read_bytes()]
    found["vrm"] = [_avatar(folder / "seed.glb", extensions) for extensions in AVATARS]
    found["lenient"] = [*found["bvh"], _miscounted(found["bvh"][0], 9), _miscounted(found["bvh"][0], 2)]
    found["gltf"].append(json.dumps(sparse_gltf()).encode())
    found["xml"] += [MODEL.encode(), GRID.encode()]
    found["urdf"] = [ROBOT.encode()]
    found["asf"], found["amc"] = [SKELETON.encode()], [MOTION.encode()]
    found |= captures(folder)
    found["obj"] = [OBJECT.encode()]
    found["toml"], found["script"] = [SCRIPT.encode()], [json.dumps(MACHINE).encode()]
    found["poses"] = [json.dumps({"character": "humanoid", "poses": MACHINE["poses"]}).encode()]
    found["scene"], found["recipe"] = [json.dumps(SCENE).encode()], [json.dumps(RECIPE).encode()]
    found["world"] = [json.dumps(WORLD).encode()]
    found["scenery"] = [MODEL.encode(), SET.encode()]
    found["usdset"] = [STAGE.encode()]
    found["body"] = [_body(folder / "body.npz")]
    found["ledger"] = [LEDGER.encode()]
    found["set"] = [json.dumps(stage_set()).encode()]
    found["constraints"] = [json.dumps(constraints()).encode()]
    found["tracks"] = [json.dumps(tracks()).encode()]
    found["midi"], found["wav"] = [MIDI], [_wav(folder / "seed.wav", w) for w in (1, 2, 3, 4)]
    found["frames"] = [requests()]
    found["poise"], found["journal"] = _projects(folder, moving)
    return found


def _body(path: Path) -> bytes:
    """A body model of 24 joints and as many vertices."""
    joints = np.linspace(0, 1.7, 72).reshape(24, 3)
    shapes = np.zeros((24, 3, 2))
    shapes[:, 1, 0] = 0.01
    np.savez(path, v_template=joints, shapedirs=shapes, J_regressor=np.eye(24))
    return path.read_bytes()


def _wav(path: Path, width: int) -> bytes:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(width)
        file.setframerate(22050)
        file.writeframes(bytes(range(240)) * 2)
    return path.read_bytes()


def _projects(folder: Path, moving: Clip) -> tuple[list[bytes], list[bytes]]:
    """Projects, with a clip inside and without; and the journal of one with edits that were not saved."""
    inside = projects.Project().add_clip("toy", moving).add("load", clip="toy")
    inside.add("loosen", "loose", tension="drunk")
    inside.add("hit", "hits", constraints=constraints()[:1])
    plain = projects.Project().add_clip("walk", "walk").add("load", clip="walk")
    plain.add("perform", "beat", follow=True, script=MACHINE)
    scene = projects.Project().add("plan", scene=SCENE)
    saved = [p.save(folder / f"seed{k}.poise").read_bytes() for k, p in enumerate((inside, plain, scene))]
    path = folder / "seed1.poise"
    with projects.open(path, writing=True) as edited:
        edited.set("beat", weight=0.5).add_clip("toy", moving).add("fix", "mend")
        edited.undo()
        journal = journal_path(path).read_bytes()
    return saved, [journal]
