"""USD files of others: their animation is edited, and nothing else. usd-core is the judge of both."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest
from usd_made import BIG, BOTH, ROOM, flattened, joints_in, write

import poise
from poise import clips, formats
from poise.errors import FileFormatError
from poise.kinematics import Kinematics
from poise.manifold import so3

Usd = pytest.importorskip("pxr.Usd", reason="needs usd-core")
TURNED = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""y up, z ahead → z up, x ahead."""


def read(path, **options):
    return poise.load(path, mass=False, front="kept", **options)


def bent(clip, name="Spine", size=0.3):
    """The clip with one joint turned more and more."""
    q = np.array(clip.q)
    own = clip.character.coordinates(clip.character.index(name))
    turn = so3.exp(np.linspace(0.05, size, len(q))[:, None] * np.array([0.0, 1.0, 0.0]))
    q[:, own.stop - 4 : own.stop] = so3.multiply(q[:, own.stop - 4 : own.stop], turn)
    return clip.replaced(q=q)


def ours(clip):
    """Places of joints (F, n, 3) in the file's axes and unit (a metre), by our own kinematics."""
    return Kinematics(clip.character, clip.q).positions @ TURNED


@pytest.mark.parametrize("kind", ["usda", "usdc", "usd"])
def test_what_is_not_edited_is_the_same_file(tmp_path, kind):
    path = write(tmp_path / f"mine.{kind}", ROOM)
    clip = read(path)
    clip.save(tmp_path / f"copy.{kind}")
    assert (tmp_path / f"copy.{kind}").read_bytes() == path.read_bytes()
    assert formats.losses(clip, tmp_path / "copy.usda") == ()


def test_of_a_text_only_the_samples_that_changed_are_written(tmp_path):
    path = write(tmp_path / "mine.usda", ROOM)
    edited = bent(read(path))
    assert formats.losses(edited, tmp_path / "new.usda") == ()
    edited.save(tmp_path / "new.usda")
    was, now = path.read_text(), (tmp_path / "new.usda").read_text()
    begin, end = "float3[] translations.timeSamples = {", "\n            half3[] scales"
    assert was.count(begin) == now.count(begin) == 1
    for text in (was, now):
        assert text.count(end) == 1
    assert now[: now.index(begin)] == was[: was.index(begin)], "every letter before"
    assert now[now.index(end) :] == was[was.index(end) :], "every letter after, comments too"
    found = joints_in(tmp_path / "new.usda", "/Room/Figure/Skel", range(10, 21))
    assert np.abs(found - ours(edited)).max() < 2e-6
    stage = Usd.Stage.Open(str(tmp_path / "new.usda"))
    hips = stage.GetPrimAtPath("/Room/Figure/Skel/Nod").GetAttribute("rotations").Get(10)[1]
    assert hips.real == 1.0, "a joint that nobody touched keeps its numbers"
    again = bent(read(tmp_path / "new.usda"))
    again.save(tmp_path / "again.usda")
    then, begin = (tmp_path / "again.usda").read_text(), "quatf[] rotations.timeSamples = {"
    assert then[: then.index(begin)] == now[: now.index(begin)], "samples at all frames are there already"
    assert then[then.index(end) :] == was[was.index(end) :]


@pytest.mark.parametrize(
    ("kind", "out"), [("usdc", "usdc"), ("usd", "usd"), ("usda", "usdc"), ("usdc", "usda")]
)
def test_other_opinions_stay_in_files_of_any_kind(tmp_path, kind, out):
    path = write(tmp_path / f"mine.{kind}", ROOM)
    edited = bent(read(path))
    edited.save(tmp_path / f"new.{out}")
    assert (
        np.abs(joints_in(tmp_path / f"new.{out}", "/Room/Figure/Skel", range(10, 21)) - ours(edited)).max()
        < 2e-6
    )
    was, now = (flattened(p, without="/Room/Figure/Skel/Nod") for p in (path, tmp_path / f"new.{out}"))
    assert was == now
    was, now = (flattened(p) for p in (path, tmp_path / f"new.{out}"))
    assert was != now


