"""Bare skeletons: whatever their bones, something sensible is drawn, facing the right way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.character import Body, Character, Joint
from poise.character.labels import roles
from poise.character.presets import humanoid
from poise.character.stance import Anatomy, stance, uprightness
from poise.formats.gltf.figure import figure_skin
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.motion import Clip
from poise.pictures import figure
from poise.pictures.performance import Performance


def bare(*, swapped: bool = False) -> Character:
    """The humanoid's skeleton without looks; ``swapped`` lists the right limbs before the left ones."""
    bodies = [b.replaced(shapes=()) for b in humanoid().bodies]
    if swapped:
        right = [b for b in bodies if b.name.startswith("Right")]
        left = [b for b in bodies if b.name.startswith("Left")]
        middle = [b for b in bodies if b not in right and b not in left]
        bodies = [*middle, *right, *left]
    return Character("bare", bodies)


def chain(count: int, length: float = 1.0) -> Character:
    bodies = [Body("b0", None, Joint.free())]
    bodies += [Body(f"b{i}", f"b{i - 1}", Joint.ball(), (length / count, 0, 0)) for i in range(1, count)]
    return Character("chain", bodies)


@pytest.mark.parametrize("count", [1, 2, 3, 50, 400])
def test_a_chain_of_any_number_of_bones_is_drawn_whole(count: int) -> None:
    shown = figure(chain(count), detail=6)
    assert len(shown.parts) >= max(1, count - 1)
    positions, rotations = shown.character.rest_placement()
    if count > 2:
        assert np.ptp(shown.cloud(positions[None], rotations[None])[0, :, 0]) > 0.95 * (1 - 1 / count)


def test_a_skeleton_without_any_length_gets_a_marker() -> None:
    parts = figure(chain(5, 0.0), detail=6).parts
    assert parts
    assert all(p.mesh.volume() > 0 for p in parts)


def centre(character: Character, clip: Clip | None, material: str, body: str) -> np.ndarray:
    """Where the solids of a material on a body are in the first frame, or at rest."""
    if clip is None:
        shown, (positions, rotations) = figure(character, detail=8), character.rest_placement()
    else:
        played = Performance(clip, detail=8)
        shown, positions, rotations = played.figure, played.positions[0], played.rotations[0]
    i = character.names.index(body)
    of = [p.mesh.vertices.mean(axis=0) for p in shown.parts if p.body == i and p.material == material]
    return positions[i] + rotations[i] @ np.mean(of, axis=0)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_visor_is_in_front_whatever_side_comes_first(swapped: bool) -> None:
    character = bare(swapped=swapped)
    ahead = centre(character, None, "face", "Head") - centre(character, None, "skin", "Head")
    assert ahead[0] > 0.02
    assert abs(ahead[1]) < 1e-6


def test_a_real_walker_looks_where_it_goes(shared_data: Path) -> None:
    import poise

    clip = poise.load(shared_data / "bvh_toolbox" / "walk01.bvh")
    way = Kinematics(clip.character, clip.q).positions[:, 0]
    ahead = centre(clip.character, clip, "face", "Head") - centre(clip.character, clip, "skin", "Head")
    assert ahead @ (way[-1] - way[0]) / np.linalg.norm(way[-1] - way[0]) > 0.02


def folded() -> tuple[Character, np.ndarray]:
    """The humanoid with every joint's rest frame tipped over, and the pose in which it stands again.

    Each body's own frame is the world's turned by −90° about x at rest, so offsets no longer point
    where the bones do once the joints undo it.
    """
    plain = bare()
    tip = so3.exp(np.array([-np.pi / 2, 0.0, 0.0]))
    back = so3.to_matrix(tip).T
    bodies = [
        b.replaced(
            offset=back @ np.asarray(b.offset),
            points={n: back @ np.asarray(p) for n, p in b.points.items()},
            joint=Joint.free() if b.parent is None else Joint.ball(),
        )
        for b in plain.bodies
    ]
    character = Character("folded", bodies)
    q = character.rest_pose()
    q[3:7], q[2] = tip, 0.95  # the root undoes it for all
    return character, q


def test_a_folded_rest_pose_is_read_from_the_motion() -> None:
    character, q = folded()
    found = roles(character)
    assert uprightness(found, character.rest_placement()[0]) < 0.6
    seen = Kinematics(character, q[None])
    pose = stance(character, seen.positions, seen.rotations)
    assert uprightness(found, pose[0]) > 0.95
    assert Anatomy(character, pose).stature == pytest.approx(Anatomy(bare()).stature, rel=1e-6)
    cloud = Performance(Clip(character, q[None], 30), detail=8).cloud([0])[0]
    wanted = figure(bare(), detail=8)
    rest = wanted.cloud(*(x[None] for x in bare().rest_placement()))[0]
    np.testing.assert_allclose(np.ptp(cloud, axis=0), np.ptp(rest, axis=0), rtol=0.03)


