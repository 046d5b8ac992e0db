"""Worlds in pictures: surfaces lie where they are, what is only found looks asked, forces are as large as
they are."""

from __future__ import annotations

import runpy
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from poise import clips
from poise.contacts.find import find
from poise.pictures import Camera, Layer, Scene, render, sheet, strobe
from poise.pictures.annotations import Label, annotated
from poise.pictures.material import Material
from poise.pictures.mesh import sphere
from poise.pictures.performance import Performance
from poise.pictures.scene import Quality
from poise.pictures.surfaces import drawn_surface, sharp_edges
from poise.pictures.surroundings import WEIGHT, Surroundings, floor_of
from poise.world import Ball, Bar, Box, Field, Surface, Track, World, ground, step

QUALITY = Quality(key_samples=8, sky_samples=8, shadow_texel=4.0, sky_texel=10.0, detail=12)
LOW, HIGH = np.array([-1.0, -1.0, 0.0]), np.array([1.0, 1.0, 2.0])
RNG = np.random.default_rng(5)
SHAPES = {
    "slope": ground(0.1, (0.2, -0.1)),
    "box": Surface("box", Box((0.3, 0.2, 0.1)), (0.4, 0.1, 0.3), (0.2, -0.4, 0.9)),
    "bar": Surface("bar", Bar(1.2, 0.03), (0.2, 0.1, 1.9), (0, 0, 0.5)),
    "ball": Surface("ball", Ball(0.2), (0.1, 0.5, 0.7)),
    "field": Surface("field", Field(RNG.uniform(0, 0.3, (5, 4)), 0.2), (-0.4, 0.2, 0.1), (0, 0, 0.3)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_drawn_lies_on_the_surface(name):
    surface = SHAPES[name]
    skin = drawn_surface(surface, LOW, HIGH).skin
    gap, _ = surface.gap(skin.vertices)
    if name == "slope":  # a wedge: its top is the ground, its bottom level
        above = skin.vertices[:, 2] > skin.vertices[:, 2].min() + 1e-9
        assert np.abs(gap[above]).max() < 1e-9
        assert above.sum() > 6
    elif name == "field":
        inner = np.isfinite(gap)  # rounding puts some of the rim beyond the grid
        assert np.abs(gap[inner]).max() < 1e-9
        assert inner.sum() >= 6
    else:
        assert np.abs(gap).max() < 1e-12


def test_what_moves_is_drawn_where_it_is_then():
    track = Track((0.0, 1.0), ((0, 0, 0), (0.4, 0, 0)), ((0, 0, 0), (0, 0, 0.6)))
    crate = Surface("crate", Box((0.1, 0.1, 0.1)), (0.2, 0.1, 0.1), track=track)
    drawn = drawn_surface(crate, LOW, HIGH)
    for time in (0.0, 0.3, 1.0):
        turn, shift = drawn.moved(time)
        gap, _ = crate.gap(drawn.skin.vertices @ turn.T + shift, time)
        assert np.abs(gap).max() < 1e-9


def test_a_box_has_twelve_edges_and_a_ball_none():
    box = drawn_surface(SHAPES["box"], LOW, HIGH)
    lengths = np.linalg.norm(box.edges[:, 1] - box.edges[:, 0], axis=1)
    assert sorted(np.round(lengths, 9)) == [0.2] * 4 + [0.4] * 4 + [0.6] * 4
    assert len(drawn_surface(SHAPES["ball"], LOW, HIGH).edges) == 0
    # A flat sheet of two triangles ends on four sides; between them there is no edge.
    sheet_ = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    assert len(sharp_edges(sheet_, np.array([[0, 1, 2], [0, 2, 3]]))) == 4


def test_level_ground_is_the_pictures_own_floor():
    assert drawn_surface(ground(0.3), LOW, HIGH) is None
    clip = clips.get("jump")
    shown = Performance(clip, detail=8, floor=floor_of(World.flat(0.3)))
    assert shown.offset == pytest.approx([0, 0, -0.3])


def picture(world: World) -> np.ndarray:
    image = strobe(clips.get("jump"), frames=[0], world=world, size=(120, 80), quality=QUALITY, view="front")
    return image.astype(float)


def test_what_is_only_found_is_purple_and_what_is_given_is_not():
    box = step("table", (0.6, -0.8), (1.4, 0.8), 0.8, source="given")
    asked = picture(World((ground(), box.replaced(source="found"))))
    given = picture(World((ground(), box)))

    def purple(image: np.ndarray) -> float:
        """Share of pixels with clearly more blue and red than green."""
        red, green, blue = np.moveaxis(image, -1, 0)
        return float(((blue - green > 14) & (red - green > 4)).mean())

    assert purple(asked) > 0.04
    assert purple(given) < 0.004


def test_marks_on_top_are_seen_through_what_hides_them():
    camera = Camera(np.array([5.0, 0, 0.5]), np.array([0, 0, 0.5]), size=(40, 40))
    seen = {}
    for on_top in (False, True):
        scene = Scene(floor=None)
        scene.solid.add(sphere(0.5), "stone", position=(0, 0, 0.5))
        layer: Layer = scene.layer()
        layer.on_top = on_top
        layer.add(sphere(0.2), Material("#ff0000", emission=1.0), position=(0, 0, 0.5))
        seen[on_top] = render(scene, camera, quality=QUALITY)[20, 20].astype(int)
    assert seen[True][0] - seen[True][1] > 120
    assert abs(seen[False][0] - seen[False][1]) < 30


def test_arrows_carry_the_weight_from_the_floor():
    clip = clips.get("jump")
    support = find(clip)
    shown = Performance(clip, detail=8, floor=floor_of(support))
    around = Surroundings(shown, support)
    layer = Layer()
    around._put(layer, support, 5, shown.offset)
    arrows = [item for item in layer.items if np.ptp(item.mesh.vertices[:, 2]) > 0.1]
    assert len(arrows) == 2  # both feet
    long = sum(float(np.ptp(item.mesh.vertices[:, 2])) for item in arrows)
    assert long / (WEIGHT * shown.stature) == pytest.approx(1.0, abs=0.06)
    for item in arrows:
        assert item.mesh.vertices[:, 2].min() == pytest.approx(0.0, abs=0.012)
    flying = Layer()
    around._put(flying, support, 84, shown.offset)
    assert flying.items == []


def test_contacts_of_a_loop_are_drawn_in_every_cycle():
    clip = clips.get("walk")
    assert clip.loop
    support = find(clip)
    times = np.array([0.5, 0.5 + clip.duration])
    around = Surroundings(Performance(clip, detail=8, times=times), support, times)
    counts = []
    for frame in (0, 1):
        layer = Layer()
        around._put(layer, support, frame, np.zeros(3))
        counts.append(len(layer.items))
    assert counts[0] == counts[1] > 0


@pytest.mark.parametrize("sure", [False, True])
def test_the_example_stands_on_its_stage(sure):
    example = runpy.run_path(str(Path(__file__).parents[2] / "examples/62_what_carries.py"))
    support = example["scene"](sure=sure)
    assert {c.surface for c in support.contacts} == {"stage"}
    assert [s.name for s in support.world.questions] == ([] if sure else ["stage"])
    around = Surroundings(Performance(example["raised"](), detail=8), support)
    assert [label.text for label in around.labels(Camera(np.array([9.0, 0, 3]), np.zeros(3)))] == [
        "stage 40 cm" if sure else "stage? 40 cm"
    ]


def test_labels_cover_no_other():
    blank = np.full((200, 320, 3), 255, dtype=np.uint8)
    at = [Label(np.array([150.0 + k, 100.0]), f"step {k}? 40 cm", "#7b4bb3", k % 2 == 0) for k in range(6)]
    from poise.pictures.annotations import _free, _overlap

    taken: list[tuple[float, float, float, float]] = []
    for label in at:
        taken.append(_free(*label.at, 90.0, 16.0, label.below, (320, 200), taken))
    assert not any(_overlap(a, b) for a, b in combinations(taken, 2))
    assert annotated(blank, at).shape == blank.shape


def test_a_sheet_of_what_carries_has_a_legend():
    clip = clips.get("jump")
    plain = sheet(clip, frames=[0, 84], cell=(160, 180), quality=QUALITY)
    told = sheet(clip, frames=[0, 84], cell=(160, 180), quality=QUALITY, world=find(clip))
    assert told.shape[0] > plain.shape[0]
    assert told.shape[1] == plain.shape[1]
    red, green, _ = np.moveaxis(told[: plain.shape[0]].astype(int), -1, 0)
    pink = red - green > 110
    half = told.shape[1] // 2
    assert pink[:, :half].sum() > 5
    assert pink[:, half:].sum() == 0
