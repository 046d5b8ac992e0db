"""FBX: places of joints against formulas of the tests' own (SciPy's rotations), and files of Poise's back."""

from __future__ import annotations

import struct
from fractions import Fraction

import numpy as np
import pytest
from fbx_made import MadeFbx
from scipy.spatial.transform import Rotation

import poise
from poise.errors import FileFormatError
from poise.formats.fbx.curves import Curve
from poise.formats.fbx.objects import COARSE_TICKS, TICKS
from poise.formats.fbx.records import Record, file_bytes, read_records
from poise.kinematics import Kinematics
from poise.manifold import so3

ORDERS = ["xyz", "xzy", "yzx", "yxz", "zxy", "zyx"]
TURNED = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""y up, z ahead → z up, x ahead."""


def positions(clip):
    return dict(zip(clip.character.names, np.swapaxes(Kinematics(clip.character, clip.q).positions, 0, 1)))


def read(path, **options):
    return poise.load(path, mass=False, front="kept", **options)


def leaning(clip, name):
    """The clip with one joint turned further and further."""
    q, own = np.array(clip.q), clip.character.coordinates(clip.character.index(name))
    turn = so3.exp(np.linspace(0.1, 0.6, len(q))[:, None] * np.array([0.2, 1.0, 0.4]))
    q[:, own.stop - 4 : own.stop] = so3.multiply(q[:, own.stop - 4 : own.stop], turn)
    return clip.replaced(q=q)


def bound(made, bones):
    """A triangle of which each corner follows a bone."""
    corners = Record("PolygonVertexIndex", (np.array([0, 1, -3], dtype=np.int32),))
    mesh = made.thing("Geometry", "Coat", "Mesh", Record("Vertices", (np.eye(3).ravel(),)), corners)
    skin = made.thing("Deformer", "", "Skin")
    made.link(mesh, made.model("Coat", 0, "Mesh"))
    made.link(skin, mesh)
    for k, bone in enumerate(bones):
        follows = Record("Indexes", (np.array([k], dtype=np.int32),)), Record("Weights", (np.ones(1),))
        cluster = made.thing("Deformer", "", "Cluster", *follows, Record("Transform", (np.eye(4).ravel(),)))
        made.link(cluster, skin)
        made.link(bone, cluster)


def homogeneous(turn=None, place=(0, 0, 0), scale=(1, 1, 1)):
    out = np.eye(4)
    out[:3, :3] = (np.eye(3) if turn is None else turn.as_matrix()) * np.asarray(scale)
    out[:3, 3] = place
    return out


@pytest.mark.parametrize("number", range(6))
def test_orders_pre_and_post_rotations_and_pivots(tmp_path, number):
    """T · Roff · Rp · Rpre · R · Rpost⁻¹ · Rp⁻¹ · Soff · Sp · S · Sp⁻¹, written out with SciPy."""
    angles, pre, post = (10.0, -35.0, 70.0), (5.0, 15.0, -25.0), (-12.0, 8.0, 30.0)
    offset, pivot, shift, hub = (1.0, 2.0, 3.0), (4.0, -1.0, 2.0), (0.5, 0.1, -0.7), (2.0, 1.0, -3.0)
    made = MadeFbx()
    root = made.model("Root", Lcl_Translation=(0.0, 90.0, 0.0))
    own = {"RotationOrder": number, "RotationActive": 1, "PreRotation": pre, "PostRotation": post}
    bone = made.model(
        "Bone", root, Lcl_Translation=(10.0, 20.0, -5.0), Lcl_Rotation=angles, RotationOffset=offset,
        RotationPivot=pivot, ScalingOffset=shift, ScalingPivot=hub, Lcl_Scaling=(1.5, 1.5, 1.5), **own,
    )  # fmt: skip
    made.model("Tip", bone, Lcl_Translation=(0.0, 10.0, 3.0), InheritType=1)
    clip = read(made.write(tmp_path / "made.fbx"))
    order = ORDERS[number]
    turn = Rotation.from_euler(order, [angles["xyz".index(a)] for a in order], degrees=True)  # fixed axes
    fixed = [Rotation.from_euler("xyz", a, degrees=True) for a in (pre, post)]
    chain = [
        homogeneous(place=(10, 20, -5)), homogeneous(place=offset), homogeneous(place=pivot),
        homogeneous(fixed[0]), homogeneous(turn), homogeneous(fixed[1].inv()),
        homogeneous(place=-np.array(pivot)), homogeneous(place=shift), homogeneous(place=hub),
        homogeneous(scale=(1.5, 1.5, 1.5)), homogeneous(place=-np.array(hub)),
    ]  # fmt: skip
    local = homogeneous(place=(0, 90, 0)) @ np.linalg.multi_dot(chain)
    found = positions(clip)
    assert np.allclose(found["Bone"][0], TURNED @ local[:3, 3] / 100, atol=1e-7)
    tip = local @ [0, 10, 3, 1]
    assert np.allclose(found["Tip"][0], TURNED @ tip[:3] / 100, atol=1e-7)


def test_pre_rotations_and_orders_do_not_count_unless_they_are_active(tmp_path):
    made = MadeFbx()
    root = made.model("Root", Lcl_Rotation=(20.0, 30.0, 40.0), PreRotation=(50.0, 0.0, 0.0), RotationOrder=5)
    made.model("Tip", root, Lcl_Translation=(1.0, 2.0, 3.0))
    found = positions(read(made.write(tmp_path / "made.fbx")))
    turn = Rotation.from_euler("xyz", [20, 30, 40], degrees=True)
    assert np.allclose(found["Tip"][0], TURNED @ turn.apply([1, 2, 3]) / 100, atol=1e-8)


def test_the_order_that_is_none_is_named(tmp_path):
    made = MadeFbx()
    root = made.model("Root", Lcl_Rotation=(20.0, 30.0, 40.0), RotationOrder=6, RotationActive=1)
    made.model("Tip", root, Lcl_Translation=(1.0, 2.0, 3.0), RotationOrder=6)
    clip = read(made.write(tmp_path / "made.fbx"))
    assert "turned in the order SphericXYZ, read as XYZ: Root" in clip.source.notes
    turn = Rotation.from_euler("xyz", [20, 30, 40], degrees=True)
    assert np.allclose(positions(clip)["Tip"][0], TURNED @ turn.apply([1, 2, 3]) / 100, atol=1e-8)


@pytest.mark.parametrize(("kind", "expected"), [(0, "RrSs"), (1, "RSrs"), (2, "Rrs")])
def test_scales_that_children_inherit_or_not(tmp_path, kind, expected):
    """A tip below a turned bone below a scaled root, by each of FBX's three rules."""
    scale, turn = np.array([2.0, 1.0, 0.5]), Rotation.from_euler("xyz", [0, 0, 90], degrees=True)
    made = MadeFbx()
    root = made.model("Root", Lcl_Scaling=tuple(scale))
    bone = made.model(
        "Bone", root, Lcl_Rotation=(0.0, 0.0, 90.0), Lcl_Translation=(0.0, 10.0, 0.0), InheritType=kind
    )
    made.model("Tip", bone, Lcl_Translation=(7.0, 0.0, 3.0), InheritType=1)
    found = positions(read(made.write(tmp_path / "made.fbx")))
    base, tip = np.array([0.0, 10.0, 0.0]) * scale, np.array([7.0, 0.0, 3.0])
    linear = {
        "RrSs": turn.as_matrix() * scale,
        "RSrs": scale[:, None] * turn.as_matrix(),
        "Rrs": turn.as_matrix(),
    }
    assert np.allclose(found["Tip"][0], TURNED @ (base + linear[expected] @ tip) / 100, atol=1e-7)


