"""Reading glTF made to order: interpolation, rates, scales, accessors, containers."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from gltf_oracle import Maker, Oracle, ours

from poise.character import JointKind
from poise.errors import FileFormatError, InputError, UnknownNameError
from poise.formats import gltf
from poise.kinematics import forward
from poise.manifold import so3
from poise.motion.operators import resample, reverse

HALF = np.sqrt(0.5)


def chain(*nodes: dict) -> Maker:
    """Nodes hanging one from another."""
    maker = Maker()
    maker.content["nodes"] = [{"name": f"n{i}", **n} for i, n in enumerate(nodes)]
    for i in range(len(nodes) - 1):
        maker.content["nodes"][i]["children"] = [i + 1]
    maker.content["scenes"] = [{"nodes": [0]}]
    return maker


def load(maker: Maker, tmp_path, **options):
    return gltf.load(maker.write(tmp_path / "made.gltf"), mass=False, **options)


def angles(clip, body: int, axis) -> np.ndarray:
    """Rotation of a body's joint about an axis of ours [rad]."""
    return so3.log(clip.q[:, clip.character.coordinates(f"n{body}")][:, -4:]) @ np.asarray(axis)


def about_x(angle) -> np.ndarray:
    angle = np.asarray(angle, dtype=float)
    zero = np.zeros_like(angle)
    return np.stack([np.sin(angle / 2), zero, zero, np.cos(angle / 2)], axis=-1)


# Axes ------------------------------------------------------------------------------------------


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


# Interpolation ---------------------------------------------------------------------------------


def test_linear_step_and_spline_as_defined(tmp_path):
    maker = chain({}, {"translation": [0, 1, 0]}, {"translation": [0, 1, 0]}, {"translation": [0, 1, 0]})
    keys = np.array([0.0, 0.5, 1.0])
    turns = np.array([0.0, 0.8, -0.4])
    # A spline of positions through 0, 2, 1 with given tangents: in-tangent, value, out-tangent.
    spline = np.zeros((3, 3, 3))
    spline[:, 1, 0] = [0.0, 2.0, 1.0]
    spline[:, 0, 0], spline[:, 2, 0] = [0.0, 1.5, -1.0], [3.0, -0.5, 0.0]
    maker.animate(
        "all",
        (1, "rotation", keys, about_x(turns), "LINEAR"),
        (2, "rotation", keys, about_x(turns), "STEP"),
        (3, "translation", keys, spline.reshape(-1, 3), "CUBICSPLINE"),
    )
    clip = load(maker, tmp_path, fps=40)
    t = clip.times
    assert clip.frames == 41
    assert np.allclose(angles(clip, 1, [0, 1, 0]), np.interp(t, keys, turns), atol=1e-6)
    held = np.where(t < 0.5, 0.0, np.where(t < 1.0, 0.8, -0.4))
    assert np.allclose(angles(clip, 2, [0, 1, 0]), held, atol=1e-6)
    from scipy.interpolate import CubicHermiteSpline

    # glTF's x is our y; the two halves have their own tangents at the middle key.
    first = CubicHermiteSpline([0, 0.5], [0, 2], [3.0, 1.5])(t)
    second = CubicHermiteSpline([0.5, 1], [2, 1], [-0.5, -1.0])(t)
    wanted = np.where(t < 0.5, first, second)
    assert np.allclose(clip.q[:, clip.character.coordinates("n3")][:, 1], wanted, atol=1e-6)
    kinds = [b.joint.kind for b in clip.character.bodies]  # n0 is static, n1 the root
    assert kinds == [JointKind.FREE, JointKind.BALL, JointKind.FREE]


def test_slerp_takes_the_shorter_way(tmp_path):
    maker = chain({}, {})
    keys = about_x([0.2, 0.6])
    keys[1] *= -1  # the same rotation
    maker.animate("a", (1, "rotation", [0, 1], keys, "LINEAR"))
    clip = load(maker, tmp_path, fps=10)
    assert np.allclose(angles(clip, 1, [0, 1, 0]), np.linspace(0.2, 0.6, 11), atol=1e-6)


