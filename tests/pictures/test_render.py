"""Whole pictures: colour, blending, floor, determinism."""

from __future__ import annotations

import numpy as np
import pytest

from poise.errors import InputError, UnknownNameError
from poise.pictures import Camera, Layer, Lights, Material, Quality, Scene, render
from poise.pictures import mesh as solids
from poise.pictures.backdrop import _square_wave
from poise.pictures.marks import add_ground_shadow, add_target, add_trail, arrow, tube
from poise.pictures.material import linear_from_srgb, srgb_from_linear

QUICK = Quality(key_samples=8, sky_samples=8, shadow_texel=3, sky_texel=8, detail=12)
GLOW = {"roughness": 1.0, "specular": 0.0, "emission": 1.0}


def camera(size: tuple[int, int] = (64, 48)) -> Camera:
    return Camera((5, 0, 1), (0, 0, 1), size=size)


def middle(image: np.ndarray) -> np.ndarray:
    return image[image.shape[0] // 2, image.shape[1] // 2].astype(int)


def test_srgb_round_trip() -> None:
    x = np.linspace(0, 1, 1001)
    np.testing.assert_allclose(srgb_from_linear(linear_from_srgb(x)), x, atol=1e-7)
    assert linear_from_srgb(0.5) == pytest.approx(0.21404, abs=1e-5)


def test_a_glowing_surface_comes_out_in_its_own_colour() -> None:
    scene = Scene()
    scene.solid.add(solids.box((0.2, 1, 1)), Material("#c86432", **GLOW), position=(0, 0, 1))
    image = render(scene, camera(), quality=QUICK, vignette=0)
    assert np.abs(middle(image) - [200, 100, 50]).max() <= 1


@pytest.mark.parametrize("opacity", [0.25, 0.8])
def test_layers_blend_in_linear_light(opacity: float) -> None:
    scene = Scene()
    scene.solid.add(solids.box((0.2, 2, 2)), Material("#2060e0", **GLOW), position=(0, 0, 1))
    ghost = scene.layer(opacity=opacity)
    ghost.add(solids.sphere(0.4), Material("#f0a010", **GLOW), position=(1, 0, 1))
    # The ball's own far side and its parts do not show through each other: one blend only.
    ghost.add(solids.sphere(0.2), Material("#00ff00", **GLOW), position=(1, 0, 1))
    near, far = (
        linear_from_srgb(np.array([240, 160, 16]) / 255),
        linear_from_srgb(np.array([32, 96, 224]) / 255),
    )
    wanted = 255 * srgb_from_linear(opacity * near + (1 - opacity) * far)
    image = render(scene, camera(), quality=QUICK, vignette=0)
    assert np.abs(middle(image) - wanted).max() <= 1.01


def test_layers_are_sorted_by_depth_not_by_order() -> None:
    def picture(*xs: float) -> np.ndarray:
        scene = Scene()
        for x in xs:
            layer = scene.layer(opacity=0.5)
            colour = "#ff0000" if x > 0 else "#0000ff"
            layer.add(solids.sphere(0.3), Material(colour, **GLOW), position=(x, 0, 1))
        return render(scene, camera(), quality=QUICK)

    assert (picture(1, -1) == picture(-1, 1)).all()
    red, _, blue = middle(picture(1, -1))
    assert red > blue


def test_solid_hides_a_ghost_behind_it() -> None:
    def picture(ghost: bool) -> np.ndarray:
        scene = Scene(floor=None)
        scene.solid.add(solids.sphere(0.5), "cloth", position=(0, 0, 1))
        if ghost:
            scene.layer(opacity=0.9).add(solids.sphere(0.2), "skin", position=(-1, 0, 1))
        return render(scene, camera(), quality=QUICK)

    assert (picture(True) == picture(False)).all()


def test_edges_are_antialiased_in_sixteen_shades_at_most_four_by_four() -> None:
    scene = Scene(floor=None)
    lights = Lights.for_camera(camera())
    scene.solid.add(solids.box((0.01, 3, 3), rounding=0), Material("#ffffff", **GLOW), position=(-1, 0, 1))
    # A nearly upright black edge across a white wall.
    turn = np.radians(2)
    R = np.array([[1, 0, 0], [0, np.cos(turn), -np.sin(turn)], [0, np.sin(turn), np.cos(turn)]])
    scene.solid.add(
        solids.box((0.01, 1, 4), rounding=0), Material("#000000", **GLOW), position=(0, 1, 1), rotation=R
    )
    image = render(scene, camera((96, 96)), quality=QUICK, lights=lights, vignette=0)
    shades = np.unique(image[20:76, :, 0] // 4)
    assert len(shades) >= 5  # 0, ¼, ½, ¾, 1: as many as there are samples, on an edge 2° off the columns


def test_what_is_below_the_floor_is_hidden() -> None:
    scene = Scene()
    empty = render(scene, camera(), quality=QUICK)
    scene.solid.add(solids.sphere(0.3), "target", position=(0, 0, -0.4))
    assert (render(scene, camera(), quality=QUICK) == empty).all()


def test_a_figure_darkens_the_floor_on_the_side_away_from_the_key() -> None:
    view = Camera((0, 0, 8), (0, 0, 0), size=(120, 120))
    rig = Lights.for_camera(Camera((5, 0, 1), (0, 0, 0)))
    scene = Scene()
    bright = render(scene, view, quality=QUICK, lights=rig).astype(float)
    scene.solid.add(solids.sphere(0.3), "cloth", position=(0, 0, 0.8))
    dark = bright - render(scene, view, quality=QUICK, lights=rig)
    spot, _ = view.project(np.array([0, 0, 0.8]) - rig.key_direction * 0.8 / rig.key_direction[2])
    other, _ = view.project(
        np.array([0, 0, 0.8]) + rig.key_direction * 0.8 / rig.key_direction[2] * [1, 1, -1]
    )
    assert dark[int(spot[1]), int(spot[0])].mean() > 25
    assert abs(dark[int(other[1]), int(other[0])].mean()) < 8


@pytest.mark.parametrize("width", [0.05, 0.9, 1.7, 6.3])
def test_the_checker_filter_is_the_mean_over_the_pixel(width: float, rng: np.random.Generator) -> None:
    for x in rng.uniform(-5, 5, size=20):
        fine = np.linspace(x - width / 2, x + width / 2, 20001)
        wave = np.where(np.floor(fine) % 2 == 0, 1.0, -1.0)
        assert _square_wave(x, width) == pytest.approx(wave.mean(), abs=2e-3)


def test_the_checker_greys_out_towards_the_horizon() -> None:
    image = render(Scene(), Camera((4, 0, 0.6), (0, 0, 0.6), size=(200, 200)), quality=QUICK, vignette=0)
    contrast = np.ptp(image[:, :, 1].astype(int), axis=1)
    assert contrast[190] > 6  # near tiles are seen …
    assert contrast[101:106].max() <= 3  # … distant ones melt, without moiré
    assert contrast[:99].max() <= 2  # and the sky has no pattern beyond its slope and its dither


def scene_with_everything() -> tuple[Scene, Camera]:
    scene = Scene()
    scene.solid.add(solids.capsule((0, 0, 0.1), (0, 0.2, 0.9), 0.1), "skin")
    ghost = scene.layer(opacity=0.5, tint="#88aaff", tint_amount=0.8, shadow=0.4)
    ghost.add(solids.ellipsoid((0.1, 0.2, 0.3)), "cloth", position=(0.4, 0.4, 0.4))
    t = np.linspace(0, 2, 20)
    path = np.stack([np.cos(t), np.sin(t), 0.5 + 0.2 * t], axis=1)
    add_trail(scene.layer(shadow=0.0), path, "trail")
    add_ground_shadow(scene.layer(shadow=0.0), path)
    add_target(scene, (0.5, -0.5, 0.6))
    scene.solid.add(arrow((0, -0.5, 0.2), (0, 0, 0.5)), "arrow")
    return scene, Camera((4, -2, 1.2), (0, 0, 0.5), size=(97, 71))


def test_the_same_bits_on_every_run_and_for_any_number_of_threads() -> None:
    scene, view = scene_with_everything()
    first = render(scene, view, quality=QUICK, threads=1)
    assert first.shape == (71, 97, 3)
    assert first.dtype == np.uint8
    for threads in (1, 2, 5):
        again, view = scene_with_everything()
        assert render(again, view, quality=QUICK, threads=threads).tobytes() == first.tobytes()


def test_supersampling_converges() -> None:
    scene, view = scene_with_everything()
    pictures = [render(scene, view, quality=QUICK, supersample=s).astype(float) for s in (1, 2, 4)]
    errors = [np.abs(p - pictures[2]).mean() for p in pictures[:2]]
    assert errors[1] < 0.7 * errors[0]


def test_an_empty_scene_is_sky_and_floor() -> None:
    image = render(Scene(), camera(), quality=QUICK)
    assert image[0].mean() > 170
    assert np.abs(np.diff(image[:20, 10].astype(int), axis=0)).max() <= 6


def test_a_tube_keeps_its_radius_around_a_bend() -> None:
    t = np.linspace(0, 3, 40)
    path = np.stack([np.cos(t), np.sin(t), t], axis=1)
    mesh = tube(path, 0.05, sides=8)
    distance = np.linalg.norm(mesh.vertices.reshape(40, 8, 3) - path[:, None], axis=2)
    np.testing.assert_allclose(distance, 0.05)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1)
    # Rings do not twist against each other.
    step = np.einsum("nki,nki->nk", mesh.normals.reshape(40, 8, 3)[1:], mesh.normals.reshape(40, 8, 3)[:-1])
    assert step.min() > 0.98


def test_mistakes_are_explained() -> None:
    with pytest.raises(UnknownNameError, match="skin"):
        Layer().add(solids.sphere(1.0), "skinn")
    with pytest.raises(InputError, match="'#ff8800'"):
        Material("orange")
    with pytest.raises(InputError, match="opacity"):
        Scene().layer(opacity=1.5)
