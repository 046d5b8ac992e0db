"""Samples: each frame once, times between frames one by one, and every time of a block knows its own."""

from __future__ import annotations

import numpy as np

from poise import clips
from poise import constraints as c
from poise.methods.adapt.problem.samples import samples_of
from poise.methods.adapt.rows.rows import block_of

JUMP = clips.get("jump")


def test_frames_once_and_times_between_them_each():
    dt = JUMP.dt
    asked = [
        c.pin("Head", (0, 0, 1), (0.0, 3 * dt)),
        c.pin("RightHandCentre", (0, 0, 1), 2 * dt),
        c.pin("LeftHandCentre", (0, 0, 1), 2.5 * dt),
        c.pin("RightHandCentre", (0, 0, 1), 2.5 * dt),
    ]
    blocks = [block_of(each, JUMP) for each in asked]
    found = samples_of(blocks, None)
    assert found.frames.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(found.extra, [2.5 * dt, 2.5 * dt])
    assert found.count == 6
    times = found.times(JUMP)
    assert len(times) == found.count
    for block, index in zip(blocks, found.index):
        np.testing.assert_allclose(times[index], block.times, atol=1e-12)


def test_a_window_takes_what_is_in_it():
    blocks = [
        block_of(c.pin("Head", (0, 0, 1), (0.0, 1.0)), JUMP),
        block_of(c.pin("Head", (0, 0, 1), 1.5), JUMP),
    ]
    found = samples_of(blocks, (0.5, 1.2))
    assert found.blocks == (0,)
    assert found.frames[0] == 30
    assert found.count == 31
