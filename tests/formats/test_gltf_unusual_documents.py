"""glTF documents of unusual kinds are edited in place too: matrices, added roots, packed data, real files."""

from __future__ import annotations

import numpy as np
import pytest
from edited_clips import assert_stands, shaken
from gltf_made import about_x, chain
from gltf_oracle import Maker, Oracle, ours
from stage_glb import ANIMATIONS, assert_only_changed, parts, stage, turns, write_glb

from poise import formats
from poise.errors import FileFormatError
from poise.formats import gltf
from poise.formats.gltf.container import glb_bytes
from poise.kinematics import forward


def test_nodes_given_as_matrices_can_be_edited(tmp_path, rng):
    made = chain(
        {"matrix": np.diag([2.0, 2, 2, 1]).ravel().tolist()},
        {"translation": [0, 1, 0]},
        {"translation": [0, 1, 0]},
    )
    made.content["skins"] = [{"joints": [0, 1, 2]}]
    made.animate("a", (1, "rotation", [0, 1 / 30], about_x([0, 0.5]), "LINEAR"))
    path = made.write(tmp_path / "in.gltf")
    clip = shaken(gltf.load(path, mass=False), rng)
    assert_stands(clip.save(tmp_path / "out.gltf"), clip, "a")


def test_a_root_that_was_added_moves_those_below_it(tmp_path, rng):
    made = Maker()
    made.content["nodes"] = [
        {"name": "above", "translation": [0, 1, 0], "rotation": [0, 0.6, 0, 0.8], "scale": [2] * 3,
         "children": [1]},
        {"name": "a", "translation": [1, 0, 0]},
        {"name": "b", "translation": [-1, 0, 0]},
    ]  # fmt: skip
    made.content["scenes"] = [{"nodes": [0, 2]}]
    made.animate("x", *((n, "rotation", np.arange(5) / 30, turns(rng, 5), "LINEAR") for n in (1, 2)))
    path = made.write(tmp_path / "in.gltf")
    clip = gltf.load(path, mass=False)
    assert clip.character.names == ("root", "a", "b")
    assert clip.save(tmp_path / "same.gltf").read_bytes() == path.read_bytes()
    clip = shaken(clip, rng)
    new, where = clip.save(tmp_path / "new.gltf"), forward(clip.character, clip.q).positions
    oracle = Oracle(new)
    for k in range(5):
        world = oracle.world(oracle.animation("x"), np.float32(k / 30))
        for i, name in ((1, "a"), (2, "b")):
            np.testing.assert_allclose(ours(world[oracle.node(name)][:3, 3]), where[k, i], atol=1e-5)


def test_a_pose_becomes_an_animation_where_there_was_none(tmp_path, rng):
    made = stage()
    del made.content["animations"]
    path = write_glb(made, tmp_path / "still.glb")
    clip = formats.load(path)
    assert clip.save(tmp_path / "same.glb").read_bytes() == path.read_bytes()
    posed = shaken(clip, rng)
    new = posed.save(tmp_path / "posed.glb")
    assert_stands(new, posed, posed.name)
    a, b = parts(path)[0], parts(new)[0]
    for key in set(a) - {"accessors", "bufferViews", "buffers"}:
        assert a[key] == b[key]


@pytest.mark.parametrize("packing", ["draco", "meshopt"])
def test_packed_meshes_are_kept_as_they_are(tmp_path, rng, packing):
    made = stage()
    primitive = made.content["meshes"][0]["primitives"][0]
    packed = made.view(b"bytes nobody here can unpack")
    if packing == "draco":
        name = "KHR_draco_mesh_compression"
        del primitive["targets"], made.content["animations"][ANIMATIONS.index("Blink")]
        for accessor in (*primitive["attributes"].values(), primitive["indices"]):
            del made.content["accessors"][accessor]["bufferView"]
        primitive["extensions"] = {name: {"bufferView": packed, "attributes": {"POSITION": 0}}}
    else:
        name = "EXT_meshopt_compression"
        view = made.content["bufferViews"][
            made.content["accessors"][primitive["attributes"]["POSITION"]]["bufferView"]
        ]
        view["extensions"] = {name: {"buffer": 0, "byteOffset": 0, "byteLength": 28, "mode": "ATTRIBUTES"}}
        view["buffer"] = 1
    made.content["extensionsRequired"] = [name]
    made.content["extensionsUsed"].append(name)
    path = write_glb(made, tmp_path / "in.glb")
    if packing == "meshopt":
        content, blob, _ = parts(path)
        content["buffers"].append({"byteLength": len(blob), "extensions": {name: {"fallback": True}}})
        from poise.formats.gltf.container import glb_bytes

        path.write_bytes(glb_bytes(content, blob))
    clip = shaken(formats.load(path), rng)
    assert any("packed with" in note and "Body" in note for note in clip.source.notes)
    new = clip.save(tmp_path / "out.glb")
    assert_only_changed(path, new, "Walk")


def test_packed_animations_say_what_to_do(tmp_path):
    made = stage()
    output = made.content["animations"][1]["samplers"][1]["output"]
    view = made.content["bufferViews"][made.content["accessors"][output]["bufferView"]]
    view |= {"extensions": {"EXT_meshopt_compression": {}}, "buffer": 1}
    path = write_glb(made, tmp_path / "in.glb")
    content, blob, _ = parts(path)
    content["buffers"].append({"byteLength": 4})

    path.write_bytes(glb_bytes(content, blob))
    with pytest.raises(FileFormatError, match="packed with meshopt; export it again"):
        formats.load(path)


@pytest.mark.parametrize(
    ("file", "animation"),
    [("khronos_gltf/Fox.glb", "Walk"), ("khronos_gltf/Fox.glb", "Run"), ("khronos_gltf/CesiumMan.glb", 0),
     ("threejs/RobotExpressive.glb", "Walking"), ("threejs/RobotExpressive.glb", "Punch")],
)  # fmt: skip
def test_real_files_change_one_animation(shared_data, tmp_path, rng, file, animation):
    old = shared_data / file
    clip = formats.load(old, animation=animation)
    assert clip.save(tmp_path / "same.glb").read_bytes() == old.read_bytes()
    edited = shaken(clip, rng, 0.02)
    new = edited.save(tmp_path / "new.glb")
    (a, blob, _), (b, longer, _) = parts(old), parts(new)
    number = clip.source.animation
    for key in {*a, *b} - {"animations", "accessors", "bufferViews", "buffers"}:
        assert a[key] == b[key], key
    assert [x for k, x in enumerate(a["animations"]) if k != number] == [
        x for k, x in enumerate(b["animations"]) if k != number
    ]
    assert longer[: a["buffers"][0]["byteLength"]] == blob[: a["buffers"][0]["byteLength"]]
    again = formats.load(new, animation=animation)
    ours_, theirs = (forward(c.character, c.q).positions for c in (edited, again))
    assert np.abs(ours_ - theirs).max() < 1e-5 * np.ptp(ours_[..., 2])
