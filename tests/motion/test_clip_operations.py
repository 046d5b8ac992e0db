"""Trim, resample, mirror, repeat and load as operations: what the operators do, asked for by name."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import poise
from poise import clips
from poise.errors import InputError
from poise.motion import operators
from poise.operations.declare import complaints
from poise.operations.load import Load
from poise.operations.registry import operations
from poise.operations.running import do


@pytest.mark.parametrize("name", ["load", "trim", "resample", "mirror", "repeat"])
def test_they_are_declared_and_may_be_layers(name):
    operation = operations()[name]
    assert complaints(operation) == []
    assert operation.LAYER
    assert operation.MAKES == "motion"


def test_they_do_what_the_operators_do():
    walk, punch = clips.get("walk"), clips.get("punch")
    for found, expected in (
        (poise.trim(punch, 0.25, 0.75), operators.trim(punch, 0.25, 0.75)),
        (poise.trim(punch, frames=(3, 9)), operators.trim(punch, frames=(3, 9))),
        (poise.resample(punch, 24), operators.resample(punch, 24)),
        (poise.resample(punch, Fraction(24000, 1001)), operators.resample(punch, "24000/1001")),
        (poise.resample(walk, 37, keep="period"), operators.resample(walk, 37, keep="period")),
        (poise.resample(punch, 24, interpolation="linear"), operators.resample(punch, 24, "linear")),
        (poise.mirror(walk), operators.mirror(walk)),
        (poise.mirror(walk, "x"), operators.mirror(walk, "x")),
        (poise.repeat(walk, 3), operators.unroll(walk, 3)),
        (poise.repeat(walk, 2, closing=False), operators.unroll(walk, 2, closing=False)),
    ):
        np.testing.assert_array_equal(found.clip.q, expected.q)
        assert found.clip.rate == expected.rate
        assert found.met


def test_results_are_clips_to_the_next():
    walk = clips.get("walk")
    found = poise.resample(poise.mirror(poise.trim(poise.repeat(walk, 3), 0.2, 1.7)), "24000/1001")
    expected = operators.mirror(operators.trim(operators.unroll(walk, 3), 0.2, 1.7))
    np.testing.assert_array_equal(found.clip.q, operators.resample(expected, "24000/1001").q)


def test_load_starts_a_motion():
    assert Load(clip="walk").starts
    assert Load(clip="walk").uses() == ("walk",)
    np.testing.assert_array_equal(do(Load(clip="walk")).clip.q, clips.get("walk").q)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda clip: poise.trim(clip, 0.1, frames=(1, 2)), "by times or by frames"),
        (lambda clip: poise.trim(clip, float("nan")), "trim: start must be a finite number"),
        (lambda clip: poise.resample(clip, 0), "fps"),
        (lambda clip: poise.resample(clip, 30, keep="all"), "keep"),
        (lambda clip: poise.repeat(clip, 0), "cycles"),
        (lambda clip: poise.mirror(clip, "z"), "plane"),
    ],
)
def test_what_cannot_be_is_refused_by_option(make, said):
    with pytest.raises(InputError, match=said):
        make(clips.get("punch"))