@pytest.mark.parametrize("arc", ["subLayers", "references", "payload"])
def test_what_other_files_say_is_overridden_and_they_are_left_alone(tmp_path, arc):
    geometry = write(tmp_path / "geometry.usda", ROOM)
    whole = geometry.read_bytes()
    said = {"startTimeCode": 10, "endTimeCode": 20, "timeCodesPerSecond": 30, "metersPerUnit": 1}
    head = "".join(f"    {key} = {value}\n" for key, value in said.items())
    if arc == "subLayers":
        text = f"#usda 1.0\n(\n{head}    subLayers = [@./geometry.usda@]\n)\n# mine\n"
    else:
        text = (
            f'#usda 1.0\n(\n{head})\n# mine\ndef "Room" (\n    {arc} = @./geometry.usda@</Room>\n)\n{{\n}}\n'
        )
    (tmp_path / "shot.usda").write_text(text)
    edited = bent(read(tmp_path / "shot.usda"))
    edited.save(tmp_path / "new.usda")
    assert geometry.read_bytes() == whole
    assert (
        np.abs(joints_in(tmp_path / "new.usda", "/Room/Figure/Skel", range(10, 21)) - ours(edited)).max()
        < 2e-6
    )
    assert flattened(tmp_path / "shot.usda", without="/Room/Figure/Skel/Nod") == flattened(
        tmp_path / "new.usda", without="/Room/Figure/Skel/Nod"
    )
    now = (tmp_path / "new.usda").read_text()
    assert "# mine" in now
    assert "scales" not in now, "what did not change is not overridden"
    edited.save(tmp_path / "shot.usda")
    assert (tmp_path / "shot.usda").read_bytes() == (tmp_path / "new.usda").read_bytes(), "over itself"


def test_in_another_folder_it_refers_to_the_same_files(tmp_path):
    write(tmp_path / "geometry.usda", ROOM)
    (tmp_path / "shot.usda").write_text("#usda 1.0\n(\n    subLayers = [@./geometry.usda@]\n)\n")
    (tmp_path / "out").mkdir()
    edited = bent(read(tmp_path / "shot.usda"))
    edited.save(tmp_path / "out" / "new.usda")
    assert flattened(tmp_path / "shot.usda", without="/Room/Figure/Skel/Nod") == flattened(
        tmp_path / "out" / "new.usda", without="/Room/Figure/Skel/Nod"
    )
    assert "@../geometry.usda@" in (tmp_path / "out" / "new.usda").read_text()


def test_a_longer_motion_moves_the_end(tmp_path):
    path = write(tmp_path / "mine.usda", ROOM)
    clip = read(path)
    frames = np.concatenate([np.arange(11), np.arange(11)[::-1]])
    longer = clip.with_frames(clip.q[frames], clip.morphs[frames])
    longer.save(tmp_path / "long.usda")
    back = read(tmp_path / "long.usda")
    assert back.frames == longer.frames
    assert (
        np.abs(joints_in(tmp_path / "long.usda", "/Room/Figure/Skel", range(10, 32)) - ours(longer)).max()
        < 2e-6
    )
    now = (tmp_path / "long.usda").read_text()
    assert "endTimeCode = 31" in now
    assert "# a room" in now


def test_a_joint_that_the_animation_did_not_have(tmp_path):
    path = write(tmp_path / "mine.usda", ROOM)
    edited = bent(read(path), "Head")
    edited.save(tmp_path / "new.usda")
    assert (
        np.abs(joints_in(tmp_path / "new.usda", "/Room/Figure/Skel", range(10, 21)) - ours(edited)).max()
        < 2e-6
    )
    stage = Usd.Stage.Open(str(tmp_path / "new.usda"))
    joints = stage.GetPrimAtPath("/Room/Figure/Skel/Nod").GetAttribute("joints")
    assert list(joints.Get()) == ["Hips/Spine", "Hips", "Hips/Spine/Head"]