def test_spline_rotation_is_normalised_componentwise(tmp_path):
    maker = chain({}, {})
    a, b = about_x([0.0, 1.0])
    out = np.zeros((2, 3, 4))
    out[:, 1] = a, b
    out[0, 2], out[1, 0] = [0.3, 0, 0, 0], [0, 0.2, 0, 0]
    maker.animate("a", (1, "rotation", [0, 2], out.reshape(-1, 4), "CUBICSPLINE"))
    clip = load(maker, tmp_path, fps=10)
    s = 0.25
    p = (2 * s**3 - 3 * s**2 + 1) * a + (s**3 - 2 * s**2 + s) * 2 * out[0, 2]
    p = p + (3 * s**2 - 2 * s**3) * b + (s**3 - s**2) * 2 * out[1, 0]
    x, y, z, w = p / np.linalg.norm(p)
    assert np.allclose(clip.q[5, clip.character.coordinates("n1")][-4:], [w, z, x, y], atol=1e-6)


def test_normalised_integers_animate(tmp_path):
    maker = chain({}, {})
    maker.animate("a", (1, "rotation", [0, 1 / 30], about_x([0, 0.5]), "LINEAR"))
    values = np.round(about_x([0.0, 0.5]) * 32767).astype(int)
    output = maker.accessor(values, "VEC4", 5122, normalized=True)
    maker.content["animations"][0]["samplers"][0]["output"] = output
    assert np.allclose(angles(load(maker, tmp_path), 1, [0, 1, 0]), [0, 0.5], atol=1e-4)


# Frames ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [Fraction(24), Fraction(30000, 1001), Fraction(120), Fraction(25, 2)])
def test_exact_rate_comes_back_from_single_precision(tmp_path, rate):
    times = np.array([3 + float(k / rate) for k in range(200)])
    maker = chain({}, {})
    maker.animate("a", (1, "rotation", times, about_x(np.sin(times)), "LINEAR"))
    clip = load(maker, tmp_path)
    assert clip.rate == rate
    assert clip.frames == 200
    assert np.allclose(angles(clip, 1, [0, 1, 0]), np.sin(times), atol=1e-6)
    assert clip.source.payload.start == pytest.approx(3)


def test_rare_keys_are_sampled_and_still_met(tmp_path):
    maker = chain({}, {})
    maker.animate("a", (1, "rotation", [0, 1, 2], about_x([0.0, 1.0, 0.5]), "LINEAR"))
    clip = load(maker, tmp_path)
    assert (clip.rate, clip.frames) == (60, 121)
    assert np.allclose(angles(clip, 1, [0, 1, 0])[[0, 60, 120]], [0, 1, 0.5], atol=1e-7)


def test_uneven_keys_are_sampled(tmp_path):
    times = [0, 0.1234, 0.5678, 1.0]
    maker = chain({}, {})
    maker.animate("a", (1, "rotation", times, about_x(times), "LINEAR"))
    clip = load(maker, tmp_path)
    assert clip.rate == 60
    assert any("uneven" in n for n in clip.source.notes)
    assert np.allclose(angles(clip, 1, [0, 1, 0]), clip.times, atol=1e-6)
    assert load(maker, tmp_path, fps="24000/1001").rate == Fraction(24000, 1001)


def test_animations_are_chosen_by_name_or_number(tmp_path):
    maker = chain({}, {})
    for name, angle in (("calm", 0.1), ("wild", 0.9)):
        maker.animate(name, (1, "rotation", [0, 1 / 30], about_x([0, angle]), "LINEAR"))
    assert load(maker, tmp_path).name == "calm"
    assert angles(load(maker, tmp_path, animation="wild"), 1, [0, 1, 0])[1] == pytest.approx(0.9, abs=1e-6)
    assert load(maker, tmp_path, animation=1).name == "wild"
    with pytest.raises(UnknownNameError, match="calm, wild"):
        load(maker, tmp_path, animation="wlid")
    with pytest.raises(UnknownNameError):
        load(maker, tmp_path, animation=2)


def test_no_animation_is_one_frame_at_rest(tmp_path):
    maker = chain({"translation": [1, 2, 3]}, {"rotation": about_x(0.3).tolist(), "translation": [0, 1, 0]})
    clip = load(maker, tmp_path)
    assert clip.frames == 1
    assert np.array_equal(clip.q[0], clip.character.rest_pose())
    assert np.allclose(clip.q[0, :3], [3, 1, 2])


# Scale and matrices ----------------------------------------------------------------------------


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


