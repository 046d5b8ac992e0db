"""Worlds from files: what a scene holds beside its character, in our axes, under its own names."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.errors import FileFormatError
from poise.manifold import so3
from poise.world import Ball, Bar, Box, Cylinder, Field, Ground, Mesh, Surface, World, ground

DATA = Path(__file__).parents[2].parent / "shared" / "data"
if not DATA.is_dir():
    DATA = Path(__file__).parents[3] / "shared" / "data"


def gltf(path: Path, nodes, meshes, animations=(), skins=()) -> Path:
    """A scene of nodes; meshes are lists of (vertices, triangles) in glTF's axes."""
    blob, views, accessors = b"", [], []

    def put(values, kind, code):
        nonlocal blob
        values = np.ascontiguousarray(values, dtype="<f4" if code == 5126 else "<u4")
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": values.nbytes})
        flat = values.reshape(len(values), -1)
        accessors.append(
            {"bufferView": len(views) - 1, "componentType": code, "type": kind}
            | {"count": flat.size if kind == "SCALAR" else len(flat)}
            | {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        )
        blob += values.tobytes()
        return len(accessors) - 1

    made = [
        {
            "primitives": [
                {
                    "attributes": {"POSITION": put(v, "VEC3", 5126)},
                    "indices": put(np.ravel(t), "SCALAR", 5125),
                }
            ]
        }
        for v, t in meshes
    ]
    moves = []
    for node, which, times, values in animations:
        sampler = {"input": put(times, "SCALAR", 5126)}
        sampler["output"] = put(values, "VEC3" if which == "translation" else "VEC4", 5126)
        moves.append((sampler, {"sampler": len(moves), "target": {"node": node, "path": which}}))
    content = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [
            {"nodes": sorted(set(range(len(nodes))) - {c for n in nodes for c in n.get("children", [])})}
        ],
        "nodes": nodes,
        "meshes": made,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [
            {
                "byteLength": len(blob),
                "uri": "data:application/octet-stream;base64," + base64.b64encode(blob).decode(),
            }
        ],
    }
    if moves:
        content["animations"] = [{"samplers": [s for s, _ in moves], "channels": [c for _, c in moves]}]
    if skins:
        content["skins"] = list(skins)
    path.write_text(json.dumps(content))
    return path


def cube(x=1.0, y=1.0, z=1.0):
    """Of these edges, each side with vertices of its own as exporters write them."""
    drawn = Box((0.5 * x, 0.5 * y, 0.5 * z)).mesh()
    return drawn.vertices[drawn.triangles].reshape(-1, 3), np.arange(36).reshape(-1, 3)


def sheet(x, z):
    """Level, in glTF's axes."""
    return [[-x / 2, 0, -z / 2], [-x / 2, 0, z / 2], [x / 2, 0, z / 2], [x / 2, 0, -z / 2]], [
        [0, 1, 2],
        [0, 2, 3],
    ]


