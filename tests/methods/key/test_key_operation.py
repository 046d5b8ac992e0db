"""Key-frames as an operation: on their own, from a file, on a motion; and one pose of a motion."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import poise
from poise import Keyframes, characters, clips
from poise import constraints as c
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.key.operations import key_frames
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.path import Path
from poise.methods.key.path.templates import ProjectileIII
from poise.motion import Clip
from poise.operations.key import Key
from poise.operations.pose import PosePin
from poise.operations.result import Result
from poise.operations.situation import Situation


@pytest.fixture(scope="module")
def punch() -> Clip:
    return clips.get("punch")


@pytest.fixture(scope="module")
def hop() -> Keyframes:
    """A figure whose arc takes longer than its keys leave."""
    figure = characters.planar_humanoid()
    up = Kinematics(figure, figure.rest_pose()).com[0]
    keys = (
        PathKey(0.0, up),
        PathKey(0.2, up, template=ProjectileIII(height=up[2] + 0.2)),
        PathKey(0.4, up + [0.2, 0.0, 0.0]),
    )
    return Keyframes(figure, figure.rest_pose(), name="hop").with_path(Path(keys))


def point(clip: Clip, name: str, frame: int = 0) -> np.ndarray:
    return Kinematics(clip.character, clip.q[frame : frame + 1]).point(name)[0]


def test_a_document_its_data_and_its_file_are_the_same_motion(hop, tmp_path):
    file = hop.save(tmp_path / "hop.json")
    whole = poise.key(hop, fps=Fraction(24))
    assert whole.clip.fps == 24
    assert whole.clip.character is hop.character
    assert whole.keyframes is hop
    for other in (poise.key(hop.to_dict(), fps="24"), poise.key(file, fps=24)):
        assert np.array_equal(other.clip.q, whole.clip.q)
    assert poise.key(hop).clip.fps == 30


def test_retiming_gives_the_arc_its_time(hop):
    early, well = poise.key(hop), poise.key(hop, retime=True)
    assert any("arc" in warning for warning in early.report.warnings)
    assert not any("arc" in warning for warning in well.report.warnings)
    assert well.keyframes.span[1] > hop.span[1] + 0.1
    assert np.array_equal(well.clip.q, poise.key(hop.fixed()).clip.q)


def test_key_frames_without_poses_change_the_motion_they_are_put_on(punch):
    there = (point(punch, "LeftHand", 10) + [0.0, 0.1, 0.1]).tolist()
    data = {
        "pins": [{"point": "LeftHand", "at": [10 / punch.fps, 20 / punch.fps], "to": there, "fade": 0.05}]
    }
    result = poise.key(data, punch)
    assert result.clip.frames == punch.frames
    np.testing.assert_allclose(point(result.clip, "LeftHand", 15), there, atol=2e-3)
    assert np.array_equal(result.clip.q[0], punch.q[0])
    some = key_frames(Key(keyframes=data), Situation(Result(punch)), [3, 15])
    assert np.array_equal(some, result.clip.q[[3, 15]])
    with pytest.raises(InputError, match="needs a motion"):
        poise.key(data)
    for option in ({"fps": 24}, {"start": 0.1}, {"end": 0.2}):
        with pytest.raises(InputError, match=f"{next(iter(option))}.*have its frames"):
            poise.key(data, punch, **option)
    with pytest.raises(InputError, match=r"keyframes.*pins\[0\]"):
        poise.key({"pins": [{"point": "LeftHand", "att": [0, 1]}]}, punch)


def test_one_pose_by_its_handles(punch):
    held = poise.pose(
        punch, at=0.5, pins=["LeftFoot", PosePin("RightHand", (0.3, -0.2, 1.2))], com=(0, 0, -0.05)
    )
    before, after = (Kinematics(punch.character, q) for q in (punch.at(0.5), held.q))
    assert held.met
    assert held.clip.frames == 1
    np.testing.assert_allclose(after.com[0], before.com[0] + [0.0, 0.0, -0.05], atol=1e-6)
    np.testing.assert_allclose(after.point("LeftFoot")[0], before.point("LeftFoot")[0], atol=5e-3)
    np.testing.assert_allclose(after.point("RightHand")[0], (0.3, -0.2, 1.2), atol=5e-2)
    assert np.array_equal(poise.pose(punch, at=0.5).q, punch.at(0.5))


def test_one_pose_by_constraints(punch):
    there = Kinematics(punch.character, punch.at(0.5)).point("RightHandCentre")[0] + [0.0, 0.05, 0.05]
    found = poise.pose(punch, c.pin("right hand", there, 0.5), at=0.5)
    assert found.met, str(found.report)
    np.testing.assert_allclose(
        Kinematics(punch.character, found.q).point("RightHandCentre")[0], there, atol=1e-9
    )
    dragged = found.drag("LeftHand", Kinematics(punch.character, found.q).point("LeftHand")[0] + [0, 0.02, 0])
    assert dragged.met
    with pytest.raises(InputError, match="leave out 'pins'"):
        poise.pose(punch, c.pin("RightHand", there, 0.5), at=0.5, gyration=0.3)
    with pytest.raises(InputError, match="field 'at'"):
        poise.pose(punch, at=99.0)