def test_helpers_faces_and_a_root_below_are_not_flesh() -> None:
    plain = bare()
    top = plain.bodies[0]
    bodies = [
        Body("Bone", None, Joint.free()),
        top.replaced(parent="Bone", joint=Joint.ball(), offset=(0, 0, 0.95)),
        *plain.bodies[1:],
        Body("PoleTarget.L", "Bone", Joint.ball(), (1.5, 0.3, 0.5), points={"PoleTarget.L_end": (0, 0, 0.3)}),
        Body("breast.L", "Spine1", Joint.ball(), points={"breast.L_end": (0.15, 0.1, 0)}),
        Body("special01", "Head", Joint.ball(), (0.05, 0, 0.05), points={"special01_end": (0.05, 0.05, 0)}),
        Body("jaw", "special01", Joint.ball(), (0.02, 0, 0)),
    ]
    names = [b.name for b in bodies]
    bodies = [b if b.parent in (None, *names) else b.replaced(parent="Spine") for b in bodies]
    character = Character("rigged", bodies)
    drawn = {character.names[p.body] for p in figure(character, detail=6).parts}
    assert drawn.isdisjoint({"Bone", "PoleTarget.L", "breast.L", "special01", "jaw"})
    assert {"Head", "LeftUpLeg", "RightArm"} <= drawn


def test_a_hip_joint_beside_the_pelvis_is_no_second_pelvis() -> None:
    plain = bare()
    joints = [
        Body("LHipJoint", "Hips", Joint.ball()),
        Body("RHipJoint", "Hips", Joint.ball()),
    ]
    rest = [
        b.replaced(parent={"LeftUpLeg": "LHipJoint", "RightUpLeg": "RHipJoint"}.get(b.name, b.parent))
        for b in plain.bodies[1:]
    ]
    character = Character("jointed", [plain.bodies[0], *joints, *rest])
    shown = figure(character, detail=10)
    drawn = {character.names[p.body] for p in shown.parts}
    assert drawn.isdisjoint({"LHipJoint", "RHipJoint"})
    clouds = [
        f.cloud(*(x[None] for x in f.character.rest_placement()))[0]
        for f in (shown, figure(plain, detail=10))
    ]
    np.testing.assert_allclose(np.ptp(clouds[0], axis=0), np.ptp(clouds[1], axis=0), rtol=1e-6)


@pytest.mark.parametrize(
    "name",
    ["threejs/pirouette.bvh", "cmu_cgspeed_bvh/49_06.bvh", "makehuman/walk1.bvh", "makehuman/benchmark.bvh"],
)
def test_real_mannequins_have_human_proportions(name: str, shared_data: Path) -> None:
    import poise

    clip = poise.load(shared_data / name)
    played = Performance(clip, detail=10)
    found = roles(clip.character)
    body = Anatomy(clip.character, stance(clip.character, played.positions, played.rotations))

    def extent(index: int, *looks: str) -> np.ndarray:
        of = [p.mesh.vertices for p in played.figure.parts if p.body == index and p.material in looks]
        return np.ptp(np.concatenate(of) @ body.turns[index].T, axis=0)

    across, ahead = np.abs(body.left), np.abs(body.forward)
    pelvis = extent(found["hips"], "cloth") / body.stature
    assert 0.10 < across @ pelvis < 0.20
    assert ahead @ pelvis < 0.15
    skull = max(
        (p for p in played.figure.parts if p.body == found["head"] and p.material == "skin"),
        key=lambda p: p.mesh.volume(),
    )
    height = np.ptp(skull.mesh.vertices @ body.turns[found["head"]].T, axis=0)[2] / body.stature
    assert 0.11 < height < 0.16
    assert any(p.material == "face" for p in played.figure.parts)


def test_the_exported_mannequin_is_the_drawn_one() -> None:
    character, q = folded()
    skin = figure_skin(character, q[None])
    seen = Kinematics(character, q[None])
    vertices = skin.deformed(seen.positions[0], seen.rotations[0], None)
    drawn = Performance(Clip(character, q[None], 30), detail=16, ground=False).cloud([0])[0]
    np.testing.assert_allclose(np.ptp(vertices, axis=0), np.ptp(drawn, axis=0), rtol=0.02)
    assert sum(p.faces[1] - p.faces[0] for p in skin.extras["gltf"].pieces) == len(skin.faces)
    assert {m["name"] for m in skin.extras["gltf"].materials} >= {"skin", "cloth", "shoe", "face"}
