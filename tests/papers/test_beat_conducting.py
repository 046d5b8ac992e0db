"""Fig. 5 and 8: conducting from a script of poses and times, with sound that falls where the poses do."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

import poise
from poise.methods.perform.script import sound
from poise.methods.perform.script.script import Script


@pytest.fixture(scope="module")
def concert():
    return example("22_beat_conducting")


def worst(result):
    return max(a.error for a in result.arrivals)


def test_every_pose_is_struck(concert):
    assert len(Script.bundled("conducting").library) == 12
    assert worst(concert.scene()) < 0.01
    assert max(a.speed_error for a in concert.scene().arrivals) < 0.01
    assert worst(concert.scene("composite")) < 0.1
    assert worst(concert.scene("composite", step=0.005)) < 1.0


def test_single_link_inertia_is_far_off(concert):
    assert worst(concert.scene("local")) > 30


def test_shoulders_have_gains_of_their_own(concert):
    gains = concert.scene("composite").gains
    left, right = gains.of("LeftArm")[:, 0], gains.of("RightArm")[:, 0]
    apart = np.abs(np.log(left[left > 1] / right[left > 1]))
    assert apart.max() > 0.2


def test_the_sound_is_on_the_beat():
    """Onsets in the samples are where keys are due."""
    script = Script.bundled("conducting")
    samples = sound.render(sound.of_keys(script.keys), 7.0)
    sharp = np.abs(np.diff(samples))  # strokes are noisy: that is what the ear finds
    window = round(0.004 * sound.RATE)
    for t in script.times:
        k = round(t * sound.RATE)
        assert sharp[k : k + window].mean() > 1.5 * sharp[k - window : k - 1].mean()


def test_beats_heard_in_a_recording_move_the_script(concert, tmp_path):

    script, beats = concert.listened(tmp_path / "pulse.wav")
    assert beats.tempo == pytest.approx(132, rel=0.03)
    for t in script.times:
        assert np.abs(beats.times - t).min() < 1e-9
    assert worst(poise.perform(script=script)) < 0.05
