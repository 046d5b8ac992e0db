"""Trees of glTF made to order: axes, scales, matrices, meshes on nodes."""

from __future__ import annotations

import numpy as np
import pytest
from gltf_made import about_x, chain, load
from gltf_oracle import Maker, Oracle, ours

from poise.character import JointKind
from poise.kinematics import forward
from poise.manifold import so3


def test_front_left_up():
    front, left, up = np.eye(3)[[2, 0, 1]]
    from poise.formats.gltf import axes

    assert np.array_equal(axes.vector_from_gltf(np.array([front, left, up])), np.eye(3))
    turn = np.array([0.1, 0.2, 0.3, 0.9])
    assert np.array_equal(axes.turn_to_gltf(axes.turn_from_gltf(turn)), turn)
    matrix = np.arange(16.0).reshape(4, 4)
    assert np.array_equal(axes.matrix_to_gltf(axes.matrix_from_gltf(matrix)), matrix)
    v = np.array([0.3, -0.4, 0.7])
    wanted = axes.vector_from_gltf(matrix[:3, :3] @ v)
    assert np.allclose(axes.matrix_from_gltf(matrix)[:3, :3] @ axes.vector_from_gltf(v), wanted)
    # A turn about glTF's x (left) is one about our y, by the same angle.
    assert np.allclose(so3.log(axes.turn_from_gltf(about_x(0.7))), [0, 0.7, 0])


def world_positions(path, time=0.0):
    oracle = Oracle(path)
    world = oracle.world(oracle.animation(None), time)
    return {n.name: ours(world[i][:3, 3]) for i, n in enumerate(oracle.gltf.nodes)}


def test_uniform_scales_are_baked_exactly(tmp_path, rng):
    def turn():
        q = rng.normal(size=4)
        return (q / np.linalg.norm(q)).tolist()

    nodes = [
        {"translation": rng.normal(size=3).tolist(), "rotation": turn(), "scale": [s, s, s]}
        for s in (100.0, 0.5, 1.7, 0.2)
    ]
    maker = chain(*nodes)
    times = np.arange(5) / 30
    for node in (1, 2, 3):
        values = rng.normal(size=(5, 4))
        maker_values = values / np.linalg.norm(values, axis=1, keepdims=True)
        tracks = [(node, "rotation", times, maker_values, "LINEAR")]
        if node == 2:
            tracks.append((2, "translation", times, rng.normal(size=(5, 3)), "LINEAR"))
        maker.content.setdefault("animations", [])
        if node == 1:
            maker.animate("a", *tracks)
        else:
            maker.animate("b", *tracks)
            more = maker.content["animations"].pop()
            first = maker.content["animations"][0]
            for c in more["channels"]:
                first["channels"].append(
                    {"sampler": c["sampler"] + len(first["samplers"]), "target": c["target"]}
                )
            first["samplers"] += more["samplers"]
    clip = load(maker, tmp_path)
    assert clip.character.names == ("n1", "n2", "n3")  # n0 is static: folded into the root's place
    for k in range(5):
        wanted = world_positions(tmp_path / "made.gltf", np.float32(times[k]))
        got = forward(clip.character, clip.q).positions[k]
        for i, name in enumerate(clip.character.names):
            assert np.allclose(got[i], wanted[name], atol=1e-5)
    assert not any("scale" in n for n in clip.source.notes if "load it with" not in n)


def test_uneven_scales_are_noted_and_baked(tmp_path):
    maker = chain({}, {"scale": [1, 2, 1]}, {"translation": [0, 1, 0]})
    times = np.arange(3) / 30
    maker.animate("a", *((n, "rotation", times, about_x([0, 0.1, 0]), "LINEAR") for n in (1, 2)))
    clip = load(maker, tmp_path)
    assert any("non-uniform scale" in n for n in clip.source.notes)
    assert np.allclose(clip.character.bodies[1].offset, [0, 0, 2])  # as at rest