def test_a_gltf_scene_becomes_ground_boxes_meshes_and_what_moves(tmp_path):
    half = np.sqrt(0.5)
    hill = ([[0, 0, 0], [2, 0, 0], [0, 0, 2], [1, 1, 1]], [[0, 3, 1], [0, 2, 3], [1, 3, 2], [0, 1, 2]])
    path = gltf(
        tmp_path / "room.gltf",
        [
            {"name": "Floor", "mesh": 0},
            {"name": "Table", "mesh": 1, "translation": [1.0, 0.35, 2.0], "rotation": [0, half, 0, half]},
            {"name": "Rock", "mesh": 2},
            {"name": "Lift", "mesh": 1, "scale": [2, 1, 1]},
            {"name": "Shelf", "mesh": 3, "translation": [0, 1.2, 0]},
            {"name": "Group", "translation": [0, 1, 5], "scale": [2, 2, 2], "children": [6]},
            {"name": "Cup", "mesh": 1},
        ],
        [sheet(8, 6), cube(1.0, 0.7, 0.6), hill, sheet(0.5, 3.0)],
        [(3, "translation", [0.0, 1.0, 3.0], [[0, 0, 0], [0, 2, 0], [4, 2, 0]])],
    )
    world = poise.load_world(path)
    assert [s.name for s in world.surfaces] == ["Floor", "Table", "Rock", "Lift", "Shelf", "Cup"]
    assert world["Floor"].shape == Ground(0.0)
    table = world["Table"]
    assert isinstance(table.shape, Box)
    np.testing.assert_allclose(table.place, [2.0, 1.0, 0.35], atol=1e-6)  # glTF (x, y, z) is ours (y, z, x)
    # A quarter turn about up swaps its sides; whatever axes it was given, it is as wide and as high.
    drawn = table.mesh().vertices
    np.testing.assert_allclose(np.ptp(drawn, axis=0), [1.0, 0.6, 0.7], atol=1e-6)
    assert isinstance(world["Rock"].shape, Mesh)
    lift = world["Lift"]
    assert isinstance(lift.shape, Box)
    np.testing.assert_allclose(lift.gap([0.0, 0.0, 3.0], 0.5)[0], 3.0 - 1.0 - 0.35, atol=1e-6)
    np.testing.assert_allclose(lift.velocity_at([0.0, 0.0, 0.0], 0.5), [0.0, 0.0, 2.0], atol=1e-6)
    np.testing.assert_allclose(lift.velocity_at([0.0, 0.0, 0.0], 2.0), [0.0, 2.0, 0.0], atol=1e-6)
    shelf = world["Shelf"]
    assert isinstance(shelf.shape, Box), "a sheet above others is a plate, not the ground"
    assert shelf.gap([0.0, 0.0, 1.25])[0] == pytest.approx(0.05)
    np.testing.assert_allclose(np.ptp(world["Cup"].mesh().vertices, axis=0), [1.2, 2.0, 1.4], atol=1e-6)
    assert World.from_dict(json.loads(json.dumps(world.to_dict()))) == world


def test_what_hangs_from_a_bone_is_carried_and_what_is_skinned_is_the_character(tmp_path):
    path = gltf(
        tmp_path / "knight.gltf",
        [
            {"name": "Hand", "children": [1], "translation": [0, 1, 0]},
            {"name": "Sword", "mesh": 0, "translation": [0, 0.5, 0]},
            {"name": "Body", "mesh": 0, "skin": 0},
            {"name": "Stone", "mesh": 0},
        ],
        [cube(0.1, 1.0, 0.1)],
        skins=[{"joints": [0]}],
    )
    world = poise.load_world(path)
    assert [s.name for s in world.surfaces] == ["Sword", "Stone"]
    assert world["Sword"].carried == "Hand"
    assert world["Sword"].place == pytest.approx((0.0, 0.0, 0.5))


def test_several_boxes_in_one_mesh_are_boxes_each(tmp_path):
    a, b = cube(0.3, 0.2, 1.0), cube(0.3, 0.4, 1.0)
    both = (
        np.concatenate([a[0] + [0, 0.1, 0], b[0] + [0.3, 0.2, 0]]),
        np.concatenate([a[1], b[1] + len(a[0])]),
    )
    world = poise.load_world(gltf(tmp_path / "stairs.gltf", [{"name": "Stairs", "mesh": 0}], [both]))
    assert [s.name for s in world.surfaces] == ["Stairs", "Stairs 2"]
    tops = sorted(float(s.mesh().vertices[:, 2].max()) for s in world.surfaces)
    assert tops == pytest.approx([0.2, 0.4])


MODEL = """<mujoco>
  <asset>
    <hfield name="hills" nrow="3" ncol="4" size="1.5 1 0.5 0.1" elevation="0 1 2 3  1 2 3 4  4 3 2 0"/>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" friction="0.5 0.1 0.1"/>
    <geom name="wall" type="plane" size="5 5 1" pos="2 0 0" euler="0 -90 0"/>
    <geom name="table" type="box" size="0.4 0.3 0.35" pos="1 0 0.35" euler="0 0 30"/>
    <geom name="ball" type="sphere" size="0.2" pos="0 1 0.2"/>
    <geom name="rail" type="capsule" fromto="0 -1 1  1 -1 1.5" size="0.03"/>
    <geom name="post" type="cylinder" size="0.1 0.5" pos="-1 0 0.5"/>
    <geom name="hills" type="hfield" hfield="hills" pos="0 5 0"/>
    <geom name="wedge" type="mesh" mesh="wedge" pos="-3 0 0"/>
    <geom name="seen only" type="sphere" size="1" contype="0" conaffinity="0"/>
    <body name="shelf" pos="0 0 2"><geom type="box" size="0.5 0.1 0.01"/></body>
    <body name="walker"><freejoint/><geom type="sphere" size="0.1" name="own"/></body>
  </worldbody>
</mujoco>"""


