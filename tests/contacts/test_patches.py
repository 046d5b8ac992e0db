"""Patches that may touch: alike on both sides, as large as the figure is, and as thick as its own solids."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Character, Shape, ShapeKind, presets
from poise.contacts.patches import FOOT, patch_at, patches, stature


def scaled(character: Character, factor: float) -> Character:
    """The same figure, larger or smaller, without solids."""
    return character.with_bodies(
        body.replaced(
            offset=factor * np.asarray(body.offset),
            points={name: factor * np.asarray(place) for name, place in body.points.items()},
            shapes=(),
        )
        for body in character.bodies
    )


@pytest.mark.parametrize("factor", [0.5, 1.3, 3.0])
def test_patches_grow_with_the_figure(factor):
    once, more = (patches(scaled(presets.humanoid(), f)) for f in (1.0, factor))
    assert more.names == once.names
    assert more.part == once.part
    for name in ("place", "radius", "give", "disc", "stature"):
        np.testing.assert_allclose(getattr(more, name), factor * np.asarray(getattr(once, name)), rtol=1e-9)


def test_both_sides_are_alike():
    found = patches(presets.humanoid())
    for k, name in enumerate(found.names):
        if name.startswith("left "):
            other = found.names.index(name.replace("left ", "right "))
            assert found.kind[k] == found.kind[other]
            for what in ("radius", "give", "disc"):
                assert getattr(found, what)[k] == pytest.approx(getattr(found, what)[other], rel=1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_flesh_is_as_thick_as_the_solid_around_it(side):
    """Only of a solid that is there: one on the other side of the joint says nothing of this place."""
    plain = scaled(presets.humanoid(), 1.0)
    without = patches(plain)
    k = without.names.index("left thigh")
    body, middle = int(without.body[k]), np.asarray(without.place[k])
    ball = Shape(ShapeKind.SPHERE, (0.09, 0.0, 0.0), position=side * middle)
    bodies = list(plain.bodies)
    bodies[body] = bodies[body].replaced(shapes=(ball,))
    found = patches(plain.with_bodies(bodies))
    assert found.radius[k] == pytest.approx(0.09 if side > 0 else without.radius[k])


def test_toes_beside_the_known_one_are_no_feet_of_their_own():
    """They were taken for paws whose flesh hung 2.6 cm below the floor: feet were kept that high above it."""
    found = patches(presets.biped180())
    assert {part for part, kind in zip(found.part, found.kind) if kind == FOOT} == {"left foot", "right foot"}


def test_points_of_a_body_belong_to_its_nearest_patch():
    humanoid = presets.humanoid()
    found = patches(humanoid)
    for k, name in enumerate(found.names):
        own = humanoid.bodies[int(found.body[k])].name
        nearest = patch_at(humanoid, own)
        assert found.body[nearest] == found.body[k], name


def test_a_stature_is_from_the_lowest_to_the_highest_point():
    assert stature(presets.humanoid()) == pytest.approx(1.75, abs=0.1)
    assert stature(scaled(presets.humanoid(), 2.0)) == pytest.approx(2 * stature(presets.humanoid()))
