"""Writing glTF: any character, judged by an independent reader, by reading back, and by the validator."""

from __future__ import annotations

import json
import shutil
import subprocess
from fractions import Fraction

import numpy as np
import pytest
from gltf_oracle import Oracle, ours

from poise.character import Body, Character, Joint, JointKind, MorphTarget, Shape, Skin, presets
from poise.formats import gltf, load, save
from poise.kinematics import forward
from poise.motion import Clip, Travel
from poise.pictures.mesh import Mesh
from random_trees import ALL_KINDS, random_character, random_rotation, random_state

ROOTS = [JointKind.FREE, JointKind.PLANAR, JointKind.BALL, JointKind.FIXED, JointKind.HINGE]


def random_clip(rng, n=12, root=JointKind.FREE, frames=7, rate=30) -> Clip:
    character = random_character(rng, n, kinds=ALL_KINDS, root=root)
    q, _, _ = random_state(rng, character, frames, spread=0.5)
    return Clip(character, q, rate, name="random")


@pytest.mark.parametrize("root", ROOTS)
def test_any_tree_stands_where_we_say(tmp_path, rng, root):
    clip = random_clip(rng, root=root)
    gltf.save(clip, tmp_path / "tree.glb")
    oracle = Oracle(tmp_path / "tree.glb")
    positions = forward(clip.character, clip.q).positions
    for k in range(clip.frames):
        world = oracle.world(oracle.animation(None), np.float32(k / 30))
        for i, name in enumerate(clip.character.names):
            assert np.allclose(ours(world[oracle.node(name)][:3, 3]), positions[k, i], atol=1e-6)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_any_tree_comes_back(tmp_path, rng, root, suffix):
    clip = random_clip(rng, root=root, rate=Fraction(24000, 1001))
    save(clip, tmp_path / f"tree{suffix}")
    again = load(tmp_path / f"tree{suffix}", mass=False)
    assert again.character.names == clip.character.names
    assert again.rate == clip.rate
    assert again.name == "random"
    a, b = forward(clip.character, clip.q), forward(again.character, again.q)
    assert np.abs(a.positions - b.positions).max() <= 1e-6
    assert np.abs(a.rotations - b.rotations).max() <= 1e-6
    for x, y in zip(clip.character.bodies, again.character.bodies):
        assert x.joint.kind is y.joint.kind
        if x.joint.kind in (JointKind.HINGE, JointKind.SLIDE):
            assert np.allclose(x.joint.axis, y.joint.axis, atol=1e-12)
    assert np.abs(clip.character.manifold.minus(again.q, clip.q)).max() < 1e-5


@pytest.mark.parametrize("preset", presets.names())
def test_presets_come_back_with_their_joints_and_limits(tmp_path, rng, preset):
    character = presets.get(preset)
    rest = np.tile(character.rest_pose(), (20, 1))
    q = character.manifold.plus(rest, 0.3 * rng.normal(size=(20, character.nv)))
    save(Clip(character, q, 60), tmp_path / "preset.glb")
    again = load(tmp_path / "preset.glb")
    assert [b.joint.kind for b in again.character.bodies] == [b.joint.kind for b in character.bodies]
    a, b = forward(character, q), forward(again.character, again.q)
    assert np.abs(a.positions - b.positions).max() <= 1e-6
    assert np.allclose(again.character.lower, character.lower)
    assert np.allclose(again.character.upper, character.upper)
    assert set(character.points) == set(again.character.points)
    for name, point in character.points.items():
        assert np.allclose(point.position, again.character.points[name].position, atol=1e-9)
    skin = again.character.skin
    assert skin is not None
    if character.skin is None:
        # The mesh is the solids: same volume but for the facets.
        volume = sum(s.volume for body in character.bodies for s in body.shapes)
        mesh = Mesh(skin.vertices, skin.faces, skin.normals)
        assert 0.85 * volume < mesh.volume() <= 1.001 * volume


