"""Laws that hold for every clip: random characters' motions, rates, loops and single frames."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion_cases import CHARACTERS, apart

import poise.motion.operators as operators
from poise.errors import InputError
from poise.motion import Clip, Travel
from poise.motion.operators import (
    align,
    blend,
    despike,
    join,
    loop,
    mirror,
    mix,
    place,
    resample,
    reverse,
    smooth,
    speed,
    trim,
    unroll,
    warp,
)

CAST = {name: make() for name, make in CHARACTERS.items()}
RATES = [24, 30, 60, Fraction(24000, 1001), Fraction(30000, 1001), 12.5]


@st.composite
def clips(draw, *, names=tuple(CAST), loops=(False, True), least=1, rough=None):
    """Random poses one after another, or a gentle random walk; quaternions of any sign."""
    character = CAST[draw(st.sampled_from(names))]
    frames = draw(st.integers(least, 24))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    manifold = character.manifold
    if draw(st.booleans()) if rough is None else rough:
        q = manifold.random(rng, frames, spread=1.5)
    else:
        q = [manifold.random(rng)]
        for _ in range(frames - 1):
            q.append(manifold.plus(q[-1], 0.1 * rng.normal(size=manifold.nv)))
        q = np.array(q)
    slots = manifold.rotation_slots[0]
    if slots.size:
        q[:, slots] *= rng.choice([-1.0, 1.0], size=(frames, len(slots), 1))
    looped = draw(st.sampled_from(loops))
    travel = Travel(rng.normal(size=3), float(rng.uniform(-3, 3))) if looped and draw(st.booleans()) else None
    return Clip(character, q, draw(st.sampled_from(RATES)), loop=looped, travel=travel)


def travel_alike(a, b):
    """Whether two loops' travels do the same to the character."""
    moved = [c.travel.apply(c.character, b.q, 1) for c in (a, b)]
    return apart(a.character, *moved) < 1e-11


laws = settings(max_examples=40, deadline=None, derandomize=True)


@laws
@given(clips(), st.integers(2, 5))
def test_finer_and_back(clip, factor):
    np.testing.assert_array_equal(resample(resample(clip, clip.rate * factor), clip.rate).q, clip.q)


@laws
@given(clips())
def test_reverse_is_an_involution(clip):
    again = reverse(reverse(clip))
    np.testing.assert_array_equal(again.q, clip.q)
    assert travel_alike(again, clip)


@laws
@given(clips())
def test_mirror_is_an_involution_and_commutes_with_reverse(clip):
    again = mirror(mirror(clip))
    assert apart(clip.character, again.q, clip.q) < 1e-12
    assert travel_alike(again, clip)
    assert apart(clip.character, mirror(reverse(clip)).q, reverse(mirror(clip)).q) < 1e-12


@laws
@given(clips(rough=False), st.integers(2, 4))
def test_mirror_commutes_with_resampling(clip, factor):
    rate = clip.rate * factor
    assert apart(clip.character, mirror(resample(clip, rate)).q, resample(mirror(clip), rate).q) < 1e-9


@laws
@given(clips(names=("biped",)), st.floats(-9, 9), st.floats(-9, 9), st.floats(-7, 7))
def test_placing_there_and_back(clip, x, y, yaw):
    there = place(place(clip, (x, y, 0.5)), yaw=yaw)
    back = place(place(there, yaw=-yaw), (-x, -y, -0.5))
    assert apart(clip.character, back.q, clip.q) < 1e-12
    assert travel_alike(back, clip)
    if clip.loop:
        assert (
            apart(clip.character, unroll(there, 3).q, place(place(unroll(clip, 3), (x, y, 0.5)), yaw=yaw).q)
            < 1e-10
        )


@laws
@given(clips(loops=(False,), least=3), st.data())
def test_cutting_and_joining_hard_gives_the_clip(clip, data):
    k = data.draw(st.integers(1, clip.frames - 1))
    head, tail = trim(clip, frames=(0, k)), trim(clip, frames=(k, clip.frames - 1))
    if tail.frames > 1:
        np.testing.assert_array_equal(join(head, tail, 0, align=False).q, clip.q)
        assert apart(clip.character, join(head, tail, 0).q, clip.q) < 1e-12


