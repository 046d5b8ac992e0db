"""Characters: order, names, selections and honest refusals."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Body, Character, Joint, Mass, Shape
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
            "in a circle",
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