def test_an_animation_that_two_skeletons_share_is_left_to_the_other(tmp_path):
    path = write(tmp_path / "mine.usda", BOTH)
    clip = read(path, skin=0)
    edited = bent(clip).replaced(name="a bow")
    edited.save(tmp_path / "new.usda")
    names = ["/Room/A/Skel", "/Room/B/Skel"]
    was, now = ([joints_in(p, n, range(10, 21)) for n in names] for p in (path, tmp_path / "new.usda"))
    changed = [bool(np.abs(a - b).max() > 1e-3) for a, b in zip(was, now)]
    assert sorted(changed) == [False, True]
    assert np.abs(now[changed.index(True)] - ours(edited)).max() < 2e-6
    assert '"a_bow"' in (tmp_path / "new.usda").read_text()


def test_a_figure_without_motion_gets_one(tmp_path):
    text = ROOM.replace("rel skel:animationSource = </Room/Figure/Skel/Nod>", "").replace(
        "SkelAnimation", "Scope"
    )
    path = write(tmp_path / "mine.usda", text)
    still = read(path)
    assert still.frames == 1
    moved = bent(still.replaced(q=np.repeat(still.q, 12, axis=0), rate=24), "Hips").replaced(name="bow")
    assert formats.losses(moved, tmp_path / "new.usda") == ()
    moved.save(tmp_path / "new.usda")
    back = read(tmp_path / "new.usda")
    assert (back.name, back.frames, back.rate) == ("bow", 12, 24)
    assert np.abs(ours(back) - ours(moved)).max() < 2e-6


def test_an_instance_cannot_be_overridden_and_that_is_said(tmp_path):
    write(tmp_path / "geometry.usda", ROOM)
    (tmp_path / "shot.usda").write_text(
        "#usda 1.0\n(\n    startTimeCode = 10\n    endTimeCode = 20\n    timeCodesPerSecond = 30\n)\n"
        'def "One" (\n    instanceable = true\n    references = @./geometry.usda@</Room>\n)\n{\n}\n'
        'def Cube "Table"\n{\n}\n'
    )
    edited = bent(read(tmp_path / "shot.usda"))
    told = " ".join(formats.losses(edited, tmp_path / "new.usda"))
    assert "part of an instance" in told
    assert "Table" in told
    edited.save(tmp_path / "new.usda")
    back = poise.load(tmp_path / "new.usda", mass=False, front="-y")  # z is up in new files
    assert np.abs(ours(back) - ours(edited)).max() < 2e-6


def test_weights_of_blend_shapes_change_alone(tmp_path):
    path = write(tmp_path / "mine.usda", ROOM)
    clip = read(path)
    assert clip.morphs is not None
    smiling = clip.replaced(morphs=0.5 * clip.morphs + 0.25)
    smiling.save(tmp_path / "new.usda")
    stage = Usd.Stage.Open(str(tmp_path / "new.usda"))
    found = [
        stage.GetPrimAtPath("/Room/Figure/Skel/Nod").GetAttribute("blendShapeWeights").Get(t)[0]
        for t in range(10, 21)
    ]
    assert np.allclose(found, smiling.morphs[:, 0], atol=1e-7)
    before, after = (
        p.read_text().split("float[] blendShapeWeights")[0] for p in (path, tmp_path / "new.usda")
    )
    assert before == after


def test_fresh_writes_a_new_file_and_says_what_is_left_out(tmp_path):
    path = write(tmp_path / "mine.usda", ROOM)
    clip = read(path)
    (told,) = [t for t in formats.losses(clip, tmp_path / "new.usda", fresh=True) if "new file" in t]
    assert "Table (Cube)" in told
    assert "Eye (Camera)" in told
    clip.save(tmp_path / "new.usda", fresh=True)
    assert "Table" not in (tmp_path / "new.usda").read_text()
    assert any("Table" in t for t in formats.losses(clip, tmp_path / "new.glb"))


