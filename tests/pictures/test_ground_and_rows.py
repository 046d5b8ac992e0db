"""Where the floor is, which frames are shown, how figures are set out, and the colours of skins."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from poise import clips
from poise.character import Body, Character, Joint, Shape
from poise.character.skin import Skin
from poise.motion import Clip, Source
from poise.pictures.arrangement import arranged
from poise.pictures.camera import Camera
from poise.pictures.ground import floor_height
from poise.pictures.material import linear_from_srgb
from poise.pictures.paint import coats, triangle_colours
from poise.pictures.performance import Performance
from poise.pictures.strobe_picture import chosen_frames


def heights(z: np.ndarray, rate: float = 60.0) -> float:
    """Floor of a figure whose lowest point is at height z (F,), 1.7 m tall."""
    body = np.array([[0.0, 0, 0], [0, 0, 1.7], [0.3, 0.3, 1.0]])
    way = np.stack([np.zeros_like(z), np.zeros_like(z), z], axis=1)
    return floor_height(lambda f: way[f][:, None] + body, len(z), rate)[0]


def test_the_floor_is_where_the_figure_stands() -> None:
    t = np.arange(240) / 60
    flight = np.where((t > 1) & (t < 2), 0.5 - 4.9 * (t - 1.5) ** 2 + 0.725, 0.0)
    rng = np.random.default_rng(3)
    assert heights(flight + 0.08) == pytest.approx(0.08, abs=1e-9)
    noisy = 0.08 + 0.001 * rng.normal(size=240)
    noisy[100] -= 0.06  # a foot that dips into the ground for one frame
    assert heights(noisy) == pytest.approx(0.08, abs=2e-3)
    # A long stay on a box, after a short one on the floor.
    assert heights(np.where(t < 0.5, 0.0, 0.4) - 0.1) == pytest.approx(-0.1, abs=1e-9)
    # Nothing but flight: no higher than the lowest it gets.
    falling = 5 - 4.9 * (0.2 + t / 6) ** 2
    assert heights(falling) <= np.quantile(falling, 0.03)
    bouncing = np.abs(np.sin(np.pi * t)) - 0.2  # hardly moves at the top
    assert heights(bouncing) == pytest.approx(-0.2, abs=0.02)
    assert heights(np.array([0.3])) == pytest.approx(0.3)


@pytest.mark.parametrize("name", clips.names())
def test_bundled_clips_keep_their_floor(name: str) -> None:
    clip = clips.get(name)
    assert Performance(clip, detail=8).offset[2] == 0.0
    # The same as a file: nothing to correct either.
    read = Clip(clip.character, clip.q, clip.rate, loop=clip.loop, source=Source("x.bvh", "bvh"))
    assert Performance(read, detail=8).offset[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "name",
    [
        "bvh_toolbox/walk01.bvh",
        "mjcf_dm_control/humanoid_CMU.xml",
        "makehuman/walk1.bvh",
        "threejs/pirouette.bvh",
        "khronos_gltf/MorphStressTest.glb",
        "cmu_cgspeed_bvh/02_01.bvh",
        "cmu_cgspeed_bvh/143_23.bvh",
    ],
)
def test_files_stand_on_the_floor(name: str, shared_data: Path) -> None:
    import poise

    played = Performance(poise.load(shared_data / name), detail=12)
    lowest = played.cloud(played.some_frames(60))[..., 2].min(axis=1)
    assert np.median(lowest) == pytest.approx(0, abs=0.009 * max(played.stature, 1))


def test_an_artificial_first_frame_is_not_chosen(shared_data: Path) -> None:
    import poise

    played = Performance(poise.load(shared_data / "cmu_cgspeed_bvh" / "143_23.bvh"), detail=6)
    assert chosen_frames(played, frames=None, count=5, spacing="time")[0] == 1
    assert chosen_frames(played, frames=None, count=5, spacing="distance")[0] == 1
    assert chosen_frames(played, frames=[0, 9], count=5, spacing="time") == [0, 9]
    assert Performance(clips.get("walk"), detail=6).first == 0


def low_and_long() -> Clip:
    """A long low box that stays where it is."""
    body = Body("box", None, Joint.free(), shapes=(Shape.box((0, 0, 0.3), (1.0, 0.2, 0.3)),))
    q = np.tile([0.0, 0, 0, 1, 0, 0, 0], (20, 1))
    return Clip(Character("long", [body]), q, 30)


def test_a_thin_strip_of_figures_is_set_out_to_fill_the_picture() -> None:
    played = Performance(low_and_long(), detail=8)
    chosen, size = [0, 5, 10, 15, 19], (640, 360)

    def height(row) -> float:  # type: ignore[no-untyped-def]
        points = played.cloud(chosen) + row.shifts[:, None]
        camera = Camera.framing(points, azimuth=row.view.azimuth, elevation=row.view.elevation, size=size)
        return float(np.ptp(camera.project(points)[0][4], axis=0)[1]) / size[1]

    free, fixed = (arranged(played, chosen, 4, "auto", size=size, offset=o) for o in (None, 1.5))
    assert free.spread
    assert height(free) > 1.5 * height(fixed)
    np.testing.assert_array_equal(free.shifts[4], 0)
    named = arranged(played, chosen, 4, "side", size=size, offset=None)
    assert named.view == played.view("side")  # a view that was asked for is kept


def test_offset_zero_leaves_all_figures_in_their_place() -> None:
    row = arranged(Performance(low_and_long(), detail=8), [0, 10, 19], 2, "auto", size=(64, 36), offset=0.0)
    np.testing.assert_array_equal(row.shifts, 0)


@dataclass(frozen=True)
class Piece:
    faces: tuple[int, int]
    vertices: tuple[int, int]
    material: int | None
    texcoords: tuple[np.ndarray, ...] = ()
    colours: np.ndarray | None = None


def two_triangles(**extras: object) -> Skin:
    vertices = [[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]]
    return Skin(
        vertices,
        [[0, 1, 2], [1, 3, 2]],
        np.zeros((4, 1), int),
        np.ones((4, 1)),
        np.eye(4)[None],
        extras=extras,
    )


def test_a_skin_is_painted_in_its_materials_colours() -> None:
    base = np.array([[0.8, 0.1, 0.1, 1], [0.1, 0.1, 0.8, 1]])
    found = coats(two_triangles(colours=base))
    assert len(found) == 2
    for coat in found:
        linear = linear_from_srgb(coat.material.colour)
        k = int(np.argmin(np.abs(base[:, :3] - linear).sum(axis=1)))
        np.testing.assert_allclose(linear, base[k, :3], atol=1e-6)
        np.testing.assert_array_equal(coat.vertices[coat.faces], [[0, 1, 2], [1, 3, 2]][k : k + 1])
    assert coats(two_triangles()) == ()


def test_a_texture_colours_what_lies_under_it() -> None:
    pixels = np.zeros((8, 8, 3), dtype=np.uint8)
    pixels[:4], pixels[4:] = (255, 0, 0), (0, 0, 255)  # red above, blue below: v runs downwards
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    uv = np.array([[0.1, 0.1], [0.3, 0.1], [0.1, 0.3], [0.2, 0.2]])
    for shift, wanted in ((0.0, (1, 0, 0)), (0.6, (0, 0, 1)), (1.0, (1, 0, 0))):
        looks = SimpleNamespace(
            pieces=(Piece((0, 2), (0, 4), 0, (uv + [0, shift],)),),
            materials=({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}},),
            textures=({"source": 0},),
            images=(SimpleNamespace(data=file.getvalue()),),
        )
        colours = triangle_colours(two_triangles(colours=np.ones((2, 4)), gltf=looks))
        assert colours is not None
        np.testing.assert_allclose(colours, np.tile(wanted, (2, 1)), atol=1e-6)
    broken = SimpleNamespace(
        pieces=looks.pieces, materials=looks.materials, textures=looks.textures,
        images=(SimpleNamespace(data=b"no picture"),),
    )  # fmt: skip
    np.testing.assert_array_equal(
        triangle_colours(two_triangles(colours=np.full((2, 4), 0.5), gltf=broken)), np.full((2, 3), 0.5)
    )


def test_real_skins_have_their_colours(shared_data: Path) -> None:
    import poise

    fox = poise.load(shared_data / "khronos_gltf" / "Fox.glb").character.skin
    assert fox is not None
    colours = triangle_colours(fox)
    assert colours is not None
    red, green, blue = np.median(colours, axis=0)
    assert red > 2 * green > 2 * blue  # a fox is orange
