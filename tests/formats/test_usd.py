"""USD files: what usd-core makes of them is where our kinematics puts bodies and skin."""

from __future__ import annotations

import numpy as np
import pytest

from poise import Character, Clip, characters, clips, formats
from poise.character import MorphTarget, Skin
from poise.errors import FileFormatError, MissingDependencyError
from poise.kinematics import Kinematics
from poise.motion import MeshClip


def test_without_its_library_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr("poise.formats.registry.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"writing USD files needs pxr.*poise\[usd\]"):
        clips.get("wave").save(tmp_path / "wave.usd")
    assert ".usd" not in formats.extensions(writing=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "head", [b"#usda 1.0\n(\n", b"PXR-USDC\0\0", b"#usda 1.0\n(\n)\n", b"#usda 1.0\ndef {"]
)
def test_what_is_damaged_or_holds_nobody_is_one_line(tmp_path, head):
    pytest.importorskip("pxr", reason="needs usd-core")
    path = tmp_path / "x.usd"
    path.write_bytes(head)
    with pytest.raises(FileFormatError, match=r"not USD, or damaged|no skeleton found") as told:
        formats.load(path)
    assert "\n" not in str(told.value)


def opened(path):
    usd = pytest.importorskip("pxr.Usd", reason="needs usd-core")
    stage = usd.Stage.Open(str(path))
    return stage, stage.GetDefaultPrim()


INSIDE = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
"""From the file's axes (z up, to the front is −y) to ours (z up, to the front is x)."""


def posed(stage, frame):
    """Matrices of all joints, acting on columns, and skinned points, both by usd-core, in our axes."""
    from pxr import Usd, UsdGeom, UsdSkel

    root = stage.GetDefaultPrim()
    cache = UsdSkel.Cache()
    cache.Populate(UsdSkel.Root(root), Usd.PrimDefaultPredicate)
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath(root.GetPath().AppendChild("Skeleton")))
    query = cache.GetSkelQuery(skeleton)
    matrices = np.array(query.ComputeJointSkelTransforms(frame)).swapaxes(1, 2)
    matrices[:, :3, 3] = matrices[:, :3, 3] @ INSIDE.T
    matrices[:, :3, :3] = INSIDE @ matrices[:, :3, :3] @ INSIDE.T
    skin = stage.GetPrimAtPath(root.GetPath().AppendChild("Skin"))
    if not skin:
        return matrices, None
    skinning = cache.GetSkinningQuery(skin)
    points = UsdGeom.Mesh(skin).GetPointsAttr().Get()
    if skinning.HasBlendShapes():
        shapes = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(skin))
        weights = query.GetAnimQuery().ComputeBlendShapeWeights(frame)
        parts = shapes.ComputeSubShapeWeights(weights)
        shapes.ComputeDeformedPoints(
            *parts, shapes.ComputeBlendShapePointIndices(), shapes.ComputeSubShapePointOffsets(), points
        )
    skinning.ComputeSkinnedPoints(query.ComputeSkinningTransforms(frame), points, frame)
    return matrices, np.array(points) @ INSIDE.T


@pytest.mark.parametrize("name", ["punch", "walk", "planar_jump"])
@pytest.mark.parametrize("ending", [".usda", ".usdc"])
def test_bodies_and_skin_are_where_ours_are(tmp_path, name, ending):
    pytest.importorskip("pxr", reason="needs usd-core")
    clip = clips.get(name)
    path = clip.save(tmp_path / f"x{ending}")
    stage, root = opened(path)
    assert root.GetName() == clip.character.name.replace(" ", "_")
    assert stage.GetTimeCodesPerSecond() == clip.fps
    assert stage.GetEndTimeCode() == clip.frames - 1 + clip.loop
    kin = Kinematics(clip.character, clip.q)
    for frame in (0, clip.frames // 2, clip.frames - 1):
        matrices, points = posed(stage, frame)
        np.testing.assert_allclose(matrices[:, :3, 3], kin.positions[frame], atol=1e-5)
        np.testing.assert_allclose(matrices[:, :3, :3], kin.rotations[frame], atol=1e-5)
        assert points is not None
        assert points[:, 2].min() > -0.05, "it stands"


def test_skins_and_blend_shapes_move_alike(tmp_path):
    pytest.importorskip("pxr", reason="needs usd-core")
    character = characters.humanoid()
    at, turns = character.rest_placement()
    head = character.index("Head")
    rng = np.random.default_rng(1)
    vertices = at[head] + rng.normal(scale=0.1, size=(12, 3))
    to_body = np.tile(np.eye(4), (len(at), 1, 1))
    to_body[:, :3, :3] = turns.swapaxes(1, 2)
    to_body[:, :3, 3] = -np.einsum("nij,nj->ni", to_body[:, :3, :3], at)
    bodies = np.tile([head, head - 1], (12, 1))
    weights = np.stack([np.linspace(0.2, 1, 12), np.linspace(0.8, 0, 12)], axis=1)
    morphs = tuple(MorphTarget(n, [2, 5, 7], rng.normal(scale=0.05, size=(3, 3))) for n in ("a b", "a_b"))
    faces = np.arange(12).reshape(4, 3)
    skin = Skin(vertices, faces, bodies, weights, to_body, morphs)
    dressed = Character("dressed", character.bodies, skin=skin)
    shapes = rng.uniform(size=(20, 2))
    clip = Clip(dressed, clips.get("punch").q[:20], 60, morphs=shapes)
    stage, _ = opened(clip.save(tmp_path / "x.usdc"))
    kin = Kinematics(dressed, clip.q)
    for frame in (0, 7, 19):
        _, points = posed(stage, frame)
        expected = dressed.skin.deformed(kin.positions[frame], kin.rotations[frame], shapes[frame])
        np.testing.assert_allclose(points, expected, atol=2e-5)


def test_a_mesh_that_moves_by_itself(tmp_path):
    pytest.importorskip("pxr", reason="needs usd-core")
    from pxr import UsdGeom

    vertices = np.random.default_rng(0).normal(size=(5, 4, 3))
    MeshClip(vertices, [[0, 1, 2], [0, 2, 3]], 30, name="cloth").save(tmp_path / "x.usda")
    stage, root = opened(tmp_path / "x.usda")
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath(root.GetPath().AppendChild("Mesh")))
    np.testing.assert_allclose(mesh.GetPointsAttr().Get(3) @ INSIDE.T, vertices[3], atol=1e-6)
    assert list(mesh.GetFaceVertexIndicesAttr().Get()) == [0, 1, 2, 0, 2, 3]


@pytest.mark.parametrize("name", ["歩き é", "0 take", "a:b:c", "plain"])
def test_a_motion_keeps_its_name_whatever_its_letters(name, tmp_path):
    """Prims are named in plain letters; what they are called is shown beside."""
    pytest.importorskip("pxr")
    path = tmp_path / "walk.usda"
    clips.get("walk").replaced(name=name).save(path)
    assert formats.load(path).name == name
    assert ("displayName" in path.read_text(encoding="utf-8")) == (name != "plain")