def test_a_loop_of_our_own_stays_one(tmp_path):
    clip = clips.get("walk")
    clip.save(tmp_path / "walk.usda")
    back = poise.load(tmp_path / "walk.usda")
    q = np.array(back.q)
    own = back.character.coordinates(back.character.index("Head"))
    q[:, own] = so3.multiply(q[:, own], so3.exp(np.array([0.0, 0.0, 0.1])))
    back.replaced(q=q).save(tmp_path / "new.usda")
    again = poise.load(tmp_path / "new.usda")
    assert again.loop
    assert again.frames == clip.frames
    first = back.replaced(loop=False)
    first.save(tmp_path / "once.usda")
    assert not poise.load(tmp_path / "once.usda").loop


def test_through_a_file_of_our_own_it_still_knows_its_file(tmp_path):
    path = write(tmp_path / "mine.usda", ROOM)
    bent(read(path)).save(tmp_path / "kept.npz")
    path_bytes = path.read_bytes()
    path.unlink()
    poise.load(tmp_path / "kept.npz").save(tmp_path / "new.usda")
    now = (tmp_path / "new.usda").read_bytes()
    assert now != path_bytes
    assert b"# a room" in now
    assert b"Table" in now


@pytest.mark.parametrize("unit", ["1", "0.01"])
def test_large_figures_of_other_units(tmp_path, unit):
    path = write(tmp_path / "mine.usda", BIG.replace("metersPerUnit = 1\n", f"metersPerUnit = {unit}\n"))
    edited = bent(read(path))
    edited.save(tmp_path / "new.usda")
    found = joints_in(tmp_path / "new.usda", "/Room/Figure/Skel", range(10, 21))
    assert np.abs(found * float(unit) - ours(edited)).max() < 2e-6 * float(unit) * 100


def test_packages_in_and_out(tmp_path):
    from pxr import UsdUtils

    write(tmp_path / "mine.usda", ROOM.replace("asset icon = @./icon (1).png@", "asset icon = @./icon.png@"))
    (tmp_path / "icon.png").write_bytes(b"a picture")
    assert UsdUtils.CreateNewUsdzPackage(str(tmp_path / "mine.usda"), str(tmp_path / "mine.usdz"))
    clip = read(tmp_path / "mine.usdz")
    assert np.array_equal(clip.q, read(tmp_path / "mine.usda").q)
    clip.save(tmp_path / "copy.usdz")
    assert (tmp_path / "copy.usdz").read_bytes() == (tmp_path / "mine.usdz").read_bytes()
    edited = bent(clip)
    edited.save(tmp_path / "new.usdz")
    found = joints_in(tmp_path / "new.usdz", "/Room/Figure/Skel", range(10, 21))
    assert np.abs(found - ours(edited)).max() < 2e-6
    with zipfile.ZipFile(tmp_path / "new.usdz") as package:
        assert package.read("icon.png") == b"a picture"
        for member in package.infolist():
            begin = member.header_offset + 30 + len(member.filename) + len(member.extra)
            assert begin % 64 == 0
            assert member.compress_type == zipfile.ZIP_STORED
    told = " ".join(formats.losses(edited, tmp_path / "new.usda"))
    assert "becomes no other kind of file" in told


