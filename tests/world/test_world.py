"""Surfaces tell how far away they are, which way leads off, and survive being written."""

from __future__ import annotations

import numpy as np
import pytest

from poise.errors import InputError, UnknownNameError
from poise.manifold import so3
from poise.world import Ball, Bar, Box, Field, Ground, Surface, World, ground, step

SHAPES = {
    "ground": Ground(0.3, (0.1, -0.2)),
    "box": Box((0.4, 0.3, 0.2), overhang=0.0),
    "ball": Ball(0.5),
    "bar": Bar(1.5, 0.03),
}


def sampled(shape, rng, count=60_000):
    """Places on the surface of a shape, many of them."""
    if isinstance(shape, Ground):
        xy = rng.uniform(-4, 4, (count, 2))
        return np.column_stack([xy, shape.level(np.column_stack([xy, xy[:, :1]]))])
    if isinstance(shape, Box):
        faces = rng.integers(0, 3, count)
        x = rng.uniform(-1, 1, (count, 3)) * shape.half
        x[np.arange(count), faces] = rng.choice([-1, 1], count) * np.array(shape.half)[faces]
        return x
    way = rng.normal(size=(count, 3))
    if isinstance(shape, Ball):
        return shape.radius * way / np.linalg.norm(way, axis=1, keepdims=True)
    along = rng.uniform(-0.5, 0.5, count) * shape.length
    way[:, 0] = 0.0
    return np.column_stack([along, shape.radius * way[:, 1:] / np.linalg.norm(way, axis=1, keepdims=True)])


@pytest.mark.parametrize("kind", SHAPES)
def test_a_gap_is_the_distance_to_the_nearest_of_many_places(kind):
    shape, rng = SHAPES[kind], np.random.default_rng(3)
    turned = Surface("it", shape, (0.2, -0.4, 0.1), (0.3, -0.5, 0.8))
    turn = so3.to_matrix(so3.exp(np.array(turned.turn)))
    on = sampled(shape, rng) @ turn.T + turned.place
    places = rng.uniform(-0.9, 0.9, (40, 3)) + turned.place
    gap, normal = turned.gap(places)
    nearest = np.array([np.linalg.norm(on - p, axis=1).min() for p in places])
    assert np.allclose(np.linalg.norm(normal, axis=1), 1.0)
    np.testing.assert_allclose(np.abs(gap), nearest, atol=0.02)
    # Along the normal one leaves it exactly as fast as one goes.
    further = turned.gap(places + 1e-6 * normal)[0]
    np.testing.assert_allclose((further - gap) / 1e-6, 1.0, atol=1e-3)


def test_who_hangs_over_the_edge_of_a_step_still_stands_on_it():
    stair = step("stair", (0.0, 0.0), (0.4, 1.0), top=0.2)
    gap, normal = stair.gap([[0.45, 0.5, 0.23], [0.6, 0.5, 0.23]])
    assert gap[0] == pytest.approx(0.03)
    assert normal[0].tolist() == [0.0, 0.0, 1.0]
    assert gap[1] == pytest.approx(np.hypot(0.2, 0.03)), "far beyond the edge it is the distance"


def test_uneven_ground_is_bilinear_and_ends_at_its_rim():
    hills = Surface("hills", Field(np.array([[0.0, 1.0], [2.0, 5.0]]), spacing=2.0))
    gap, normal = hills.gap([[1.0, 1.0, 2.0], [-0.1, 0.0, 0.0]])
    assert gap[0] == pytest.approx(0.0), "the middle of a cell is the mean of its corners"
    rise = np.array([(2.0 + 4.0) / 2, (1.0 + 3.0) / 2]) / 2.0
    assert np.allclose(normal[0], np.array([*-rise, 1.0]) / np.sqrt(1 + rise @ rise))
    assert gap[1] == np.inf


def test_one_stands_on_the_highest_thing_that_is_not_far_above_the_sole():
    world = World((ground(0.0), step("low", (-1, -1), (1, 1), 0.2), step("high", (-1, -1), (1, 1), 0.5)))
    below = world.below([[0.0, 0.0, 0.25], [0.0, 0.0, 0.52], [5.0, 0.0, 0.1]], radius=0.02)
    assert [world.surfaces[k].name for k in below.surface] == ["low", "high", "floor"]
    np.testing.assert_allclose(below.gap, [0.03, 0.0, 0.08], atol=1e-12)
    assert world.below([[0.0, 0.0, -0.5]]).surface[0] == 0, "ground has no other side"


def test_what_was_found_is_a_question_until_it_is_confirmed():
    world = World((ground(0.02, source="found"), step("step", (0, 0), (1, 1), 0.2, source="found", sure=0.5)))
    assert [s.name for s in world.questions] == ["step"], "where a figure stands is no question"
    assert not world.confirmed("step").questions
    assert world.confirmed()["step"].sure == 1.0
    assert [s.name for s in world.without("step").surfaces] == ["floor"]


def test_a_world_is_read_as_it_was_written():
    world = World(
        tuple(Surface(k, s, (1.0, 2.0, 3.0), (0.0, 0.1, 0.0), friction=0.4) for k, s in SHAPES.items())
        + (Surface("hills", Field([[0.0, 1.0], [2.0, 5.0]])), ground(name="belt", velocity=(-1.3, 0.0, 0.0)))
    )
    assert World.from_dict(world.to_dict()) == world


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Box((0.1, -0.2, 0.3)), "half edges of a box must be positive"),
        (lambda: Ball(float("nan")), "radius of a ball"),
        (lambda: Surface("", Ground()), "needs a name"),
        (lambda: Surface("ice", Ground(), friction=-0.1), "friction of 'ice' must not be negative"),
        (lambda: World((ground(), ground())), "several called 'floor'"),
        (lambda: World.flat()["roof"], "roof"),
        (lambda: World.from_dict({"surfaces": [{"name": "x", "shape": {"kind": "cone"}}]}), "cone"),
        (
            lambda: World.from_dict({"surfaces": [{"name": "x", "shape": {"kind": "ball", "size": 1}}]}),
            "size",
        ),
        (lambda: World.from_dict({"surfaces": [{"name": "x"}]}), "name and shape"),
        (lambda: World.from_dict({"floor": 0.0}), "list of surfaces"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(make, said):
    with pytest.raises((InputError, UnknownNameError), match=said):
        make()
