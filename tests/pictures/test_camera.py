"""Projection against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from poise.errors import InputError
from poise.pictures.camera import Camera


def test_perspective_projection_in_closed_form() -> None:
    camera = Camera((5.0, 0, 1), (0, 0, 1), fov=40, size=(800, 600))
    focal = 300 / np.tan(np.radians(20))
    # Seen from +x, the picture's right is +y.
    pixel, depth = camera.project([1.0, 0.5, 1.7])
    np.testing.assert_allclose(depth, 4.0)
    np.testing.assert_allclose(pixel, [400 + focal * 0.5 / 4, 300 - focal * 0.7 / 4])


def test_a_distant_telephoto_is_orthographic(rng: np.random.Generator) -> None:
    points = rng.normal(size=(20, 3))
    direction = np.array([0.4, -0.8, 0.2])
    span, far = 3.0, 1e6
    near_parallel = Camera(
        far * direction,
        (0, 0, 0),
        fov=np.degrees(2 * np.arctan(span / 2 / (far * np.linalg.norm(direction)))),
    )
    parallel = Camera(5 * direction, (0, 0, 0), span=span)
    np.testing.assert_allclose(near_parallel.project(points)[0], parallel.project(points)[0], atol=1e-2)


def test_a_mirrored_camera_sees_the_mirrored_world(rng: np.random.Generator) -> None:
    camera = Camera((4, 3, 2), (0, 0, 0.5))
    points = rng.normal(size=(30, 3))
    seen = camera.mirrored().project(points)
    wanted = camera.project(points * [1, 1, -1])
    np.testing.assert_allclose(seen[0], wanted[0], atol=1e-9)
    np.testing.assert_allclose(seen[1], wanted[1])


@pytest.mark.parametrize("orthographic", [False, True])
@pytest.mark.parametrize("size", [(800, 300), (300, 800)])
def test_framing_holds_all_points_and_no_camera_is_closer(
    rng: np.random.Generator, orthographic: bool, size: tuple[int, int]
) -> None:
    points = rng.normal(size=(200, 3)) * [1, 2, 0.5] + [3, 1, 2]
    camera = Camera.framing(
        points, azimuth=33, elevation=12, size=size, margin=0.1, orthographic=orthographic
    )
    pixel, depth = camera.project(points)
    share = pixel / size
    assert (depth > 0).all()
    assert share.min() >= 0.1 - 1e-6
    assert share.max() <= 0.9 + 1e-6
    # It touches the margin on some axis, and both axes are centred.
    assert max(np.ptp(share, axis=0)) == pytest.approx(0.8, abs=0.05 if not orthographic else 1e-6)
    np.testing.assert_allclose(share.min(axis=0) + share.max(axis=0), 1, atol=1e-6)


def test_azimuth_and_elevation_say_where_the_camera_stands() -> None:
    camera = Camera.framing(np.zeros((1, 3)), azimuth=90, elevation=30)
    way = camera.eye / np.linalg.norm(camera.eye)
    np.testing.assert_allclose(way, [0, np.cos(np.pi / 6), 0.5], atol=1e-9)


def test_looking_straight_down_has_a_right_and_an_up() -> None:
    camera = Camera((0, 0, 5), (0, 0, 0))
    assert abs(np.linalg.det(camera.rotation)) == pytest.approx(1)


def test_impossible_cameras_are_refused() -> None:
    with pytest.raises(InputError, match="must differ"):
        Camera((1, 1, 1), (1, 1, 1))
    with pytest.raises(InputError, match="fov"):
        Camera((1, 1, 1), (0, 0, 0), fov=190)
    with pytest.raises(InputError, match="no finite point"):
        Camera.framing(np.full((3, 3), np.nan))
