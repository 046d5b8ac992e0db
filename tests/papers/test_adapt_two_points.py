"""Fig. 3: two points in a row. Solved as a whole the figure plans ahead; key poses and surprises do not."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

import poise
from poise.methods.adapt.plants.quality import manner
from poise.motion import operators


@pytest.fixture(scope="module")
def module():
    return example("40_adapt_two_points")


@pytest.fixture(scope="module")
def two(module):
    return module.scene()


def test_every_way_grabs_both_points(two):
    for clip in (two.keyed, two.planned, two.surprised):
        assert two.misses(clip).max() < 1e-4


def test_it_plans_ahead(two):
    """When the left hand arrives, the right arm is half raised; posed or surprised, it has not begun."""
    assert two.raised(two.planned) > 0.4
    assert two.raised(two.keyed) < 1e-6
    assert two.raised(two.surprised) < 0.02


def test_planning_is_calmer(module, two):
    jerk = {
        name: manner(operators.trim(getattr(two, name), 0.0, module.SECOND)).jerk
        for name in ("keyed", "planned", "surprised")
    }
    assert jerk["planned"] < 0.65 * jerk["keyed"] < jerk["surprised"]


def test_it_plans_without_asking_for_calm_too(module, two):
    """The paper's own terms: four keys, nothing but the smallest change."""
    clip = two.standing
    first, second, _ = module.asked(clip)
    keys = np.linspace(0.0, module.END, 4)
    plain = poise.adapt(
        clip,
        [first, second],
        key_spacing=keys,
        basis="cubic",
        ends="zero",
        joints=module.upper_body(clip.character),
        plants=False,
    )
    assert two.raised(plain.clip) > 0.2


def test_a_surprise_is_one(module, two):
    """Up to the first grab nothing differs from a figure that never hears of the second point."""
    first, _, _ = module.asked(two.standing)
    options = {"joints": module.upper_body(two.standing.character), "ends": "zero", "smoothness": module.CALM}
    options |= {"plants": False, "key_spacing": 0.15}
    alone = poise.adapt(two.standing, [first], known={first.name: 0.0}, **options)
    until = round(module.FIRST * two.standing.fps) + 1
    np.testing.assert_array_equal(two.surprised.q[:until], alone.clip.q[:until])
    assert np.abs(two.surprised.q[until:] - alone.clip.q[until:]).max() > 0.5
