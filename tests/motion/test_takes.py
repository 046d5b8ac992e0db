"""Where clips jump: rest poses before the motion and cuts, not what is merely fast."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise.motion.takes import take_at, takes, told_jumps


def after_a_rest_pose(name="punch", away=(3.0, -2.0, 0.0)):
    """A clip behind one frame of its rest pose, elsewhere."""
    clip = clips.get(name)
    first = np.array(clip.character.rest_pose())
    first[:3] += away
    return clip.replaced(q=np.concatenate([first[None], clip.q]), loop=False)


@pytest.mark.parametrize("name", [n for n in clips.names() if not n.startswith("planar")])
@pytest.mark.parametrize("every", [1, 2, 5])
def test_nothing_that_a_body_does_is_a_jump(name, every):
    clip = clips.get(name)
    slow = clip.replaced(q=clip.q[::every], rate=clip.rate / every, loop=False)
    assert takes(slow) == (range(slow.frames),)
    assert not told_jumps(slow)


def test_a_rest_pose_and_a_cut_begin_takes():
    clip = after_a_rest_pose()
    assert takes(clip) == (range(1), range(1, clip.frames))
    moved = np.array(clip.q)
    moved[40:, 0] += 2.0
    cut = clip.replaced(q=moved)
    assert [t.start for t in takes(cut)] == [0, 1, 40]
    assert [take_at(cut, f) for f in (0, 0.5, 1, 39.9, 40, 50)] == [0, 0, 1, 1, 2, 2]
    (said,) = told_jumps(cut)
    assert "frames 0 to 1, 39 to 40" in said
    assert len(takes(cut.replaced(loop=True))) == 1
