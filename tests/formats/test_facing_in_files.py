"""Figures face x inside, whichever way they face in their file; in files they stand as they did."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from bvh_cases import bvh, in_file, named_axis, point_positions
from bvh_oracle import world_positions
from gltf_oracle import Maker, Oracle

from poise import clips
from poise.character.facing import quarter_heading
from poise.errors import InputError, UnknownNameError
from poise.formats import load, losses, save
from poise.kinematics import Kinematics
from poise.motion import Clip

ROWS = [
    ("Hips", "", (0, 0, 95)),
    ("Chest", "Hips", (1, 0, 35)),
    ("Head", "Chest", (2, 0, 30)),
]
for SIDE, S in (("Left", 1), ("Right", -1)):
    ROWS += [
        (f"{SIDE}Arm", "Chest", (0, 18 * S, 15)),
        (f"{SIDE}ForeArm", f"{SIDE}Arm", (0, 29 * S, 0)),
        (f"{SIDE}Hand", f"{SIDE}ForeArm", (0, 26 * S, 0)),
        (f"{SIDE}UpLeg", "Hips", (0, 9 * S, -3)),
        (f"{SIDE}Leg", f"{SIDE}UpLeg", (0, 0, -43)),
        (f"{SIDE}Foot", f"{SIDE}Leg", (0, 0, -42)),
        (f"{SIDE}Toe", f"{SIDE}Foot", (13, 0, -5)),
    ]
WAYS = [("y", w) for w in ("z", "x", "-z", "-x")] + [("z", w) for w in ("-y", "x", "y", "-x")]
USUAL = {"y": "z", "z": "-y"}
QUARTER_ABOUT_X = np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])
"""How programs with z up show files with y up."""


def axes_of(up: str, front: str) -> np.ndarray:
    """Rows: front, left and up in the file's axes."""
    u, f = named_axis(up), named_axis(front)
    return np.array([f, np.cross(u, f), u])


def figure_text(up: str, front: str, *, turn: float = 0.0, frames: int = 4) -> str:
    """A BVH file of a figure with this front (and turned by some degrees more), moving a little."""
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    to_file = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ axes_of(up, front)
    lines, depth = ["HIERARCHY"], 0
    for name, parent, offset in sorted(ROWS, key=lambda row: _path(row[0])):
        here = _path(name).count("/")
        lines += ["}"] * (depth - here)
        depth = here + 1
        x, y, z = np.asarray(offset) @ to_file if parent else (0.0, 0.0, 0.0)
        place = "Xposition Yposition Zposition " if not parent else ""
        count = 6 if not parent else 3
        lines += [f"{'JOINT' if parent else 'ROOT'} {name}", "{", f"OFFSET {x} {y} {z}"]
        lines += [f"CHANNELS {count} {place}Zrotation Xrotation Yrotation"]
        if not any(p == name for _, p, _ in ROWS):
            lines += [
                "End Site",
                "{",
                f"OFFSET {' '.join(str(v) for v in np.array([5.0, 0, 0]) @ to_file)}",
                "}",
            ]
    lines += ["}"] * depth
    rng = np.random.default_rng(5)
    values = rng.normal(scale=3.0, size=(frames, 3 + 3 * len(ROWS)))
    values[:, :3] += np.array([30.0, 20.0, 95.0]) @ to_file
    return bvh("\n".join(lines) + "\n", values)


def _path(name: str) -> str:
    up = next(parent for n, parent, _ in ROWS if n == name)
    return f"{_path(up)}/{name}" if up else name


@pytest.fixture
def figure(tmp_path):
    def read(up: str, facing: str, turn: float = 0.0, **options) -> tuple[Clip, str]:
        path = tmp_path / "in.bvh"
        path.write_bytes(figure_text(up, facing, turn=turn).encode())
        return load(path, **options), path.read_bytes().decode()

    return read


@pytest.mark.parametrize(("up", "front"), WAYS)
def test_whichever_way_a_figure_faces_it_faces_x(figure, tmp_path, up, front):
    clip, text = figure(up, front)
    assert (clip.source.up, clip.source.front or USUAL[up]) == (up, front)
    assert quarter_heading(clip.character) == 0
    assert any("turned to face x" in note for note in clip.source.notes) == (front != USUAL[up])
    names, want = world_positions(text)
    np.testing.assert_allclose(in_file(clip, point_positions(clip, names)), want, atol=1e-9)
    assert save(clip, tmp_path / "out.bvh").read_bytes() == text.encode(), "written as it was, to the byte"


