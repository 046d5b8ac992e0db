"""Characters: order, names, selections and honest refusals."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Body, Character, Joint, JointKind, Mass, MorphTarget, Shape, ShapeKind, Skin
from poise.character.tree import LINK_BALL, LINK_HINGE, LINK_SLIDE, LINK_TRANSLATION
from poise.errors import InputError, UnknownNameError


def figure() -> Character:
    return Character(
        "figure",
        [
            Body(
                "hand", "arm", Joint.hinge((1, 0, 0)), side="left", limb="hand", points={"tip": (0, 0.1, 0)}
            ),
            Body("hips", None, Joint.free(), (0, 0, 1)),
            Body("leg", "hips", Joint.ball(), side="left", limb="leg"),
            Body("arm", "hips", Joint.ball(), side="left", limb="arm"),
        ],
    )


def test_bodies_are_sorted_depth_first_in_the_order_given():
    c = figure()
    assert c.names == ("hips", "leg", "arm", "hand")
    assert c.parents.tolist() == [-1, 0, 0, 2]
    assert (c.nq, c.nv) == (7 + 4 + 4 + 1, 6 + 3 + 3 + 1)
    assert c.coordinates("arm") == slice(11, 15)
    assert c.dofs("hand") == slice(12, 13)
    assert c.dof_names[0] == "hips.x"
    assert c.dof_names[-1] == "hand"


def test_selection_by_name_limb_and_side():
    c = figure()
    assert c.select("*") == [0, 1, 2, 3]
    assert c.select("left arm") == [2]
    assert c.select("H*") == [0, 3]
    assert c.select("left") == [1, 2, 3]
    with pytest.raises(UnknownNameError, match="left arm"):
        c.select("left wing")


def test_points_and_unknown_names():
    c = figure()
    assert c.point("tip").body == 3
    np.testing.assert_array_equal(c.point("arm").position, 0)
    with pytest.raises(UnknownNameError, match="did you mean 'tip'"):
        c.point("tap")
    with pytest.raises(UnknownNameError, match="hips"):
        c.index("hip")


def test_links_of_free_and_planar_joints():
    c = Character("c", [Body("a", None, Joint.planar()), Body("b", "a", Joint.free())])
    assert c.tree.kind.tolist() == [LINK_SLIDE, LINK_SLIDE, LINK_HINGE, LINK_TRANSLATION, LINK_BALL]
    assert c.tree.body.tolist() == [-1, -1, 0, -1, 1]
    assert c.tree.link.tolist() == [2, 4]
    assert c.tree.v_start.tolist() == [0, 1, 2, 3, 6]
    assert c.tree.root_links == 3


@pytest.mark.parametrize(
    ("bodies", "message"),
    [
        ([], "no bodies"),
        ([Body("a", "b", Joint.ball()), Body("b", "a", Joint.ball())], "exactly one root, it has: none"),
        (
            [Body("a", None, Joint.ball()), Body("b", None, Joint.ball())],
            "exactly one root, it has: 'a', 'b'",
        ),
        ([Body("a", None, Joint.ball()), Body("a", "a", Joint.ball())], "two bodies named 'a'"),
        ([Body("a", None, Joint.ball()), Body("b", "c", Joint.ball())], "no parent body named 'c'"),
        (
            [Body("r", None, Joint.ball()), Body("a", "b", Joint.ball()), Body("b", "a", Joint.ball())],
            "ancestors",
        ),
    ],
)
def test_broken_trees_are_refused(bodies, message):
    with pytest.raises(InputError, match=message):
        Character("broken", bodies)


def test_impossible_masses_are_refused():
    with pytest.raises(InputError, match="not negative"):
        Mass(-1.0)
    with pytest.raises(InputError, match="no rigid body"):
        Mass(1.0, (0, 0, 0), (1.0, 1.0, 3.0))
    with pytest.raises(InputError, match="symmetric"):
        Mass(1.0, (0, 0, 0), [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]])


def test_joint_limits_the_wrong_way_round_are_refused():
    with pytest.raises(InputError, match="wrong way round"):
        Joint.hinge((0, 1, 0), 1.0, -1.0)
    with pytest.raises(InputError, match="must not be zero"):
        Joint.hinge((0, 0, 0))


@pytest.mark.parametrize(
    "shape",
    [
        Shape.sphere((0.1, 0.2, 0.3), 0.2),
        Shape.capsule((0, 0, 0), (0.1, 0.4, -0.2), 0.1),
        Shape.cylinder((0, 0.1, 0), (0.3, 0, 0.2), 0.15),
        Shape.ellipsoid((0, 0, 0.1), (0.1, 0.2, 0.3)),
        Shape.box((0.1, 0, 0), (0.1, 0.2, 0.3)),
    ],
    ids=lambda s: s.kind.value,
)
def test_volume_and_inertia_of_shapes_against_sampling(shape):
    # Monte Carlo over the bounding cube: an independent truth for every solid.
    rng = np.random.default_rng(5)
    from poise.manifold import so3

    local = rng.uniform(-0.5, 0.5, size=(400_000, 3))
    a, b, c = shape.size
    x, y, z = local.T
    inside = {
        "sphere": x**2 + y**2 + z**2 < a**2,
        "ellipsoid": (x / a) ** 2 + (y / max(b, 1e-9)) ** 2 + (z / max(c, 1e-9)) ** 2 < 1,
        "box": (abs(x) < a) & (abs(y) < b) & (abs(z) < c),
        "cylinder": (x**2 + y**2 < a**2) & (abs(z) < b),
        "capsule": x**2 + y**2 + np.maximum(abs(z) - b, 0) ** 2 < a**2,
    }[shape.kind.value]
    np.testing.assert_allclose(inside.mean(), shape.volume, rtol=0.03)
    points = so3.rotate(shape.rotation, local[inside])
    spread = points.T @ points / len(points)
    expected = np.trace(spread) * np.eye(3) - spread
    np.testing.assert_allclose(shape.unit_inertia(), expected, atol=0.02 * np.trace(expected))


def test_masses_combine_by_the_parallel_axis_theorem():
    # Two half boxes make a whole one.
    whole = Mass.of_shapes([Shape.box((0, 0, 0), (0.2, 0.1, 0.3))], mass=4.0)
    halves = [Mass.of_shapes([Shape.box((s * 0.1, 0, 0), (0.1, 0.1, 0.3))], mass=2.0) for s in (1, -1)]
    both = Mass.combined(halves)
    assert both.mass == pytest.approx(whole.mass)
    np.testing.assert_allclose(both.centre, whole.centre, atol=1e-15)
    np.testing.assert_allclose(both.inertia, whole.inertia, rtol=1e-12)


def test_characters_travel_between_processes():
    import pickle

    before = figure()
    assert before.points  # cached views must not stand in the way
    after = pickle.loads(pickle.dumps(before))
    assert after.names == before.names
    assert after.point("tip").body == 3
    np.testing.assert_array_equal(after.tree.offset, before.tree.offset)


@pytest.mark.parametrize(
    "rotation", [(0, 0, 0, 0), (1e-200, 0, 0, 0), (1e200, 1e200, 0, 0), (np.nan, 0, 0, 1)]
)
def test_rotations_without_direction_are_refused_by_name(rotation):
    with pytest.raises(InputError, match="rest rotation of 'elbow'"):
        Body("elbow", None, Joint.ball(), rest=rotation)
    with pytest.raises(InputError, match="box rotation"):
        Shape.box((0, 0, 0), (1, 1, 1), rotation=rotation)
    with pytest.raises(InputError, match="capsule rotation"):
        Shape(ShapeKind.CAPSULE, (1, 1, 0), rotation=0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Joint.ball((0, 1), (1, 2)),
            r"joint lower must be one number or 3 \(a ball joint\), not \[0",
        ),
        (lambda: Joint.ball(lower="x"), "joint lower must be one number or 3 .* not 'x'"),
        (lambda: Joint.ball(upper=[[1, 2], [3]]), "joint upper"),
        (lambda: Joint.hinge((0, 0, 1), upper=np.nan), "joint upper must be one number or 1"),
        (lambda: Joint.hinge((0, 0, 1), stiffness=(1, 2)), "joint stiffness must be one number or 1"),
        (lambda: Joint.hinge((0, 0, 1), lower=np.inf), "wrong way round"),
        (lambda: Joint.hinge((0, 0, 1), upper=-np.inf), "wrong way round"),
        (lambda: Joint.ball(stiffness=-1), "joint stiffness must be finite and not negative"),
        (lambda: Joint.ball(damping=(0, 0, -1e-9)), "joint damping must be finite and not negative"),
        (lambda: Joint.free(armature=np.inf), "joint armature must be finite and not negative"),
        (lambda: Joint("ball"), "no joint kind named 'ball'.*JointKind.BALL"),
        (lambda: JointKind.named(3), "no joint kind named 3"),
    ],
)
def test_impossible_joints_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_one_number_or_one_for_each_degree_of_freedom():
    joint = Joint.ball(-1, (1, 2, 3), stiffness=4)
    assert joint.lower.tolist() == [-1, -1, -1]
    assert joint.upper.tolist() == [1, 2, 3]
    assert joint.stiffness.tolist() == [4, 4, 4]


def skinned(**changes: object) -> Skin:
    fields: dict = {
        "vertices": np.eye(3),
        "faces": [[0, 1, 2]],
        "bodies": [[0, 1], [2, 3], [0, 3]],
        "weights": np.full((3, 2), 0.5),
        "inverse_bind": np.tile(np.eye(4), (4, 1, 1)),
        "morphs": [MorphTarget("smile", [0, 2], np.ones((2, 3)))],
    }
    return Skin(**{**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bodies": [[0, 1], [2, 4], [0, 3]]}, "bodies of skin influences: there is no number 4"),
        ({"bodies": [[0, 1], [2, -1], [0, 3]]}, "bodies of skin influences: there is no number -1"),
        ({"bodies": [[0, 1], [2, 0.5], [0, 3]]}, "whole numbers, not 0.5"),
        ({"bodies": [[0, 1], [2, 3]]}, "bodies of skin influences"),
        ({"faces": [[0, 1, 3]]}, "skin triangles: there is no number 3"),
        ({"faces": [[0, 1]]}, "skin triangles must have shape"),
        ({"faces": "abc"}, "must be numbers"),
        ({"inverse_bind": np.tile(np.eye(4), (3, 1, 1))}, "there is no number 3"),
    ],
)
def test_skins_that_name_what_is_not_there_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        Character("c", figure().bodies, skin=skinned(**changes))


def test_morph_targets_of_vertices_that_are_not_there_are_refused():
    with pytest.raises(InputError, match="morph target 'frown': there is no number 3"):
        skinned(morphs=[MorphTarget("frown", [3], [[0, 0, 1]])])
    with pytest.raises(InputError, match="morph target 'frown': there is no number -1"):
        MorphTarget("frown", [-1], [[0, 0, 1]])
    assert len(skinned().morphs) == 1
    assert skinned(faces=[]).faces.shape == (0, 3)


def test_a_skin_for_another_number_of_bodies_is_refused():
    more = skinned(inverse_bind=np.tile(np.eye(4), (5, 1, 1)))
    with pytest.raises(InputError, match="bound to 5 bodies"):
        Character("c", figure().bodies, skin=more)


@pytest.mark.parametrize(("point", "other"), [("tip", "on 'leg'"), ("hips", "the origin of a body")])
def test_points_of_one_name_are_refused_at_once(point, other):
    bodies = [
        Body("hips", None, Joint.free()),
        Body("leg", "hips", Joint.ball(), points={"tip": (0, 0, 0)}),
        Body("arm", "hips", Joint.ball(), points={point: (0, 0, 1)}),
    ]
    with pytest.raises(
        InputError, match=f"two points named '{point}': one is on 'arm', the other is {other}"
    ):
        Character("c", bodies)


def test_names_with_signs_of_patterns_are_found_as_they_are_written():
    names = ["Bone1", "Bone[1]", "bone[*]", "what?"]
    bodies = [Body("root", None, Joint.free()), *(Body(n, "root", Joint.ball()) for n in names)]
    c = Character("c", bodies)
    assert c.select("Bone[1]") == [2]
    assert c.select("bone[1]") == [2]
    assert c.select("Bone[*]") == [3]
    assert c.select("what?") == [4]
    assert c.select("Bone[12]") == [1], "brackets still are a pattern where no name is so written"
    assert c.select("bone*") == [1, 2, 3]


@pytest.mark.parametrize("body", [-1, 4, 10**9, 1.0, None, np.int64(-1)])
def test_numbers_of_bodies_that_are_not_there_are_refused(body):
    c = figure()
    for ask in (c.dofs, c.coordinates, c.subtree):
        with pytest.raises(InputError, match="bodies 0 to 3"):
            ask(body)
    assert c.dofs(np.int64(3)) == c.dofs("hand")


@pytest.mark.parametrize("name", [3, None, ["hips"], 2.5, ("a", "b"), {}])
def test_names_that_are_no_text_are_refused_like_any_other(name):
    c = figure()
    for ask in (c.index, c.point, c.select):
        with pytest.raises(UnknownNameError, match="hips"):
            ask(name)
    assert "available: 1, two" in str(UnknownNameError("thing", name, [1, "two"]))


def test_the_rest_placement_has_names_and_is_worked_out_once():
    # By hand: two bodies turned by a quarter about z, one of them under a planar joint, which takes no rest.
    turn = (np.sqrt(0.5), 0, 0, np.sqrt(0.5))
    c = Character(
        "c",
        [
            Body("a", None, Joint.free(), (0, 0, 1), turn),
            Body("b", "a", Joint.ball(), (1, 0, 0), turn),
            Body("c", "b", Joint.planar(), (1, 0, 0), turn),
            Body("d", "c", Joint.hinge((0, 0, 1)), (0, 1, 0)),
        ],
    )
    rest = c.rest_placement()
    positions, rotations = rest
    np.testing.assert_allclose(rest.positions, [(0, 0, 1), (0, 1, 1), (-1, 1, 1), (-1, 0, 1)], atol=1e-15)
    half = np.diag([-1.0, -1.0, 1.0])
    quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(rest.rotations, [quarter, half, half, half], atol=1e-15)
    assert positions is rest.positions
    assert rotations is rest.rotations
    assert c.rest_placement() is rest
    with pytest.raises(ValueError, match="read-only"):
        rest.positions[0] = 1
