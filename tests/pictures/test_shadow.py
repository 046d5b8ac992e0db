"""Shadows fall where the light says."""

from __future__ import annotations

import numpy as np
import pytest

from poise.pictures import mesh as solids
from poise.pictures.camera import Camera
from poise.pictures.lights import Lights, sky_samples
from poise.pictures.mesh import Mesh
from poise.pictures.shadow import ShadowMaps, cast, floor_visibility, lit


def light(azimuth: float, elevation: float) -> np.ndarray:
    a, e = np.radians([azimuth, elevation])
    return np.array([[np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)]])


def maps(mesh: Mesh, directions: np.ndarray, texel: float = 0.005) -> ShadowMaps:
    return cast(
        mesh.vertices, mesh.faces, np.full(len(mesh.faces), mesh.closed), directions, texel, threads=1
    )


def ground(shadows: ShadowMaps, half: float, texel: float) -> tuple[np.ndarray, np.ndarray]:
    """Darkness on a square about the origin, and the positions (rows, columns, 2) of its texels."""
    n = round(2 * half / texel)
    dark = 1 - floor_visibility(shadows, np.array([-half, -half]), (n, n), texel, threads=1)
    axis = -half + (np.arange(n) + 0.5) * texel
    return dark, np.stack(np.meshgrid(axis, axis), axis=-1)


@pytest.mark.parametrize("azimuth", [0, 70, 200])
def test_the_shadow_of_a_pole_points_away_from_the_light(azimuth: float) -> None:
    height, elevation = 0.8, 40.0
    pole = solids.cylinder(0.02, height / 2).placed((0, 0, height / 2))
    dark, place = ground(maps(pole, light(azimuth, elevation)), 1.5, 0.01)
    along = -np.array([np.cos(np.radians(azimuth)), np.sin(np.radians(azimuth))])
    way, aside = place @ along, place @ np.array([-along[1], along[0]])
    length = height / np.tan(np.radians(elevation))
    shadow = dark > 0.5
    assert way[shadow].max() == pytest.approx(length, abs=0.04)
    assert way[shadow].min() == pytest.approx(0, abs=0.04)
    assert np.abs(aside[shadow]).max() < 0.04
    assert shadow.sum() * 1e-4 == pytest.approx(0.04 * length, rel=0.15)


@pytest.mark.parametrize("elevation", [30.0, 55.0, 90.0])
def test_the_shadow_of_a_ball_is_an_ellipse_of_known_area_and_place(elevation: float) -> None:
    r, height = 0.3, 0.7
    ball = solids.sphere(r, detail=64).placed((0, 0, height))
    dark, place = ground(maps(ball, light(90, elevation)), 2.0, 0.01)
    assert dark.sum() * 1e-4 == pytest.approx(np.pi * r * r / np.sin(np.radians(elevation)), rel=0.01)
    centre = (place * dark[..., None]).sum(axis=(0, 1)) / dark.sum()
    np.testing.assert_allclose(centre, [0, -height / np.tan(np.radians(elevation))], atol=0.01)


def test_penumbra_widens_with_height_and_keeps_the_total() -> None:
    lights = Lights(light(0, 50)[0], light(0, 50)[0], light(0, 50)[0], softness=5.0)
    widths = []
    for height in (0.15, 1.0):
        ball = solids.sphere(0.1, detail=32).placed((0, 0, height))
        dark, _ = ground(maps(ball, lights.key_samples(64)), 1.6, 0.01)
        widths.append(((dark > 0.02) & (dark < 0.98)).sum())
        assert dark.sum() * 1e-4 == pytest.approx(np.pi * 0.01 / np.sin(np.radians(50)), rel=0.02)
    assert widths[1] > 2.5 * widths[0]


def _visibility(shadows: ShadowMaps, points: np.ndarray) -> np.ndarray:
    return np.array([lit(shadows, 0, *p) for p in points])


def test_no_acne_on_lit_faces() -> None:
    ball = solids.sphere(0.3, detail=64).placed((0, 0, 1))
    direction = light(20, 50)
    shadows = maps(ball, direction, texel=0.01)
    facing = ball.normals @ direction[0]
    visible = _visibility(shadows, ball.vertices + 0.0075 * ball.normals)
    assert (visible[facing > 0.2] == 1).all()


def test_no_gap_between_a_foot_and_its_shadow() -> None:
    foot = solids.box((0.1, 0.05, 0.03), rounding=0.0).placed((0, 0, 0.03))
    dark, place = ground(maps(foot, light(180, 45), texel=0.004), 0.3, 0.004)
    row = dark[dark.shape[0] // 2]
    x = place[0, :, 0]
    # The light comes from −x: the shadow begins at the heel's edge and ends a foot's height beyond the toe.
    assert (row[(x > -0.09) & (x < 0.15)] > 0.99).all()
    assert (row[x > 0.17] < 0.01).all()


def test_a_ball_shades_what_is_behind_it_only() -> None:
    ball = solids.sphere(0.2).placed((0, 0, 1))
    direction = light(0, 50)
    shadows = maps(ball, direction)
    along = direction[0]
    centre = np.array([0, 0, 1.0])
    points = np.array([centre - 0.3 * along, centre + 0.3 * along, centre - 0.3 * along + [0, 0.3, 0]])
    np.testing.assert_array_equal(_visibility(shadows, points), [0, 1, 1])


def test_sky_directions_follow_the_cosine_law() -> None:
    sky = sky_samples(2000, lowest=0.0)
    np.testing.assert_allclose(np.linalg.norm(sky, axis=1), 1)
    assert sky[:, 2].mean() == pytest.approx(2 / 3, abs=0.005)  # ∫ cos² / ∫ cos over the hemisphere
    np.testing.assert_allclose(sky[:, :2].mean(axis=0), 0, atol=0.01)


def test_key_directions_fill_a_disc_about_the_light() -> None:
    lights = Lights.for_camera(Camera((4, -3, 1), (0, 0, 1)), softness=4.0)
    angle = np.degrees(np.arccos(np.clip(lights.key_samples(200) @ lights.key_direction, -1, 1)))
    assert angle.max() == pytest.approx(4.0, abs=0.05)
    assert (angle < 4 / np.sqrt(2)).mean() == pytest.approx(0.5, abs=0.02)
