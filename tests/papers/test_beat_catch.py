"""Fig. 6: a ball is caught with one key, undisturbed and hit by another body on the way."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example


@pytest.fixture(scope="module")
def catch():
    pytest.importorskip("mujoco")
    return example("23_beat_catch")


def test_the_hand_is_there(catch):
    assert catch.scene().distance < 1e-4


def test_hit_on_the_way_it_is_there_too(catch):
    found = catch.scene(disturbed=True)
    assert found.result.touches, "the heavy ball hits"
    assert found.distance < 0.01
    calm, hit = catch.scene().result.clip, found.result.clip
    k = round((found.result.touches[0].time + 0.1) * hit.fps)
    apart = np.degrees(np.abs(hit.character.manifold.minus(hit.q[k], calm.q[k])).max())
    assert apart > 10, "and the arm gives way"


def test_momentum_is_exchanged(catch):
    """The heavy ball slows down: the collision is real."""
    result = catch.scene(disturbed=True).result
    (heavy,), hit, frame = result.thrown, result.touches[0].time, 1 / result.clip.fps

    def speed(first: int, last: int) -> float:
        """Forwards, by places of its surface between two frames of the collision's."""
        places = [heavy.pose(hit + k * frame).place[0] for k in (first, last)]
        return float(places[1] - places[0]) / ((last - first) * frame)

    before, after = speed(-6, -2), speed(4, 8)
    assert before == pytest.approx(-6.0, abs=0.2)
    assert after - before > 0.5
