"""Every kind of shape, looked at from outside: sampled surfaces, closed forms, winding numbers, volumes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from poise.errors import InputError
from poise.manifold import so3
from poise.world import Ball, Bar, Box, Cylinder, Field, Ground, Mesh, Rope, Shape, Stairs, Surface

TORUS_RINGS = 24


def torus(large=0.6, small=0.2, around=TORUS_RINGS, across=16) -> Mesh:
    """A closed mesh that is not convex."""
    u, v = (2 * np.pi * np.arange(n) / n for n in (around, across))
    u, v = (x.ravel() for x in np.meshgrid(u, v, indexing="ij"))
    r = large + small * np.cos(v)
    vertices = np.column_stack([r * np.cos(u), r * np.sin(u), small * np.sin(v)])
    i, j = (x.ravel() for x in np.meshgrid(np.arange(around), np.arange(across), indexing="ij"))
    a, b = i * across + j, (i + 1) % around * across + j
    c, d = (i + 1) % around * across + (j + 1) % across, i * across + (j + 1) % across
    return Mesh(vertices, np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])]))


SHAPES: dict[str, Shape] = {
    "ground": Ground(0.1, (0.1, -0.2)),
    "box": Box((0.4, 0.3, 0.2), overhang=0.0),
    "ball": Ball(0.5),
    "bar": Bar(1.1, 0.1),
    "cylinder": Cylinder(0.3, 0.7, overhang=0.0),
    "stairs": Stairs(4, 0.17, 0.29, 0.8, overhang=0.0),
    "field": Field(0.2 * np.sin(np.arange(20)[:, None] * 0.4) * np.cos(np.arange(16) * 0.3), spacing=0.08),
    "rope": Rope([[-0.6, 0.0, 0.3], [0.0, 0.2, 0.0], [0.7, 0.0, 0.4]], 0.05),
    "mesh": torus(),
}
CHORD = {"ball": 0.012, "bar": 0.003, "cylinder": 0.006, "rope": 0.003}
"""How far triangles of what is round lie inside it [m]."""


def test_every_kind_is_looked_at():
    assert set(SHAPES) == set(Shape.kinds), "a kind of surface that no test here covers"


def on_triangles(found, count, rng):
    """Places all over triangles, by area, and all vertices."""
    a, b, c = (found.vertices[found.triangles[:, i]] for i in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    k = rng.choice(len(area), count, p=area / area.sum())
    s, t = rng.random((2, count))
    s, t = np.where(s + t > 1, 1 - s, s), np.where(s + t > 1, 1 - t, t)
    return np.concatenate([a[k] + s[:, None] * (b - a)[k] + t[:, None] * (c - a)[k], found.vertices])


def winding(found, places):
    """How often triangles go round places: by solid angles (van Oosterom and Strackee 1983), (P,)."""
    a, b, c = (found.vertices[found.triangles[:, i]][None] - places[:, None] for i in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=2) for x in (a, b, c))
    top = (a * np.cross(b, c)).sum(axis=2)
    low = la * lb * lc + (a * b).sum(axis=2) * lc + (b * c).sum(axis=2) * la + (c * a).sum(axis=2) * lb
    return 2 * np.arctan2(top, low).sum(axis=1) / (4 * np.pi)


@pytest.mark.parametrize("kind", SHAPES)
def test_what_is_drawn_lies_on_the_surface_and_the_gap_is_the_distance_to_it(kind):
    shape, rng = SHAPES[kind], np.random.default_rng(1)
    extent = rng.uniform(-1.2, 1.2, (50, 3))
    drawn = shape.mesh(extent)
    on = on_triangles(drawn, 60_000, rng)
    if kind == "field":
        on = on[(on[:, :2] > 1e-9).all(axis=1) & (on[:, 0] < 1.5) & (on[:, 1] < 1.19)]
    gap, normal = shape.gap(on)
    tops = kind in ("box", "cylinder", "stairs")  # above and below which the gap is measured along z
    along = (normal[:, 2] == 1.0) & tops
    slack = CHORD.get(kind, 0.007 if kind == "field" else 1e-9)
    assert gap[~along].max() <= slack
    if kind != "rope":  # pieces of which overlap
        assert gap[~along].min() >= -slack
    places = rng.uniform(-0.9, 0.9, (60, 3))
    gap, normal = shape.gap(places)
    nearest = np.array([np.linalg.norm(on - p, axis=1).min() for p in places])
    along = (normal[:, 2] == 1.0) & tops
    distance = np.isfinite(gap) & ~along & (kind != "field")  # which is no distance where it bends
    np.testing.assert_allclose(np.abs(gap[distance]), nearest[distance], atol=0.02)
    assert distance.sum() > 20 or kind == "field"
    levels = np.unique(np.round(drawn.vertices[:, 2], 9))
    assert all(np.abs(levels - top).min() < 1e-8 for top in (places[:, 2] - gap)[along])
    assert np.allclose(np.linalg.norm(normal, axis=-1), 1.0)


@pytest.mark.parametrize("kind", [k for k in SHAPES if k not in ("ground", "field")])
def test_inside_is_where_triangles_go_round(kind):
    shape, rng = SHAPES[kind], np.random.default_rng(2)
    drawn = shape.mesh()
    places = rng.uniform(drawn.vertices.min(axis=0) - 0.1, drawn.vertices.max(axis=0) + 0.1, (300, 3))
    gap, _ = shape.gap(places)
    clear = np.abs(gap) > 0.015
    turns = winding(drawn, places)
    inside = turns > 0.5
    assert inside[clear].any()
    assert (inside == (gap < 0))[clear].all()


@pytest.mark.parametrize("kind", SHAPES)
def test_away_along_the_normal_the_gap_grows_as_fast_as_one_goes(kind):
    shape, rng = SHAPES[kind], np.random.default_rng(4)
    places = rng.uniform(-0.9, 0.9, (400, 3))
    gap, normal = shape.gap(places)
    there = np.isfinite(gap) & (np.abs(gap) > 1e-3)
    if kind == "field":
        there &= np.abs(gap) < 1e-2  # exact on it
    grown = (shape.gap((places + 1e-7 * normal)[there])[0] - gap[there]) / 1e-7
    # At places as near to one side as to another the way off changes: a handful at most.
    assert np.mean(np.abs(grown - 1.0) > (0.2 if kind == "field" else 1e-4)) < 0.01


@pytest.mark.parametrize(
    ("kind", "volume"),
    [
        ("box", 8 * 0.4 * 0.3 * 0.2),
        ("ball", 4 / 3 * np.pi * 0.5**3),
        ("bar", np.pi * 0.1**2 * 1.1 + 4 / 3 * np.pi * 0.1**3),
        ("cylinder", np.pi * 0.3**2 * 0.7),
        ("stairs", 0.29 * 0.8 * 0.17 * (1 + 2 + 3 + 4)),
        ("mesh", 2 * np.pi**2 * 0.6 * 0.2**2),
    ],
)
def test_drawn_solids_are_closed_and_turned_outwards(kind, volume):
    vertices, triangles = SHAPES[kind].mesh()
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    assert (a * np.cross(b, c)).sum() / 6 == pytest.approx(volume, rel=0.05)
    assert np.abs(np.cross(b - a, c - a).sum(axis=0)).max() < 1e-9, "not closed"


def within(part, places):
    """Whether places are in a convex solid, by its own formula."""
    turn = so3.to_matrix(so3.exp(np.array(part.turn)))
    p = (places - part.place) @ turn
    if part.kind == "plane":
        return p[:, 2] < 0
    if part.kind == "box":
        return (np.abs(p) < part.size).all(axis=1)
    if part.kind == "sphere":
        return np.linalg.norm(p, axis=1) < part.size[0]
    if part.kind == "cylinder":
        return (np.hypot(p[:, 0], p[:, 1]) < part.size[0]) & (np.abs(p[:, 2]) < part.size[1])
    p[:, 2] -= np.clip(p[:, 2], -part.size[1], part.size[1])
    return np.linalg.norm(p, axis=1) < part.size[0]


@pytest.mark.parametrize("kind", [k for k, s in SHAPES.items() if s.solids() is not None])
def test_the_solids_that_engines_get_fill_the_same_room(kind):
    shape = SHAPES[kind]
    places = np.random.default_rng(5).uniform(-1.2, 1.2, (20_000, 3))
    gap, _ = shape.gap(places)
    inside = np.any([within(part, places) for part in shape.solids()], axis=0)
    assert inside.any()
    assert ((gap < 0) == inside).all()


def test_only_uneven_ground_and_hollow_meshes_have_no_solids():
    assert {kind for kind, shape in SHAPES.items() if shape.solids() is None} == {"field", "mesh"}
    two = [Box((0.2, 0.3, 0.4)).mesh(), Ball(0.3).mesh()]
    vertices = np.concatenate([two[0].vertices, two[1].vertices + [2.0, 0.0, 0.0]])
    pieces = Mesh(vertices, np.concatenate([two[0].triangles, two[1].triangles + len(two[0].vertices)]))
    hulls = pieces.solids()
    assert [part.kind for part in hulls] == ["mesh", "mesh"], "convex pieces are"


def test_the_nearest_place_of_a_mesh_is_that_of_all_its_triangles():
    rng = np.random.default_rng(6)
    mesh = torus(around=60, across=40)
    places = rng.normal(size=(300, 3))
    gap, normal = mesh.gap(places)
    t = np.asarray(mesh.vertices)[
        mesh.triangles
    ]  # by a search of a thousand places on every triangle, refined
    best = np.full(len(places), np.inf)
    for a, b, c in t:
        # The nearest place of a plane, or of an edge, by solving for it and clipping: not by regions.
        n = np.cross(b - a, c - a)
        h = (places - a) @ n / (n @ n)
        q = places - h[:, None] * n
        inside = np.ones(len(places), dtype=bool)
        for u, v in ((a, b), (b, c), (c, a)):
            inside &= np.cross(v - u, q - u) @ n >= 0
            s = np.clip((places - u) @ (v - u) / ((v - u) @ (v - u)), 0, 1)
            best = np.minimum(best, np.linalg.norm(places - u - s[:, None] * (v - u), axis=1))
        best = np.where(inside, np.minimum(best, np.abs(h) * np.linalg.norm(n)), best)
    np.testing.assert_allclose(np.abs(gap), best, atol=1e-12)
    assert ((gap < 0) == (winding(mesh.mesh(), places) > 0.5)).all()
    back = places - gap[:, None] * normal
    assert np.abs(mesh.gap(back)[0]).max() < 1e-12


@pytest.mark.parametrize(
    "shape", [Box((0.2, 0.2, 0.2), 0.1), Stairs(1, 0.4, 0.4, 0.4, 0.1), Cylinder(0.2, 0.4, 0.1)]
)
def test_beyond_the_edge_of_a_top_one_still_stands_on_it(shape):
    top = shape.mesh().vertices[:, 2].max()
    middle = 0.5 * (shape.mesh().vertices.min(axis=0) + shape.mesh().vertices.max(axis=0))
    over = np.array([middle[0] + 0.2 + 0.07, middle[1], top + 0.03])
    gap, normal = shape.gap(over)
    assert gap == pytest.approx(0.03)
    assert normal.tolist() == [0.0, 0.0, 1.0]
    beyond = over + [0.05, 0.0, 0.0]
    assert shape.gap(beyond)[0] == pytest.approx(np.hypot(0.12, 0.03))


def test_a_foot_on_each_step_is_on_that_step():
    stairs = Stairs(5, 0.17, 0.29, 1.0)
    k = np.arange(1, 6)
    for share in (0.1, 0.5, 0.9):  # near the edge, in the middle, near the next riser
        soles = np.column_stack([(k - 1 + share) * 0.29, 0 * k, k * 0.17 + 0.01])
        gap, normal = stairs.gap(soles)
        np.testing.assert_allclose(gap, 0.01, atol=1e-12)
        assert (normal == [0.0, 0.0, 1.0]).all()


@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape_is_read_as_it_was_written(kind):
    shape = SHAPES[kind]
    again = Shape.from_dict(json.loads(json.dumps(shape.to_dict())))
    assert again == shape
    assert hash(again) == hash(shape)
    assert again != SHAPES["ball" if kind != "ball" else "box"]


@pytest.mark.parametrize("kind", SHAPES)
def test_batches_and_order_change_no_bits(kind):
    shape, rng = SHAPES[kind], np.random.default_rng(7)
    places = rng.uniform(-1, 1, (6, 5, 3))
    gap, normal = shape.gap(places)
    for i in range(6):
        for j in range(5):
            one, way = shape.gap(places[i, j])
            assert one == gap[i, j] or (np.isinf(one) and np.isinf(gap[i, j]))
            assert (way == normal[i, j]).all()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Stairs(0), "1 to 1000 steps"),
        (lambda: Stairs(2.5), "1 to 1000 steps"),
        (lambda: Stairs(3, -0.1), "rise, run and width of stairs must be positive"),
        (lambda: Rope([[0, 0, 0]]), "at least two places"),
        (lambda: Rope([[0, 0, 0], [0, 0, 0]]), "no two in a row the same"),
        (lambda: Cylinder(0.1, 0), "must be positive"),
        (lambda: Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 3]]), "whole numbers below 3"),
        (lambda: Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 1.5]]), "whole numbers below 3"),
        (lambda: Mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]]), "have no area"),
        (lambda: Mesh([[0, 0, float("nan")]], [[0, 0, 0]]), "finite"),
        (lambda: Box(overhang=-1), "overhang of a box must not be negative"),
        (lambda: Shape.from_dict({"kind": ["box"]}), "kind of surface"),
        (lambda: Surface("x", Box(), bounce=1.0), "bounce of 'x'"),
    ],
)
def test_what_makes_no_sense_is_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()
