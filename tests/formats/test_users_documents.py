"""Verbs leave a user's document as it was but for the animation they edit, and say what they cannot keep."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from gltf_made import chain
from gltf_oracle import Oracle
from stage_glb import ANIMATIONS, TARGET, assert_only_changed, parts, stage, turns, write_glb

import poise
from poise import batch, formats, project
from poise.batch.job import perform
from poise.character import presets
from poise.cli import main
from poise.errors import InputError, UnknownNameError
from poise.formats import gltf
from poise.motion import Clip


@pytest.fixture(scope="module")
def avatar(tmp_path_factory) -> Path:
    return write_glb(stage(), tmp_path_factory.mktemp("stage") / "avatar.glb")


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in arguments])
    told = capsys.readouterr()
    code = stop.value.code
    return (code if isinstance(code, int) else 0), told.out, told.err


VERBS = {
    "trim": ("trim", "{in}", "-o", "{out}", "--from", "0.25", "--to", "0.75"),
    "loosen": ("loosen", "{in}", "-o", "{out}", "--window", "0.2"),
    "hit": ("hit", "{in}", "-o", "{out}", "--at", "RightHand@0.5", "--window", "0.2"),
    "fix": ("fix", "{in}", "-o", "{out}"),
    "adapt": ("adapt", "{in}", "-o", "{out}", "--reach", "LeftHand@0.5=0.5,0.4,1.3", "--no-plants"),
    "turned": ("reroute", "{in}", "-o", "{out}", "--turn", "30", "--no-plants"),
    "perform": ("perform", "{in}", "-o", "{out}", "--duration", "0.3"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_verbs_change_one_animation(capsys, avatar, tmp_path, verb):
    new = tmp_path / "new.glb"
    words = [w.format(**{"in": avatar, "out": new}) for w in VERBS[verb]]
    code, _, err = run(capsys, *words, "--animation", "Run")
    assert code in (0, 1), err
    assert_only_changed(avatar, new, "Run")
    if verb != "fix":  # which may find nothing to mend
        assert parts(new)[0]["animations"][2] != parts(avatar)[0]["animations"][2]
    assert "left out" not in err
    assert formats.load(new, animation="Run").frames > 2


def test_what_is_worn_is_added_and_the_rest_stays(capsys, avatar, tmp_path):
    new = tmp_path / "hat.glb"
    code, _, err = run(capsys, "wear", avatar, "-o", new, "--offset", "0,0,0.05", "--animation", "Run")
    assert (code, err) == (0, "")
    a, b = parts(avatar)[0], parts(new)[0]
    for key in set(a) - {"animations", "buffers", "scenes"}:
        grown = b[key][: len(a[key])] if isinstance(a[key], list) else b[key]
        assert grown == a[key], key
    assert [x["name"] for x in b["animations"]] == list(ANIMATIONS)
    assert b["animations"][1] == a["animations"][1]
    assert b["scenes"][0]["nodes"] == [*a["scenes"][0]["nodes"], len(a["nodes"])]
    assert len(b["materials"]) == len(a["materials"]) + 1
    clip, plain = (formats.load(p, animation="Run") for p in (new, avatar))
    assert len(clip.character.skin.morphs) > len(plain.character.skin.morphs)
    # An independent reader finds the hat where it sways: on the head, however the armature is scaled.
    oracle = Oracle(new)
    hat = b["nodes"][-1]
    primitive = oracle.gltf.meshes[hat["mesh"]].primitives[0]
    skin = oracle.gltf.skins[hat["skin"]]
    rest = np.c_[
        oracle.array(primitive.attributes.POSITION),
        np.ones(oracle.gltf.accessors[primitive.attributes.POSITION].count),
    ]
    bound = oracle.array(skin.inverseBindMatrices).reshape(-1, 4, 4).swapaxes(1, 2)
    for time in (0.0, 0.5):
        world = oracle.world(oracle.animation("Run"), time)
        joint = int(oracle.array(primitive.attributes.JOINTS_0)[0, 0])
        assert oracle.gltf.nodes[skin.joints[joint]].name == "Head"
        placed = (rest @ (world[skin.joints[joint]] @ bound[joint]).T)[:, :3]
        head = world[oracle.node("Head")][:3, 3]
        assert np.linalg.norm(placed.mean(axis=0) - head) < 0.4
        assert 0.1 < np.ptp(placed, axis=0).max() < 0.6


def test_bake_changes_one_animation(capsys, avatar, tmp_path):
    made = project.Project(project.Document(name="Something else"))
    mine = tmp_path / "avatar.glb"
    mine.write_bytes(avatar.read_bytes())
    made.add_clip("run", mine, animation="Run").add("load", "run", clip="run")
    made.add("loosen", "loose", tension="relaxed", window=0.2)
    file = made.save(tmp_path / "x.poise")
    code, _, err = run(capsys, "bake", file, "-o", tmp_path / "new.glb")
    assert code == 0, err
    assert_only_changed(avatar, tmp_path / "new.glb", "Run")
    code, _, err = run(capsys, "bake", file, "-o", tmp_path / "fresh.glb", "--fresh")
    assert "9 other animations" in err
    assert gltf.animation_names(tmp_path / "fresh.glb") == ("Run",)
    # A clip that is kept inside the project brings its document along.
    inside = project.Project().add_clip("run", formats.load(avatar, animation="Run"))
    inside.add("load", "run", clip="run").add("loosen", "loose", tension="relaxed", window=0.2)
    again = project.open(inside.save(tmp_path / "inside.poise"))
    again.bake(tmp_path / "inside.glb")
    assert_only_changed(avatar, tmp_path / "inside.glb", "Run")


@pytest.fixture
def in_this_process(monkeypatch):
    """Jobs of a batch, one after the other and without processes of their own."""

    def performed_here(function, jobs, workers, limit):
        return ((number, function(*job)) for number, job in enumerate(jobs))

    monkeypatch.setattr("poise.batch.local.performed", performed_here)


@pytest.mark.usefixtures("in_this_process")
def test_batch_changes_one_animation_and_names_the_rest(capsys, avatar, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "avatar.glb").write_bytes(avatar.read_bytes())
    (folder / "take.max").write_bytes(b"\xd0\xcf")
    (folder / "notes.txt").write_text("no clip")
    recipe = {"output": ".glb", "steps": [{"do": "loosen", "window": 0.2}, {"do": "check"}]}
    (tmp_path / "recipe.json").write_text(json.dumps(recipe))
    _, out, _ = run(capsys, "batch", tmp_path / "recipe.json", folder, "-o", tmp_path / "out")
    flat = " ".join(out.split())
    assert "only the animation Walk was taken, not CameraTarget, Run" in flat
    assert "1 file of formats Poise does not read left out (take.max)" in flat
    assert_only_changed(avatar, tmp_path / "out/avatar.glb", "Walk")
    recipe |= {"read": {"animation": "Run"}, "output": ".bvh"}
    summary = batch.run(recipe, folder, tmp_path / "bvh")
    told = summary.outcomes[0].left_out
    assert "only the animation Run was taken, not CameraTarget, Walk" in told[0]
    assert any("are left out: 9 other animations" in each for each in told)
    assert summary.left_out == ("take.max",)
    assert "take.max" in str(summary)
    fresh = batch.run(recipe | {"output": ".glb", "fresh": True}, folder, tmp_path / "fresh")
    assert any("new document" in each for each in fresh.outcomes[0].left_out)
    assert gltf.animation_names(tmp_path / "fresh/avatar.glb") == ("Run",)


@pytest.mark.usefixtures("in_this_process")
def test_batch_does_all_animations_of_a_document(avatar, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "avatar.glb").write_bytes(avatar.read_bytes())
    steps = [{"do": "trim", "end": 0.25, "fit": True}, {"do": "check"}]
    summary = batch.run({"output": ".glb", "animations": "all", "steps": steps}, folder, tmp_path / "out")
    outcome, new = summary.outcomes[0], tmp_path / "out/avatar.glb"
    assert outcome.state in ("done", "missed"), outcome
    a, b = parts(avatar)[0], parts(new)[0]
    for key in {*a, *b} - {"animations", "accessors", "bufferViews", "buffers"}:
        assert a[key] == b[key], key
    same = [x["name"] for x, y in zip(a["animations"], b["animations"]) if x == y]
    assert same == ["CameraTarget", "Blink", "Stand"]  # of one frame nothing could be cut
    assert formats.load(new, animation="Run").duration == pytest.approx(0.25)
    assert any("move no joint were not taken: CameraTarget, Blink" in text for text in outcome.left_out)
    reports = batch.run({"animations": "all", "steps": [{"do": "check"}]}, folder, tmp_path / "reports")
    assert reports.outcomes[0].frames > 25 * 6
    for wrong in ({"output": ".bvh"}, {"read": {"animation": "Run"}}, {"output": ".glb", "fresh": True}):
        with pytest.raises(InputError, match="animations"):
            batch.run({"animations": "all", "steps": steps, **wrong}, folder, tmp_path / "wrong")


def test_batch_tells_animations_without_names_by_their_numbers(tmp_path):
    """Not by the name of the file that they are read from on the way, which is a temporary one."""
    made = stage()
    for animation in made.content["animations"]:
        del animation["name"]
    (tmp_path / "out").mkdir()
    write_glb(made, tmp_path / "avatar.glb")
    steps = [{"do": "check"}]
    recipe = {"poise": "recipe", "version": 1, "output": ".glb", "animations": "all", "steps": steps}
    told = perform(recipe, str(tmp_path), str(tmp_path), "avatar.glb", str(tmp_path / "out"))
    assert told["findings"], told
    assert len({text.split(":")[0] for text in told["findings"]}) > 1
    assert all(text.startswith("animation ") for text in told["findings"]), told["findings"]


def test_verbs_say_what_other_formats_leave_behind(capsys, avatar, tmp_path):
    for words in (
        ("convert", avatar, "-o", tmp_path / "a.bvh"),
        ("loosen", avatar, "-o", tmp_path / "b.bvh", "--window", "0.2"),
    ):
        _, out, err = run(capsys, *words)
        assert "9 other animations (CameraTarget, Run, Wave, Blink and 5 more)" in out + err
        assert "2 morph targets" in out + err
    _, out, err = run(capsys, "loosen", avatar, "-o", tmp_path / "c.bvh", "--window", "0.2", "--json")
    json.loads(out)  # nothing else on standard output
    code, _, err = run(capsys, "convert", avatar, "-o", tmp_path / "d.bvh", "--fresh")
    assert code == 2
    assert "--fresh" in err


def test_a_retargeted_clip_says_what_is_lost(avatar):
    moved = poise.retarget(formats.load(avatar), presets.get("humanoid"), plants=False).clip
    told = formats.losses(moved, "x.glb")
    assert len(told) == 1
    assert "skeleton is no longer the file's" in told[0]
    assert "9 other animations" in told[0]


class TestWhichAnimation:
    def test_the_first_that_moves_the_skeleton(self, avatar):
        assert formats.load(avatar).name == "Walk"
        assert formats.load(avatar).source.animation == 1
        assert formats.load(avatar, animation="7").name == "Packed"
        assert formats.load(avatar, animation=2).name == "Run"
        with pytest.raises(UnknownNameError, match="Wave"):
            formats.load(avatar, animation="Wafe")

    @pytest.mark.parametrize(
        "leave", [("Blink",), ("CameraTarget", "Blink", "Stand"), ("CameraTarget", "Stand")]
    )
    def test_where_nothing_moves_it_faces_and_poses_come_next(self, tmp_path, leave):
        made = stage()
        made.content["animations"] = [a for a in made.content["animations"] if a["name"] in leave]
        clip = formats.load(write_glb(made, tmp_path / "x.glb"))
        assert clip.name == next(n for n in ("Blink", "Stand", "CameraTarget") if n in leave)

    def test_a_prop_in_the_hand_does_not_move_the_skeleton(self, tmp_path):
        made = stage()
        swing = made.content["animations"].pop(ANIMATIONS.index("Swing"))
        swing["channels"] = [
            c for c in swing["channels"] if c["target"].get("node") == swing["channels"][1]["target"]["node"]
        ]
        made.content["animations"].insert(0, swing)
        assert formats.load(write_glb(made, tmp_path / "x.glb")).name == "Walk"

    def test_held_keys_move_nothing(self, tmp_path, rng):
        made = chain({}, {"translation": [0, 1, 0]})
        held = (
            np.tile(turns(rng, 3)[1], (4, 1)) * np.array([1, -1, 1, -1])[:, None]
        )  # q and −q are one rotation
        made.animate("held", (1, "rotation", np.arange(4) / 30, held, "LINEAR"))
        made.animate("moves", (1, "rotation", np.arange(4) / 30, turns(rng, 4), "LINEAR"))
        assert formats.load(made.write(tmp_path / "x.gltf")).name == "moves"

    def test_info_lists_them_all(self, capsys, avatar):
        _, out, _ = run(capsys, "info", avatar, "--animation", "Wave")
        assert "0 CameraTarget (3.00 s, moves Target)" in out
        assert "3 Wave (1.00 s, moves 2 joints, Table)  ← read" in out
        facts = json.loads(run(capsys, "info", avatar, "--json")[1])
        assert [a["name"] for a in facts["animations"]] == list(ANIMATIONS)
        assert [a["name"] for a in facts["animations"] if a["read"]] == ["Walk"]
        assert facts["animations"][0]["also_moves"] == ["Target"]
        assert facts["animations"][4]["morphing_meshes"] == 1
        assert facts["animations"][1]["joints_moved"] == 8
        assert facts["animations"][1]["duration_s"] == pytest.approx(1.0)

    def test_the_option_is_refused_where_it_says_nothing(self, capsys, tmp_path, avatar):
        formats.load(avatar).save(tmp_path / "x.bvh")
        for words in (
            ("info", "walk", "--animation", "Run"),
            ("info", tmp_path / "x.bvh", "--animation", "Run"),
            ("check", avatar, "--animation", "Run", "--read", "animation=Walk"),
        ):
            code, _, err = run(capsys, *words)
            assert (code, len(err.splitlines())) == (2, 1)
            assert "animation" in err

    def test_projects_name_theirs(self, avatar, tmp_path):
        mine = tmp_path / "avatar.glb"
        mine.write_bytes(avatar.read_bytes())
        made = project.Project().add_clip("a", mine, animation="Wave").add("load", "a", clip="a")
        again = project.open(made.save(tmp_path / "x.poise"))
        assert again.clip().name == "Wave"


class TestNothingToJudge:
    def test_one_frame(self, capsys, avatar):
        code, out, _ = run(capsys, "check", avatar, "--animation", "Stand")
        assert code == 0
        assert "nothing to judge: one frame is no motion" in out
        assert "plausible (score" not in out

    def test_nothing_moves(self, capsys, tmp_path):
        who = presets.get("humanoid")
        still = Clip(who, np.tile(who.rest_pose(), (30, 1)), 30, name="still").save(tmp_path / "still.npz")
        told = json.loads(run(capsys, "check", still, "--json")[1])
        assert (told["plausible"], told["score"], told["findings"]) == (None, None, [])
        assert told["verdict"] == "still: nothing to judge: nothing moves in it"

    def test_what_is_wrong_with_a_still_figure_is_found_all_the_same(self, capsys, tmp_path):
        who = presets.get("humanoid")
        q = np.tile(who.rest_pose(), (30, 1))
        q[:, 2] -= 0.2
        sunk = Clip(who, q, 30, name="sunk").save(tmp_path / "sunk.npz")
        code, out, _ = run(capsys, "check", sunk, "--floor", "0")
        assert code == 1
        assert "implausible" in out


def test_the_target_of_the_camera_is_not_the_skeleton(avatar):
    content, _, _ = parts(avatar)
    assert content["animations"][0]["channels"][0]["target"]["node"] == TARGET
