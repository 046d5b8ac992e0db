"""How a part touches, in a word: of a foot with a heel and a toe whose frames on the ground are said."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from poise.contacts.manner import APART, SLID, TURNED, manner_of
from poise.contacts.patches import FLESH, FOOT, HAND

DT, FRAMES = 0.02, 60
LATER = round(APART / DT) + 1
KS = np.array([0, 1])


def state(heel=(0, FRAMES), toe=(0, FRAMES), *, kind=FOOT, turn=0.0, high=0.0, gripped=False, load=0.0):
    """A foot of two patches that are near from one frame up to another, turned steadily by an angle."""
    near = np.zeros((FRAMES, 2), dtype=bool)
    for k, (first, last) in enumerate((heel, toe)):
        near[first:last, k] = True
    angle = np.linspace(0.0, turn, FRAMES)
    places = np.zeros((FRAMES, 2, 3))
    places[:, 1, :2] = 0.2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    places[..., 2] = high
    com = np.zeros((FRAMES, 3))
    com[:, 2] = 1.0
    marks = SimpleNamespace(kind=np.array([kind, kind]), give=np.array([0.02, 0.02]))
    need = SimpleNamespace(
        dt=DT, scale=1.0, patches=marks, places=places, com=com, rows=np.arange(0, FRAMES, 2)
    )
    force = np.zeros((FRAMES // 2, 2, 3))
    force[:, 0, 2] = load
    return SimpleNamespace(
        need=need, near=near, gap=np.where(near, 0.0, 0.1), gripped=np.full(near.shape, gripped), force=force
    )


def manner(of, *, held=False, way=0.0, first=0, last=FRAMES - 1):
    return manner_of(of, KS, first, last, held=held, way=way)


def test_a_foot_that_comes_and_goes_as_one_stands():
    assert manner(state()) == "stands"
    assert manner(state(heel=(4, 50), toe=(6, 52))) == "stands"


@pytest.mark.parametrize(
    "heel, toe",
    [
        ((5, 50), (5 + LATER, 50)),  # the heel comes first, both go together
        ((5 + LATER, 50), (5, 50)),  # on its toes first
        ((5, 50 - LATER), (5, 50)),  # both come together, the toe goes last
        ((5, 50), (5, 50 - LATER)),
    ],
)
def test_an_end_that_comes_or_goes_apart_makes_a_roll(heel, toe):
    assert manner(state(heel, toe)) == "rolls"


def test_a_foot_of_which_one_end_never_touches_does_not_roll():
    assert manner(state(toe=(0, 0))) == "stands"


def test_a_flat_foot_that_turns_pivots():
    assert manner(state(turn=1.1 * TURNED)) == "pivots"
    assert manner(state(turn=0.9 * TURNED)) == "stands"


def test_what_goes_too_far_slides():
    assert manner(state(), way=1.1 * SLID) == "slides"
    assert manner(state(), way=0.9 * SLID) == "stands"


def test_flesh_lies_and_hands_do_not_roll():
    assert manner(state(kind=FLESH)) == "lies"
    assert manner(state(heel=(5, 50), toe=(30, 50), kind=HAND)) == "stands"


def test_what_is_held_away_from_all_surfaces_grips_above_and_pushes_below():
    away = (0, 0)
    assert manner(state(away, away, kind=HAND, high=1.5), held=True) == "grips"
    assert manner(state(away, away, kind=HAND, high=0.5), held=True) == "pushes"


def test_one_frame_on_a_surface_is_no_grip_whichever_it_is():
    for frame in (10, 30, 49):
        touch = (frame, frame + 1)
        assert manner(state(touch, touch, kind=HAND, high=1.5), held=True, first=10, last=49) == "stands"
    after = (50, 51)
    assert manner(state(after, after, kind=HAND, high=1.5), held=True, first=10, last=49) == "grips"


def test_hands_hang_where_they_carry_most_of_the_weight_from_above():
    bar = {"kind": HAND, "gripped": True}
    assert manner(state(high=2.0, load=0.9, **bar)) == "hangs"
    assert manner(state(high=2.0, load=0.2, **bar)) == "grips"
    assert manner(state(high=0.5, load=0.9, **bar)) == "grips"
    assert manner(state((0, 0), (0, 0), high=2.0, load=0.9, kind=HAND), held=True) == "hangs"
