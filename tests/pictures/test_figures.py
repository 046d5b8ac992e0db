"""What a character looks like: shapes, guessed mannequins, skins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise.character import Body, Character, Joint, Shape
from poise.character.presets import humanoid
from poise.character.skin import MorphTarget, Skin
from poise.motion import Clip
from poise.pictures import figure
from poise.pictures.figures import shape_mesh
from poise.pictures.performance import Performance
from poise.pictures.scene import Layer
from poise.pictures.views import VIEWS, heading, view

SHAPES = [
    Shape.sphere((0.1, 0.2, 0.3), 0.2),
    Shape.capsule((0, 0, 0), (0.3, 0.1, 0.5), 0.1),
    Shape.ellipsoid((0.1, 0, 0), (0.1, 0.2, 0.3), rotation=(0.5, 0.5, 0.5, 0.5)),
    Shape.cylinder((0, 0, 0), (0.3, 0.1, 0.5), 0.1),
    Shape.box((0.1, 0, 0), (0.1, 0.2, 0.3), rotation=(0.8, 0.6, 0, 0)),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.kind.value)
def test_meshes_of_shapes_have_their_volume_and_principal_axes(shape: Shape) -> None:
    mesh = shape_mesh(shape, detail=64)
    assert mesh.volume() == pytest.approx(shape.volume, rel=0.03)
    # First and second moments by summing tetrahedra to the origin.
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    centre = (volume[:, None] * (a + b + c) / 4).sum(axis=0) / volume.sum()
    np.testing.assert_allclose(centre, shape.position, atol=1e-6)
    total = a + b + c
    outer = np.einsum("t,ti,tj->ij", volume / 20, total, total)
    for corner in (a, b, c):
        outer += np.einsum("t,ti,tj->ij", volume / 20, corner, corner)
    outer = outer / volume.sum() - np.outer(centre, centre)
    inertia = np.trace(outer) * np.eye(3) - outer
    np.testing.assert_allclose(inertia, shape.unit_inertia(), atol=0.04 * np.trace(inertia))


def bare(character: Character, scale: float = 1.0) -> Character:
    """The same skeleton without looks, perhaps in another unit."""
    bodies = [
        b.replaced(
            shapes=(),
            offset=scale * np.asarray(b.offset),
            points={n: scale * np.asarray(p) for n, p in b.points.items()},
        )
        for b in character.bodies
    ]
    return Character(character.name, bodies)


def test_a_bare_skeleton_gets_a_body_on_every_limb() -> None:
    character = bare(humanoid())
    guessed = figure(character, detail=12)
    dressed = {character.names[p.body] for p in guessed.parts}
    assert {"Hips", "Head", "LeftArm", "RightForeArm", "LeftUpLeg", "RightLeg", "LeftFoot"} <= dressed
    positions, rotations = character.rest_placement()
    cloud = guessed.cloud(positions[None], rotations[None])[0]
    # About as tall as the skeleton, mirror-symmetric, and standing on the ground.
    assert np.ptp(cloud[:, 2]) == pytest.approx(1.75, abs=0.08)
    assert cloud[:, 1].min() == pytest.approx(-cloud[:, 1].max(), abs=0.01)
    assert cloud[:, 2].min() == pytest.approx(0, abs=0.03)
    assert all(p.mesh.volume() > 0 for p in guessed.parts)


def test_a_mannequin_scales_with_the_skeleton() -> None:
    small, large = (figure(bare(humanoid(), s), detail=10) for s in (1.0, 39.37))
    assert [p.material for p in small.parts] == [p.material for p in large.parts]
    for a, b in zip(small.parts, large.parts):
        np.testing.assert_allclose(39.37 * a.mesh.vertices, b.mesh.vertices, atol=0.02)


def test_names_without_meaning_still_give_a_figure() -> None:
    bodies = [Body("a", None, Joint.free()), Body("b", "a", Joint.ball(), (0, 0, 0.5))]
    parts = figure(Character("stick", bodies), detail=8).parts
    assert len(parts) >= 1


def test_a_figure_is_put_where_its_bodies_are() -> None:
    character = humanoid()
    positions, rotations = character.rest_placement()
    layer = Layer()
    figure(character, detail=8).put(layer, positions + [1, 2, 3], rotations)
    assert len(layer.items) == sum(len(b.shapes) for b in character.bodies)
    first = layer.items[0]
    np.testing.assert_allclose(first.position, positions[0] + [1, 2, 3])


def arm_with_skin() -> Character:
    """Two bones along x and a square tube around them, blended at the elbow."""
    bodies = [Body("upper", None, Joint.free()), Body("lower", "upper", Joint.hinge((0, 0, 1)), (1, 0, 0))]
    x = np.linspace(0, 2, 9)
    ring = np.array([[0, -0.1, -0.1], [0, 0.1, -0.1], [0, 0.1, 0.1], [0, -0.1, 0.1]])
    vertices = (x[:, None, None] * [1, 0, 0] + ring).reshape(-1, 3)
    faces = []
    for i in range(8):
        for k in range(4):
            a, b = 4 * i + k, 4 * i + (k + 1) % 4
            faces += [[a, a + 4, b], [b, a + 4, b + 4]]
    lower = np.clip(np.repeat(x, 4) - 0.5, 0, 1)
    bind = np.stack([np.eye(4), np.eye(4)])
    bind[1, 0, 3] = -1
    skin = Skin(vertices, faces, np.tile([0, 1], (36, 1)), np.stack([1 - lower, lower], axis=1), bind)
    return Character("arm", bodies, skin=skin)


def test_a_skin_follows_its_bones() -> None:
    character = arm_with_skin()
    shown = figure(character)
    assert shown.skinned
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])  # elbow bent by 90°
    positions, rotations = np.array([[0.0, 0, 0], [1, 0, 0]]), np.stack([np.eye(3), turn])
    mesh = shown.skin_mesh(positions, rotations)
    rest = character.skin.vertices
    far = rest[:, 0] > 1.6
    np.testing.assert_allclose(mesh.vertices[far], (rest[far] - [1, 0, 0]) @ turn.T + [1, 0, 0], atol=1e-12)
    near = rest[:, 0] < 0.4
    np.testing.assert_allclose(mesh.vertices[near], rest[near], atol=1e-12)
    half = np.isclose(rest[:, 0], 1.0)
    wanted = 0.5 * rest[half] + 0.5 * ((rest[half] - [1, 0, 0]) @ turn.T + [1, 0, 0])
    np.testing.assert_allclose(mesh.vertices[half], wanted, atol=1e-12)


def bulging_arm() -> Clip:
    """The arm, moving along x, with a morph target that lifts its far end by 1 m."""
    arm = arm_with_skin()
    far = np.flatnonzero(arm.skin.vertices[:, 0] > 1.6)
    lifted = MorphTarget("lift", far, np.tile([0.0, 0.0, 1.0], (len(far), 1)))
    other = MorphTarget("other", [0], [[9.0, 9.0, 9.0]])
    character = Character("arm", arm.bodies, skin=replace(arm.skin, morphs=(other, lifted)))
    q = np.tile(character.rest_pose(), (5, 1))
    q[:, 0] = np.arange(5)
    weights = np.stack([np.zeros(5), [0.0, 0.5, 1.0, 0.5, 0.0]], axis=1)
    return Clip(character, q, 10, morphs=weights)


def test_a_skin_is_drawn_with_the_morph_weights_of_its_frame() -> None:
    clip = bulging_arm()
    rest = clip.character.skin.vertices
    far = rest[:, 0] > 1.6
    for performance, frame, place, weight in (
        (Performance(clip, detail=8, ground=False), 1, 1.0, 0.5),
        (Performance(clip, detail=8, ground=False, times=np.array([0.0, 0.15])), 1, 1.5, 0.75),
    ):
        layer = Layer()
        performance.put(layer, frame)
        wanted = rest + [place, 0, 0]
        wanted[far, 2] += weight
        np.testing.assert_allclose(layer.items[0].mesh.vertices, wanted, atol=1e-6)


def test_the_picture_has_room_for_morphs() -> None:
    clip = bulging_arm()
    cloud = Performance(clip, detail=8, ground=False).cloud(range(5))  # (5, K, 3)
    np.testing.assert_allclose(cloud[..., 2].max(axis=1), [0.1, 0.6, 1.1, 0.6, 0.1], atol=1e-12)
    np.testing.assert_allclose(cloud[..., 0].min(axis=1), np.arange(5), atol=1e-12)


def test_seams_of_a_skin_are_smooth() -> None:
    """Vertices that texture coordinates split in two keep one normal."""
    whole = arm_with_skin()
    skin = whole.skin
    split = skin.faces.reshape(-1)
    torn = Skin(
        skin.vertices[split],
        np.arange(len(split)).reshape(-1, 3),
        skin.bodies[split],
        skin.weights[split],
        skin.inverse_bind,
    )
    positions, rotations = whole.rest_placement()
    smooth = figure(whole).skin_mesh(positions, rotations).normals[split]
    again = figure(Character("torn", whole.bodies, skin=torn)).skin_mesh(positions, rotations).normals
    np.testing.assert_allclose(again, smooth, atol=1e-9)


@pytest.mark.parametrize("turn", [0.0, 75.0, -160.0])
def test_heading_is_where_the_character_faces(turn: float) -> None:
    character = humanoid()
    positions, rotations = character.rest_placement()
    a = np.radians(turn)
    R = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    standing = (positions @ R.T)[None], (R @ rotations)[None]
    assert heading(character, *standing) == pytest.approx(turn, abs=1e-6)
    # Walking sideways counts as the way it goes.
    walked = np.concatenate([standing[0], standing[0] + R @ [0, 3, 0]]), np.repeat(standing[1], 2, axis=0)
    assert np.cos(np.radians(heading(character, *walked) - turn - 90)) == pytest.approx(1)


def test_views_are_named() -> None:
    assert view("auto", humanoid()) == VIEWS["three-quarter"]
    planar = Character("bob", [Body("bob", None, Joint.planar(), shapes=(Shape.sphere((0, 0, 0), 0.1),))])
    assert view("auto", planar).orthographic
    with pytest.raises(Exception, match="three-quarter"):
        view("threequarter", humanoid())


def test_real_skeletons_and_skins_can_be_drawn(shared_data: Path) -> None:
    import poise

    for name in ("cmu_cgspeed_bvh/02_01.bvh", "khronos_gltf/CesiumMan.glb"):
        clip = poise.load(shared_data / name)
        shown = figure(clip.character, detail=8)
        positions, rotations = clip.character.rest_placement()
        cloud = shown.cloud(positions[None], rotations[None])[0]
        size = np.ptp(cloud, axis=0)
        assert size.max() == pytest.approx(size[2], rel=0.35)  # stands upright
        assert 1.0 < size[2] < 2.4