@pytest.mark.parametrize(("up", "front"), WAYS)
def test_an_edit_changes_its_own_numbers_only(figure, tmp_path, up, front):
    clip, text = figure(up, front)
    q = np.array(clip.q)
    q[2, 0] += 0.1  # [m] to the front
    old, new = text.split("\n"), save(clip.with_q(q), tmp_path / "out.bvh").read_text().split("\n")
    changed = [n for n, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    assert changed == [len(old) - 3]
    moved = np.array(new[changed[0]].split(), float) - np.array(old[changed[0]].split(), float)
    np.testing.assert_allclose(moved[:3], 10.0 * named_axis(front), atol=1e-5)
    assert not moved[3:].any()


def test_all_of_them_are_one_figure_inside(figure):
    clips_read = [figure(up, front)[0] for up, front in WAYS]
    for other in clips_read[1:]:
        for a, b in zip(clips_read[0].character.bodies, other.character.bodies):
            np.testing.assert_allclose(b.offset, a.offset, atol=1e-12)
            np.testing.assert_allclose(b.mass.inertia, a.mass.inertia, atol=1e-12)
            assert (a.side, a.limb) == (b.side, b.limb)


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("turn", [30.0, 45.0, -60.0])
def test_a_figure_at_an_odd_heading_stays_as_the_file_has_it(figure, up, turn):
    clip, text = figure(up, USUAL[up], turn)
    assert clip.source.front == ""
    names, want = world_positions(text)
    np.testing.assert_allclose(in_file(clip, point_positions(clip, names)), want, atol=1e-9)


def test_the_front_can_be_said(figure, tmp_path):
    clip, _ = figure("y", "x", front="z")
    assert (clip.source.front, quarter_heading(clip.character)) == ("", 1)
    kept, text = figure("z", "-y", front="kept")
    names, want = world_positions(text)
    np.testing.assert_allclose(point_positions(kept, names) / kept.source.unit, want, atol=1e-9)
    assert not any("turned" in note for note in kept.source.notes)
    with pytest.raises(UnknownNameError, match=r"no front named 'y'.*in\.bvh.*auto, kept, z, x"):
        figure("y", "x", front="y")
    with pytest.raises(UnknownNameError, match="no option named 'front'"):
        load(clip.save(tmp_path / "x.npz"), front="x")


def test_our_own_files_remember_the_front(figure, tmp_path):
    clip, text = figure("z", "y")
    again = load(clip.save(tmp_path / "x.npz"))
    assert again.source.front == "y"
    np.testing.assert_array_equal(again.q, clip.q)
    names, want = world_positions(text)
    found, got = world_positions(save(again, tmp_path / "again.bvh").read_text())
    np.testing.assert_allclose(got[:, [found.index(n) for n in names]], want, atol=1e-6)


def made_glb(tmp_path, front: str):
    """A glTF file with a node per joint, translations as written here, and one animation."""
    to_file, maker = axes_of("y", front), Maker()
    names = [row[0] for row in ROWS]
    nodes = [{"name": n, "translation": (0.01 * np.asarray(o) @ to_file).tolist()} for n, _, o in ROWS]
    for i, (_, parent, _) in enumerate(ROWS):
        if parent:
            nodes[names.index(parent)].setdefault("children", []).append(i)
    maker.content["nodes"], maker.content["scenes"] = nodes, [{"nodes": [0]}]
    rng = np.random.default_rng(1)
    turns = rng.normal(size=(len(names), 3, 4)) * 0.1 + [0, 0, 0, 1]
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    clock = [0.0, 1 / 30, 2 / 30]
    tracks = [(i, "rotation", clock, turns[i].tolist(), "LINEAR") for i in range(len(names))]
    where = (np.asarray(nodes[0]["translation"]) + rng.normal(scale=0.1, size=(3, 3))).tolist()
    maker.animate("move", (0, "translation", clock, where, "LINEAR"), *tracks)
    return maker.write(tmp_path / "made.gltf")


@pytest.mark.parametrize("front", ["z", "x", "-z", "-x"])
def test_gltf_files_too(tmp_path, front):
    path = made_glb(tmp_path, front)
    clip = load(path)
    assert (clip.source.front or "z") == front
    assert quarter_heading(clip.character) == 0
    oracle = Oracle(path)
    kin, rows = Kinematics(clip.character, clip.q), axes_of("y", front)
    out = save(clip, tmp_path / "out.gltf")
    assert out.read_bytes() == path.read_bytes(), "written as it was, to the byte"
    bare = replace(clip.source, payload=None)  # forgets its file, so that all is written anew
    again = save(clip.replaced(source=bare), tmp_path / "again.gltf")
    back = Oracle(again)
    for k, time in enumerate(oracle.times(oracle.animation(None))):
        world, anew = (o.world(o.animation(None), time) for o in (oracle, back))
        for name in clip.character.names:
            place = world[oracle.node(name)][:3, 3]
            np.testing.assert_allclose(kin.positions[k, clip.character.index(name)] @ rows, place, atol=1e-6)
            np.testing.assert_allclose(anew[back.node(name)][:3, 3], place, atol=1e-6)
    node = {n["name"]: n for n in json.loads(again.read_text())["nodes"]}
    for name in clip.character.names[1:]:
        said = {n["name"]: n for n in json.loads(path.read_text())["nodes"]}[name]["translation"]
        np.testing.assert_array_equal(node[name]["translation"], said)
    assert losses(clip, tmp_path / "x.glb") == losses(load(path, front="z"), tmp_path / "x.glb")


def in_common_world(path, names: list[str], frame: int, rate: float) -> np.ndarray:
    """Places where files of all formats meet (z up, −y to the front), by evaluations that are not ours."""
    if path.suffix == ".bvh":
        found, places = world_positions(path.read_text())
        at = places[frame, [found.index(n) for n in names]]
    elif path.suffix == ".glb":
        oracle = Oracle(path)
        world = oracle.world(oracle.animation(None), np.float32(frame / rate))
        at = np.array([world[oracle.node(n)][:3, 3] for n in names])
    else:
        from pxr import Usd, UsdGeom, UsdSkel

        stage = Usd.Stage.Open(str(path))
        assert UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z
        assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
        cache, root = UsdSkel.Cache(), stage.GetDefaultPrim()
        cache.Populate(UsdSkel.Root(root), Usd.PrimDefaultPredicate)
        skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath(root.GetPath().AppendChild("Skeleton")))
        joints = [str(j).split("/")[-1] for j in skeleton.GetJointsAttr().Get()]
        matrices = np.array(cache.GetSkelQuery(skeleton).ComputeJointSkelTransforms(frame))
        return matrices[[joints.index(n) for n in names], 3, :3]
    return at if path.stem == "z_up" else at @ QUARTER_ABOUT_X.T


@pytest.mark.parametrize("source", ["bundled", *WAYS])
def test_files_of_all_formats_stand_alike(figure, tmp_path, source):
    pytest.importorskip("pxr", reason="needs usd-core")
    clip = clips.get("walk") if source == "bundled" else figure(*source)[0]
    files = [
        save(clip, tmp_path / "y_up.bvh", up="y", scale=1.0),
        save(clip, tmp_path / "z_up.bvh", up="z", scale=1.0),
        save(clip, tmp_path / "x.glb"),
        save(clip, tmp_path / "x.usdc"),
    ]
    names = list(clip.character.names)
    for frame in (0, clip.frames - 1):
        first, *others = (in_common_world(p, names, frame, clip.fps) for p in files)
        for other in others:
            np.testing.assert_allclose(other, first, atol=2e-6)
        if source == "bundled":
            assert first[names.index("LeftUpLeg"), 0] > first[names.index("RightUpLeg"), 0], "it faces −y"


def test_what_is_bound_to_a_plane_stays(tmp_path):
    flat = clips.get("planar_walk")
    again = load(flat.save(tmp_path / "x.glb"))
    assert again.source.front == ""
    with pytest.raises(InputError, match="x–z plane"):
        load(tmp_path / "x.glb", front="x")
