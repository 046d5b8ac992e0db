"""A clip that came from a glTF document changes its animation there, and nothing else in it."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from edited_clips import assert_stands, shaken
from gltf_made import chain
from gltf_oracle import Oracle
from stage_glb import ANIMATIONS, BODY, assert_only_changed, bone, parts, stage, write_glb

from poise import formats
from poise.character import Joint
from poise.formats import gltf
from poise.formats.gltf.container import glb_bytes
from poise.motion import operators as op

MOVING = [name for name in ANIMATIONS if name not in ("CameraTarget", "Blink")]


@pytest.fixture(scope="module")
def avatar(tmp_path_factory) -> Path:
    return write_glb(stage(), tmp_path_factory.mktemp("stage") / "avatar.glb", b"who knows...")


@pytest.mark.parametrize("animation", ANIMATIONS)
def test_what_was_not_edited_is_the_same_file(avatar, tmp_path, animation):
    clip = formats.load(avatar, animation=animation)
    assert clip.name == animation
    assert clip.character.mass_source != "none"  # guessed masses leave no trace
    assert clip.save(tmp_path / "again.glb").read_bytes() == avatar.read_bytes()
    assert formats.losses(clip, "again.glb") == ()


@pytest.mark.parametrize("animation", MOVING)
def test_an_edit_changes_one_animation(avatar, tmp_path, rng, animation):
    clip = shaken(formats.load(avatar, animation=animation), rng)
    new = clip.save(tmp_path / "new.glb")
    assert_only_changed(avatar, new, animation)
    start = float(np.float32(0.1)) if animation in ("Stepped", "Spline") else 0.0
    assert_stands(new, clip, animation, start)
    again = formats.load(new, animation=animation)
    assert (again.rate, again.frames) == (clip.rate, clip.frames)
    assert formats.losses(clip, new) == ()


def test_joints_that_were_not_edited_keep_their_own_keys(avatar, tmp_path):
    clip = formats.load(avatar, animation="Spline")
    q = np.array(clip.q)
    head = clip.character.coordinates("Head")
    q[:, head] = clip.character.manifold.normalise(
        clip.character.manifold.plus(clip.q, 0.1 * np.ones(clip.character.nv))
    )[:, head]
    new = clip.with_q(q).save(tmp_path / "new.glb")
    before, after = (parts(p)[0]["animations"][ANIMATIONS.index("Spline")] for p in (avatar, new))
    assert after["channels"][0] == before["channels"][0]
    assert after["samplers"][0] == before["samplers"][0]
    assert [c["target"] for c in after["channels"][1:]] == [{"node": bone("Head"), "path": "rotation"}]


@pytest.mark.parametrize(
    "change",
    [lambda c: op.trim(c, 0.25, 0.75), lambda c: op.resample(c, 60), op.reverse],
    ids=["trim", "resample", "reverse"],
)
def test_other_frames_change_one_animation(avatar, tmp_path, change):
    clip = change(formats.load(avatar, animation="Run"))
    new = clip.save(tmp_path / "new.glb")
    assert_only_changed(avatar, new, "Run")
    assert_stands(new, clip, "Run")
    assert formats.load(new, animation="Run").frames == clip.frames


def test_what_else_an_animation_moves_stays_and_its_old_timing_is_said(avatar, tmp_path):
    wave, swing = (formats.load(avatar, animation=name) for name in ("Wave", "Swing"))
    cut = op.trim(wave, 0, 0.5)
    assert any("Table" in told and "timing" in told for told in formats.losses(cut, "x.glb"))
    assert any("/materials/0/alphaCutoff" in t for t in formats.losses(op.trim(swing, 0, 0.5), "x.glb"))
    new = cut.save(tmp_path / "new.glb")
    assert_only_changed(avatar, new, "Wave")
    a, b = Oracle(avatar), Oracle(new)
    for time in (0.0, 0.3, 0.9):
        x, y = (o.world(o.animation("Wave"), time)[o.node("Table")] for o in (a, b))
        np.testing.assert_array_equal(x, y)


def test_morph_weights_change_in_place(avatar, tmp_path, rng):
    blink = formats.load(avatar, animation="Blink")
    wanted = rng.uniform(size=blink.morphs.shape)
    new = blink.replaced(morphs=wanted).save(tmp_path / "new.glb")
    assert_only_changed(avatar, new, "Blink")
    np.testing.assert_allclose(formats.load(new, animation="Blink").morphs, wanted, atol=1e-6)
    channels = parts(new)[0]["animations"][ANIMATIONS.index("Blink")]["channels"]
    assert [c["target"] for c in channels] == [{"node": BODY, "path": "weights"}]
    walk = formats.load(avatar, animation="Walk")
    new = walk.replaced(morphs=wanted).save(tmp_path / "talk.glb")
    assert_only_changed(avatar, new, "Walk")
    np.testing.assert_allclose(formats.load(new, animation="Walk").morphs, wanted, atol=1e-6)


def test_a_file_edited_again_and_again_does_not_grow(avatar, tmp_path, rng):
    sizes = []
    path = avatar
    for k in range(4):
        path = shaken(formats.load(path, animation="Walk"), rng).save(tmp_path / f"{k}.glb")
        sizes.append(path.stat().st_size)
        assert_only_changed(avatar, path, "Walk")
    assert max(sizes) - min(sizes) < 200  # digits of numbers
    text = avatar
    for k in range(4):
        text = shaken(formats.load(text, animation="Walk"), rng).save(tmp_path / f"{k}.gltf")
        assert len(json.loads(text.read_text())["buffers"]) == 2


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_a_file_does_not_grow_when_animations_are_edited_in_turn(avatar, tmp_path, rng, suffix):
    path, sizes, clips = avatar, [], {}
    for k in range(8):
        name = MOVING[k % 3]
        clips[name] = shaken(formats.load(path, animation=name), rng)
        path = clips[name].save(tmp_path / f"{k}{suffix}")
        sizes.append(path.stat().st_size)
    assert max(sizes[2:]) - min(sizes[2:]) < 400, sizes  # digits of numbers
    for name, clip in clips.items():
        assert_stands(path, clip, name)
    again = formats.load(avatar, animation=MOVING[0])
    half = shaken(op.trim(again, 0, again.duration / 2), rng)
    shorter = half.save(tmp_path / f"shorter{suffix}")
    longer = shaken(again, rng).save(tmp_path / f"longer{suffix}")
    assert shorter.stat().st_size < longer.stat().st_size


def test_what_others_added_behind_ours_stays(avatar, tmp_path, rng):
    """Another program appends an accessor behind those that Poise added: its number and its bytes stay."""
    first = shaken(formats.load(avatar, animation=MOVING[0]), rng).save(tmp_path / "first.glb")
    content, blob = parts(first)[:2]
    added = np.arange(6, dtype=np.float32).tobytes()
    blob += b"\0" * (-len(blob) % 4)
    number = len(content["accessors"])
    view = {"buffer": 0, "byteOffset": len(blob), "byteLength": len(added)}
    content["bufferViews"].append(view)
    content["accessors"].append(
        {"bufferView": len(content["bufferViews"]) - 1, "componentType": 5126, "count": 2, "type": "VEC3"}
    )
    content["meshes"][0]["primitives"][0]["attributes"]["_OTHER"] = number
    content["buffers"][0]["byteLength"] = len(blob) + len(added)
    path = tmp_path / "other.glb"
    path.write_bytes(glb_bytes(content, blob + added))
    sizes = []
    for k in range(4):
        clip = shaken(formats.load(path, animation=MOVING[0]), rng)
        path = clip.save(tmp_path / f"again{k}.glb")
        content, blob = parts(path)[:2]
        assert content["meshes"][0]["primitives"][0]["attributes"]["_OTHER"] == number
        found = content["bufferViews"][content["accessors"][number]["bufferView"]]
        assert blob[found["byteOffset"] : found["byteOffset"] + found["byteLength"]] == added
        assert all(v.get("byteOffset", 0) + v["byteLength"] <= len(blob) for v in content["bufferViews"])
        assert_stands(path, clip, MOVING[0])
        sizes.append(path.stat().st_size)
    assert max(sizes) - min(sizes) < 400, sizes


def test_a_buffer_of_ours_that_others_follow_is_never_empty(tmp_path, rng):
    """A pose in a file without a buffer becomes an animation; another program adds a buffer."""
    path = chain({}, {"translation": [0, 1, 0]}).write(tmp_path / "pose.gltf")
    first = shaken(gltf.load(path, mass=False), rng).save(tmp_path / "first.glb")
    content, blob = parts(first)[:2]
    content["buffers"].append({"byteLength": 3, "uri": "data:application/octet-stream;base64,AAAA"})
    other = tmp_path / "other.glb"
    other.write_bytes(glb_bytes(content, blob))
    clip = shaken(gltf.load(other, mass=False), rng)
    for name in ("again.glb", "again.gltf"):
        new = clip.save(tmp_path / name)
        content = parts(new)[0] if name.endswith("glb") else json.loads(new.read_text())
        assert all(buffer["byteLength"] >= 1 for buffer in content["buffers"])
        np.testing.assert_allclose(gltf.load(new, mass=False).q, clip.q, atol=1e-6)


@pytest.mark.parametrize(
    "odd",
    [
        {"animations": {"name": "x"}},
        {"animations": {"name": "x", "channels": [], "samplers": [{"input": 0}]}},
        {"channels": {"sampler": 0}},
        {"channels": {"sampler": 0, "target": {"path": "pointer", "extensions": {"a": 1}}}},
        {"channels": {"sampler": "a", "target": {"path": "pointer"}}},
        {"meshes": {"primitives": [3]}},
    ],
    ids=str,
)
def test_what_others_wrote_oddly_is_written_as_it_was(tmp_path, rng, odd):
    made = stage()
    ((where, thing),) = odd.items()
    (made.content["animations"][ANIMATIONS.index("Walk")] if where == "channels" else made.content)[
        where
    ].append(thing)
    path = write_glb(made, tmp_path / "odd.glb")
    clip = shaken(formats.load(path, animation="Walk"), rng)
    new = clip.save(tmp_path / "new.glb")
    np.testing.assert_allclose(formats.load(new, animation="Walk").q, clip.q, atol=1e-6)
    content = parts(new)[0]
    walk = content["animations"][ANIMATIONS.index("Walk")]
    found = (walk if where == "channels" else content)[where]
    assert any({**thing, "sampler": 0} == {**each, "sampler": 0} for each in found)


def test_text_and_binary_hold_the_same(avatar, tmp_path, rng):
    clip = shaken(formats.load(avatar), rng)
    text, binary = clip.save(tmp_path / "x.gltf"), clip.save(tmp_path / "x.glb")
    content, wanted = json.loads(text.read_text()), parts(binary)[0]
    for key in {*content, *wanted} - {"buffers", "bufferViews"}:
        assert content[key] == wanted[key], key
    assert_stands(text, clip, "Walk")
    back = formats.load(text).save(tmp_path / "back.glb")
    assert_stands(back, clip, "Walk")
    assert formats.load(text).save(tmp_path / "same.gltf").read_bytes() == text.read_bytes()


class TestFilesBeside:
    """A document of several files."""

    @pytest.fixture
    def folder(self, tmp_path) -> Path:
        made, place = stage(), tmp_path / "in"
        place.mkdir()
        (place / "data.bin").write_bytes(made.blob)
        (place / "skin one.png").write_bytes(b"\x89PNG not really")
        made.content["buffers"] = [{"byteLength": len(made.blob), "uri": "data.bin"}]
        made.content["images"] = [{"uri": "skin%20one.png"}]
        (place / "avatar.gltf").write_text(json.dumps(made.content))
        return place

    def test_at_home_references_stay(self, folder, rng):
        clip = formats.load(folder / "avatar.gltf")
        assert clip.save(folder / "same.gltf").read_bytes() == (folder / "avatar.gltf").read_bytes()
        edited = shaken(clip, rng)
        content = json.loads(edited.save(folder / "edited.gltf").read_text())
        assert content["images"] == [{"uri": "skin%20one.png"}]
        assert content["buffers"][0]["uri"] == "data.bin"
        assert_stands(folder / "edited.gltf", edited, "Walk")

    @pytest.mark.parametrize("name", ["avatar.gltf", "avatar.glb"])
    def test_elsewhere_the_file_is_whole(self, folder, tmp_path, rng, name):
        for clip in (formats.load(folder / "avatar.gltf"), shaken(formats.load(folder / "avatar.gltf"), rng)):
            new = clip.save(tmp_path / name)
            content = json.loads(new.read_text()) if name.endswith("gltf") else parts(new)[0]
            assert not [b for b in content["buffers"] if not b.get("uri", "data:").startswith("data:")]
            assert content["images"][0]["uri"].startswith("data:image/png;base64,")
            assert_stands(new, clip, "Walk")

    def test_references_stay_only_where_their_very_files_are(self, folder, tmp_path, rng, monkeypatch):
        """A clip read by a relative path, kept, and written in another folder: its path is home there too."""
        monkeypatch.chdir(folder)
        formats.load("avatar.gltf").save("clip.npz")
        other = tmp_path / "other"
        other.mkdir()
        monkeypatch.chdir(other)
        clip = formats.load(folder / "clip.npz")
        for each, name in ((clip, "same.gltf"), (shaken(clip, rng), "edited.gltf")):
            assert_stands(each.save(name), each, "Walk")
        (other / "data.bin").write_bytes(b"something else")
        assert_stands(clip.save("beside.gltf"), clip, "Walk")
        (other / "data.bin").write_bytes((folder / "data.bin").read_bytes())
        content = json.loads(clip.save("moved.gltf").read_text())
        assert content["buffers"][0]["uri"] == "data.bin"
        assert content["images"][0]["uri"].startswith("data:image/png;base64,")

    def test_an_image_that_is_not_there_keeps_its_name(self, folder, tmp_path, rng):
        (folder / "skin one.png").unlink()
        new = shaken(formats.load(folder / "avatar.gltf"), rng).save(tmp_path / "x.glb")
        assert parts(new)[0]["images"] == [{"uri": "skin%20one.png"}]


def test_a_new_document_only_when_asked(avatar, tmp_path):
    clip = formats.load(avatar)
    new = clip.save(tmp_path / "new.glb", fresh=True)
    assert gltf.animation_names(new) == ("Walk",)
    told = formats.losses(clip, new, fresh=True)[0]
    for what in ("9 other animations (CameraTarget, Run", "1 prop (Table)", "1 camera (Camera)",
                 "1 light (Sun)", "VRMC_vrm", "nodes with extras"):  # fmt: skip
        assert what in told
    assert_stands(new, clip, "Walk")


def test_a_scale_that_was_read_is_not_written_and_that_is_said(avatar, tmp_path, rng):
    clip = formats.load(avatar, scale=0.01)
    for each in (clip, shaken(clip, rng)):
        (note,) = formats.losses(each, "x.glb")
        assert note == "lengths stay in the file's own unit: read it with scale=0.01 again"
        new = each.save(tmp_path / "x.glb")
        np.testing.assert_allclose(formats.load(new, scale=0.01).q, each.q, atol=1e-6)


@pytest.mark.parametrize("suffix", [".bvh", ".usda"])
def test_other_formats_say_what_they_leave_behind(avatar, suffix):
    if suffix == ".usda":
        pytest.importorskip("pxr")
    told = formats.losses(formats.load(avatar, animation="Run"), f"x{suffix}")[-1]
    assert told.startswith("of avatar.glb are left out: 9 other animations (CameraTarget, Walk")
    assert ("2 morph targets (smile, blink)" in told) == (suffix == ".bvh")


def test_another_skeleton_gets_a_new_document_and_says_why(avatar, tmp_path):
    clip = formats.load(avatar)
    bodies = [
        b.replaced(offset=np.asarray(b.offset) + 0.1 * (b.name == "Neck")) for b in clip.character.bodies
    ]
    moved = clip.replaced(character=clip.character.with_bodies(bodies))
    assert "Neck rests elsewhere" in formats.losses(moved, "x.glb")[0]
    assert "9 other animations" in formats.losses(moved, "x.glb")[0]
    assert gltf.animation_names(moved.save(tmp_path / "new.glb")) == ("Walk",)
    renamed = [b.replaced(name="Kopf" if b.name == "Head" else b.name) for b in clip.character.bodies]
    other = clip.replaced(character=clip.character.with_bodies(renamed))
    assert "Head, Kopf" in formats.losses(other, "x.glb")[0]


def test_rounding_of_the_rest_pose_is_no_other_skeleton(avatar, tmp_path):
    clip = formats.load(avatar)
    bodies = [
        b.replaced(rest=np.nextafter(b.rest, 2), offset=np.nextafter(b.offset, 2))
        for b in clip.character.bodies
    ]
    drifted = clip.replaced(character=clip.character.with_bodies(bodies))
    assert drifted.save(tmp_path / "x.glb").read_bytes() == avatar.read_bytes()


def test_the_document_travels_with_the_clip(avatar, tmp_path, rng):
    clip = shaken(formats.load(avatar, animation="Run"), rng)
    kept = clip.save(tmp_path / "x.npz")
    wanted = clip.save(tmp_path / "wanted.glb").read_bytes()
    for other in (pickle.loads(pickle.dumps(clip)), formats.load(kept)):
        assert other.save(tmp_path / "y.glb").read_bytes() == wanted
        assert [a.name for a in other.source.animations] == list(ANIMATIONS)
    assert formats.losses(clip, kept) == ()


def test_what_the_user_says_of_the_body_survives_scales(avatar, tmp_path):
    heavy = formats.load(avatar, mass=123.0)
    again = formats.load(heavy.save(tmp_path / "heavy.glb"))
    assert again.character.total_mass == pytest.approx(123.0)
    bodies = [
        b.replaced(joint=Joint.ball(lower=[-1, -2, -3], upper=[1, 2, 3])) if b.name == "Head" else b
        for b in heavy.character.bodies
    ]
    limited = heavy.replaced(character=heavy.character.with_bodies(bodies)).save(tmp_path / "limits.glb")
    head = formats.load(limited).character.bodies[again.character.index("Head")]
    np.testing.assert_array_equal(head.joint.lower, [-1, -2, -3])
    content, old = parts(limited)[0], parts(avatar)[0]
    assert (
        content["nodes"][bone("Head")]["extras"]["springs"] == old["nodes"][bone("Head")]["extras"]["springs"]
    )
    assert content["animations"] == old["animations"]


def test_loops_and_names_are_told_beside_the_animation(avatar, tmp_path):
    clip = op.loop(formats.load(avatar, animation="Run"), force=True).replaced(name="Endless")
    new = clip.save(tmp_path / "x.glb")
    again = formats.load(new, animation="Endless")
    assert (again.loop, again.frames) == (True, clip.frames)
    np.testing.assert_allclose(again.travel.translation, clip.travel.translation)
    assert again.save(tmp_path / "y.glb").read_bytes() == new.read_bytes()
    events = parts(avatar)[0]["animations"][2]["extras"]["events"]
    assert parts(new)[0]["animations"][2]["extras"]["events"] == events
