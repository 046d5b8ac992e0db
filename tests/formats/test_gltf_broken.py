"""Broken glTF: every defect is one clear line that names the file, never a traceback."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from gltf_oracle import Maker

from poise.errors import FileFormatError, PoiseError
from poise.formats import gltf, load
from poise.formats.gltf.container import glb_bytes


def skinned() -> Maker:
    """Two joints, an animation, a skinned triangle with a morph target."""
    maker = Maker()
    maker.content["nodes"] = [
        {"name": "hip", "children": [1]},
        {"name": "knee", "translation": [0, 1, 0]},
        {"name": "mesh", "mesh": 0, "skin": 0},
    ]
    maker.content["scenes"] = [{"nodes": [0, 2]}]
    maker.animate("a", (1, "rotation", [0, 1 / 30, 2 / 30], [[0, 0, 0, 1]] * 3, "LINEAR"))
    triangle = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    attributes = {
        "POSITION": maker.accessor(triangle, "VEC3"),
        "JOINTS_0": maker.accessor([[0, 1, 0, 0]] * 3, "VEC4", 5121),
        "WEIGHTS_0": maker.accessor([[0.5, 0.5, 0, 0]] * 3, "VEC4"),
    }
    targets = [{"POSITION": maker.accessor(triangle, "VEC3")}]
    indices = maker.accessor([0, 1, 2], "SCALAR", 5123)
    maker.content["meshes"] = [
        {"primitives": [{"attributes": attributes, "targets": targets, "indices": indices}]}
    ]
    inverse = np.tile(np.eye(4), (2, 1, 1))
    maker.content["skins"] = [{"joints": [0, 1], "inverseBindMatrices": maker.accessor(inverse, "MAT4")}]
    return maker


def complaint(path) -> str:
    with pytest.raises(FileFormatError) as caught:
        load(path)
    text = str(caught.value)
    assert path.name in text
    assert "\n" not in text
    return text


def broken(tmp_path, change) -> str:
    content = skinned().json()
    change(content)
    path = tmp_path / "broken.gltf"
    path.write_text(json.dumps(content))
    return complaint(path)


def test_the_unbroken_file_is_fine(tmp_path):
    clip = load(skinned().write(tmp_path / "fine.gltf"))
    assert clip.frames == 3
    assert clip.character.names == ("hip", "knee")


def put(*keys_and_value):
    *keys, value = keys_and_value

    def change(content):
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = value

    return change


def drop(*keys):
    def change(content):
        for key in keys[:-1]:
            content = content[key]
        del content[keys[-1]]

    return change


TIMES, TURNS, POSITION, JOINTS, WEIGHTS, TARGET, INDICES, INVERSE = range(8)

DEFECTS = {
    "no asset": (drop("asset"), "asset"),
    "old version": (put("asset", "version", "1.0"), "version"),
    "no nodes": (put("nodes", []), "no nodes"),
    "nodes are text": (put("nodes", "hello"), "nodes"),
    "circle": (put("nodes", 1, "children", [0]), "circle|two nodes"),
    "own child": (put("nodes", 2, "children", [2]), "circle"),
    "two parents": (put("nodes", 2, "children", [1]), "two nodes"),
    "child out of range": (put("nodes", 0, "children", [77]), "77"),
    "child is text": (put("nodes", 0, "children", ["knee"]), "knee"),
    "translation too short": (put("nodes", 1, "translation", [0, 1]), "translation of node 'knee'"),
    "translation is text": (put("nodes", 1, "translation", "up"), "translation"),
    "zero quaternion": (put("nodes", 1, "rotation", [0, 0, 0, 0]), "zero quaternion"),
    "singular matrix": (put("nodes", 0, "matrix", [0] * 16), "singular"),
    "scene out of range": (put("scene", 5), "5"),
    "accessor out of range": (put("animations", 0, "samplers", 0, "output", 99), r"accessors\[99\]"),
    "accessor too long": (put("accessors", TURNS, "count", 400), "needs"),
    "accessor count 0": (put("accessors", TURNS, "count", 0), "count"),
    "accessor count huge": (put("accessors", TURNS, "count", 10**15), "count"),
    "accessor count text": (put("accessors", TURNS, "count", "3"), "count"),
    "unknown component": (put("accessors", TURNS, "componentType", 1234), "component"),
    "wrong type": (put("accessors", TURNS, "type", "VEC3"), "VEC4"),
    "offset beyond": (put("accessors", TURNS, "byteOffset", 64), "needs"),
    "negative offset": (put("accessors", TURNS, "byteOffset", -4), "-4"),
    "view beyond buffer": (put("bufferViews", 1, "byteLength", 10**6), "bufferView 1"),
    "view negative": (put("bufferViews", 1, "byteOffset", -8), "bufferView 1"),
    "stride too small": (put("bufferViews", 1, "byteStride", 4), "needs"),
    "stride absurd": (put("bufferViews", 1, "byteStride", 3), "stride"),
    "no buffer": (put("buffers", []), "buffers"),
    "buffer without data": (drop("buffers", 0, "uri"), "buffer 0"),
    "buffer shorter than said": (put("buffers", 0, "byteLength", 10**6), "bytes"),
    "sparse beyond": (
        put(
            "accessors",
            POSITION,
            "sparse",
            {"count": 1, "indices": {"bufferView": 3, "componentType": 5126}, "values": {"bufferView": 2}},
        ),
        "sparse",
    ),
    "sparse malformed": (put("accessors", POSITION, "sparse", 3), "sparse"),
    "sampler out of range": (put("animations", 0, "channels", 0, "sampler", 4), "sampler 4"),
    "channel node out of range": (put("animations", 0, "channels", 0, "target", "node", 44), "44"),
    "unknown interpolation": (put("animations", 0, "samplers", 0, "interpolation", "MAGIC"), "MAGIC"),
    "too few values": (put("animations", 0, "samplers", 0, "interpolation", "CUBICSPLINE"), "3 keys"),
    "channels are text": (put("animations", 0, "channels", "x"), "channels"),
    "skin without joints": (put("skins", 0, "joints", []), "joints"),
    "joint out of range": (put("skins", 0, "joints", [0, 50]), "50"),
    "too few joints": (put("skins", 0, "joints", [0]), "joint 1"),
    "too few inverse binds": (put("accessors", INVERSE, "count", 1), "inverse bind"),
    "mesh out of range": (put("nodes", 2, "mesh", 8), "8"),
    "no positions": (drop("meshes", 0, "primitives", 0, "attributes", "POSITION"), "positions"),
    "weights missing": (drop("meshes", 0, "primitives", 0, "attributes", "WEIGHTS_0"), "weights"),
    "material out of range": (put("meshes", 0, "primitives", 0, "material", 3), "materials"),
    "weights of wrong length": (put("meshes", 0, "weights", [0, 1, 2]), "morph weights"),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_defects(tmp_path, defect):
    change, words = DEFECTS[defect]
    import re

    text = broken(tmp_path, change)
    assert re.search(words, text), text
    assert "malformed glTF" not in text, f"caught only by the safety net: {text}"


@pytest.mark.parametrize(
    ("accessor", "value", "words"),
    [
        (TIMES, np.nan, "not finite"),
        (TIMES, 5.0, "do not increase"),
        (TURNS, np.inf, "not finite"),
        (POSITION, np.nan, "not finite"),
        (WEIGHTS, np.nan, "not finite"),
        (INVERSE, np.nan, "not finite"),
    ],
)
def test_bad_numbers(tmp_path, accessor, value, words):
    maker = skinned()
    view = maker.content["bufferViews"][maker.content["accessors"][accessor]["bufferView"]]
    at = view["byteOffset"]
    maker.blob = maker.blob[:at] + struct.pack("<f", value) + maker.blob[at + 4 :]
    assert words in complaint(maker.write(tmp_path / "numbers.gltf"))


def test_bad_indices_and_zero_rotations(tmp_path):
    maker = skinned()
    at = maker.content["bufferViews"][INDICES]["byteOffset"]
    maker.blob = maker.blob[:at] + struct.pack("<H", 9) + maker.blob[at + 2 :]
    assert "vertex 9" in complaint(maker.write(tmp_path / "indices.gltf"))
    maker = skinned()
    at = maker.content["bufferViews"][TURNS]["byteOffset"]
    maker.blob = maker.blob[:at] + bytes(16) + maker.blob[at + 16 :]
    assert "zero quaternion" in complaint(maker.write(tmp_path / "turns.gltf"))


def glb() -> bytes:
    maker = skinned()
    content = {**maker.content, "buffers": [{"byteLength": len(maker.blob)}]}
    return glb_bytes(content, maker.blob)


def test_truncated_anywhere(tmp_path):
    whole = glb()
    path = tmp_path / "short.glb"
    path.write_bytes(whole)
    assert load(path).frames == 3
    for length in [4, 11, 12, 19, 20, 30, len(whole) // 2, len(whole) - 200, len(whole) - 1]:
        path.write_bytes(whole[:length])
        complaint(path)
        # The header may also be made to agree with what is left.
        if length >= 20:
            path.write_bytes(whole[:8] + struct.pack("<I", length) + whole[12:length])
            complaint(path)


def test_wrong_magic_and_garbage(tmp_path):
    path = tmp_path / "odd.glb"
    whole = glb()
    for data in (
        b"FTlg" + whole[4:],
        whole[:4] + struct.pack("<I", 1) + whole[8:],
        whole[:16] + b"XXXX" + whole[20:],
        b"{",
        b'{"asset": 3}',
        b"[1, 2]",
        b'{"asset": {"version": "2.0"}',
        b"\xff\xfe\x00" * 30,
        b"[" * 100_000,
        b'{"asset": {"version": "2.0"}, "nodes": [{"translation": [NaN, 0, 0]}]}',
        b'{"asset": {"version": "2.0"}, "nodes": [{"translation": [1e999, 0, 0]}]}',
    ):
        path.write_bytes(data)
        complaint(path)
    path.write_bytes(b'{"asset": {"version": "2.0"},\n\n  "nodes": [}')
    assert "odd.glb:3" in complaint(path)
    with pytest.raises(FileFormatError):
        gltf.load(tmp_path / "absent.glb")


def test_random_damage_never_crashes(tmp_path, rng):
    """Any byte of the document or its data may be wrong: an answer or a PoiseError, nothing else."""
    whole = glb()
    path = tmp_path / "damaged.glb"
    read = 0
    for _ in range(300):
        data = bytearray(whole)
        for at in rng.integers(12, len(data), size=int(rng.integers(1, 4))):
            data[at] = int(rng.integers(32, 127))
        path.write_bytes(bytes(data))
        try:
            gltf.load(path, mass=False)
            read += 1
        except PoiseError as problem:
            assert "\n" not in str(problem)  # noqa: PT017
    assert 0 < read < 300


def test_any_value_may_be_of_the_wrong_kind(tmp_path):
    """Every value of the document in turn replaced by junk."""
    content = skinned().json()
    path = tmp_path / "junk.gltf"
    places = []

    def walk(value, keys):
        places.append(keys)
        items = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        for key, inner in items:
            walk(inner, (*keys, key))

    walk(content, ())
    for keys in places[1:]:
        for junk in (None, "junk", -1, 1.5, [], {}, [None], True):
            changed = json.loads(json.dumps(content))
            put(*keys, junk)(changed)
            path.write_text(json.dumps(changed))
            try:
                gltf.load(path, mass=False)
            except PoiseError as problem:
                assert "\n" not in str(problem)  # noqa: PT017