def test_uneven_and_animated_scales_are_noted_and_kept(tmp_path):
    maker = chain({}, {"scale": [1, 2, 1]}, {"translation": [0, 1, 0]})
    times = np.arange(3) / 30
    scales = np.array([[1, 2, 1], [1, 4, 1], [1, 2, 1]])
    maker.animate(
        "a",
        (1, "rotation", times, about_x([0, 0, 0]), "LINEAR"),
        (1, "scale", times, scales, "LINEAR"),
        (2, "rotation", times, about_x([0, 0.1, 0]), "LINEAR"),
    )
    clip = load(maker, tmp_path)
    assert any("non-uniform scale" in n for n in clip.source.notes)
    assert any("animated scale of n1" in n for n in clip.source.notes)
    assert np.allclose(clip.character.bodies[1].offset, [0, 0, 2])  # as at rest
    gltf.save(clip, tmp_path / "again.gltf")
    oracle = Oracle(tmp_path / "again.gltf")
    channels = {(c.target.node, c.target.path): c.sampler for c in oracle.animation(None).channels}
    written = oracle.array(oracle.animation(None).samplers[channels[oracle.node("n1"), "scale"]].output)
    assert np.allclose(written, [[1, 1, 1], [1, 2, 1], [1, 1, 1]])
    # They belong to the file's frames: other frames go without, and say so.
    for change in (reverse, lambda c: resample(c, 60), lambda c: c.with_q(c.q[:2])):
        changed = change(clip)
        assert any("animated scale of n1 was left out" in n for n in changed.source.notes)
        gltf.save(changed, tmp_path / "changed.gltf")
        paths = {c.target.path for c in Oracle(tmp_path / "changed.gltf").animation(None).channels}
        assert "scale" not in paths


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


# The tree --------------------------------------------------------------------------------------


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


def test_two_meshes_bound_in_different_poses_agree_at_rest(tmp_path, rng):
    maker = chain({"translation": [0, 1, 0]}, {"translation": [0, 1, 0]})
    nodes = maker.content["nodes"]
    for k in range(2):
        points = rng.normal(size=(6, 3))
        weights = rng.uniform(size=(6, 4)) * [1, 1, 0, 0]
        weights /= weights.sum(axis=1, keepdims=True)
        inverse = np.tile(np.eye(4), (2, 1, 1))
        inverse[:, 1, 3] = [-1, -2 + 0.3 * k]  # the second mesh has its upper joint elsewhere
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
    assert any("bound in another pose" in n for n in clip.source.notes)
    placement = forward(clip.character, clip.q)
    got = clip.character.skin.deformed(placement.positions[0], placement.rotations[0])
    assert np.allclose(got, Oracle(tmp_path / "made.gltf").vertices(None, 0.0), atol=1e-6)


# Accessors -------------------------------------------------------------------------------------


def document(maker: Maker, tmp_path):
    from poise.formats.gltf.container import read_document

    return read_document(maker.write(tmp_path / "made.gltf"))


@pytest.mark.parametrize(
    ("component", "raw", "wanted"),
    [
        (5120, [-128, -127, 0, 127], [-1, -1, 0, 1]),
        (5121, [0, 51, 255, 102], [0, 0.2, 1, 0.4]),
        (5122, [-32768, 0, 32767, -32767], [-1, 0, 1, -1]),
        (5123, [0, 65535, 13107, 0], [0, 1, 0.2, 0]),
    ],
)
def test_normalised_integers(tmp_path, component, raw, wanted):
    from poise.formats.gltf.accessor import read_floats, read_integers

    maker = Maker()
    plain, normal = (
        maker.accessor(raw, "SCALAR", component),
        maker.accessor(raw, "SCALAR", component, normalized=True),
    )
    doc = document(maker, tmp_path)
    assert np.allclose(read_floats(doc, normal, "test", "SCALAR"), wanted, atol=1e-12)
    assert np.array_equal(read_floats(doc, plain, "test", "SCALAR"), raw)
    assert np.array_equal(read_integers(doc, plain, "test", "SCALAR"), raw)