def test_a_joint_edited_elsewhere_is_no_longer_a_hinge(tmp_path, rng):
    character = Character(
        "arm",
        [
            Body("a", None, Joint.free()),
            Body("b", "a", Joint.hinge((0, 0, 1)), (0, 0, 1)),
            Body("c", "b", Joint.slide((1, 0, 0)), (0, 0, 1)),
        ],
    )
    q, _, _ = random_state(rng, character, 5)
    content, binary = gltf.writer.build_document(Clip(character, q, 30))
    from poise.formats.gltf.container import glb_bytes

    def read(changed):
        (tmp_path / "arm.glb").write_bytes(glb_bytes(changed, binary))
        return gltf.load(tmp_path / "arm.glb", mass=False)

    kinds = [b.joint.kind for b in read(content).character.bodies]
    assert kinds == [JointKind.FREE, JointKind.HINGE, JointKind.SLIDE]
    wrong = json.loads(json.dumps(content))
    wrong["nodes"][1]["extras"]["poise"]["axis"] = [1, 0, 0]
    clip = read(wrong)
    assert clip.character.bodies[1].joint.kind is JointKind.BALL
    assert any("no longer moves like a hinge" in n for n in clip.source.notes)
    wanted = forward(character, q).positions
    assert np.abs(forward(clip.character, clip.q).positions - wanted).max() < 1e-5
    for junk in (
        {"joint": "wheel"},
        {"joint": "hinge", "axis": [0, 0, 0]},
        {"joint": "hinge", "lower": ["x"]},
        7,
    ):
        wrong["nodes"][1]["extras"]["poise"] = junk
        assert read(wrong).character.bodies[1].joint.kind is JointKind.BALL


def test_hinge_angles_beyond_a_turn_come_back(tmp_path):
    character = Character(
        "wheel", [Body("hub", None, Joint.fixed()), Body("wheel", "hub", Joint.hinge((0.3, 0.4, 0.5)))]
    )
    angles = np.linspace(-1, 14, 60)
    gltf.save(Clip(character, angles[:, None], 30), tmp_path / "wheel.glb")
    assert np.allclose(gltf.load(tmp_path / "wheel.glb", mass=False).q[:, 0], angles, atol=1e-5)


def test_loops_are_closed_and_come_back(tmp_path, rng):
    character = random_character(rng, 5)
    q, _, _ = random_state(rng, character, 8, spread=0.3)
    clip = Clip(character, q, 24, loop=True, travel=Travel((1.2, -0.3, 0.1), 0.4))
    gltf.save(clip, tmp_path / "walk.glb")
    oracle = Oracle(tmp_path / "walk.glb")
    times = oracle.times(oracle.animation(None))
    assert len(times) == 9
    assert times[-1] == pytest.approx(clip.duration)
    world = oracle.world(oracle.animation(None), times[-1])
    moved = clip.travel.apply(character, clip.q[0], 1)
    assert np.allclose(ours(world[oracle.node("b0")][:3, 3]), moved[:3], atol=1e-6)
    again = gltf.load(tmp_path / "walk.glb", mass=False)
    assert again.loop
    assert again.frames == 8
    assert np.allclose(again.travel.translation, clip.travel.translation)
    assert again.travel.yaw == clip.travel.yaw


def test_one_frame(tmp_path, rng):
    clip = random_clip(rng, frames=1)
    gltf.save(clip, tmp_path / "pose.glb")
    again = gltf.load(tmp_path / "pose.glb", mass=False)
    assert again.frames == 1
    assert again.rate == 30
    assert np.abs(clip.character.manifold.minus(again.q, clip.q)).max() < 1e-5
    rest = Clip(clip.character, clip.character.rest_pose()[None], 30)
    gltf.save(rest, tmp_path / "rest.glb")
    assert Oracle(tmp_path / "rest.glb").animation(None) is None
    assert np.allclose(gltf.load(tmp_path / "rest.glb", mass=False).q, rest.q, atol=1e-6)


def many_influences(rng) -> Clip:
    """A skin with six influences per vertex, repeats and zeros among them, and morph targets."""
    character = random_character(rng, 9, kinds=[JointKind.BALL])
    positions, turns = character.rest_placement()
    inverse = np.tile(np.eye(4), (9, 1, 1))
    inverse[:, :3, :3] = turns.swapaxes(1, 2)
    inverse[:, :3, 3] = -np.einsum("nji,nj->ni", turns, positions)
    count = 50
    bodies = rng.integers(0, 9, size=(count, 6))
    bodies[:, 3] = bodies[:, 0]
    weights = rng.uniform(size=(count, 6))
    weights[:, 5] = 0
    weights[:10, 2:] = 0
    morphs = (
        MorphTarget("wide", [3, 1, 40], rng.normal(size=(3, 3))),
        MorphTarget("all", np.arange(count), rng.normal(size=(count, 3))),
        MorphTarget("nothing", [], np.zeros((0, 3))),
    )
    faces = rng.permutation(count)[:48].reshape(-1, 3)
    skin = Skin(rng.normal(size=(count, 3)), faces, bodies, weights, inverse, morphs)
    character = Character("blob", character.bodies, skin=skin)
    q, _, _ = random_state(rng, character, 6, spread=0.5)
    return Clip(character, q, 30, morphs=rng.uniform(size=(6, 3)))


