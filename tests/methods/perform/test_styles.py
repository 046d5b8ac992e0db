"""Styles of approach: closed forms of the way that is done; blows that make no sense are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from poise.errors import InputError
from poise.methods.perform.script.style import MANUAL, STYLES, approach
from poise.operations.values.disturbance import Impulse, Load, Push, Throw

HALF = {"snappy": 0.41, "lively": 0.31, "smooth": 0.25, "settled": 0.17}
"""Share of the time after which half of the way is done."""


def left(style, share: float) -> float:
    """The part of the way that is left, of a start at rest: e(s) = a s^p + b s^q with e(1) = 1, e'(1) = 0."""
    p, q = approach(style).powers
    s = 1 - share
    return ((q * s**p - p * s**q) / (q - p)).real


@pytest.mark.parametrize("style", STYLES)
def test_half_of_the_way_is_done_when_it_is_said(style):
    assert set(HALF) == set(STYLES)
    shares = np.linspace(0, 0.99, 10_000)
    done = shares[np.argmax([left(style, x) < 0.5 for x in shares])]
    assert done == pytest.approx(HALF[style], abs=0.005)


@pytest.mark.parametrize(("first", "second"), [(1.5, 4.0), (3.0, 3.5), (2.0, 9.0)])
def test_two_powers_are_the_powers(first, second):
    p, q = approach((first, second)).powers
    assert sorted([p.real, q.real]) == pytest.approx([first, second])
    assert abs(p.imag) + abs(q.imag) < 1e-9


def test_a_number_is_critically_damped_gains():
    """A = n², B = 2n: as hand-tuned springs have it, with n = 6 nearly all of the way is done at the key."""
    found = approach(5.0)
    assert (found.stiff, found.damp) == (25.0, 10.0)
    assert (1 + MANUAL) * math.exp(-MANUAL) == pytest.approx(0.0174, abs=1e-4)


@pytest.mark.parametrize("style", ["slow", 2.0, 100.0, (1.0, 3.0), (2.0, 100.0), (1, 2, 3), None])
def test_what_never_arrives_is_refused(style):
    with pytest.raises(InputError):
        approach(style)


@pytest.mark.parametrize("time", [-0.1, math.nan, math.inf])
@pytest.mark.parametrize(
    "make",
    [
        lambda t: Impulse(t, "Chest", (1, 0, 0)),
        lambda t: Push(t, 5.0, "Chest", (1, 0, 0)),
        lambda t: Throw(t, (0, 0, 1), (1, 0, 0)),
        lambda t: Load(t, "Chest", 1.0),
    ],
)
def test_blows_at_no_time_are_refused(make, time):
    with pytest.raises(InputError):
        make(time)


def test_a_push_ends_after_it_starts():
    Push(0.0, 0.1, "Chest", (1, 0, 0))
    for end in (0.5, 0.4, math.nan, math.inf):
        with pytest.raises(InputError, match="end after"):
            Push(0.5, end, "Chest", (1, 0, 0))
