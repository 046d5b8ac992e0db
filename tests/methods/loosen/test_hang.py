"""Chains of joints that hang: bones point along the strand, what is not named stays, no history."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.character import Body, Character, Joint, Mass
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.loosen.wear.hang import hang_frames
from poise.motion import Clip
from poise.operations.hang import Hang
from poise.operations.result import Result
from poise.operations.situation import Situation

LINKS = 6


def tailed(frames=120, fps=60):
    """A body that is carried to and fro, with a tail that is animated straight out."""
    mass = Mass(1.0, (0.0, 0.0, 0.0), np.full(3, 0.01))
    bodies = [Body("Root", None, Joint.free(), mass=mass)]
    for k in range(LINKS):
        offset = (0.0, 0.0, 0.0) if k == 0 else (-0.1, 0.0, 0.0)
        tip = {"Tip": (-0.1, 0.0, 0.0)} if k == LINKS - 1 else {}
        bodies.append(Body(f"Tail{k}", bodies[-1].name, Joint.ball(), offset=offset, mass=mass, points=tip))
    character = Character("tailed", tuple(bodies))
    t = np.arange(frames) / fps
    q = np.tile(character.rest_pose(), (frames, 1))
    q[:, 1] = 0.15 * np.sin(2 * np.pi * 0.6 * t)
    q[:, 2] = 2.0
    return Clip(character, q, fps)


def test_a_tail_hangs_down_and_its_first_bone_stays():
    clip = tailed()
    found = poise.hang(clip, "Tail*", bend=0.01, thickness=0.01)
    before, after = (Kinematics(c.character, c.q).positions for c in (clip, found.clip))
    np.testing.assert_array_equal(found.clip.q[:, : 7 + 4], clip.q[:, : 7 + 4])
    assert np.abs(after[:, :3] - before[:, :3]).max() < 1e-12
    assert after[:, LINKS, 2].max() < before[:, LINKS, 2].min() - 0.2, "the tip hangs"
    assert np.ptp(after[:, LINKS, 1] - after[:, 0, 1]) > 0.05, "and swings"
    long = np.linalg.norm(np.diff(after[:, 1:], axis=1), axis=2)
    assert np.abs(long - 0.1).max() < 1e-9, "bones keep their lengths"
    assert found.facts()["chains"] == [[f"Tail{k}" for k in range(LINKS)]]


def test_stiff_tails_stand_off():
    clip = tailed(40)
    low = [
        Kinematics(clip.character, poise.hang(clip, "Tail*", bend=b, thickness=0.01).clip.q).positions[
            -1, LINKS, 2
        ]
        for b in (0.02, 0.3, 1.0)
    ]
    assert low[0] < low[1] - 0.05 < low[2] - 0.1


def test_frames_alone_have_the_same_bits():
    clip = tailed()
    asked = Hang(joints=("Tail*",))
    some = hang_frames(asked, Situation(Result(clip)), [70, 3])
    np.testing.assert_array_equal(some, poise.hang(clip, "Tail*").clip.q[[70, 3]])


def test_a_project_holds_it(tmp_path):
    clip = tailed(40)
    path = clip.save(tmp_path / "tailed.npz")
    project = poise.Project().add_clip("tailed", str(path)).add("load", "take", clip="tailed")
    project.add("hang", "tail", joints=["Tail*"], bend=0.02)
    np.testing.assert_array_equal(project.clip().q, poise.hang(clip, "Tail*", bend=0.02).clip.q)


@pytest.mark.parametrize(
    ("joints", "word"), [(["Tail0"], "at least two joints"), (["Nose"], "Nose"), ([], "at least one chain")]
)
def test_what_is_no_chain_is_refused(joints, word):
    with pytest.raises(InputError, match=word):
        poise.hang(tailed(5), joints)


def test_a_tail_stays_out_of_the_way_of_the_world():
    from poise.world import World

    clip = tailed(60)
    for given, inside in (({}, True), ({"world": World.flat(1.7)}, False)):
        found = poise.hang(clip, "Tail*", bend=0.01, thickness=0.02, **given)
        low = Kinematics(clip.character, found.clip.q).positions[:, 1:, 2].min()
        assert (low < 1.7) == inside