def test_matrix_nodes(tmp_path, rng):
    q = rng.normal(size=4)
    m = np.eye(4)
    m[:3, :3] = 2.5 * so3.to_matrix(q / np.linalg.norm(q))
    m[:3, 3] = [1, 2, 3]
    maker = chain(
        {"matrix": m.T.ravel().tolist()}, {"translation": [0.3, 0.1, -0.2]}, {"translation": [0, 1, 0]}
    )
    clip = load(maker, tmp_path)
    wanted = world_positions(tmp_path / "made.gltf")
    got = forward(clip.character, clip.q).positions[0]
    assert np.allclose(got, [wanted[n] for n in clip.character.names], atol=1e-12)
    m[:3, :3] = m[:3, :3] @ np.array([[1, 0.4, 0], [0, 1, 0], [0, 0, 1.0]])
    maker.content["nodes"][0]["matrix"] = m.T.ravel().tolist()
    sheared = load(maker, tmp_path)
    assert any("sheared" in n for n in sheared.source.notes)
    wanted = world_positions(tmp_path / "made.gltf")
    got = forward(sheared.character, sheared.q).positions[0]
    assert np.allclose(got, [wanted[n] for n in sheared.character.names], atol=1e-12)


def test_constant_translation_other_than_rest_is_an_offset(tmp_path):
    maker = chain({}, {"translation": [0, 1, 0]})
    times = np.arange(3) / 30
    maker.animate(
        "a",
        (1, "translation", times, [[0, 1.5, 0]] * 3, "LINEAR"),
        (1, "rotation", times, about_x([0, 0.1, 0.2]), "LINEAR"),
        (0, "rotation", times, about_x([0, 0.1, 0.2]), "LINEAR"),
    )
    clip = load(maker, tmp_path)
    assert clip.character.bodies[1].joint.kind is JointKind.BALL
    assert np.allclose(clip.character.bodies[1].offset, [0, 0, 1.5])


def test_several_top_nodes_get_a_root(tmp_path):
    maker = Maker()
    maker.content["nodes"] = [
        {"name": "a", "translation": [1, 0, 0]},
        {"name": "b", "translation": [0, 1, 0], "children": [2]},
        {"name": "tip", "translation": [0, 0, 0.5]},
        {"name": "a", "translation": [2, 0, 0]},
    ]
    times = np.arange(3) / 30
    maker.animate("x", *((i, "rotation", times, about_x([0, 0.1, 0.2]), "LINEAR") for i in (0, 1, 3)))
    clip = load(maker, tmp_path)
    assert clip.character.names == ("root", "a", "b", "a_2")
    assert np.allclose(clip.character.points["tip"].position, [0.5, 0, 0])
    places, _ = clip.character.rest_placement()
    assert np.allclose(places[1:], [[0, 1, 0], [0, 0, 1], [0, 2, 0]])


def test_mesh_on_a_node_is_bound_to_its_body(tmp_path):
    maker = chain({}, {"translation": [0, 1, 0], "scale": [2, 2, 2]}, {"translation": [0, 0.5, 0], "mesh": 0})
    triangle = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    maker.content["meshes"] = [
        {"primitives": [{"attributes": {"POSITION": maker.accessor(triangle, "VEC3")}}]}
    ]
    times = np.arange(3) / 30
    maker.animate("a", *((i, "rotation", times, about_x([0, 0.5, 1.0]), "LINEAR") for i in (0, 1)))
    clip = load(maker, tmp_path)
    assert clip.character.names == ("n0", "n1")
    placement = forward(clip.character, clip.q)
    oracle = Oracle(tmp_path / "made.gltf")
    for k, t in enumerate(times):
        got = clip.character.skin.deformed(placement.positions[k], placement.rotations[k])
        assert np.allclose(got, oracle.vertices(oracle.animation(None), np.float32(t)), atol=1e-6)


