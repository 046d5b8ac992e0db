"""Held places as they are typed."""

import numpy as np
from command_line import run

import poise


def test_a_place_is_held_as_typed(capsys, tmp_path):
    out = tmp_path / "held.npz"
    code, told, _ = run(capsys, "hit", "punch", "-o", str(out), "--at", "RightHand@0.7-0.9=0.6,-0.1,1.3")
    assert code == 0, told
    assert "RightHand from 0.7 to 0.9 s" in told
    clip = poise.load(out)
    at, _ = clip.character.placement(clip.q[42:55])
    off = np.linalg.norm(at[:, clip.character.index("RightHand")] - [0.6, -0.1, 1.3], axis=1)
    assert off.max() <= 1e-4
    for wrong in ("RightHand@0.7-x", "pose@0.5-0.7", "RightHand@0.7-0.9~1,0,0"):
        code, _, err = run(capsys, "hit", "punch", "-o", str(tmp_path / "x.npz"), "--at", wrong)
        assert code == 2
        assert "FROM-TO" in err
