"""Where motion begins and ends: poses put in front and torn ends are left out to the frame; nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from poise import clips
from poise.contacts.ends import begins_late, ends
from poise.kinematics import Kinematics
from poise.motion import Clip
from poise.motion.operators import unroll

WALK = unroll(clips.get("walk"), 2)


def found(clip: Clip) -> tuple[int, int]:
    return ends(clip, np.asarray(Kinematics(clip.character, clip.q).positions), 1.0)


def torn(head: int, tail: int, clip: Clip = WALK) -> Clip:
    """With so many frames at either end a metre beside the others."""
    q = np.array(clip.q)
    q[:head, 1] += 1.0
    q[len(q) - tail :, 1] += 1.0
    return clip.with_q(q)


@pytest.mark.parametrize(("head", "tail"), [(0, 0), (1, 0), (3, 0), (8, 0), (0, 1), (0, 5), (0, 8), (4, 2)])
def test_torn_ends_are_left_out_to_the_frame(head, tail):
    assert found(torn(head, tail)) == (head, WALK.frames - tail)


@pytest.mark.parametrize(("head", "tail"), [(9, 0), (20, 0), (0, 9), (0, 30)])
def test_jumps_farther_in_are_part_of_the_motion(head, tail):
    assert found(torn(head, tail)) == (0, WALK.frames)


def test_loops_and_short_clips_are_whole():
    loop = clips.get("walk")
    assert found(loop) == (0, loop.frames)
    short = WALK.with_q(WALK.q[:59])
    assert found(torn(2, 2, short)) == (0, 59)
    assert found(torn(2, 2, WALK.with_q(WALK.q[:60]))) == (2, 58)


def test_a_rest_pose_put_in_front_is_no_motion():
    q = np.array(WALK.q)
    q[0] = WALK.character.rest_pose()
    q[0, :3] = q[1, :3]
    assert begins_late(WALK.with_q(q))
    assert found(WALK.with_q(q))[0] == 1
    assert found(WALK.with_q(q[:40])) == (1, 40), "of short clips too"
    assert not begins_late(WALK)
    assert not begins_late(WALK.with_q(q[:3])), "so few frames are poses"
    still = np.tile(q[:1], (len(q), 1))
    assert not begins_late(WALK.with_q(still)), "who stands at rest throughout has nothing in front"
