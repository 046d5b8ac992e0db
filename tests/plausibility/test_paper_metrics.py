"""The papers' metrics: on joints whose motion is a formula, and printed with what they depend on."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.plausibility import paper_metrics as m


def gliding(speed, frames=30, height=0.0, rate=m.USUAL_RATE):
    """Two joints that glide along x (F, 2, 3)."""
    x = np.zeros((frames, 2, 3))
    x[:, :, 0] = (speed / rate * np.arange(frames))[:, None]
    x[:, :, 2] = height
    return x


@pytest.mark.parametrize(("speed", "height", "wanted"), [(0.8, 0.0, 1.0), (0.4, 0.0, 0.0), (0.8, 0.06, 0.0)])
def test_skating_counts_low_and_fast_toes(speed, height, wanted):
    found = m._skating(gliding(speed, rate=m.SKATING_RATE, height=height), 0.0)
    # The mean over five frames is short of neighbours at both ends.
    assert found == pytest.approx(wanted, abs=2.1 / 29)
    assert m._skating(gliding(0.8, rate=m.SKATING_RATE, height=height - 0.1), -0.1) == pytest.approx(
        1.0 if height < m.LOW else 0.0, abs=2.1 / 29
    )


def test_two_or_three_frames_are_no_longer_than_they_are():
    toes = np.zeros((4, 2, 3))
    toes[1:, :, 0] = np.cumsum([0.6, 0.0, 5.0])[:, None] / m.SKATING_RATE
    assert m._skating(toes, 0.0) == pytest.approx(2 / 3)  # the mean of all three is fast, two of them are


def test_skate_is_the_way_of_toes_that_touch():
    assert m._skate(gliding(0.6), 0.0) == pytest.approx(20.0)
    assert m._skate(gliding(0.6, height=0.02), 0.0) is None, "nothing touches: that is no clean record"


def test_sliding_weighs_by_height():
    """2 − 2^(h/H): all on the floor, 2 − √2 half way up, none at H."""
    way = 100 * 0.3 / 30
    for part, weight in ((0.0, 1.0), (0.5, 2 - np.sqrt(2)), (1.0, 0.0)):
        ankles, toes = (gliding(0.3, height=part * limit) for limit in (m.ANKLE, m.TOE))
        assert m._sliding(ankles, toes, 0.0) == pytest.approx(way * weight)


def test_differences_of_polynomials():
    t = np.arange(20)[:, None, None] / 30.0
    x = np.concatenate([0.5 * 3.0 * t**2, np.zeros_like(t), t**3], axis=2)
    assert m._difference(x[:, :, :2], 2, 30.0) == pytest.approx(3.0)
    assert m._difference(x[:, :, 2:], 3, 30.0) == pytest.approx(6.0)


def test_feet_that_stand_have_no_contact_loss():
    root = np.stack([0.1 * np.sin(np.arange(30)), np.zeros(30), np.zeros(30)], axis=1)
    still = gliding(0.0)
    assert m._physical_foot_contact(root, still, still) == 0.0
    one = still.copy()
    one[:, 0] = gliding(1.0)[:, 0]
    assert m._physical_foot_contact(root, one, one) == 0.0, "one foot stands"
    both = gliding(0.3)
    falling = -0.5 * 9.81 * (np.arange(30) / 30) ** 2
    down = np.stack([np.zeros(30), np.zeros(30), falling], axis=1)
    assert m._physical_foot_contact(down, both, both) == pytest.approx(0.0, abs=1e-9), "weight needs no foot"
    push = np.stack([0.5 * (np.arange(30) / 30) ** 2, np.zeros(30), np.zeros(30)], axis=1)
    assert m._physical_foot_contact(push, both, both) == pytest.approx(1e4 * 0.01**2)


def test_a_check_prints_them_with_what_they_depend_on():
    result = poise.check(poise.clips.get("walk"), metrics=True)
    names = [each.name for each in result.metrics]
    assert names[0] == "slide of contacts"
    assert {
        "foot skating ratio",
        "Penetrate",
        "Float",
        "Skate",
        "FS",
        "jitter",
        "acceleration",
        "PFC",
    } <= set(names)
    facts = result.facts()["metrics"]
    assert all({"rate", "floor", "joints", "unit", "by"} <= set(each) for each in facts)
    text = str(result)
    assert "20 fps, floor" in text
    assert "LeftToeBase" in text
    assert "metrics" not in poise.check(poise.clips.get("walk")).facts()


def test_a_figure_without_feet_has_what_it_can():
    character = poise.characters.get("lamp")
    clip = poise.Clip(character, np.tile(character.rest_pose(), (12, 1)), 30)
    found = {each.name for each in poise.check(clip, metrics=True).metrics}
    assert {"Penetrate", "Float", "jitter"} <= found
    assert "PFC" not in found