def test_a_new_package_and_damaged_ones(tmp_path):
    clip = clips.get("wave")
    clip.save(tmp_path / "wave.usdz")
    back = poise.load(tmp_path / "wave.usdz")
    assert (back.name, back.frames, back.rate) == (clip.name, clip.frames, clip.rate)
    whole = (tmp_path / "wave.usdz").read_bytes()
    for cut in (40, 200, len(whole) // 2, len(whole) - 10):
        (tmp_path / "cut.usdz").write_bytes(whole[:cut])
        with pytest.raises(FileFormatError) as told:
            poise.load(tmp_path / "cut.usdz")
        assert "cut.usdz" in str(told.value)
    with zipfile.ZipFile(tmp_path / "evil.usdz", "w") as package:
        package.writestr("a.usda", "#usda 1.0\n")
        package.writestr("../b.usda", "#usda 1.0\n")
    with pytest.raises(FileFormatError, match="outside of it"):
        poise.load(tmp_path / "evil.usdz")


def test_the_librarys_own_validation_passes(tmp_path):
    validation = pytest.importorskip("pxr.UsdValidation", reason="needs usd-core's validation")
    path = write(tmp_path / "mine.usda", ROOM.replace("asset icon = @./icon (1).png@", ""))
    clips.get("walk").save(tmp_path / "fresh.usda")
    bent(read(path)).save(tmp_path / "edited.usda")
    for kind in ("usdc", "usdz"):
        clips.get("walk").save(tmp_path / f"fresh.{kind}")
    for name in ("fresh.usda", "fresh.usdc", "fresh.usdz", "edited.usda"):
        registry = validation.ValidationRegistry()
        context = validation.ValidationContext(registry.GetOrLoadAllValidators())
        stage = Usd.Stage.Open(str(tmp_path / name))
        errors = [e for e in context.Validate(stage) if e.GetType() == validation.ValidationErrorType.Error]
        assert not errors, [e.GetMessage() for e in errors]


CARRIED = """{
        double3 xformOp:translate.timeSamples = { 10: (0, 0, 0), 20: (1, 0, 2) }  # it walks
        float3 xformOp:rotateXYZ.timeSamples = { 10: (0, 0, 0), 20: (0, 60, 0) }
        uniform token[] xformOpOrder = [RESET"xformOp:translate", "xformOp:rotateXYZ"]
        rel skel:skeleton"""


@pytest.mark.parametrize("reset", ["", '"!resetXformStack!", '])
@pytest.mark.parametrize("longer", [False, True])
def test_a_figure_that_the_stage_carries_is_carried_elsewhere(tmp_path, reset, longer):
    carried = ROOM.replace("{\n        rel skel:skeleton", CARRIED.replace("RESET", reset), 1)
    path = write(tmp_path / "mine.usda", carried)
    clip = read(path)
    root = clip.character.names[0]
    assert root == "Skel", "what the stage moves is a body of the figure"
    clip.save(tmp_path / "same.usda")
    assert (tmp_path / "same.usda").read_text() == carried
    if longer:
        last = np.concatenate([clip.morphs, clip.morphs[-1:]])
        clip = clip.with_frames(np.concatenate([clip.q, clip.q[-1:]]), last)
    q = np.array(clip.q)
    q[:, 2] += np.linspace(0.5, 1.0, len(q))  # up and away
    edited = bent(clip.replaced(q=q), root)
    assert formats.losses(edited, tmp_path / "new.usda") == ()
    edited.save(tmp_path / "new.usda")
    now = (tmp_path / "new.usda").read_text()
    assert "# it walks" in now
    assert "a nod" in now or longer
    there = joints_in(tmp_path / "new.usda", "/Room/Figure/Skel", range(10, 10 + len(q)))
    found = ours(edited)[:, [edited.character.index(n) for n in ("Hips", "Spine", "Head")]]
    assert np.abs(there - found).max() < 2e-6
    again = read(tmp_path / "new.usda")
    assert np.abs(ours(again) - ours(edited)).max() < 2e-6
    bent(again, root).save(tmp_path / "twice.usda")
    assert np.abs(ours(read(tmp_path / "twice.usda")) - ours(bent(again, root))).max() < 2e-6
    assert (tmp_path / "twice.usda").read_text().count("xformOp:transform:moved.timeSamples") == 1
