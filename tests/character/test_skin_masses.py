"""Volume, centre and inertia of skinned meshes against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Body, Character, Joint, Skin
from poise.character.masses import with_guessed_masses
from poise.character.skin_masses import open_fraction, skin_moments


def ball_mesh(count=24):
    """A closed sphere of unit radius by latitude and longitude; outward faces."""
    lat, lon = np.linspace(0, np.pi, count + 1), np.linspace(0, 2 * np.pi, 2 * count, endpoint=False)
    ring = [[(np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)) for b in lon] for a in lat[1:-1]]
    vertices = np.array([(0, 0, 1.0), *(p for row in ring for p in row), (0, 0, -1.0)])
    n, faces = 2 * count, []
    for k in range(n):
        m = (k + 1) % n
        faces.append((0, 1 + k, 1 + m))
        for row in range(count - 2):
            a, b = 1 + row * n, 1 + (row + 1) * n
            faces += [(a + k, b + k, b + m), (a + k, b + m, a + m)]
        last = 1 + (count - 2) * n
        faces.append((len(vertices) - 1, last + m, last + k))
    return vertices, np.array(faces)


def box_mesh(half, cells=6):
    """A closed box with split edges: every side has its own vertices, as files with seams have."""
    grid = np.linspace(-1, 1, cells + 1)
    vertices, faces = [], []
    for axis in range(3):
        for sign in (-1, 1):
            base = len(vertices)
            for u in grid:
                for v in grid:
                    p = np.empty(3)
                    p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = sign, u, v
                    vertices.append(p * half)
            for i in range(cells):
                for j in range(cells):
                    a = base + i * (cells + 1) + j
                    quad = [a, a + cells + 1, a + cells + 2, a + 1]
                    quad = quad if sign > 0 else quad[::-1]
                    faces += [(quad[0], quad[1], quad[2]), (quad[0], quad[2], quad[3])]
    return np.array(vertices), np.array(faces)


def skinned(vertices, faces, weights, places):
    """A chain of bodies at ``places`` with a skin bound by dense ``weights`` (V, n)."""
    bodies, before = [], np.zeros(3)
    for i, place in enumerate(places):
        joint = Joint.free() if i == 0 else Joint.ball()
        bodies.append(Body(f"b{i}", f"b{i - 1}" if i else None, joint, np.asarray(place, float) - before))
        before = np.asarray(place, float)
    inverse = np.repeat(np.eye(4)[None], len(places), axis=0)
    inverse[:, :3, 3] = -np.asarray(places, float)
    index = np.repeat(np.arange(len(places))[None], len(vertices), axis=0)
    return Character(
        "skinned", bodies, skin=Skin(vertices, faces, index, weights, inverse), mass_source="none"
    )


def polyhedron(vertices, faces):
    """Volume, ∫x, ∫xxᵀ by tetrahedra over the origin: an independent oracle for closed meshes."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    volume = np.einsum("ti,ti->t", a, np.cross(b, c)) / 6
    total = a + b + c
    second = sum(np.einsum("ti,tj->tij", p, p) for p in (a, b, c, total))
    first = (volume[:, None] * total / 4).sum(axis=0)
    return volume.sum(), first, (volume[:, None, None] * second / 20).sum(axis=0)


def test_one_body_is_the_polyhedron_exactly(rng):
    vertices, faces = ball_mesh(12)
    vertices = vertices @ rng.normal(size=(3, 3)).T + [0.3, -0.2, 0.5]
    if polyhedron(vertices, faces)[0] < 0:
        faces = faces[:, ::-1]
    character = skinned(vertices, faces, np.ones((len(vertices), 1)), [(0.1, 0.2, 0.3)])
    volume, first, second = skin_moments(character)
    want = polyhedron(vertices, faces)
    assert volume[0] == pytest.approx(want[0], rel=1e-12)
    assert first[0] == pytest.approx(want[1], rel=1e-11)
    assert second[0] == pytest.approx(want[2], rel=1e-11)


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (9.0, 9.0, 9.0)])
def test_vertices_that_no_triangle_has_weigh_nothing(place):
    vertices, faces = box_mesh((0.3, 0.2, 0.5))
    plain = skinned(vertices, faces, np.ones((len(vertices), 1)), [(0.0, 0.0, 0.0)])
    more = np.concatenate([vertices, [place]])
    loose = skinned(more, faces, np.ones((len(more), 1)), [(0.0, 0.0, 0.0)])
    assert open_fraction(loose.skin) == 0.0
    for a, b in zip(skin_moments(plain), skin_moments(loose)):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-15)
    assert with_guessed_masses(loose).mass_source == "skin volume"


def test_sphere_converges_to_its_closed_form():
    errors = []
    for count in (16, 32):
        vertices, faces = ball_mesh(count)
        character = with_guessed_masses(
            skinned(0.2 * vertices, faces, np.ones((len(vertices), 1)), [(0, 0, 0)]), method="skin"
        )
        mass = 1000 * 4 / 3 * np.pi * 0.2**3
        own = character.bodies[0].mass
        assert character.mass_source == "skin volume"
        assert np.asarray(own.centre) == pytest.approx([0, 0, 0], abs=1e-12)
        errors.append(max(abs(own.mass / mass - 1), *abs(np.diag(own.inertia) / (0.4 * mass * 0.04) - 1)))
    assert errors[1] < 0.01
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)  # second order in the mesh