def test_an_mjcf_model_gives_its_fixed_solids_as_mujoco_measures_them(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "scene.xml"
    path.write_text(MODEL)
    world = poise.load_world(path)
    kinds = {s.name: type(s.shape) for s in world.surfaces}
    assert kinds == {
        "floor": Ground, "wall": Ground, "table": Box, "ball": Ball, "rail": Bar, "post": Cylinder,
        "hills": Field, "wedge": Mesh, "geom 9": Box,
    }  # fmt: skip
    assert world.floor.name == "floor"
    assert world.floor.friction == 0.5
    # MuJoCo's own distance from a small ball to each, against the gap.
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    own = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "own")
    rng = np.random.default_rng(0)
    checked = 0
    for _ in range(40):
        place = rng.uniform([-1.5, -1.5, 0.2], [1.5, 1.5, 2.5])
        data.qpos[:3] = place
        mujoco.mj_kinematics(model, data)
        for name in ("floor", "wall", "table", "ball", "rail", "post"):
            g = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name)
            away = mujoco.mj_geomDistance(model, data, own, g, 20.0, np.zeros(6))
            gap, normal = world[name].gap(place)
            if name in ("table", "post") and normal[2] == 1.0:  # measured along the normal of their tops
                continue
            if away > 0.05:
                assert gap - 0.1 == pytest.approx(away, abs=1e-4), (name, place)
                checked += 1
    assert checked > 100
    for x, y in ((-1.5, 4.0), (0.5, 5.0), (1.5, 6.0), (-0.5, 4.0)):  # at its own nodes, by a ray from above
        ray = mujoco.mj_ray(
            model,
            data,
            [0.999 * x, 5 + 0.999 * (y - 5), 9.0],
            [0.0, 0.0, -1.0],
            None,
            1,
            -1,
            np.zeros(1, np.int32),
        )
        gap, normal = world["hills"].gap([x, y, 9.0])
        assert gap / normal[2] == pytest.approx(ray, abs=0.01)


def test_a_usd_stage_in_centimetres_with_y_up(tmp_path):
    pytest.importorskip("pxr")
    path = tmp_path / "set.usda"
    path.write_text("""#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Y"
    timeCodesPerSecond = 10
)
def Xform "Set"
{
    def Cube "Crate"
    {
        double size = 50
        double3 xformOp:translate = (100, 25, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Mesh "Ground"
    {
        point3f[] points = [(-300, 0, -300), (-300, 0, 300), (300, 0, 300), (300, 0, -300)]
        int[] faceVertexCounts = [4]
        int[] faceVertexIndices = [0, 1, 2, 3]
    }
    def Sphere "Drone"
    {
        double radius = 20
        double3 xformOp:translate.timeSamples = {
            0: (0, 100, 0),
            20: (0, 100, 200),
        }
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
""")
    world = poise.load_world(path)
    assert world["Ground"].shape == Ground(0.0)
    crate = world["Crate"]
    assert isinstance(crate.shape, Box)
    np.testing.assert_allclose(crate.place, [0.0, 1.0, 0.25], atol=1e-9)
    np.testing.assert_allclose(crate.shape.half, 0.25)
    drone = world["Drone"]
    np.testing.assert_allclose(drone.velocity_at([[0.0, 0.0, 1.0]], [1.0])[0], [1.0, 0.0, 0.0], atol=1e-9)
    assert drone.gap([1.5, 0.0, 1.0], 1.0)[0] == pytest.approx(0.3, abs=0.01)


