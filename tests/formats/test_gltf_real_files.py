"""Real glTF files against an independent reading: joints, skins, round trips."""

from __future__ import annotations

import numpy as np
import pytest
from gltf_oracle import Oracle, ours

from poise.character import JointKind
from poise.formats import gltf, load, save
from poise.kinematics import forward

CESIUM, FOX, ROBOT = "khronos_gltf/CesiumMan.glb", "khronos_gltf/Fox.glb", "threejs/RobotExpressive.glb"
CLIPS = [
    (CESIUM, None),
    (FOX, "Survey"),
    (FOX, "Walk"),
    (FOX, "Run"),
    (ROBOT, "Dance"),
    (ROBOT, "Death"),
    (ROBOT, "Walking"),
]


def size_of(clip) -> float:
    return float(np.ptp(forward(clip.character, clip.q).positions.reshape(-1, 3), axis=0).max())


@pytest.mark.parametrize(("file", "name"), CLIPS)
def test_joints_stand_where_the_file_says(shared_data, file, name):
    clip = gltf.load(shared_data / file, animation=name)
    oracle = Oracle(shared_data / file)
    animation = oracle.animation(name)
    start = oracle.times(animation)[0]
    positions = forward(clip.character, clip.q).positions
    joints = oracle.joints()
    worst = 0.0
    for k in range(0, clip.frames, max(1, clip.frames // 8)):
        world = oracle.world(animation, start + k / clip.fps)
        for joint, node in joints.items():
            wanted = ours(world[node][:3, 3])
            worst = max(worst, np.abs(positions[k, clip.character.index(joint)] - wanted).max())
    # What is dropped: translations and scales that vary by rounding only (CesiumMan has those).
    assert worst < 5e-6 * max(1.0, size_of(clip))


@pytest.mark.parametrize(("file", "name"), CLIPS)
def test_skin_deforms_as_the_file_says(shared_data, file, name):
    clip = gltf.load(shared_data / file, animation=name)
    oracle = Oracle(shared_data / file)
    animation = oracle.animation(name)
    placement = forward(clip.character, clip.q)
    for k in (0, clip.frames // 2, clip.frames - 1):
        time = oracle.times(animation)[0] + k / clip.fps
        wanted = oracle.vertices(animation, time)
        got = clip.character.skin.deformed(placement.positions[k], placement.rotations[k])
        assert got.shape == wanted.shape
        assert np.abs(got - wanted).max() < 2e-5 * max(1.0, size_of(clip))


@pytest.mark.parametrize(("file", "name"), CLIPS)
def test_round_trip_keeps_motion_skin_and_looks(shared_data, tmp_path, file, name):
    first = load(shared_data / file, animation=name)
    save(first, tmp_path / "again.glb", fresh=True)
    second = load(tmp_path / "again.glb")
    assert second.character.names == first.character.names
    assert second.rate == first.rate
    assert second.frames == first.frames
    assert [b.joint.kind for b in second.character.bodies] == [b.joint.kind for b in first.character.bodies]
    a, b = forward(first.character, first.q), forward(second.character, second.q)
    assert np.abs(a.positions - b.positions).max() <= 1e-6 * max(1.0, size_of(first))
    skins = first.character.skin, second.character.skin
    k = first.frames // 2
    shapes = [s.deformed(p.positions[k], p.rotations[k]) for s, p in zip(skins, (a, b))]
    assert np.abs(shapes[0] - shapes[1]).max() <= 2e-6 * max(1.0, size_of(first))
    assert np.array_equal(skins[0].faces, skins[1].faces)
    assert np.allclose(skins[0].extras["colours"], skins[1].extras["colours"])
    looks = [s.extras["gltf"] for s in skins]
    assert looks[0].materials == looks[1].materials
    assert looks[0].images == looks[1].images
    assert all(
        np.allclose(u, v)
        for p, r in zip(looks[0].pieces, looks[1].pieces)
        for u, v in zip(p.texcoords, r.texcoords)
    )
    # A second round changes nothing at all but the last bit of single precision.
    save(second, tmp_path / "third.glb", fresh=True)
    third = load(tmp_path / "third.glb")
    c = forward(third.character, third.q)
    assert np.abs(c.positions - b.positions).max() <= 1e-6 * max(1.0, size_of(first))


def test_facts_about_the_files(shared_data):
    man = gltf.load(shared_data / CESIUM)
    assert (man.rate, man.frames, len(man.character.bodies)) == (24, 48, 19)
    assert man.character.bodies[0].joint.kind is JointKind.FREE
    assert all(b.joint.kind is JointKind.BALL for b in man.character.bodies[1:])
    places, _ = man.character.rest_placement()
    assert 1.0 < np.ptp(places[:, 2]) < 1.7  # upright: up is z
    left, right = (man.character.index(n) for n in ("leg_joint_L_1", "leg_joint_R_1"))
    assert places[left, 1] > 0 > places[right, 1]  # left is y
    assert man.character.total_mass > 10
    assert gltf.animation_names(shared_data / FOX) == ("Survey", "Walk", "Run")
    run = gltf.load(shared_data / FOX, animation="Run")
    assert (run.rate, run.frames) == (120, 140)  # its last key lies off the 24 fps grid
    assert any("scale=0.01" in n for n in run.source.notes)
    small = gltf.load(shared_data / FOX, animation=2, scale=0.01)
    big, little = forward(run.character, run.q), forward(small.character, small.q)
    assert np.allclose(little.positions, 0.01 * big.positions, atol=1e-9)
    robot = gltf.load(shared_data / ROBOT, animation="Yes")
    other = gltf.load(shared_data / ROBOT, animation="Death")
    assert robot.character.manifold == other.character.manifold  # one character for all animations
    assert "Thumb2.R_end" in robot.character.points
    assert [m.name for m in robot.character.skin.morphs] == ["Angry", "Surprised", "Sad"]


def test_morph_weights_and_targets(shared_data, tmp_path):
    path = shared_data / "khronos_gltf/MorphStressTest.glb"
    clip = gltf.load(path, animation="TheWave")
    oracle = Oracle(path)
    animation = oracle.animation("TheWave")
    wanted = oracle.array(animation.samplers[0].output).reshape(-1, 8)
    assert np.array_equal(clip.morphs, wanted)
    weights = wanted[20]
    mesh = oracle.gltf.meshes[0]
    deformed = []
    for primitive in mesh.primitives:
        points = oracle.array(primitive.attributes.POSITION)
        for w, target in zip(weights, primitive.targets):
            points = points + w * oracle.array(
                target["POSITION"] if isinstance(target, dict) else target.POSITION
            )
        deformed.append(points)
    got = clip.character.skin.shape(weights)
    assert np.abs(got - ours(np.concatenate(deformed))).max() < 1e-7
    gltf.save(clip, tmp_path / "wave.glb", fresh=True)
    again = gltf.load(tmp_path / "wave.glb")
    assert np.array_equal(again.morphs, wanted)
    assert np.abs(again.character.skin.shape(weights) - got).max() < 1e-6
    normals = [c.character.skin.extras["gltf"].morph_normals for c in (clip, again)]
    assert set(normals[0]) == set(normals[1]) == set(range(8))
    for fresh in (False, True):
        gltf.save(clip.replaced(morphs=0.5 * wanted), tmp_path / "half.glb", fresh=fresh)
        half = gltf.load(tmp_path / "half.glb", animation="TheWave")
        assert np.allclose(half.morphs, 0.5 * wanted, atol=1e-7)


def test_sparse_face(shared_data, tmp_path):
    path = shared_data / "ict_facekit/ict_face_sparse_morphs_DERIVED.glb"
    clip = gltf.load(path)
    skin = clip.character.skin
    assert clip.frames == 1
    assert len(skin.vertices) == 11248
    assert len(skin.morphs) == 56
    oracle = Oracle(path)
    targets = oracle.gltf.meshes[0].primitives[0].targets
    for k in (0, 13, 55):
        index = targets[k]["POSITION"] if isinstance(targets[k], dict) else targets[k].POSITION
        dense = np.zeros_like(skin.vertices)
        dense[skin.morphs[k].indices] = skin.morphs[k].deltas
        assert np.array_equal(dense, ours(oracle.array(index)))
    gltf.save(clip, tmp_path / "face.glb", fresh=True)
    assert (tmp_path / "face.glb").stat().st_size < 1.5 * path.stat().st_size  # still sparse
    again = gltf.load(tmp_path / "face.glb").character.skin
    assert [m.name for m in again.morphs] == [m.name for m in skin.morphs]
    assert np.array_equal(again.morphs[13].indices, skin.morphs[13].indices)
    assert np.allclose(again.morphs[13].deltas, skin.morphs[13].deltas, atol=1e-9)