@pytest.mark.parametrize(
    ("settings", "frame"),
    [
        (
            {"UpAxis": 2, "FrontAxis": 1, "FrontAxisSign": -1, "CoordAxis": 0},
            [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
        ),
        ({"UpAxis": 1, "FrontAxis": 2, "CoordAxis": 0, "UnitScaleFactor": 2.54}, 2.54 * TURNED),
        (
            {"UpAxis": 0, "FrontAxis": 2, "CoordAxis": 1, "CoordAxisSign": -1},
            [[0, 0, 1], [0, -1, 0], [1, 0, 0]],
        ),
    ],
)
def test_axes_and_units(tmp_path, settings, frame):
    made = MadeFbx(**settings)
    root = made.model("Root", Lcl_Translation=(11.0, 22.0, 33.0))
    made.model("Tip", root, Lcl_Translation=(1.0, 2.0, 3.0))
    path = made.write(tmp_path / "made.fbx")
    usual = "-y" if settings["UpAxis"] == 2 else "z"
    clip = poise.load(path, mass=False, front=usual)
    assert np.allclose(positions(clip)["Tip"][0], np.asarray(frame) @ [12, 24, 36] / 100, atol=1e-7)


def test_the_unit_can_be_said(tmp_path):
    made = MadeFbx()
    made.model("Tip", made.model("Root"), Lcl_Translation=(0.0, 2.0, 0.0))
    path = made.write(tmp_path / "made.fbx")
    assert positions(read(path, scale=1.0))["Tip"][0][2] == pytest.approx(2.0)


def test_takes_layers_and_sparse_keys(tmp_path):
    """Cubic keys with slopes are Hermite's cubic; the second take can be chosen by its name."""
    made = MadeFbx(TimeMode=11)
    root = made.model("Hips")
    knee = made.model("Knee", root, Lcl_Translation=(0.0, -40.0, 0.0))
    made.model("Foot", knee, Lcl_Translation=(0.0, -40.0, 0.0))
    first, second = made.take("idle", 1.0), made.take("kick", 2.0)
    slopes = np.zeros((2, 4))
    slopes[0, :2] = 30.0, -60.0
    made.keys(first, root, "Lcl Translation", "d|X", [0.0, 1.0], [0.0, 1.0])
    made.keys(
        second,
        knee,
        "Lcl Rotation",
        "d|X",
        [0.0, 2.0],
        [0.0, 80.0],
        flags=[0x408, 0x408],
        data=slopes,
        shares=[1, 1],
    )
    clip = read(made.write(tmp_path / "made.fbx"), animation="kick")
    assert (float(clip.rate), len(clip.q)) == (24.0, 49)
    assert [a.name for a in clip.source.animations] == ["idle", "kick"]
    s = np.arange(49) / 48
    angle = (3 * s**2 - 2 * s**3) * 80 + (s**3 - 2 * s**2 + s) * 2 * 30 + (s**3 - s**2) * 2 * -60
    turn = Rotation.from_euler("x", angle[:, None], degrees=True)
    expected = ([0, -40, 0] + turn.apply([0, -40, 0])) @ TURNED.T / 100
    assert np.allclose(positions(clip)["Foot"], expected, atol=2e-7)
    assert len(read(tmp_path / "made.fbx", fps=60, animation="kick").q) == 121


@pytest.mark.parametrize("ticks", [TICKS, COARSE_TICKS])
def test_the_clocks_of_new_files(tmp_path, ticks):
    made = MadeFbx(ticks=ticks, TimeMode=14, CustomFrameRate=23.976)
    hips = made.model("Hips")
    knee = made.model("Knee", hips, Lcl_Translation=(0.0, -40.0, 0.0))
    made.model("Foot", knee, Lcl_Translation=(0.0, -40.0, 0.0))
    made.keys(made.take("kick", 2.0), knee, "Lcl Rotation", "d|X", [0.0, 2.0], [0.0, 80.0])
    clip = read(made.write(tmp_path / "made.fbx", 7700))
    assert (clip.rate, len(clip.q)) == (Fraction(24000, 1001), 48)
    turn = Rotation.from_euler("x", 40 * clip.times[:, None], degrees=True)
    expected = ([0, -40, 0] + turn.apply([0, -40, 0])) @ TURNED.T / 100
    assert np.allclose(positions(clip)["Foot"], expected, atol=2e-7)
    edited = leaning(clip, "Hips")
    edited.save(tmp_path / "new.fbx")
    assert np.allclose(positions(read(tmp_path / "new.fbx"))["Foot"], positions(edited)["Foot"], atol=1e-6)


@pytest.mark.parametrize("start", [-0.5, 0.0, 0.25])
def test_an_edit_of_a_take_whose_keys_begin_later(tmp_path, start):
    """What is not edited keeps its keys, so what is must begin where the take does."""
    made = MadeFbx(TimeMode=11)
    hips = made.model("Hips", Lcl_Translation=(0.0, 90.0, 0.0))
    knee = made.model("Knee", hips, Lcl_Translation=(0.0, -40.0, 0.0))
    made.model("Foot", knee, Lcl_Translation=(0.0, -40.0, 0.0))
    layer = made.take("kick", 2.0, start)
    times = np.linspace(0.75, 1.5, 7)
    made.keys(layer, knee, "Lcl Rotation", "d|X", times, 50 * np.sin(5 * times))
    made.keys(layer, hips, "Lcl Rotation", "d|Y", times, 40 * np.cos(3 * times))
    clip = read(made.write(tmp_path / "made.fbx"))
    edited = leaning(clip, "Hips")
    edited.save(tmp_path / "new.fbx")
    back = read(tmp_path / "new.fbx")
    assert len(back.q) == len(clip.q) == round((2.0 - start) * 24) + 1
    assert np.allclose(positions(back)["Foot"], positions(edited)["Foot"], atol=1e-6)


def test_an_edit_of_a_file_with_several_top_nodes(tmp_path):
    made = MadeFbx(TimeMode=11)
    tops = [made.model(n, Lcl_Translation=(at, 90.0, 0.0)) for n, at in (("Hips", 0.0), ("Prop", 50.0))]
    bones = [*tops, made.model("Tip", tops[1], Lcl_Translation=(0.0, 30.0, 0.0))]
    layer = made.take("walk", 1.0)
    for bone in bones:
        made.keys(layer, bone, "Lcl Rotation", "d|X", [0.0, 1.0], [0.0, 40.0])
    bound(made, bones)
    clip = read(made.write(tmp_path / "made.fbx"))
    assert clip.character.names[0] == "root", "an added one: the file's axes are no body"
    for name in ("root", "Prop"):
        edited = leaning(clip, name)
        edited.save(tmp_path / "new.fbx")
        back = positions(read(tmp_path / "new.fbx"))
        assert all(np.allclose(back[n], p, atol=1e-6) for n, p in positions(edited).items() if n != "root")


@pytest.mark.parametrize("inherit", [0, 1])
@pytest.mark.parametrize("retimed", [False, True])
def test_an_edit_of_joints_whose_scale_moves(tmp_path, inherit, retimed):
    """Frames that are others than the file's leave the moving scale out, of the file too."""
    made = MadeFbx(TimeMode=11)
    above = 0
    for k in range(4):
        above = made.model(f"B{k}", above, Lcl_Translation=(3.0, 25.0, 0.0), InheritType=inherit)
        if k == 0:
            layer, scaled = made.take("grow", 1.0), 0
        made.keys(layer, above, "Lcl Rotation", "d|Z", [0.0, 1.0], [0.0, 20.0 + 10 * k])
        scaled = above if k == 1 else scaled
    made.keys3(layer, scaled, "Lcl Scaling", [0.0, 1.0], [[1.0, 1.0, 1.0], [1.5, 1.5, 1.5]])
    clip = read(made.write(tmp_path / "made.fbx"))
    if retimed:
        clip = clip.with_frames(np.array(clip.q[::-1]), None)
    edited = leaning(clip, "B0")
    edited.save(tmp_path / "new.fbx")
    told = poise.formats.losses(edited, tmp_path / "new.fbx")
    assert any("animated scale of B1" in line for line in told) == retimed
    back = positions(read(tmp_path / "new.fbx"))
    assert all(np.allclose(back[n], p, atol=2e-6) for n, p in positions(edited).items())


def test_held_linear_and_weighted_keys():
    weights = np.array([[0.1, 0.7], [1 / 3, 1 / 3]])
    slopes = np.array([[4.0, -1.0], [0.0, 0.0]])
    times, values = np.array([1.0, 3.0]), np.array([2.0, 5.0])
    at = np.linspace(0.5, 3.5, 301)
    cubic = Curve(times, values, np.array([8, 8]), slopes, weights)
    u = np.linspace(0, 1, 200_001)
    along = 3 * (1 - u) ** 2 * u * 0.1 + 3 * (1 - u) * u**2 * (1 - 0.7) + u**3
    height = (
        (1 - u) ** 3 * 2
        + 3 * (1 - u) ** 2 * u * (2 + 0.1 * 2 * 4)
        + 3 * (1 - u) * u**2 * (5 + 0.7 * 2)
        + u**3 * 5
    )
    assert np.abs(cubic.at(at) - np.interp((at - 1) / 2, along, height)).max() < 1e-8
    line = Curve(times, values, np.array([4, 4]), slopes, weights)
    assert np.allclose(line.at(at), np.interp(at, times, values))
    held = Curve(times, values, np.array([2, 2]), slopes, weights)
    assert held.at(np.array([1.0, 2.9, 3.0])).tolist() == [2.0, 2.0, 5.0]


@pytest.mark.parametrize("version", [7100, 7400, 7500, 7700])
def test_records_come_back_in_every_version(tmp_path, version):
    record = Record("A", (1, 2.5, "text", b"raw", np.arange(100, dtype=np.float64)), (Record("B", (True,)),))
    (tmp_path / "x.fbx").write_bytes(file_bytes([record], version))
    found = read_records(tmp_path / "x.fbx")
    (a,) = found.top.inside
    assert (found.version, a.values[:4], a.inside[0].values) == (version, (1, 2.5, "text", b"raw"), (True,))
    assert np.array_equal(a.values[4], np.arange(100.0))


@pytest.mark.parametrize("name", ["walk", "wave"])
def test_a_bundled_clip_comes_back(tmp_path, name):
    clip = poise.clips.get(name)
    clip.save(tmp_path / "out.fbx")
    back = poise.load(tmp_path / "out.fbx")
    assert back.rate == clip.rate
    ours, theirs = positions(clip), positions(back)
    worst = max(np.abs(ours[n] - theirs[n][: len(ours[n])]).max() for n in ours)
    assert worst < 2e-6
    assert back.character.skin is not None


def test_what_is_no_binary_fbx_is_refused_with_advice(tmp_path):
    text = tmp_path / "text.fbx"
    text.write_text("; FBX 7.3.0 project file\nFBXHeaderExtension:  {\n}\n")
    with pytest.raises(FileFormatError, match=r"text.*binary FBX 2014"):
        poise.load(text)
    old = tmp_path / "old.fbx"
    old.write_bytes(b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", 6100) + bytes(100))
    with pytest.raises(FileFormatError, match=r"FBX version 6\.1 cannot be read"):
        poise.load(old)
    made = MadeFbx()
    made.model("Tip", made.model("Root"))
    whole = made.write(tmp_path / "whole.fbx").read_bytes()
    for cut in range(0, len(whole) - 250, 37):
        (tmp_path / "cut.fbx").write_bytes(whole[:cut])
        with pytest.raises(FileFormatError):
            poise.load(tmp_path / "cut.fbx")


def test_an_array_that_claims_more_than_it_holds_is_refused(tmp_path):
    bomb = Record("A", (np.zeros(1 << 16),))
    data = bytearray(file_bytes([bomb]))
    at = data.index(b"d" + struct.pack("<I", 1 << 16))
    data[at + 1 : at + 5] = struct.pack("<I", 1 << 31)
    (tmp_path / "x.fbx").write_bytes(bytes(data))
    with pytest.raises(FileFormatError, match="numbers are announced"):
        read_records(tmp_path / "x.fbx")


def scene(path, version=7400):
    """Two takes of a figure with pivots and pre-rotations, a prop and a camera."""
    made = MadeFbx(TimeMode=11)
    turned = {"RotationActive": 1, "RotationOrder": 4, "PreRotation": (10.0, 20.0, 30.0)}
    hips = made.model("Hips", Lcl_Translation=(0.0, 90.0, 0.0))
    knee = made.model(
        "Knee", hips, Lcl_Translation=(0.0, -40.0, 0.0), PostRotation=(0.0, 15.0, 5.0),
        RotationPivot=(1.0, 2.0, 3.0), ScalingPivot=(0.0, 1.0, 0.0), **turned,
    )  # fmt: skip
    made.model("Foot", knee, Lcl_Translation=(0.0, -40.0, 5.0))
    made.model("Cup", 0, "Null", Lcl_Translation=(50.0, 0.0, 0.0))
    camera = made.model("Camera", 0, "Camera")
    times = np.arange(25) / 24
    for name in ("idle", "kick"):
        layer = made.take(name, 1.0)
        made.keys(layer, hips, "Lcl Translation", "d|X", times, np.sin(3 * times))
        made.keys(layer, knee, "Lcl Rotation", "d|Y", times, 40 * np.sin(5 * times))
        made.keys(layer, camera, "Lcl Translation", "d|Z", times, times)
    return made.write(path, version)


@pytest.mark.parametrize("version", [7400, 7500])
def test_a_users_file_keeps_all_but_the_take_that_was_edited(tmp_path, version):
    path = scene(tmp_path / "mine.fbx", version)
    clip = read(path, animation="kick")
    clip.save(tmp_path / "same.fbx")
    assert (tmp_path / "same.fbx").read_bytes() == path.read_bytes(), "nothing was changed"
    q = np.array(clip.q)
    knee = clip.character.coordinates(clip.character.index("Knee"))
    lean = np.stack(
        [np.cos(0.1 * np.arange(25)), 0 * np.arange(25), np.sin(0.1 * np.arange(25)), 0 * np.arange(25)], 1
    )
    q[:, knee.stop - 4 : knee.stop] = so3.multiply(q[:, knee.stop - 4 : knee.stop], lean)
    edited = clip.replaced(q=q)
    assert poise.formats.losses(edited, tmp_path / "new.fbx") == ()
    edited.save(tmp_path / "new.fbx")
    back = read(tmp_path / "new.fbx", animation="kick")
    ours, theirs = positions(edited), positions(back)
    assert max(np.abs(ours[n] - theirs[n]).max() for n in ours) < 1e-6
    before, after = (read_records(p) for p in (path, tmp_path / "new.fbx"))
    assert after.version == version
    was = {r.values[0]: r for r in before.top.get("Objects").inside}
    now = {r.values[0]: r for r in after.top.get("Objects").inside}
    kept = {k for k, r in was.items() if k in now}
    assert {was[k].name for k in was.keys() - kept} == {"AnimationCurveNode", "AnimationCurve"}
    assert len(was.keys() - kept) == 2, "the knee's turning in one take"
    plain = [k for k in kept if was[k].name != "AnimationStack"]
    assert all(repr(was[k]) == repr(now[k]) for k in plain)
    idle = read(tmp_path / "new.fbx", animation="idle")
    assert np.array_equal(idle.q, read(path, animation="idle").q)


def test_a_longer_motion_goes_into_the_take_and_moves_its_end(tmp_path):
    path = scene(tmp_path / "mine.fbx")
    clip = read(path)
    longer = clip.replaced(q=np.concatenate([clip.q, clip.q[::-1]]))
    longer.save(tmp_path / "long.fbx")
    back = read(tmp_path / "long.fbx")
    assert len(back.q) == len(longer.q)
    ours, theirs = positions(longer), positions(back)
    assert max(np.abs(ours[n] - theirs[n]).max() for n in ours) < 1e-6


def test_what_cannot_go_into_the_file_is_said(tmp_path):
    clip = read(scene(tmp_path / "mine.fbx"))
    told = poise.formats.losses(clip.replaced(rate=60), tmp_path / "new.fbx")
    assert any("60 frames per second, the file 24" in line and "new file is written" in line for line in told)
    left = poise.formats.losses(clip, tmp_path / "new.bvh")
    assert any("kick" in line for line in left)
