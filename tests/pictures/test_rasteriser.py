"""The z-buffer against analytic geometry and a brute-force ray caster."""

from __future__ import annotations

import numpy as np
import pytest

from poise.pictures import mesh as solids
from poise.pictures.camera import Camera
from poise.pictures.mesh import Mesh
from poise.pictures.rasteriser import Surfaces, rasterise, sample_ray


def surfaces(*meshes: Mesh) -> Surfaces:
    whole = solids.join(list(meshes))
    counts = [len(m.faces) for m in meshes]
    index = np.repeat(np.arange(len(meshes), dtype=np.int32), counts)
    closed = np.repeat([m.closed for m in meshes], counts)
    return Surfaces(whole.vertices, whole.normals, whole.faces, index, index, closed)


def soup(rng: np.random.Generator, count: int, spread: float = 1.0) -> Mesh:
    corners = rng.normal(size=(count, 3, 3)) * spread
    return solids.from_triangles(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


def rays(camera: Camera, supersample: int) -> tuple[np.ndarray, np.ndarray]:
    w, h = camera.size[0] * supersample, camera.size[1] * supersample
    packed = camera.packed(supersample)
    out = np.array([[sample_ray(packed, supersample, x, y) for x in range(w)] for y in range(h)])
    return out[..., :3], out[..., 3:]


def cast(origin: np.ndarray, direction: np.ndarray, mesh: Mesh, near: float) -> tuple[np.ndarray, np.ndarray]:
    """Nearest hit by solving o + t d = a + u e1 + v e2 for every triangle and ray."""
    best = np.full(origin.shape[:2], np.inf)
    which = np.full(origin.shape[:2], -1)
    for k, (a, b, c) in enumerate(mesh.vertices[mesh.faces]):
        matrix = np.stack(
            [-direction, np.broadcast_to(b - a, direction.shape), np.broadcast_to(c - a, direction.shape)], -1
        )
        with np.errstate(all="ignore"):
            t, u, v = np.moveaxis(np.linalg.solve(matrix, (origin - a)[..., None])[..., 0], -1, 0)
        hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= near) & (t < best)
        best[hit], which[hit] = t[hit], k
    return best, which


