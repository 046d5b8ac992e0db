"""``poise key`` and ``poise pose`` as a user meets them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import run

import poise
from poise import clips, formats
from poise.character.presets import humanoid
from poise.kinematics import Kinematics
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.templates import ProjectileIII
from poise.methods.key.sheet.keyframes import Keyframes


@pytest.fixture
def document(tmp_path):
    """A flight that needs longer than its keys leave it."""
    rest = humanoid().rest_pose()
    z = float(Kinematics(humanoid(), rest).com[0, 2])
    path = [PathKey(0.0, (0, 0, z), None, ProjectileIII(z + 0.3)), PathKey(0.3, (0.8, 0, z))]
    tracks = Keyframes(humanoid(), {0.0: rest, 0.3: rest}, name="leap").with_path(path)
    return tracks.save(tmp_path / "leap.json")


def test_a_bake(capsys, tmp_path, document):
    target = tmp_path / "leap.npz"
    code, out, _ = run(capsys, "key", str(document), "-o", str(target), "--fps", "60")
    assert code == 0
    assert "centre of mass: off by" in out
    assert "! path, key 1 at 0.3 s" in out, "the hint about the timing"
    assert "19 frames at 60 fps" in out
    clip = formats.load(target)
    assert clip.name == "leap"
    assert np.array_equal(clip.q, poise.key(Keyframes.load(document), fps=60).clip.q)


def test_a_pose_of_a_clip_is_taken_within_it(capsys, tmp_path):
    code, _, error = run(capsys, "pose", "punch", "-o", str(tmp_path / "x.npz"), "--at", "99")
    assert code == 2
    assert "--at: a time must lie within the clip, 0 to 1.9 s, not 99" in error


def test_timing_is_fixed_when_asked(capsys, tmp_path, document):
    target, after = tmp_path / "leap.bvh", tmp_path / "fixed.json"
    code, out, _ = run(capsys, "key", str(document), "-o", str(target), "--retime")
    assert code == 0
    assert "path, key" not in out
    seconds = 2 * np.sqrt(2 * 0.3 / 9.81)
    assert formats.load(target).duration == pytest.approx(seconds, abs=1 / 30)
    assert run(capsys, "key", str(document), "-o", str(after), "--retime")[0] == 0
    assert Keyframes.load(after).span[1] == pytest.approx(seconds)
    assert Keyframes.load(document).span[1] == 0.3, "what was read is left alone"


def test_the_report_as_json(capsys, tmp_path, document):
    code, out, _ = run(
        capsys, "key", str(document), "-o", str(tmp_path / "a.npz"), "--json", "--from", "0.1", "--to", "0.2"
    )
    assert code == 0
    report = json.loads(out)
    assert report["message"] == "physics kept"
    assert report["outcomes"][0]["name"] == "centre of mass"
    assert formats.load(tmp_path / "a.npz").frames == 4


def test_missed_physics_is_status_one(capsys, tmp_path, document):
    tracks = Keyframes.load(document).with_inertia({0.0: 2.5})
    tracks.save(tmp_path / "stretched.json")
    code, out, _ = run(capsys, "key", str(tmp_path / "stretched.json"), "-o", str(tmp_path / "b.npz"))
    assert code == 1
    assert "✗ inertia" in out
    assert (tmp_path / "b.npz").exists(), "the nearest motion is written all the same"


def test_one_pose_of_a_clip(capsys, tmp_path):
    target = tmp_path / "pose.npz"
    options = ["--at", "0.5", "--pin", "LeftFoot", "--pin", "RightFoot", "--pin", "LeftHand=0.3,0.2,1.3"]
    code, _, _ = run(capsys, "pose", "punch", "-o", str(target), *options, "--com", "0.03,0,-0.08")
    assert code == 0
    clip, before = formats.load(target), clips.get("punch")
    assert clip.frames == 1
    old, new = Kinematics(before.character, before.at(0.5)), Kinematics(clip.character, clip.q)
    assert np.abs(new.com - old.com - [0.03, 0, -0.08]).max() < 1e-9
    assert np.abs(new.point("LeftFoot") - old.point("LeftFoot")).max() < 1e-4
    assert np.abs(new.point("LeftHand") - [0.3, 0.2, 1.3]).max() < 1e-4
    tucked = tmp_path / "tuck.npz"
    assert run(capsys, "pose", "humanoid", "-o", str(tucked), "--gyration", "0.4")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["key", "nowhere.json"], "nowhere.json: no such file"),
        (["key", "walk"], "key needs --keyframes FILE|@FILE"),
        (
            ["key", "walk", "--keyframes", "{}", "--fps", "30"],
            "--fps: key-frames on a motion have its frames",
        ),
        (["pose", "walk", "--pin", "Elbow"], "no joint or point named 'Elbow'"),
        (["pose", "walk", "--pin", "LeftHand=1,2"], "--pin: a place is written X,Y,Z in metres, not '1,2'"),
        (["pose", "walk", "--com", "up"], "--com: a place is written X,Y,Z in metres, not 'up'"),
        (["pose", "walk", "--strict", "2"], "--strict has no effect without --constraints"),
        (["pose", "walk", "--gyration", "-1"], "--gyration"),
        (["pose", "wlak"], "no file, bundled clip or preset named 'wlak'"),
    ],
)
def test_mistakes_are_status_two_and_one_line(capsys, tmp_path, arguments, message):
    code, _, err = run(capsys, *arguments, "-o", str(tmp_path / "x.npz"))
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "x.npz").exists()


def test_key_frames_are_put_on_a_clip(capsys, tmp_path):
    target = tmp_path / "ducked.npz"
    pins = {"pins": [{"point": "LeftFoot", "at": [0, 0.6], "fade": 0.1}]}
    code, _, err = run(capsys, "key", "punch", "-o", str(target), "--keyframes", json.dumps(pins))
    assert code in (0, 1), err
    assert formats.load(target).frames == clips.get("punch").frames


def test_a_pose_is_a_document_of_its_own(capsys, tmp_path):
    """One pose is no edit of an animation: the rest of the document that it was taken from stays out."""
    whole, alone, edited = (tmp_path / f"{name}.gltf" for name in ("punch", "pose", "mirrored"))
    assert run(capsys, "convert", "punch", "-o", str(whole))[0] == 0
    document = json.loads(whole.read_text())
    document["scenes"][0]["extras"] = {"note": "by hand"}
    whole.write_text(json.dumps(document))
    assert run(capsys, "pose", str(whole), "-o", str(alone), "--at", "0.5")[0] == 0
    assert run(capsys, "mirror", str(whole), "-o", str(edited))[0] == 0
    assert formats.load(alone).frames == 1
    assert "by hand" in edited.read_text(), "an edit keeps it"
    assert "by hand" not in alone.read_text()


def test_existing_files_stay(capsys, tmp_path, document):
    (tmp_path / "x.npz").write_text("precious")
    code, _, err = run(capsys, "key", str(document), "-o", str(tmp_path / "x.npz"))
    assert code == 2
    assert "--force" in err
    code, _, err = run(capsys, "key", str(document), "-o", str(document), "--retime")
    assert code == 2
    assert "leap.json already exists" in err


def test_a_place_that_nobody_means_is_refused_at_once(capsys, tmp_path):
    target = str(tmp_path / "x.npz")
    code, _, error = run(capsys, "pose", "punch", "-o", target, "--pin", "RightHand=1e300,0,0")
    assert code == 2
    assert "1e+300" in error
    assert "from -1e+09 to 1e+09" in error
