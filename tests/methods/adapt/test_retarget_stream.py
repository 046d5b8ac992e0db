"""Frame by frame: the same poses as a whole clip, feet that stand held, no look ahead."""

from __future__ import annotations

import numpy as np
import pytest

from poise import characters, clips
from poise.character.labels import roles
from poise.errors import InputError
from poise.methods.adapt.retarget.correspondence import correspond
from poise.methods.adapt.retarget.stream import RetargetStream
from poise.methods.adapt.retarget.transfer import Transfer
from poise.motion import Clip, operators
from robots import motor_humanoid


@pytest.fixture(scope="module")
def walk() -> Clip:
    return operators.resample(operators.unroll(clips.get("walk"), 2), 60)


def streamed(clip: Clip, target, **options) -> Clip:
    stream = RetargetStream(clip.character, target, float(clip.rate), warm_up=clip, **options)
    return Clip(target, np.array([stream.frame(q) for q in clip.q]), clip.rate)


def test_without_feet_a_stream_is_the_whole_clip(walk):
    robot = motor_humanoid()
    whole = Transfer(walk, correspond(walk.character, robot, {})).clip_on_target()
    np.testing.assert_allclose(streamed(walk, robot, feet=False).q, whole.q, atol=1e-6)


@pytest.mark.parametrize("target", [motor_humanoid(), characters.humanoid()], ids=lambda c: c.name)
def test_feet_that_stand_are_held(walk, target):
    slide = {}
    for name, options in (("held", {}), ("free", {"feet": False})):
        made = streamed(walk, target, **options)
        places = made.character.placement(made.q).positions
        source = walk.character.placement(walk.q).positions
        speeds = []
        for side in ("left foot", "right foot"):
            ours, theirs = (c.names[roles(c)[side]] for c in (walk.character, target))
            path = source[:, walk.character.index(ours)]
            still = np.linalg.norm(np.diff(path, axis=0), axis=1) * 60 < 0.15
            still &= path[1:, 2] < path[:, 2].min() + 0.03
            still[:5] = False
            foot = places[:, target.index(theirs)]
            speeds.append(np.linalg.norm(np.diff(foot[:, :2], axis=0), axis=1)[still] * 60)
        slide[name] = float(np.concatenate(speeds).mean())
        assert np.abs(np.diff(places, 2, axis=0)).max() < 0.06  # nothing snaps
    assert slide["held"] < 0.06
    assert slide["held"] < 0.8 * slide["free"] + 0.01


def test_the_future_changes_nothing(walk):
    human = characters.humanoid()
    cut = streamed(walk.with_q(walk.q[:20]), human)
    stream = RetargetStream(walk.character, human, 60, warm_up=walk.with_q(walk.q[:20]))
    whole = np.array([stream.frame(q) for q in walk.q])
    np.testing.assert_array_equal(cut.q, whole[:20])


def test_a_wrong_rate_is_refused(walk):
    with pytest.raises(InputError, match="frames per second"):
        RetargetStream(walk.character, characters.humanoid(), 0)