def test_box_is_exact_and_seams_do_not_open_it():
    half = np.array([0.3, 0.2, 0.5])
    vertices, faces = box_mesh(half)
    character = skinned(vertices + [1.0, 2.0, 3.0], faces, np.ones((len(vertices), 1)), [(1.0, 2.0, 2.5)])
    assert open_fraction(character.skin) == 0
    own = with_guessed_masses(character, total=10.0).bodies[0].mass
    assert own.mass == pytest.approx(10.0)
    assert np.asarray(own.centre) == pytest.approx([0, 0, 0.5], abs=1e-12)  # in the body's frame
    a, b, c = half**2
    assert np.asarray(own.inertia) == pytest.approx(10 / 3 * np.diag([b + c, a + c, a + b]), abs=1e-12)


def test_two_bodies_split_a_box_where_the_weights_change():
    """A rod along z, the lower half bound to one body and the upper to the other."""
    half = np.array([0.05, 0.05, 0.5])
    vertices, faces = box_mesh(half, cells=40)
    vertices = vertices + [0, 0, 0.5]
    upper = np.where(vertices[:, 2] > 0.5 + 1e-9, 1.0, np.where(vertices[:, 2] < 0.5 - 1e-9, 0.0, 0.5))
    character = skinned(vertices, faces, np.stack([1 - upper, upper], axis=1), [(0, 0, 0), (0, 0, 0.5)])
    character = with_guessed_masses(character, method="skin", total=4.0)
    low, high = (b.mass for b in character.bodies)
    assert low.mass + high.mass == pytest.approx(4.0, rel=1e-12)
    assert low.mass == pytest.approx(2.0, rel=0.02)
    assert np.asarray(low.centre) == pytest.approx([0, 0, 0.25], abs=0.01)
    assert np.asarray(high.centre) == pytest.approx([0, 0, 0.25], abs=0.01)
    side = 2.0 / 12 * (0.1**2 + 0.5**2)
    assert np.diag(high.inertia) == pytest.approx([side, side, 2.0 / 12 * 0.02], rel=0.05)


def test_volume_is_shared_out_completely_for_any_weights(rng):
    vertices, faces = ball_mesh(16)
    vertices = vertices * [0.2, 0.2, 0.8]
    z = (vertices[:, 2] + 0.8) / 1.6
    weights = np.stack([(1 - z) ** 2, 2 * z * (1 - z), z**2], axis=1)
    character = skinned(vertices, faces, weights, [(0, 0, -0.8), (0, 0, -0.2), (0, 0, 0.3)])
    volume, first, second = skin_moments(character)
    want = polyhedron(vertices, faces)
    assert volume.sum() == pytest.approx(want[0], rel=1e-10)
    assert first.sum(axis=0) == pytest.approx(want[1], abs=1e-12)
    assert second.sum(axis=0) == pytest.approx(want[2], abs=1e-10)


def test_an_open_skin_is_refused_and_said_so():
    for cells in (6, 30):
        vertices, faces = box_mesh(np.array([0.3, 0.2, 0.5]), cells)
        side = len(faces) // 6
        missing = 0.4 * 1.0 / (2 * (0.6 * 0.4 + 0.4 * 1.0 + 0.6 * 1.0) - 0.4)  # one side over the other five
        character = skinned(vertices, faces[side:], np.ones((len(vertices), 1)), [(0, 0, 0)])
        # The rim bounds the hole from above, tightly for a circle: here 4 sides, so 8·1.4²/4π instead of 0.4.
        assert open_fraction(character.skin) == pytest.approx(missing * 2.8**2 / (4 * np.pi) / 0.4, rel=1e-9)
    guessed = with_guessed_masses(character, method="skin")
    assert guessed.mass_source == "capsules"
    assert any("not closed" in n for n in guessed.notes)
    inside_out = skinned(vertices, faces[:, ::-1], np.ones((len(vertices), 1)), [(0, 0, 0)])
    assert any("inside out" in n for n in with_guessed_masses(inside_out).notes)


def test_a_tube_open_at_both_ends_is_open():
    vertices, faces = box_mesh(np.array([0.3, 0.2, 0.5]), 12)
    side = len(faces) // 6
    tube = skinned(vertices, faces[2 * side :], np.ones((len(vertices), 1)), [(0, 0, 0)])
    assert with_guessed_masses(tube, method="skin").mass_source == "capsules"


def test_one_triangle_turned_over_is_a_hole():
    vertices, faces = ball_mesh(8)
    faces[5] = faces[5][::-1]
    assert open_fraction(skinned(vertices, faces, np.ones((len(vertices), 1)), [(0, 0, 0)]).skin) > 0


def test_a_small_hole_is_used_and_said_so():
    vertices, faces = ball_mesh(24)
    character = skinned(0.2 * vertices, faces[1:], np.ones((len(vertices), 1)), [(0, 0, 0)])
    guessed = with_guessed_masses(character, method="skin")
    assert guessed.mass_source == "skin volume"
    assert any("not quite closed" in n for n in guessed.notes)
    assert guessed.total_mass == pytest.approx(1000 * 4 / 3 * np.pi * 0.2**3, rel=0.02)
