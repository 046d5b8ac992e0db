"""A whole stage as users have it: an avatar with its extensions, props, a camera, a light, ten animations.

Written byte by byte from the glTF text; shares nothing with the package.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from gltf_oracle import Maker

# Name, parent, place in the parent's frame (glTF's axes, centimetres: the armature has the scale 0.01).
BONES = [
    ("Hips", None, (0, 95, 0)),
    ("Spine", "Hips", (0, 12, 0)),
    ("Chest", "Spine", (0, 18, 0)),
    ("Neck", "Chest", (0, 22, 0)),
    ("Head", "Neck", (0, 10, 0)),
    ("LeftArm", "Chest", (16, 18, 0)),
    ("LeftForeArm", "LeftArm", (27, 0, 0)),
    ("LeftHand", "LeftForeArm", (25, 0, 0)),
    ("RightArm", "Chest", (-16, 18, 0)),
    ("RightForeArm", "RightArm", (-27, 0, 0)),
    ("RightHand", "RightForeArm", (-25, 0, 0)),
    ("LeftUpLeg", "Hips", (9, -5, 0)),
    ("LeftLeg", "LeftUpLeg", (0, -42, 0)),
    ("LeftFoot", "LeftLeg", (0, -42, 0)),
    ("LeftToeBase", "LeftFoot", (0, -5, 12)),
    ("RightUpLeg", "Hips", (-9, -5, 0)),
    ("RightLeg", "RightUpLeg", (0, -42, 0)),
    ("RightFoot", "RightLeg", (0, -42, 0)),
    ("RightToeBase", "RightFoot", (0, -5, 12)),
]
TARGET, CAMERA, SUN, TABLE, ARMATURE = range(5)
FIRST = 5
NAMES = [name for name, _, _ in BONES]
SWORD, BODY, TIP = FIRST + len(BONES), FIRST + len(BONES) + 1, FIRST + len(BONES) + 2
ANIMATIONS = (
    "CameraTarget", "Walk", "Run", "Wave", "Blink", "Stepped", "Spline", "Packed", "Swing", "Stand",
)  # fmt: skip


def bone(name: str) -> int:
    """Node of a bone."""
    return FIRST + NAMES.index(name)


def turns(rng: np.random.Generator, count: int, size: float = 0.3) -> np.ndarray:
    """A smooth path of quaternions (x, y, z, w) near none."""
    axis = rng.normal(size=3)
    angle = size * np.sin(np.linspace(0, 2 * np.pi, count) + rng.uniform(0, 6))
    axis /= np.linalg.norm(axis)
    return np.concatenate([np.sin(angle / 2)[:, None] * axis, np.cos(angle / 2)[:, None]], axis=1)


def stage(seed: int = 3) -> Maker:
    """The document."""
    rng, made = np.random.default_rng(seed), Maker()
    made.content["asset"] |= {
        "generator": "A studio of its own",
        "copyright": "© nobody",
        "extras": {"take": 7},
    }
    nodes: list[dict[str, Any]] = [
        {"name": "Target", "translation": [0, 1, 0], "children": [CAMERA]},
        {"name": "Camera", "camera": 0, "translation": [0, 0.5, 4]},
        {"name": "Sun", "extensions": {"KHR_lights_punctual": {"light": 0}}, "rotation": [0.6, 0, 0, 0.8]},
        {"name": "Table", "mesh": 1, "translation": [2, 0, 0], "extras": {"price": [1, 2.5]}},
        {"name": "Armature", "scale": [0.01, 0.01, 0.01], "children": [FIRST]},
    ]
    for name, _, place in BONES:
        below = [bone(n) for n, parent, _ in BONES if parent == name]
        nodes.append({"name": name, "translation": list(place)})
        if below:
            nodes[-1]["children"] = below
    nodes[bone("RightHand")].setdefault("children", []).append(SWORD)
    nodes[bone("Head")]["extras"] = {"springs": {"hair": 0.25}, "tags": ["a", "b"]}
    nodes.append({"name": "Sword", "mesh": 1, "scale": [30, 30, 30]})
    nodes.append({"name": "Body", "mesh": 0, "skin": 0})
    nodes[bone("Head")]["children"] = [TIP]
    nodes.append({"name": "HeadTop", "translation": [0, 20, 0]})
    made.content["nodes"] = nodes
    made.content["scenes"] = [{"name": "Set", "nodes": [TARGET, SUN, TABLE, ARMATURE, BODY]}]
    made.content["scene"] = 0
    made.content["cameras"] = [{"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}}]
    _looks(made)
    _meshes(made, rng)
    _animations(made, rng)
    made.content["extensionsUsed"] = [
        "KHR_lights_punctual", "KHR_materials_unlit", "VRMC_vrm", "KHR_animation_pointer", "X_unheard_of",
    ]  # fmt: skip
    human = {n[0].lower() + n[1:]: {"node": bone(n)} for n in NAMES}
    made.content["extensions"] = {
        "KHR_lights_punctual": {"lights": [{"type": "directional", "intensity": 2.5, "name": "Noon"}]},
        "VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": human}, "meta": {"name": "Nobody"}},
        "X_unheard_of": {"numbers": [1, 2, 3], "deep": {"er": None, "flag": True}},
    }
    made.content["extras"] = {"project": "Ünïcode 猫"}
    return made


def _looks(made: Maker) -> None:
    picture = bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
        "0000000c49444154789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
    )
    made.content["images"] = [{"bufferView": made.view(picture), "mimeType": "image/png", "name": "skin"}]
    made.content["samplers"] = [{"magFilter": 9729, "wrapS": 33071}]
    made.content["textures"] = [{"source": 0, "sampler": 0}]
    shading = {"baseColorTexture": {"index": 0}, "metallicFactor": 0.0}
    made.content["materials"] = [
        {"name": "Skin", "pbrMetallicRoughness": shading, "extensions": {"KHR_materials_unlit": {}}},
        {"name": "Wood", "doubleSided": True, "extras": {"shine": 1e-3}},
    ]


def _meshes(made: Maker, rng: np.random.Generator) -> None:
    world = np.zeros((len(BONES), 3))
    for k, (_, parent, place) in enumerate(BONES):
        world[k] = np.array(place) / 100 + (world[NAMES.index(parent)] if parent else 0)
    # A small tetrahedron around every joint.
    corners = np.array([[1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]]) * 0.05
    points = (world[:, None] + corners).reshape(-1, 3)
    faces = np.concatenate(
        [4 * k + np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]) for k in range(len(BONES))]
    )
    joints = np.zeros((len(points), 4), dtype=int)
    joints[:, 0] = np.repeat(np.arange(len(BONES)), 4)
    weights = np.tile([1.0, 0, 0, 0], (len(points), 1))
    attributes = {
        "POSITION": made.accessor(points, "VEC3", min=points.min(0).tolist(), max=points.max(0).tolist()),
        "TEXCOORD_0": made.accessor(rng.uniform(size=(len(points), 2)), "VEC2"),
        "JOINTS_0": made.accessor(joints, "VEC4", 5121),
        "WEIGHTS_0": made.accessor(weights, "VEC4"),
    }
    head = 4 * NAMES.index("Head") + np.arange(4)
    targets = []
    for _ in ("smile", "blink"):
        where = made.view(head.astype("<u2").tobytes())
        what = made.view((0.02 * rng.normal(size=(4, 3))).astype("<f4").tobytes())
        made.content["accessors"].append(
            {
                "componentType": 5126, "count": len(points), "type": "VEC3",
                "sparse": {
                    "count": 4, "indices": {"bufferView": where, "componentType": 5123},
                    "values": {"bufferView": what},
                },
            }
        )  # fmt: skip
        targets.append({"POSITION": len(made.content["accessors"]) - 1})
    body = {
        "attributes": attributes, "indices": made.accessor(faces, "SCALAR", 5123), "material": 0,
        "targets": targets,
    }  # fmt: skip
    box = {
        "attributes": {"POSITION": made.accessor(rng.uniform(size=(6, 3)), "VEC3")}, "material": 1,
        "extensions": {"X_unheard_of": {"tint": 3}},
    }  # fmt: skip
    made.content["meshes"] = [
        {"name": "BodyMesh", "primitives": [body], "extras": {"targetNames": ["smile", "blink"]}},
        {"name": "Box", "primitives": [box]},
    ]
    inverse = np.tile(np.eye(4), (len(BONES), 1, 1))
    inverse[:, :3, :3] *= 100
    inverse[:, :3, 3] = -100 * world
    made.content["skins"] = [
        {
            "name": "Avatar", "joints": [FIRST + k for k in range(len(BONES))], "skeleton": FIRST,
            "inverseBindMatrices": made.accessor(inverse.swapaxes(1, 2), "MAT4"),
        }
    ]  # fmt: skip


def _animations(made: Maker, rng: np.random.Generator) -> None:
    times = np.arange(25) / 24
    moving = [
        bone(n) for n in ("Spine", "LeftArm", "RightArm", "RightForeArm", "LeftUpLeg", "RightUpLeg", "Neck")
    ]

    def travel(count: int) -> np.ndarray:
        way = np.tile([0.0, 95, 0], (count, 1))
        way[:, 2] = np.linspace(0, 80, count)
        return way + rng.normal(scale=0.3, size=(count, 3))

    def gait(name: str, size: float) -> None:
        made.animate(
            name,
            (FIRST, "translation", times, travel(25), "LINEAR"),
            *((node, "rotation", times, turns(rng, 25, size), "LINEAR") for node in moving),
        )

    made.animate("CameraTarget", (TARGET, "translation", [0, 1, 3], rng.normal(size=(3, 3)), "LINEAR"))
    gait("Walk", 0.3)
    gait("Run", 0.6)
    made.animate(
        "Wave",
        *((bone(n), "rotation", times, turns(rng, 25), "LINEAR") for n in ("RightArm", "RightForeArm")),
        (TABLE, "rotation", times, turns(rng, 25), "LINEAR"),
    )
    made.animate("Blink", (BODY, "weights", times, rng.uniform(size=(25, 2)), "LINEAR"))
    odd = [0.1, 0.17, 0.5, 0.93]
    made.animate("Stepped", (bone("Head"), "rotation", odd, turns(rng, 4), "STEP"))
    made.animate(
        "Spline",
        (bone("LeftArm"), "rotation", odd, 0.2 * rng.normal(size=(12, 4)) + [0, 0, 0, 1], "CUBICSPLINE"),
    )
    made.animate("Packed", (bone("LeftLeg"), "rotation", times, turns(rng, 25), "LINEAR"))
    whole = np.round(32767 * turns(rng, 25)).astype(int)
    packed = made.accessor(whole, "VEC4", 5122, normalized=True)
    made.content["animations"][-1]["samplers"][0]["output"] = packed
    made.animate(
        "Swing",
        (bone("RightArm"), "rotation", times, turns(rng, 25), "LINEAR"),
        (SWORD, "rotation", times, turns(rng, 25), "LINEAR"),
    )
    pointer = {
        "path": "pointer",
        "extensions": {"KHR_animation_pointer": {"pointer": "/materials/0/alphaCutoff"}},
    }
    swing = made.content["animations"][-1]
    swing["samplers"].append(
        {"input": swing["samplers"][0]["input"], "output": made.accessor(np.linspace(0, 1, 25), "SCALAR")}
    )
    swing["channels"].append({"sampler": 2, "target": pointer})
    made.animate("Stand", *((node, "rotation", [0.0], turns(rng, 1), "LINEAR") for node in moving))
    for k, animation in enumerate(made.content["animations"]):
        animation["extras"] = {"events": [{"at": 0.25, "sound": f"step {k}"}]}


def write_glb(made: Maker, path: Path, other: bytes = b"") -> Path:
    """As a GLB file; ``other``: one more chunk, of a kind nobody knows."""
    content = json.loads(json.dumps(made.content))
    blob = made.blob + b"\0" * (-len(made.blob) % 4)
    content["buffers"] = [{"byteLength": len(made.blob), "name": "all of it"}]
    text = json.dumps(content, indent=2, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    chunks = [
        struct.pack("<II", len(text), 0x4E4F534A) + text,
        struct.pack("<II", len(blob), 0x004E4942) + blob,
    ]
    chunks += [struct.pack("<II", len(other), 0x12345678) + other] if other else []
    body = b"".join(chunks)
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body)
    return path


def parts(path: Path) -> tuple[dict[str, Any], bytes, bytes]:
    """JSON, binary chunk, and whatever comes after it."""
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    content, at = json.loads(data[20 : 20 + size]), 20 + size
    if at >= len(data):
        return content, b"", b""
    length = struct.unpack_from("<I", data, at)[0]
    assert struct.unpack_from("<I", data, 8)[0] == len(data)
    return content, data[at + 8 : at + 8 + length], data[at + 8 + length :]


def assert_only_changed(old: Path, new: Path, animation: int | str) -> None:
    """Nothing but one animation differs: lists have only grown, the old bytes are where they were."""
    (a, blob, rest), (b, longer, others) = parts(old), parts(new)
    if isinstance(animation, str):
        animation = [each.get("name") for each in a["animations"]].index(animation)
    assert list(a) == [key for key in b if key in a]
    for key in {*a, *b} - {"animations", "accessors", "bufferViews", "buffers"}:
        assert a[key] == b[key], key
    for key in ("accessors", "bufferViews"):
        assert b[key][: len(a[key])] == a[key], key
    assert [{**x, "byteLength": 0} for x in a["buffers"]] == [{**x, "byteLength": 0} for x in b["buffers"]]
    used = a["buffers"][0]["byteLength"]
    assert longer[:used] == blob[:used]
    assert others == rest
    assert len(a["animations"]) == len(b["animations"])
    for k, (x, y) in enumerate(zip(a["animations"], b["animations"])):
        if k != animation:
            assert x == y, x["name"]
        else:
            assert x["name"] == y["name"]
            assert x["extras"]["events"] == y["extras"]["events"]