@laws
@given(clips(loops=(True,)), st.integers(1, 4))
def test_unrolled_loops_repeat_up_to_their_travel(clip, cycles):
    long = unroll(clip, cycles + 1).q
    on = clip.travel.apply(clip.character, long[: cycles * clip.frames + 1], 1)
    assert apart(clip.character, long[clip.frames :], on) < 1e-10


@laws
@given(clips(loops=(False,)))
def test_every_clip_becomes_a_loop_that_closes(clip):
    cycle = loop(clip, force=True)
    assert cycle.loop
    assert cycle.frames == max(1, clip.frames - 1)
    on = cycle.travel.apply(clip.character, cycle.q[0], 1)
    assert apart(clip.character, cycle.at(cycle.duration), on) < 1e-10
    assert cycle.travel.translation[2] == 0


@laws
@given(clips(), st.floats(-0.5, 1.5))
def test_blending_with_itself_changes_nothing(clip, weight):
    assert apart(clip.character, blend(clip, clip, weight).q, clip.q) < 1e-13
    assert apart(clip.character, mix([clip, clip, clip], [1, 2, 3]).q, clip.q) < 1e-13


@laws
@given(clips())
def test_the_identity_warp_keeps_bits(clip):
    np.testing.assert_array_equal(warp(clip, lambda t: t).q, clip.q)
    np.testing.assert_array_equal(speed(clip, 1).q, clip.q)


@laws
@given(clips(rough=False), st.floats(0.001, 0.2))
def test_smoothing_commutes_with_placing_and_mirroring(clip, sigma):
    """The filter knows no directions, no sides, no place and no order of time."""
    out = smooth(clip, sigma=sigma)
    assert out.loop == clip.loop
    assert apart(clip.character, smooth(mirror(clip), sigma=sigma).q, mirror(out).q) < 1e-8
    assert apart(clip.character, smooth(reverse(clip), sigma=sigma).q, reverse(out).q) < 1e-8
    if clip.character.name == "biped":
        there = place(clip, (3, 1, 0), 1.0)
        assert apart(clip.character, smooth(there, sigma=sigma).q, place(out, (3, 1, 0), 1.0).q) < 1e-8


OPERATIONS = {
    "align": lambda c: align(c, c),
    "blend": lambda c: blend(c, reverse(c), 0.3),
    "despike": despike,
    "join": lambda c: join(c, reverse(c)),
    "loop": lambda c: loop(c, search=0.1, force=True),
    "matching_times": lambda c: c,  # gives times, not a clip
    "mirror": mirror,
    "mirror_pairs": lambda c: c,
    "mix": lambda c: mix([c, reverse(c), c], [1, 1, 2]),
    "place": lambda c: place(c, (1, 0, 0)),
    "resample": lambda c: resample(c, 25),
    "reverse": reverse,
    "smooth": lambda c: smooth(c, sigma=0.05),
    "speed": lambda c: speed(c, 1.3),
    "trim": lambda c: trim(c, 0.0, 0.5 * c.duration),
    "unroll": lambda c: unroll(c, 2),
    "warp": lambda c: warp(c, [(0.5 * c.duration, 0.6 * c.duration)] if c.duration else [(0, 0)]),
}


def refuses(name, clip):
    """Whether an operator is right to refuse a clip."""
    still = name == "align" and not clip.duration
    return (
        still or (name == "unroll" and not clip.loop) or (name == "place" and clip.character.name == "crane")
    )


@pytest.mark.parametrize("name", operators.__all__)
@settings(max_examples=20, deadline=None, derandomize=True)
@given(clip=clips())
def test_every_operator_is_pure_and_gives_a_sound_clip(name, clip):
    """No operator changes its input, returns bad numbers, or fails without need."""
    if refuses(name, clip):
        with pytest.raises(InputError):
            OPERATIONS[name](clip)
        return
    before, kept = clip.q.copy(), clip.travel
    out = OPERATIONS[name](clip)
    np.testing.assert_array_equal(clip.q, before)
    assert clip.travel is kept
    assert out.character is clip.character
    assert np.isfinite(out.q).all()
    slots = clip.character.manifold.rotation_slots[0]
    np.testing.assert_allclose(np.linalg.norm(out.q[:, slots], axis=-1), 1.0, atol=1e-12)
    assert not out.q.flags.writeable
    np.testing.assert_array_equal(OPERATIONS[name](clip).q, out.q)  # the same again, bit for bit