def test_rest_vertices_are_where_the_rest_pose_shows_them(tmp_path, rng):
    """Whatever turns the nodes have at rest: nothing of a mesh moves until a body does."""
    turns = rng.normal(size=(3, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    maker = chain(
        {"rotation": turns[0].tolist(), "mesh": 0},
        {"rotation": turns[1].tolist(), "translation": [0, 1, 0], "mesh": 0},
        {"rotation": turns[2].tolist(), "translation": [0, 0.5, 0.2], "mesh": 0},
    )
    position = maker.accessor(rng.normal(size=(6, 3)), "VEC3")
    maker.content["meshes"] = [{"primitives": [{"attributes": {"POSITION": position}}]}]
    times = np.arange(3) / 30
    moving = [[0, 0, 0], [0, 0.1, 0], [0.1, 0, 0]]
    maker.animate("a", *((i, "translation", times, moving, "LINEAR") for i in range(3)))
    who = load(maker, tmp_path).character
    at, turn = who.rest_placement()
    assert np.allclose(who.skin.deformed(at, turn), who.skin.vertices, atol=1e-9)
    for body in range(len(who.bodies)):
        assert np.allclose(who.skin.inverse_bind[body, :3, :3] @ turn[body], np.eye(3), atol=1e-9)


def test_morph_targets_turn_and_scale_with_their_mesh(tmp_path, rng):
    turn = rng.normal(size=4)
    node = {
        "rotation": (turn / np.linalg.norm(turn)).tolist(),
        "scale": [3, 3, 3],
        "translation": [0, 0.5, 0],
    }
    maker = chain({"rotation": about_x(0.4).tolist()}, {"translation": [0, 1, 0]}, {**node, "mesh": 0})
    points, delta = rng.normal(size=(2, 6, 3))
    delta[[1, 4]] = 0
    primitive = {
        "attributes": {"POSITION": maker.accessor(points, "VEC3")},
        "targets": [{"POSITION": maker.accessor(delta, "VEC3")}],
    }
    maker.content["meshes"] = [{"primitives": [primitive], "weights": [0.25]}]
    times = np.arange(3) / 30
    maker.animate("a", *((i, "rotation", times, about_x([0, 0.5, 1.0]), "LINEAR") for i in (0, 1)))
    clip = load(maker, tmp_path)
    skin = clip.character.skin
    assert np.array_equal(skin.morphs[0].indices, [0, 2, 3, 5])
    assert np.array_equal(clip.morphs, np.full((3, 1), 0.25))
    placement = forward(clip.character, clip.q)
    oracle = Oracle(tmp_path / "made.gltf")
    world = oracle.world(oracle.animation(None), np.float32(times[2]))[2]
    for amount in (0.0, 1.0, -0.5):
        shaped = points + amount * delta
        wanted = ours(shaped @ world[:3, :3].T + world[:3, 3])
        got = skin.deformed(placement.positions[2], placement.rotations[2], [amount])
        assert np.allclose(got, wanted, atol=1e-5)


@pytest.mark.parametrize(
    ("mode", "wanted"), [(5, [[0, 1, 2], [2, 1, 3], [2, 3, 4]]), (6, [[1, 2, 0], [2, 3, 0], [3, 4, 0]])]
)
def test_strips_and_fans(tmp_path, mode, wanted):
    maker = chain({"mesh": 0})
    points = np.random.default_rng(0).normal(size=(5, 3))
    maker.content["meshes"] = [
        {"primitives": [{"attributes": {"POSITION": maker.accessor(points, "VEC3")}, "mode": mode}]}
    ]
    assert np.array_equal(load(maker, tmp_path).character.skin.faces, wanted)


@pytest.mark.parametrize("apart", [0.3, 0.0])
def test_two_meshes_bound_in_different_poses_agree_at_rest(tmp_path, rng, apart):
    maker = chain({"translation": [0, 1, 0]}, {"translation": [0, 1, 0]})
    nodes = maker.content["nodes"]
    for k in range(2):
        points = rng.normal(size=(6, 3))
        weights = rng.uniform(size=(6, 4)) * [1, 1, 0, 0]
        weights /= weights.sum(axis=1, keepdims=True)
        inverse = np.tile(np.eye(4), (2, 1, 1))
        inverse[:, 1, 3] = [-1, -2 + apart * k]  # the second mesh has its upper joint elsewhere
        attributes = {
            "POSITION": maker.accessor(points, "VEC3"),
            "JOINTS_0": maker.accessor(np.tile([0, 1, 0, 0], (6, 1)), "VEC4", 5121),
            "WEIGHTS_0": maker.accessor(weights, "VEC4"),
        }
        maker.content.setdefault("meshes", []).append({"primitives": [{"attributes": attributes}]})
        maker.content.setdefault("skins", []).append(
            {"joints": [0, 1], "inverseBindMatrices": maker.accessor(inverse.swapaxes(1, 2), "MAT4")}
        )
        nodes.append({"name": f"m{k}", "mesh": k, "skin": k})
        maker.content["scenes"][0]["nodes"].append(len(nodes) - 1)
    clip = load(maker, tmp_path)
    assert any("bound in another pose" in n for n in clip.source.notes) == (apart > 0)
    placement = forward(clip.character, clip.q)
    got = clip.character.skin.deformed(placement.positions[0], placement.rotations[0])
    assert np.allclose(got, Oracle(tmp_path / "made.gltf").vertices(None, 0.0), atol=1e-6)