def test_skin_of_any_make_comes_back(tmp_path, rng):
    clip = many_influences(rng)
    save(clip, tmp_path / "blob.glb")
    again = load(tmp_path / "blob.glb", mass=False)
    old, new = clip.character.skin, again.character.skin
    weights = clip.morphs
    assert np.allclose(again.morphs, weights, atol=1e-7)
    a, b = forward(clip.character, clip.q), forward(again.character, again.q)
    for k in range(clip.frames):
        wanted = old.deformed(a.positions[k], a.rotations[k], weights[k])
        got = new.deformed(b.positions[k], b.rotations[k], weights[k])
        assert np.abs(got - wanted).max() < 5e-6


def test_without_mesh(tmp_path, rng):
    clip = many_influences(rng)
    gltf.save(clip, tmp_path / "bones.glb", mesh=False)
    assert gltf.load(tmp_path / "bones.glb", mass=False).character.skin is None
    assert not Oracle(tmp_path / "bones.glb").gltf.meshes


def test_every_kind_of_solid_is_drawn(tmp_path):
    shapes = (
        Shape.sphere((0, 0, 0), 0.1),
        Shape.capsule((0, 0, 0), (0, 0, 1), 0.1),
        Shape.cylinder((0, 0, 0), (1, 0, 0), 0.1),
        Shape.ellipsoid((0, 0, 0), (0.1, 0.2, 0.3)),
        Shape.box((0, 0, 0), (0.1, 0.2, 0.0), material="unheard of"),
    )
    character = Character(
        "solids",
        [
            Body(
                "only",
                None,
                Joint.free(),
                (0, 0, 1),
                random_rotation(np.random.default_rng(1)),
                shapes=shapes,
            )
        ],
    )
    gltf.save(Clip(character, character.rest_pose()[None], 30), tmp_path / "solids.glb")
    assert len(Oracle(tmp_path / "solids.glb").gltf.materials) == 2


def test_names_with_any_letters(tmp_path):
    character = Character(
        "Ünïcode 猫", [Body('röot "x"', None, Joint.free()), Body("手", 'röot "x"', Joint.ball(), (0, 0, 1))]
    )
    clip = Clip(character, character.rest_pose()[None], 30)
    for suffix in (".glb", ".gltf"):
        gltf.save(clip, tmp_path / f"x{suffix}")
        again = gltf.load(tmp_path / f"x{suffix}", mass=False).character
        assert (again.name, again.names) == (character.name, character.names)


@pytest.fixture(scope="module")
def validator(tmp_path_factory):
    """The Khronos validator (npm package gltf-validator), where node can find it."""
    script = tmp_path_factory.mktemp("node") / "validate.js"
    script.write_text(
        "const v = require('gltf-validator'), fs = require('fs');\n"
        "v.validateBytes(new Uint8Array(fs.readFileSync(process.argv[2])))"
        ".then(r => console.log(JSON.stringify(r.issues)));\n"
    )
    node = shutil.which("node")
    if (
        node is None
        or subprocess.run([node, "-e", "require('gltf-validator')"], capture_output=True).returncode
    ):
        pytest.skip("the Khronos glTF validator is not installed")

    def validate(path) -> dict:
        done = subprocess.run([node, script, path], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return validate


def assert_valid(clips: dict[str, Clip], folder, validator) -> None:
    for name, clip in clips.items():
        for suffix in (".glb", ".gltf"):
            path = folder / f"{name}{suffix}"
            gltf.save(clip, path)
            issues = validator(path)
            assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), f"{path.name}: {issues}"


def test_validator_finds_no_fault_with_made_clips(tmp_path, rng, validator):
    clips = {f"root{r.value}": random_clip(rng, root=r) for r in ROOTS}
    clips["blob"] = many_influences(rng)
    clips["pose"] = random_clip(rng, frames=1)
    for name in presets.names():
        character = presets.get(name)
        clips[name] = Clip(character, character.rest_pose()[None], 30)
    assert_valid(clips, tmp_path, validator)


def test_validator_finds_no_fault_with_real_clips(tmp_path, shared_data, validator):
    files = sorted(shared_data.glob("*/*.glb"))
    assert_valid({file.stem: gltf.load(file) for file in files}, tmp_path, validator)
