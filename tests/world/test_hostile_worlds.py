"""Whatever a file says of a world is refused by name, or can be worked with: no overflow, no silence."""

from __future__ import annotations

import tracemalloc
from dataclasses import MISSING, fields

import numpy as np
import pytest

from poise.errors import InputError, UnknownNameError
from poise.world import Ground, Surface, World
from poise.world.shapes import Mesh
from poise.world.surface import Shape

HOSTILE = (
    1e300, -1e300, 1e-300, 5e-324, float("nan"), float("inf"), 0.0, -1.0, 1e9, 1e10,
    True, "0.5", None, [1], {}, [[0.0, 1e300], [0.0, 0.0]], [[0.0, 1.0], [2.0]], [1e9, -1e9],
    [1e9, 1e9, 1e9], [],
)  # fmt: skip
PLACES = np.array([[0.0, 0.0, 0.0], [0.3, -0.2, 1.0], [1e4, -1e4, 50.0]])
MADE = {
    "field": {"heights": [[0.0, 0.1], [0.2, 0.0]]},
    "rope": {"places": [[0.0, 0.0, 1.0], [1.0, 0.0, 1.2]]},
    "mesh": {"vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "triangles": [[0, 1, 2]]},
}
"""What a kind of shape cannot do without."""


def plain(kind: str) -> dict:
    """A shape of a kind as it would be written."""
    cls = Shape.kinds[kind]
    default = {f.name: f.default for f in fields(cls) if f.default is not MISSING}
    return {"kind": kind, **default, **MADE.get(kind, {})}


def worked_with(world: World) -> None:
    """It must be one that can be asked without a warning (these are errors in tests)."""
    assert World.from_dict(world.to_dict()) == world
    if any(s.carried for s in world.surfaces):  # and nobody is there to carry it
        with pytest.raises(InputError, match="carried by"):
            world.below(PLACES)
        return
    below = world.below(PLACES, 0.02)
    assert not np.isnan(below.gap).any()
    assert np.allclose(np.linalg.norm(below.normal, axis=-1), 1.0)


@pytest.mark.parametrize("kind", sorted(Shape.kinds))
def test_numbers_of_shapes_are_refused_or_work(kind):
    refused = 0
    for field in fields(Shape.kinds[kind]):
        for value in HOSTILE:
            shape = plain(kind) | {field.name: value}
            try:
                world = World.from_dict({"surfaces": [{"name": "it", "shape": shape}]})
            except (InputError, UnknownNameError):
                refused += 1
            else:
                worked_with(world)
    assert refused
    worked_with(World.from_dict({"surfaces": [{"name": "it", "shape": plain(kind)}]}))


@pytest.mark.parametrize("name", [f.name for f in fields(Surface)])
def test_what_is_said_of_a_surface_is_refused_or_works(name):
    refused = 0
    for value in (*HOSTILE, "rumoured", ["ground"], {"kind": ["ground"]}):
        try:
            world = World.from_dict({"surfaces": [{"name": "it", "shape": {"kind": "ground"}, name: value}]})
        except (InputError, UnknownNameError):
            refused += 1
        else:
            worked_with(world)
    assert refused


@pytest.mark.parametrize(
    "data", [3, [], None, "x", {"surfaces": 3}, {"surfaces": [3]}, {"surfaces": [None]}, {"x": []}]
)
def test_what_is_no_world_is_refused(data):
    with pytest.raises(InputError, match=r"is written"):
        World.from_dict(data)


def test_refusals_are_short_whatever_is_refused():
    with pytest.raises(InputError) as refused:
        World.from_dict({"surfaces": [], "more": list(range(100_000))})
    assert len(str(refused.value)) < 300


def test_a_crowd_of_surfaces_is_counted_once():
    """Comparing every name with every other takes minutes here."""
    crowd = World(tuple(Surface(f"stone {k}", Ground()) for k in range(40_000)))
    with pytest.raises(InputError, match="several called 'stone 7'"):
        World((*crowd.surfaces, Surface("stone 7", Ground())))


def test_fine_meshes_are_taken_apart_without_gigabytes():
    """20,000 corners against 40,000 triangles at once would be 6 GB."""
    n = 142
    x, y = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij")
    corner = np.arange(n * n).reshape(n, n)
    a, b, c, d = (corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:])
    triangles = np.concatenate(
        [np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)]
    )
    tracemalloc.start()
    try:
        for height, convex in ((-(x**2) - y**2, True), (np.sin(5 * x) * np.cos(5 * y), False)):
            vertices = np.stack([x, y, height], -1).reshape(-1, 3)
            found = Mesh(vertices, triangles).solids()
            assert (found is not None) == convex
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()