def test_strides_offsets_sparse_and_padded_matrices(tmp_path):
    from poise.formats.gltf.accessor import read_floats

    maker = Maker()
    mixed = np.arange(40, dtype="<f4").reshape(5, 8)
    view = maker.view(mixed.tobytes(), byteStride=32)
    accessors = maker.content["accessors"]
    accessors.append(
        {"bufferView": view, "byteOffset": 12, "componentType": 5126, "count": 5, "type": "VEC3"}
    )
    where = maker.view(np.array([1, 4], dtype="<u2").tobytes())
    what = maker.view(np.array([[9, 9, 9], [8, 8, 8]], dtype="<f4").tobytes())
    sparse = {
        "count": 2,
        "indices": {"bufferView": where, "componentType": 5123},
        "values": {"bufferView": what},
    }
    accessors.append({**accessors[0], "sparse": sparse})
    accessors.append({"componentType": 5126, "count": 5, "type": "VEC3", "sparse": sparse})
    columns = np.array([[1, 2, 3, 0], [4, 5, 6, 0], [7, 8, 9, 0]], dtype="u1")
    accessors.append(
        {"bufferView": maker.view(columns.tobytes()), "componentType": 5121, "count": 1, "type": "MAT3"}
    )
    doc = document(maker, tmp_path)
    assert np.array_equal(read_floats(doc, 0, "test", "VEC3"), mixed[:, 3:6])
    changed = mixed[:, 3:6].copy()
    changed[[1, 4]] = [[9, 9, 9], [8, 8, 8]]
    assert np.array_equal(read_floats(doc, 1, "test", "VEC3"), changed)
    alone = np.zeros((5, 3))
    alone[[1, 4]] = [[9, 9, 9], [8, 8, 8]]
    assert np.array_equal(read_floats(doc, 2, "test", "VEC3"), alone)
    assert np.array_equal(read_floats(doc, 3, "test", "MAT3")[0], [[1, 4, 7], [2, 5, 8], [3, 6, 9]])


# Containers ------------------------------------------------------------------------------------


def animated() -> Maker:
    maker = chain({}, {"translation": [0, 1, 0]})
    times = np.arange(4) / 30
    maker.animate("a", (1, "rotation", times, about_x([0, 0.1, 0.2, 0.3]), "LINEAR"))
    return maker


def test_side_files_beside_the_document_only(tmp_path):
    maker = animated()
    folder = tmp_path / "here"
    (folder / "sub dir").mkdir(parents=True)
    (folder / "sub dir" / "data.bin").write_bytes(maker.blob)
    (tmp_path / "outside.bin").write_bytes(maker.blob)
    content = maker.json()

    def read(uri):
        content["buffers"] = [{"byteLength": len(maker.blob), "uri": uri}]
        (folder / "made.gltf").write_text(json.dumps(content))
        return gltf.load(folder / "made.gltf", mass=False)

    assert read("sub%20dir/data.bin").frames == 4
    for uri in (
        "../outside.bin",
        "sub%20dir/../../outside.bin",
        str(tmp_path / "outside.bin"),
        "http://example.org/data.bin",
        "https://example.org/data.bin",
        "file:///etc/passwd",
        "missing.bin",
        "data:application/octet-stream;base64,@@@",
        "data:text/plain,hello",
        "sub%20dir",
    ):
        with pytest.raises(FileFormatError, match=r"made\.gltf"):
            read(uri)
    (folder / "link.bin").symlink_to(tmp_path / "outside.bin")
    with pytest.raises(FileFormatError, match="outside"):
        read("link.bin")


def test_a_missing_image_costs_only_the_image(tmp_path):
    maker = chain({"mesh": 0})
    maker.content["images"] = [{"uri": "nowhere.png"}]
    maker.content["textures"] = [{"source": 0}]
    maker.content["materials"] = [
        {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "baseColorFactor": [1, 0, 0, 1]}}
    ]
    position = maker.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "VEC3")
    maker.content["meshes"] = [{"primitives": [{"attributes": {"POSITION": position}, "material": 0}]}]
    clip = load(maker, tmp_path)
    assert any("nowhere.png" in n for n in clip.source.notes)
    assert np.allclose(clip.character.skin.extras["colours"], [[1, 0, 0, 1]])
    import io

    from PIL import Image

    data = clip.character.skin.extras["gltf"].images[0].data
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


def test_bad_options_are_refused(tmp_path):
    with pytest.raises(InputError, match="scale"):
        load(animated(), tmp_path, scale=0.0)
    with pytest.raises(InputError, match="frame rate"):
        load(animated(), tmp_path, fps=-1)
    with pytest.raises(UnknownNameError, match="skin"):
        load(animated(), tmp_path, skin="none")
