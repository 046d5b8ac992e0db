"""Times and targets of constraints: exact frames, honest refusals."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Body, Character, Joint
from poise.constraints import Always, At, During, Fixed, Path, Target, When
from poise.errors import InputError, UnknownNameError
from poise.motion import Clip


def clip(frames=31, rate="30000/1001", loop=False):
    hinge = Character("hinge", [Body("a", None, Joint.hinge((0, 1, 0)))])
    return Clip(hinge, np.zeros((frames, 1)), rate, loop=loop)


def test_interval_holds_exactly_the_frames_inside():
    c = clip()
    times = During(c.times[3], c.times[9]).times(c)
    np.testing.assert_array_equal(times, c.times[3:10])
    np.testing.assert_array_equal(During(c.times[3] + 1e-4, c.times[9] - 1e-4).times(c), c.times[4:9])
    np.testing.assert_array_equal(Always().times(c), c.times)


def test_interval_of_a_loop_crosses_the_seam():
    c = clip(frames=10, rate=10, loop=True)
    np.testing.assert_allclose(During(0.8, 1.2).times(c), [0.8, 0.9, 1.0, 1.1, 1.2])


@pytest.mark.parametrize("when", [At(2.0), At(-0.1), During(0.5, 1.5)])
def test_times_outside_the_clip_are_named(when):
    with pytest.raises(InputError, match=r"outside the clip.*0 to 1"):
        when.times(clip(rate=30))


def test_bad_intervals_are_refused():
    with pytest.raises(InputError, match="must not end"):
        During(1.0, 0.5)
    with pytest.raises(InputError, match="finite"):
        At(float("nan"))
    with pytest.raises(InputError, match="no frame lies between"):
        During(0.01, 0.02).times(clip(rate=30))


@pytest.mark.parametrize("when", [At(0.25), During(0.1, 0.2), Always()])
def test_when_round_trips(when):
    assert When.from_dict(when.to_dict()) == when


def test_path_is_straight_between_its_keys_and_held_beyond():
    path = Path([0.0, 1.0, 3.0], [[0, 0], [2, 4], [2, 0]])
    np.testing.assert_allclose(path.at(np.array([-1, 0.5, 2.0, 9.0])), [[0, 0], [1, 2], [2, 2], [2, 0]])
    again = Target.from_dict(path.to_dict())
    np.testing.assert_array_equal(again.at(np.array([0.3])), path.at(np.array([0.3])))


def test_bad_targets_are_refused():
    with pytest.raises(InputError, match="increase"):
        Path([0.0, 0.0], [[1], [2]])
    with pytest.raises(InputError, match="finite"):
        Fixed([1.0, np.nan])
    with pytest.raises(InputError, match="one value per time"):
        Path([0.0, 1.0], [[1]])
    with pytest.raises(UnknownNameError, match="value"):
        Target.from_dict({"vlaue": 1})