def test_worlds_of_ours_are_read_back(tmp_path):
    world = World((ground(0.1), Surface("box", Box(), (1, 2, 3))))
    (tmp_path / "w.json").write_text(json.dumps(world.to_dict()))
    assert poise.load_world(tmp_path / "w.json") == world


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.glb", b"glTF\x02\x00", "truncated"),
        ("x.gltf", b"{", "broken JSON"),
        ("x.gltf", b'{"asset": {"version": "2.0"}}', "no nodes"),
        ("x.gltf", b'{"asset": {"version": "2.0"}, "nodes": [{"name": "a"}]}', "no scenery"),
        ("x.xml", b"<mujoco/>", "no scenery"),
        ("x.xml", b"<robot/>", "not MJCF"),
        ("x.json", b'{"surfaces": 3}', "list of surfaces"),
        (
            "x.json",
            b'{"surfaces": [{"name": "a", "shape": {"kind": "mesh", "vertices": [], "triangles": []}}]}',
            "mesh",
        ),
        ("x.usda", b"#usda 1.0\ndef {", "not USD"),
        ("x.usda", b"#usda 1.0\n( subLayers = [@/etc/passwd@] )\n", "outside the folder"),
        ("x.usda", b'#usda 1.0\n( metersPerUnit = 0 )\ndef Cube "a" {}\n', "metersPerUnit is 0"),
        ("x.png", b"\x89PNG", "worlds are read from"),
    ],
)
def test_hostile_files_give_one_line(tmp_path, name, content, said):
    if name.endswith(".usda"):
        pytest.importorskip("pxr")
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=said) as refused:
        poise.load_world(path)
    assert "\n" not in str(refused.value)


def test_layers_beside_a_stage_belong_to_it(tmp_path):
    pytest.importorskip("pxr")
    (tmp_path / "props.usda").write_text('#usda 1.0\n(metersPerUnit = 1)\ndef Cube "crate" { }\n')
    path = tmp_path / "set.usda"
    path.write_text("#usda 1.0\n(\n  metersPerUnit = 1\n  subLayers = [@./props.usda@]\n)\n")
    (crate,) = poise.load_world(path).surfaces
    assert crate.name == "crate"
    assert crate.shape.half == (1.0, 1.0, 1.0)


def test_a_binary_stage_that_is_damaged_is_one_line(tmp_path):
    """Some damage makes usd-core end the process, or raise what nobody expects."""
    usd = pytest.importorskip("pxr.Usd")
    stage = usd.Stage.CreateNew(str(tmp_path / "sound.usdc"))
    stage.DefinePrim("/crate", "Cube").GetAttribute("size").Set(2.0)
    stage.Save()
    sound = (tmp_path / "sound.usdc").read_bytes()
    (tmp_path / "x.usdc").write_bytes(sound[: len(sound) // 2])
    with pytest.raises(FileFormatError, match="damaged") as refused:
        poise.load_world(tmp_path / "x.usdc")
    assert "\n" not in str(refused.value)


@pytest.mark.skipif(not DATA.is_dir(), reason="no shared/data beside the checkout")
@pytest.mark.parametrize(
    "file",
    [
        "khronos_gltf/CesiumMan.glb",
        "khronos_gltf/Fox.glb",
        "mjcf_mujoco/humanoid.xml",
        "mjcf_dm_control/humanoid_CMU.xml",
    ],
)
def test_files_of_characters_give_their_static_part_or_say_that_there_is_none(file):
    path = DATA / file
    if not path.exists():
        pytest.skip(f"{file} is not there")
    if path.suffix == ".xml":
        assert isinstance(poise.load_world(path).surfaces[0].shape, Ground)
    else:
        with pytest.raises(FileFormatError, match="no scenery"):
            poise.load_world(path)


def test_check_takes_a_scene_file(tmp_path):
    clip = poise.clips.get("walk")
    scene = gltf(tmp_path / "set.gltf", [{"name": "Floor", "mesh": 0}], [sheet(30, 30)])
    given = poise.check(clip, world=scene)
    flat = poise.check(clip, floor=0.0)
    assert given.report.support.world["Floor"].shape == Ground(0.0)
    assert given.met == flat.met
    typed = poise.check(clip, world="ground Floor height=0")
    assert typed.report.support.world["Floor"].shape == Ground(0.0)


def test_a_world_is_turned_as_a_whole():
    world = World(
        (ground(0.2, (0.1, -0.3)), Surface("box", Box((0.3, 0.2, 0.1)), (1, 2, 0.3), (0, 0.3, 0.1)))
    )
    turn = so3.to_matrix(so3.exp(np.array([0, 0, np.pi / 2])))
    places = np.random.default_rng(0).uniform(-2, 2, (50, 3))
    before, after = world.below(places), world.turned(np.pi / 2).below(places @ turn.T)
    np.testing.assert_allclose(before.gap, after.gap, atol=1e-12)
    np.testing.assert_allclose(before.normal @ turn.T, after.normal, atol=1e-12)
