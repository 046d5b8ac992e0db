"""The extension in the real Blender module, each experiment in a process of its own (``inside.py``).

They run in every Blender that ``POISE_BPY_PYTHON`` names: Pythons with the module ``bpy``, as ``PATH`` lists
folders (``make blender-test``).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.clips.named import clip_named

ROOT = Path(__file__).parents[2]
POISE = Path(os.environ.get("POISE_PROGRAM") or Path(sys.executable).with_name("poise"))
PYTHONS = [python for python in os.environ.get("POISE_BPY_PYTHON", "").split(os.pathsep) if python]
pytestmark = pytest.mark.timeout(1200)


@dataclass(frozen=True)
class Blender:
    """A Python with the module, and a folder where experiments find the zip, a walk as BVH, each other's."""

    python: str
    folder: Path

    def experiment(self, name: str, *more: Path) -> dict:
        """What an experiment found (``inside.py``)."""
        archive = self.folder / "poise_addon-0.1.0.zip"
        command = [
            self.python,
            Path(__file__).with_name("inside.py"),
            name,
            archive,
            self.folder,
            POISE,
            *more,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1000, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return json.loads(done.stdout.strip().splitlines()[-1])


def version(python: str) -> str:
    """Which Blender a Python has."""
    ask = "import importlib.metadata as known; print(known.version('bpy'))"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    return done.stdout.strip() or python


@pytest.fixture(scope="module", params=PYTHONS or [None], ids=[version(each) for each in PYTHONS] or ["none"])
def blender(request, tmp_path_factory):
    """Every Blender that is named, one after the other."""
    if request.param is None:
        pytest.skip("POISE_BPY_PYTHON names no Python with the module bpy (make blender-test)")
    folder = tmp_path_factory.mktemp("blender")
    done = subprocess.run(
        [sys.executable, ROOT / "blender" / "build.py", "--output", folder, "--tool", request.param],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "checked by Blender" in done.stdout
    walk(folder / "walk.bvh")
    return Blender(request.param, folder)


def walk(path: Path) -> None:
    """The bundled walk, with hands that have a length: Blender invents one for those that have none."""
    clip_named("walk").replaced(loop=False).save(path)
    lines, joint = path.read_text().split("\n"), ""
    for k, line in enumerate(lines):
        words = line.split()
        joint = words[1] if words[:1] in (["JOINT"], ["ROOT"]) else joint
        if words[:1] == ["OFFSET"] and lines[k - 2].split()[:1] == ["End"] and joint.endswith("Hand"):
            lines[k] = f"OFFSET {18 if joint == 'LeftHand' else -18} 0 0"
    path.write_text("\n".join(lines))


@pytest.mark.parametrize(
    "rig, most",
    [("plain", 1e-6), ("mixamo", 1e-6), ("vrm", 1e-6), ("centimetres", 1e-6), ("constrained", 1e-6)],
)
def test_unchanged_motion_comes_back(blender, rig, most):
    """As a strip, within a millionth of the height; the user's stays to the bit, and all can be removed."""
    found = trips(blender)[rig]
    assert found["moved"] <= most
    assert found["same"]
    assert found["restored"]


def trips(blender, known={}):  # noqa: B006  once for all rigs
    if blender not in known:
        known[blender] = blender.experiment("round_trips")
    return known[blender]


def test_unchanged_motion_comes_back_on_rigify(blender):
    found = blender.experiment("rigify_round_trip")
    assert found["kind"] == "rigify"
    assert found["moved"] <= 1e-5
    assert found["same"]
    assert found["restored"]


def test_operators_are_the_command_line(blender):
    """Loosen and hit through operators on an imported BVH, and by verbs on the file: within 1e-5 m."""
    found = blender.experiment("command_line")
    assert found["same"]
    assert found["tracks"] == ["walk", "Poise hit"]
    assert found["rate"] == "60"
    data = np.load(blender.folder / "command_line.npz")
    turn = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # Poise's x is Blender's −y
    place = ",".join(repr(float(x)) for x in turn.T @ data["place"])
    for name, options in (("loose", ["loosen"]), ("hit", ["hit", "--at", f"RightHand@{20 / 60}={place}"])):
        verb, *more = options
        file = blender.folder / f"{name}.npz"
        subprocess.run(
            [POISE, verb, blender.folder / "walk.bvh", "-o", file, "--tension", "loose", *more],
            check=True, capture_output=True,
        )  # fmt: skip
        clip = poise.load(file)
        order = [clip.character.index(str(n)) for n in data["names"]]
        own = clip.character.placement(clip.q).positions[:, order] @ turn.T
        assert np.abs(own - data[name]).max() <= 1e-5, name
    assert found["missed"] <= 1e-5


def test_a_rigify_walk_in_five_calls(blender):
    """Loosened, its hand at the cup, its feet planted by Blender's own bone positions."""
    found = blender.experiment("five_calls")
    assert not found["problem"], found["message"]
    assert found["reached"] <= 1e-4
    assert found["loosened"] > 0.02
    for frames, slide in found["slides"].values():
        assert frames > 10
        assert slide <= 0.01
    assert found["same"]
    assert found["switched"] == 4
    assert found["deform"] == 0


def test_troubles_are_messages_and_nothing_is_lost(blender):
    found = blender.experiment("troubles")
    wanted = {
        "nothing chosen": "Choose an armature", "scale": "scaled differently", "mirrored": "mirrored",
        "empty": "no animation", "range": "before it begins", "option": "field 'step'",
        "unknown option": "no option 'tenson'", "no source": "Choose the armature",
        "no target": "needs constraints", "solo": "plays alone",
        "missing": "pip install poise", "wrong path": "no file",
    }  # fmt: skip
    for name, words in wanted.items():
        assert words in found[name], name
    assert all(found[key] for key in found if key.endswith(": same")), found
    assert "has ended" in found["killed words"]
    assert found["killed state"] == "failed"
    assert found["after the kill"] == ""
    assert found["loosened after"] > 1e-3
    assert found["removed"] == 0.0
    assert found["action again"]
    assert found["cancelled"] == ["cancelled"] * 3


def test_ten_thousand_frames(blender):
    found = blender.experiment("long_one")
    assert found["frames"] == 10_000
    assert found["message"].startswith("Loosen")


def test_what_is_seen_live_is_what_is_baked(blender):
    """A slider: all frames of the preview are those of the bake, and another frame asks for nothing more."""
    found = blender.experiment("live")
    assert found["tracks while live"] == ["walk", "Poise preview"]
    assert not found["asked again"]
    assert found["ended"]
    assert found["tracks after"] == 0
    assert found["baked"] == 0.0
    assert found["same"]


def test_the_whole_motion_follows_an_empty(blender):
    """While it is dragged the hand is at it, and other frames move along; at rest all are the bake's."""
    found = blender.experiment("dragged")
    assert found["answers"] > 10
    assert np.median(found["away"]) < 1e-4  # from where it is, or was when it was asked for
    print(
        "moves behind, of thirty a second:", np.median(found["behind"]), "whole previews:", found["previews"]
    )
    assert found["previews"] >= 3
    assert np.all(np.diff(found["scrubbed"]) > 0)
    assert found["previews"] <= 1 + found["seconds"] / 0.1
    assert found["ended"]
    assert found["moved"] > 0.1
    assert found["baked"] <= 1e-6
    assert found["turned"] <= 1e-6
    assert found["same"]


def test_controls_follow_an_empty(blender):
    """On Rigify: nearly while it moves, where constraints stand between controls; as baked when it rests."""
    found = blender.experiment("dragged_controls")
    assert found["rough"] <= 0.05
    assert found["baked"] <= 1e-5
    assert found["ended"]
    assert found["same"]


def test_a_run_during_live_bakes_the_motion(blender):
    """As without the preview, which ends; removing results ends it too, and leaves nothing of it."""
    found = blender.experiment("run_during_live")
    assert found["while live"][-1] == "Poise preview"
    assert found["ended by a run"]
    assert found["tracks"][-1] == "Poise loosen"
    assert "Poise preview" not in found["tracks"]
    assert found["apart"] == 0.0
    assert found["loosened"] > 1e-3
    assert found["ended by removing"]
    assert found["actions"] == []
    assert found["same"]
    assert found["ended without its armature"]


def test_the_same_again_touches_no_removed_track(blender):
    found = blender.experiment("run_again")
    assert found["removed"] == 1
    assert found["set on removed tracks"] == []
    assert found["tracks"][1:] == [["Poise loosen", False]]
    assert found["apart"] == 0.0
    assert found["muted meanwhile"]
    assert not found["cancelled"]


def test_the_log_is_the_users_own(blender, tmp_path, monkeypatch):
    """Not in the temporary folder, where others can plant a link; emptied at each start; not needed."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    found = blender.experiment("log")
    assert found["temporary"] == str(tmp_path)
    assert found["victim"] == "mine"
    assert Path(found["resources"]) in Path(found["path"]).parents
    assert found["size"] < 10_000
    assert found["without"] == 1


def test_contacts_are_a_list_that_can_be_changed(blender):
    """Those that are found change nothing; a foot off the list swings, in the preview as in the bake."""
    found = blender.experiment("contacts_listed")
    assert "Find contacts" in found["add first"]
    parts = [part for part, _, _ in found["listed"]]
    assert {"left foot", "right foot"} <= set(parts)
    assert all(1 <= first <= last <= 70 for _, first, last in found["listed"])
    assert str(len(parts)) in found["message"]
    assert found["as found"] == 0.0
    assert found["freed"] > 0.005
    assert found["live"] == 0.0
    assert "nothing that can touch" in found["no part"]
    assert found["added"] == ["right foot", 9, 12]
    assert "before it begins" in found["backwards"]
    assert found["left"] == len(parts)
    assert found["none"] == 0
    assert found["same"]


def test_bones_are_targets(blender):
    """A bone at its keys as it is animated there; at a bone of another armature."""
    found = blender.experiment("bones_as_targets")
    assert found["keys"] == [1, 14, 27, 40]
    assert found["at keys"] <= 1e-4
    assert found["between"] > 1e-3
    assert found["objects"] == 2
    assert found["at the head"] <= 1e-4, found["message"]
    assert "no bone 'nose'" in found["no bone"]


def test_undo_while_live(blender):
    found = blender.experiment("undone_live")
    assert found["shown"] == found["again"] == ["personAction", "Poise preview"]
    assert found["undone"] == [0, True]
    assert found["ended"] == [True, 0.0, ["personAction"]]
    assert found["redone"] == [True, ["personAction"]]


def test_blended_actions_look_the_same_on_a_track(blender):
    """Blending, extrapolation and influence go along with the action, and come back."""
    found = blender.experiment("blended_actions")
    assert found["looks"] > 6
    assert max(found["pushed"]) < 1e-5
    assert max(found["back"]) == 0.0
    assert all(found["manner"])


def test_undo_and_enabling_again(blender):
    found = blender.experiment("undone")
    assert found["made"] == 2
    assert found["undone"] == [0, True, True]
    assert found["actions"] == ["walk"]
    assert found["again"] == ["FINISHED"]
    assert found["registered"]


def test_other_operations(blender):
    found = blender.experiment("other_operations")
    assert "sinks" in found["findings"][0][0]
    assert [frame for _, frame in found["markers"]]
    assert found["went"] == found["findings"][0][1]
    assert found["text"] > 50
    assert "fixed" in found["fix"]
    assert found["moved frames"][0] >= 9
    assert found["moved frames"][-1] <= 29
    assert found["moved bones"] == ["LeftForeArm", "LeftHand"]
    assert 0.3 < found["travelled"] < 0.8


def test_what_is_worn_looks_as_it_did_and_goes(blender):
    """On the head, with its materials and map, once; removed with the rest. Without a mesh it is a hat."""
    found = blender.experiment("worn")
    assert found["worn"] == [["Poise Sphere"]] * 2, found["message"]
    assert found["faces"][0] == found["faces"][1]
    assert found["materials"] == ["red", "blue"]
    assert found["blue"] == [5]
    assert found["map"] == ["UVMap"]
    assert max(found["from the head"]) < 0.01
    assert 0.9 < found["of its size"] < 1.1
    assert found["removed"]
    assert found["hat"] == ["Poise hat"]
    assert found["on the head"] > 0.0
    assert found["same"]


def test_a_file_saved_during_live_holds_no_preview(blender):
    found = blender.experiment("saved_live")
    assert found["shown"] == found["shown again"] == ["personAction", "Poise preview"]
    assert found["hidden"] == []
    assert found["saved"] == found["autosaved"] == [True, 0, True, []]
    assert found["ended"]


def test_targets_that_are_carried_cost_nothing_at_rest(blender):
    found = blender.experiment("carried_target")
    assert found["looks at rest"] == 0
    assert found["looks when moved"] == 2
    assert max(found["off"]) < 1e-4
    assert found["same"]


def test_surfaces_adapt_and_fix(blender):
    """By Blender's own bone positions: a hand stays out of a mesh, is where it is told, feet come up."""
    found = blender.experiment("surfaces")
    assert found["free"] > 0.029
    assert found["beside the table"] < 0.0
    assert found["adapted"] <= 1e-4
    assert found["sunk"] < 0.0
    assert found["lifted"] > 0.02


def test_a_window_drives_operators(blender):
    """Progress in the status bar, Esc cancels and changes nothing, no timer is left; the preview likewise."""
    found = blender.experiment("windowed")
    assert found["begun"] == found["keys"] == ["RUNNING_MODAL"]
    assert found["mouse"] == ["PASS_THROUGH"]
    assert found["ended"] == ["FINISHED"]
    assert "Esc cancels" in found["said"][0]
    assert found["said"][-1] is None
    assert found["parts"][:-1] == sorted(found["parts"][:-1])
    assert found["loosened"] > 1e-3
    assert found["escaped"] == ["CANCELLED"]
    assert found["escape words"] == "Cancelled; nothing was changed"
    assert found["escape same"]
    assert found["failed"] == ["CANCELLED"]
    assert "field 'step'" in found["failed words"]
    assert found["live begun"] == ["RUNNING_MODAL"]
    assert found["live ended"] == ["CANCELLED"]
    assert "Live" in found["live bar"][0]
    assert found["live same"]
    assert found["escape bar"] is found["failed bar"] is found["live bar"][1] is None
    assert found["timers"] == found["escape timers"] == found["live timers"] == 0


def test_preferences_are_kept(blender):
    if version(blender.python).startswith("4.2."):
        pytest.skip("the module of 4.2 crashes when it reads preferences again, also without any extension")
    assert blender.experiment("kept") == {}
    assert blender.experiment("kept") == {"enabled": True, "program": "/chosen/poise"}


def test_linked_armatures(blender):
    """Refused as they are, with the remedy; with a library override they are armatures like others."""
    found = blender.experiment("overridden")
    assert "library override" in found["linked"]
    assert found["is override"]
    assert found["overridden"] == ""
    assert found["loosened"] > 0.01
    assert found["back"] == 0.0


def test_arms_that_stretch_and_controls_along(blender):
    """IK arms of Rigify stretch: the hand is at its mark all the same, and IK controls can be keyed along."""
    found = blender.experiment("snapped")
    assert found["stretch"] > 0.005
    assert found["unchanged"] <= 1e-5
    assert found["reached"] <= 1e-5
    assert found["apart"] <= 1e-5


def test_rigs_as_auto_rig_pro_builds_them(blender):
    """Bones that deform are keyed, those that twist and stretch stay where they are on their limb."""
    found = blender.experiment("auto_rig_pro")
    assert found["unchanged"]["moved"] <= 2e-6  # Blender's IK leaves rotations that are off by 1e-5
    assert found["unchanged"]["same"]
    assert found["unchanged"]["restored"]
    assert found["slides"] <= 0.01
    assert found["loosened"] > 0.02
    assert found["reached"] <= 1e-5
    assert found["torn"] <= 1e-5
    assert found["same"]
    assert found["back"] == 0.0
    assert not [path for path in found["controls"] if "_fk" in path or "_ik" in path]


def test_controls_of_unknown_rigs_are_found(blender):
    """By moving them: FK controls, the switch to them, IK controls; only they are keyed, bodies follow."""
    every = blender.experiment("control_rigs")
    for style, fk, ik in (
        ("arp", "c_hand_fk.r", "c_hand_ik.r"),
        ("mixamo", "Ctrl_Hand_FK_Right", "Ctrl_Hand_IK_Right"),
    ):
        found = every[style]
        hand = next(body for body, control in found["controls"].items() if control == fk)
        assert found["kind"] == "controls"
        assert found["unchanged"]["moved"] <= 1e-5
        assert found["unchanged"]["same"]
        assert found["unchanged"]["restored"]
        assert [value for *_, value in found["switches"]] == [1.0] * 4
        assert found["snapped"][hand] == ik
        bones, stilled = found["seen"]
        assert not stilled
        assert {fk, ik} <= set(bones), "the IK control for its switch"
        assert not [name for name in bones if name.startswith(("mixamorig:", "arm", "hand", "thigh"))]
        assert found["slides"] <= 0.01
        assert found["loosened"] > 0.02
    bare = every["bare"]
    assert bare["kind"] == "plain", "IK alone: bones are keyed, their constraints stilled"
    assert len(bare["seen"][1]) == 12
    assert all(path.endswith(".influence") for path in bare["seen"][1])
    for style, found in every.items():
        assert found["reached"] <= 1e-5, style
        assert found["torn"] <= 1e-5, style
        assert found["same"], style
        assert found["back"] == 0.0, style
    assert every["arp"]["along"] <= 1e-5


def test_controls_that_do_not_obey_are_given_up(blender):
    found = blender.experiment("limited_controls")
    assert [found["before"], found["after"]] == ["controls", "plain"]
    assert found["unchanged"]["moved"] <= 1e-5
    assert found["unchanged"]["restored"]
    assert found["foot"] <= 1e-6
    assert found["hand"] > 0.02
    assert "off by" not in found["message"]
    assert found["stilled"]
    assert all(path.endswith(".mute") for path in found["stilled"] if "Copy Rotation" in path), "driven"
    assert found["tracks"] == ["rigAction", "Poise loosen"]
    assert found["actions"] == ["Poise loosen", "rigAction"]
    assert found["same"]


def test_beats_of_the_sequencers_sound(blender):
    found = blender.experiment("beats")
    assert "no sound" in found["none"]
    assert "no sound" in found["empty"]
    assert found["targets"] == found["frames"]
    assert len(found["frames"]) >= 8
    assert found["after a check"] == found["frames"]
    if found["audio"]:
        assert found["compressed"] == found["packed"] == found["frames"]
        first, last = found["heard"]
        assert found["trimmed"] == [frame for frame in found["frames"] if first <= frame < last]
        assert 0 < len(found["trimmed"]) < len(found["frames"])
        assert "nowhere.mp3 cannot be played" in found["gone"]
    for frame in found["frames"]:  # clicks at 0.25 s and every half second, at 24 frames a second
        assert abs((frame - 7) / 12 - round((frame - 7) / 12)) < 0.2


def test_panels_draw_every_operation(blender):
    """The panel's own code, drawn into a layout that takes notes: nothing is left out, problems are shown."""
    found = blender.experiment("panels")
    for name, rows in found["all"].items():
        buttons = [text for row in rows for kind, text, _ in row if kind == "button"]
        assert name.capitalize() in buttons
        assert "Remove" in buttons
    told = " ".join(text for row in found["all"]["perform"] for kind, text, _ in row if kind == "label")
    assert "targets at markers" in told
    assert ["check", "hand_ik.R", True] in [entry for row in found["hit"] for entry in row]
    assert "Choose the armature" in found["problem"]
    assert found["with problem"][0][0][0] == "alert"
    assert any("Found" in text for row in found["preferences"] for _, text, _ in row)


def test_figures_of_others(blender):
    """Blender's importers, other people's figures: unchanged motion comes back, and all can be loosened."""
    data = ROOT.parent / "shared" / "data"
    names = (
        "khronos_gltf/CesiumMan.glb",
        "khronos_gltf/Fox.glb",
        "threejs/RobotExpressive.glb",
        "fbx_ozz/pab_walk.fbx",
    )
    files = [data / name for name in names if (data / name).is_file()]
    if not files:
        pytest.skip("needs sample files in shared/data beside the checkout")
    found = blender.experiment("strangers", *files)
    assert set(found) == {file.name for file in files}
    for name, one in found.items():
        assert one["moved"] <= 1e-6, name
        assert one["same"], name
        assert one["restored"], name
        assert one["loosen"].startswith("Loosen"), name


def test_speed_is_told(blender, record_property):
    """300 frames of 60 bones; the figures are printed, and only what no machine should need is an error."""
    found = blender.experiment("speed")
    for name, value in found.items():
        record_property(name, value)
        print(name, value)
    assert found["bodies"] == 60
    assert found["moved"] <= 1e-6
    most = {"reading": 1.0, "writing": 0.5}  # of this process alone: others' load does not count
    assert all(found[name] <= bound for name, bound in most.items()), found