@pytest.mark.parametrize("span", [None, 6.0])
@pytest.mark.parametrize("supersample", [1, 2])
def test_agrees_with_a_ray_caster_also_through_the_near_plane(
    rng: np.random.Generator, span: float | None, supersample: int
) -> None:
    mesh = soup(rng, 40, 1.5)  # some triangles reach behind the eye
    camera = Camera((2.0, 0.3, 0.2), (0, 0, 0), fov=60, size=(48, 36), span=span, near=0.1)
    buffer = rasterise(surfaces(mesh), camera, supersample=supersample, whole=True)
    wanted, which = cast(*rays(camera, supersample), mesh, 0.1)
    same = buffer.face == which
    assert same.mean() > 0.999  # a sample on an edge may fall either way
    got = buffer.forward()
    seen = same & (which >= 0)
    assert seen.sum() > 300
    np.testing.assert_allclose(got[seen], wanted[seen], rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("supersample", [1, 2, 3])
def test_silhouette_of_a_sphere_has_the_area_of_its_tangent_cone(supersample: int) -> None:
    camera = Camera((3.0, 0, 0), (0, 0, 0), size=(320, 320))
    buffer = rasterise(surfaces(solids.sphere(0.5, detail=160)), camera, supersample=supersample)
    radius = camera.scale * 0.5 / np.sqrt(3.0**2 - 0.5**2)  # tan of the cone's half angle, in pixels
    assert (buffer.face >= 0).sum() / supersample**2 == pytest.approx(np.pi * radius**2, rel=2e-3)


def test_silhouette_area_is_the_same_for_every_distance_when_orthographic() -> None:
    areas = []
    for distance in (2.0, 9.0):
        camera = Camera((0, distance, 0), (0, 0, 0), size=(200, 200), span=2.0)
        areas.append(int((rasterise(surfaces(solids.sphere(0.5, detail=96)), camera).face >= 0).sum()))
    assert areas[0] == areas[1]
    assert areas[0] == pytest.approx(np.pi * 50**2, rel=5e-3)


def test_depth_of_a_slanted_plane_is_exact_at_every_sample() -> None:
    # The plane x + z = 0.5, far larger than the picture.
    x, y = np.array([-1.0, 0, 1]) * 40, np.array([0, 1.0, 0]) * 40
    plane = solids.from_triangles(
        np.array([-x - y, x - y, x + y, -x + y]) + [0.5, 0, 0], [[0, 1, 2], [0, 2, 3]]
    )
    camera = Camera((4.0, 1, 0.3), (0, 0, 0), size=(64, 48))
    buffer = rasterise(surfaces(plane), camera, supersample=2, whole=True)
    origin, direction = rays(camera, 2)
    normal = np.array([1.0, 0, 1])
    wanted = (0.5 - origin @ normal) / (direction @ normal)
    assert (buffer.face >= 0).all()
    np.testing.assert_allclose(buffer.forward(), wanted, rtol=1e-6)
    shown, _, _ = buffer.attributes(surfaces(plane))
    np.testing.assert_allclose(np.abs(shown @ normal) / np.sqrt(2), 1, atol=1e-12)


def test_nearer_surfaces_hide_farther_ones_in_any_order() -> None:
    ball, wall = solids.sphere(0.3).placed((1, 0, 0)), solids.box((0.05, 1, 1))
    camera = Camera((4, 0, 0), (0, 0, 0), size=(40, 40))
    for meshes, front in (((ball, wall), 0), ((wall, ball), 1)):
        buffer = rasterise(surfaces(*meshes), camera, whole=True)
        _, material, item = buffer.attributes(surfaces(*meshes))
        assert item[20, 20] == front == material[20, 20]
        assert item[20, 36] == 1 - front


def test_normals_of_a_sphere_are_radial() -> None:
    ball = surfaces(solids.sphere(0.5, detail=96))
    camera = Camera((3.0, 0.5, 0.4), (0, 0, 0), size=(80, 80))
    buffer = rasterise(ball, camera, whole=True)
    normal, _, item = buffer.attributes(ball)
    origin, direction = rays(camera, 1)
    place = origin + buffer.forward()[..., None] * direction
    seen = item == 0
    assert seen.sum() > 1000
    np.testing.assert_allclose(normal[seen], place[seen] / 0.5, atol=4e-3)


def test_far_sides_of_closed_meshes_are_skipped_and_of_open_ones_drawn() -> None:
    box = solids.box((1, 1, 1))
    camera = Camera((0.0, 0.2, 0.1), (1, 0, 0), size=(20, 20))  # inside
    assert (rasterise(surfaces(box), camera, whole=True).face < 0).all()
    opened = Mesh(box.vertices, box.faces, box.normals, closed=False)
    assert (rasterise(surfaces(opened), camera, whole=True).face >= 0).all()


@pytest.mark.parametrize("supersample", [2, 3])
def test_all_samples_of_a_pixel_have_their_own_column_and_row(supersample: int) -> None:
    camera = Camera((0, -5, 0), (0, 0, 0), size=(4, 4), span=4.0)
    origin, _ = rays(camera, supersample)
    block = origin[:supersample, :supersample].reshape(-1, 3)
    n = supersample**2
    for axis in (0, 2):
        values = np.unique(np.round(block[:, axis], 9))
        assert len(values) == n
        np.testing.assert_allclose(np.diff(values), 1 / n)


def test_the_same_bits_for_any_number_of_threads(rng: np.random.Generator) -> None:
    mesh = surfaces(soup(rng, 300))
    camera = Camera((4, 0, 0), (0, 0, 0), size=(160, 120))
    first = rasterise(mesh, camera, supersample=2, threads=1)
    for threads in (2, 3, 7):
        other = rasterise(mesh, camera, supersample=2, threads=threads)
        assert first.depth.tobytes() == other.depth.tobytes()
        assert first.face.tobytes() == other.face.tobytes()


def test_nothing_to_draw_is_an_empty_window() -> None:
    behind = solids.sphere(0.2).placed((9, 0, 0))
    camera = Camera((4, 0, 0), (0, 0, 0), size=(40, 30))
    assert rasterise(surfaces(behind), camera).face.size == 0
