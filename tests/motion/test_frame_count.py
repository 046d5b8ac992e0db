"""Sizes no machine could hold are refused at once, with the number of frames."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise.character import Body, Character, Joint
from poise.errors import InputError
from poise.motion import Clip, operators
from poise.motion.frame_times import MAX_FRAMES, affordable, exact_rate
from poise.pictures.video_file import frame_times

WALK = clips.get("walk")
PLAIN = operators.unroll(WALK, 2)
ONE = PLAIN.replaced(q=PLAIN.q[:1])


@pytest.mark.parametrize(
    ("work", "count"),
    [
        (lambda: operators.resample(PLAIN, 1e9), "2,133,333,334"),
        (lambda: operators.resample(WALK, 1e9), "1,066,666,667"),
        (lambda: operators.unroll(WALK, 100_000_000), "6,400,000,001"),
        (lambda: operators.trim(WALK, 0.0, 1e8), "6,000,000,001"),
        (lambda: operators.warp(PLAIN, lambda t: 0 * t, duration=1e9), "60,000,000,001"),
        (lambda: operators.join(PLAIN, ONE, 1e7), "600,000,001"),
    ],
    ids=["resample", "resample a loop", "unroll", "trim", "warp", "join"],
)
def test_absurd_lengths_are_refused_with_their_number(work, count):
    with pytest.raises(InputError, match=f"that would be {count} frames, more than 10,000,000"):
        work()


def test_the_limit_itself_is_allowed():
    assert affordable(MAX_FRAMES, "x") == MAX_FRAMES
    with pytest.raises(InputError, match="cannot x"):
        affordable(MAX_FRAMES + 1, "x")
    character = Character("one", [Body("a", None, Joint.hinge((0, 1, 0)))])
    clip = Clip(character, np.linspace(0, 1, 11)[:, None], 10)
    assert operators.resample(clip, 200_000).frames == 200_001


def test_films_have_a_limit_too():
    assert len(frame_times(WALK, WALK.rate, 1000.0)) == 60_000
    with pytest.raises(InputError, match="film of 600,000 frames"):
        frame_times(WALK, WALK.rate, 10_000.0)


@pytest.mark.parametrize("factor", [1e-9, 1e-300, 1e9])
def test_speeds_beyond_reason_name_the_range(factor):
    with pytest.raises(InputError, match=r"between 0\.0001 and 10000 times"):
        operators.speed(PLAIN, factor)


@pytest.mark.parametrize("time", ["a", object(), [0.0, "b"], {}])
def test_times_that_are_no_numbers(time):
    with pytest.raises(InputError, match="number of seconds"):
        WALK.at(time)


@pytest.mark.parametrize("rate", ["24000/1001", "30", "0.37", "120000/1001", "999999999.999999999"])
def test_times_of_frames_are_quotients_of_whole_numbers_rounded_once(rate):
    clip = PLAIN.replaced(rate=exact_rate(rate))
    assert clip.times.tolist() == [float(k / clip.rate) for k in range(clip.frames)]
