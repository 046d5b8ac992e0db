"""Solids against their closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from poise.errors import InputError
from poise.pictures import mesh as solids

PI = np.pi


def _frustum_capsule(a: float, b: float, length: float) -> float:
    """Volume of the convex hull of two balls: two spherical parts and a cone frustum between."""
    s = (a - b) / length
    za, zb, ra, rb = a * s, length + b * s, a * np.sqrt(1 - s * s), b * np.sqrt(1 - s * s)
    side = PI / 3 * (zb - za) * (ra * ra + ra * rb + rb * rb)
    low = PI * (a * a * (za + a) - (za**3 + a**3) / 3)
    top = zb - length
    high = PI * (b * b * (b - top) - (b**3 - top**3) / 3)
    return float(side + low + high)


CASES = {
    "sphere": (lambda d: solids.sphere(0.3, detail=d), 4 / 3 * PI * 0.027),
    "ellipsoid": (lambda d: solids.ellipsoid((0.1, 0.2, 0.3), detail=d), 4 / 3 * PI * 0.006),
    "capsule": (
        lambda d: solids.capsule((0, 0, 0), (0.3, 0.4, 1.2), 0.1, detail=d),
        PI * 0.01 * 1.3 + 4 / 3 * PI * 1e-3,
    ),
    "tapered": (
        lambda d: solids.tapered_capsule((0, 0, 0), (0.3, 0.4, 1.2), 0.3, 0.1, detail=d),
        _frustum_capsule(0.3, 0.1, 1.3),
    ),
    "swallowed": (
        lambda d: solids.tapered_capsule((1, 0, 0), (1, 0, 0.1), 0.3, 0.1, detail=d),
        4 / 3 * PI * 0.027,
    ),
    "cone": (lambda d: solids.cone(0.2, 0.5, detail=d), PI * 0.04 * 0.5 / 3),
    "ring": (lambda d: solids.torus(0.4, 0.1, detail=d), 2 * PI**2 * 0.4 * 0.01),
}


@pytest.mark.parametrize("name", CASES)
def test_volume_converges_from_inside_at_second_order(name: str) -> None:
    make, exact = CASES[name]
    errors = [exact - make(d).volume() for d in (32, 64)]
    assert 0 < errors[1] < errors[0] < 0.05 * exact
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.12)


def test_rounded_solids_approach_the_sharp_ones() -> None:
    sharp_box = solids.box((0.1, 0.2, 0.3), rounding=0.0).volume()
    assert sharp_box == pytest.approx(0.048, rel=1e-3)
    # A rounded box is the inner box grown by a ball (Steiner's formula).
    h, r = np.array([0.1, 0.2, 0.3]), 0.05
    x, y, z = 2 * (h - r)
    steiner = x * y * z + 2 * r * (x * y + y * z + z * x) + PI * r * r * (x + y + z) + 4 / 3 * PI * r**3
    assert solids.box(h, rounding=r, detail=128).volume() == pytest.approx(steiner, rel=1e-3)
    assert solids.cylinder(0.2, 0.3, rounding=0.0, detail=256).volume() == pytest.approx(
        PI * 0.04 * 0.6, rel=1e-3
    )


def _round_cone_distance(p: np.ndarray, length: float, a: float, b: float) -> np.ndarray:
    """Distance to the hull of balls a at the origin and b at (0, 0, length): least over the balls between."""
    t = np.linspace(0, 1, 4001)
    radius, centre = a + (b - a) * t, length * t
    across = np.hypot(p[:, 0], p[:, 1])
    return (np.hypot(across[:, None], p[:, 2:] - centre) - radius).min(axis=1)


def test_every_vertex_of_a_tapered_capsule_lies_on_its_surface() -> None:
    mesh = solids.tapered_capsule((0, 0, 0), (0, 0, 0.8), 0.2, 0.07, detail=24)
    assert np.abs(_round_cone_distance(mesh.vertices, 0.8, 0.2, 0.07)).max() < 1e-6


@pytest.mark.parametrize("name", [*CASES, "box", "cylinder"])
def test_normals_are_unit_and_agree_with_the_faces(name: str) -> None:
    extra = {"box": solids.box((0.1, 0.2, 0.3)), "cylinder": solids.cylinder(0.2, 0.3)}
    mesh = extra[name] if name in extra else CASES[name][0](48)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-12)
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    flat = np.cross(b - a, c - a)
    area = np.linalg.norm(flat, axis=1)
    mean = mesh.normals[mesh.faces].mean(axis=1)
    cosine = np.einsum("ij,ij->i", flat / area[:, None], mean / np.linalg.norm(mean, axis=1)[:, None])
    assert np.average(cosine, weights=area) > 0.99
    assert cosine.min() > 0.6


@pytest.mark.parametrize("name", [*CASES, "box", "cylinder"])
def test_solids_are_closed(name: str) -> None:
    extra = {"box": solids.box((0.1, 0.2, 0.3)), "cylinder": solids.cylinder(0.2, 0.3)}
    mesh = extra[name] if name in extra else CASES[name][0](16)
    _, where = np.unique(np.round(mesh.vertices, 9), axis=0, return_inverse=True)
    faces = where.reshape(-1)[mesh.faces]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    there = {tuple(e) for e in edges.tolist()}
    assert all((b, a) in there for a, b in there)


def test_smooth_normals_of_a_bare_sphere_are_radial() -> None:
    ball = solids.sphere(1.0, detail=64)
    _, first, where = np.unique(np.round(ball.vertices, 9), axis=0, return_index=True, return_inverse=True)
    again = solids.from_triangles(ball.vertices[first], where.reshape(-1)[ball.faces])
    apart = np.abs(again.normals - again.vertices)
    assert apart.max() < 0.02
    assert apart.mean() < 0.002


def test_placing_is_a_rigid_motion(rng: np.random.Generator) -> None:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn = q * np.sign(np.linalg.det(q))
    mesh = solids.box((0.1, 0.2, 0.3))
    moved = mesh.placed((1, 2, 3), turn)
    assert moved.volume() == pytest.approx(mesh.volume())
    np.testing.assert_allclose(moved.vertices[5], turn @ mesh.vertices[5] + [1, 2, 3])
    np.testing.assert_allclose(moved.normals[5], turn @ mesh.normals[5])


def test_bad_solids_are_refused() -> None:
    with pytest.raises(InputError, match="positive"):
        solids.sphere(-1.0)
    with pytest.raises(InputError, match="vertices 0 … 2"):
        solids.Mesh(np.zeros((3, 3)), np.array([[0, 1, 3]]), np.zeros((3, 3)))
