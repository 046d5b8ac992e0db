"""Documents: what they hold, what they refuse and in which words, and that nothing changes them."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from boxing import FIST, boxer

from poise import clips, formats
from poise.errors import InputError
from poise.operations.frozen_data import thaw
from poise.project import LAYERS, VERSION, Document
from poise.project.container import packed, unpacked
from poise.project.decoding import document_from
from poise.project.migration import COMMAND_STEPS, STEPS, migrated_event
from poise.project.opening import open_project
from poise.project.schema import text

HERE = Path(__file__).parent
SCHEMA = HERE.parents[1] / "docs/schema/project.schema.json"


def plain() -> dict:
    data = json.loads(json.dumps(boxer().document.to_dict()))
    return {k: v for k, v in data.items() if k not in ("poise", "version")}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(layrs=[]), ["no field named 'layrs'", "did you mean 'layers'"]),
        (lambda d: d.update(layers={}), ["field 'layers' must be a list"]),
        (lambda d: d.update(name=3), ["field 'name'", "expected text, got a whole number"]),
        (lambda d: d.update(character="hero"), ["field 'character'", "'hero'", "punch"]),
        (lambda d: d.update(output="lose"), ["field 'output'", "did you mean 'loose'"]),
        (lambda d: d["clips"].update(x={"file": "a.bvh", "bundled": "walk"}), ["clip 'x'", "one of file"]),
        (lambda d: d["clips"].update(x={}), ["clip 'x'", "this has none"]),
        (lambda d: d["clips"].update(x={"bundled": "walk", "sha256": "0" * 64}), ["'sha256' belongs to"]),
        (lambda d: d["clips"].update(x={"file": "a", "sha256": "zz"}), ["clip 'x'", "'sha256'"]),
        (lambda d: d["layers"].append(3), ["layer 4 must be a mapping"]),
        (lambda d: d["layers"][2].pop("do"), ["layer 2 ('loose')", "'do' is missing", "loosen"]),
        (lambda d: d["layers"][2].update(do="wig"), ["layer 2 ('loose')", "no operation named 'wig'"]),
        (lambda d: d["layers"][2].update(tensoin=1), ["layer 2 ('loose')", "did you mean 'tension'"]),
        (lambda d: d["layers"][2].update(weight="half"), ["layer 2 ('loose')", "'weight'", "a number"]),
        (lambda d: d["layers"][2].update(weight=1.5), ["layer 2 ('loose')", "'weight'", "<= 1"]),
        (lambda d: d["layers"][2].update(gravity="up"), ["layer 2 ('loose')", "gravity", "compensated"]),
        (lambda d: d["layers"][2].update(tension="slack"), ["layer 2 ('loose')", "no tension named 'slack'"]),
        (lambda d: d["layers"][2].update(tension={"*": {"hertz": 2}}), ["'tension[...]'", "'hertz'"]),
        (lambda d: d["layers"][0].update(weight=0.5), ["layer 0 ('take')", "'weight'", "mute"]),
        (lambda d: d["layers"][0].update(input="hit"), ["layer 0 ('take')", "'input'", "starts a motion"]),
        (lambda d: d["layers"][0].update(clip="punhc"), ["layer 0 ('take')", "did you mean 'punch'"]),
        (lambda d: d["layers"][1].update(name="take"), ["two layers are named 'take'"]),
        (lambda d: d["layers"][1].update(name=""), ["layer 1 ('')", "'name'"]),
        (lambda d: d["layers"][1].update(input="hat"), ["layer 1 ('feet')", "'input'", "named 'hat'"]),
        (lambda d: d["layers"][1].update(input="feet"), ["layer 1 ('feet')", "'input'", "feet → feet"]),
        (lambda d: d["layers"][1].update(input="hit"), ["'input'", "circle: feet → hit → feet"]),
        (lambda d: d["layers"].pop(0), ["layer 0 ('feet')", "adapt changes a motion", "put one before it"]),
        (
            lambda d: d["layers"].append({"do": "loosen", "name": "again"}),
            ["layer 4 ('again')", "cannot follow 'hit' (hit)", "put it before"],
        ),
        (lambda d: d["layers"][3].update(constraints=[]), ["layer 3 ('hit')", "nothing to hit"]),
        (
            lambda d: d["layers"][3]["constraints"][0].update(handle={"kind": "pont"}),
            ["layer 3 ('hit')", "entry 0 ('fist')", "field 'handle'"],
        ),
        (
            lambda d: d["layers"][3]["constraints"][0].update(wieght=2),
            ["layer 3 ('hit')", "entry 0 ('fist')", "'wieght'", "did you mean 'weight'"],
        ),
        (lambda d: d["layers"][3].update(widths={"foot": 0.5}), ["layer 3 ('hit')", "'widths'", "'foot'"]),
        (
            lambda d: d["layers"].insert(0, {"do": "plan", "name": "s", "scene": "four punhces"}),
            ["layer 0 ('s')", "four punches"],
        ),
        (lambda d: d["layers"].insert(0, {"do": "perform", "name": "b"}), ["layer 0 ('b')", "'script'"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_by_entry_and_field(change, words):
    data = plain()
    assert document_from(copy.deepcopy(data)).digest == boxer().document.digest
    change(data)
    with pytest.raises(InputError) as caught:
        document_from(data)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_a_document_comes_back_from_its_file_the_same():
    document = boxer().document
    again = unpacked(packed(document, {}), Path("x.poise")).document
    assert again == document
    assert again.digest == document.digest
    assert packed(again, {}) == packed(document, {})


def test_files_are_made_to_be_read():
    text = packed(boxer().document, {}).decode()
    assert '"target": {"value": [0.7, -0.05, 1.35]}' in text
    assert max(map(len, text.splitlines())) < 120
    assert json.loads(text) == json.loads(json.dumps(boxer().document.to_dict()))


def test_order_in_mappings_counts_because_later_entries_win():
    one, other = boxer(hits=False), boxer(hits=False)
    one.set("loose", tension={"*": 2.0, "right arm": 3.0})
    other.set("loose", tension={"right arm": 3.0, "*": 2.0})
    assert one.document.digest != other.document.digest
    again = unpacked(packed(one.document, {}), Path("x.poise")).document
    assert list(again.layer("loose").tension) == ["*", "right arm"]


def test_nothing_changes_a_document():
    given = copy.deepcopy(FIST)
    project = boxer(hits=False)
    project.add("hit", "hit", constraints=[given])
    document, digest = project.document, project.document.digest
    given["target"]["value"][0] = 9.0
    assert document.digest == digest, "it keeps no hold of what it was given"
    layer = document.layer("hit")
    with pytest.raises(AttributeError):
        layer.method = "paper"
    with pytest.raises(TypeError):
        layer.constraints[0]["target"] = {}
    with pytest.raises(TypeError):
        layer.constraints[0]["target"]["value"][0] = 9.0
    with pytest.raises(TypeError):
        document.clips["x"] = None
    thaw(layer.constraints)[0]["target"]["value"][0] = 9.0
    assert document.digest == digest


def test_numbers_that_are_none_are_refused():
    project = boxer()
    with pytest.raises(InputError, match="finite"):
        project.set("hit", constraints=[{**FIST, "weight": float("nan")}])


def test_version_1_is_brought_up_to_date():
    path = HERE / "fixtures/version_1.poise"
    contents = unpacked(path.read_bytes(), path)
    document = contents.document
    assert contents.version == 1
    assert document.name == "old boxer"
    assert document.clips["take"].file == "punch.bvh"
    assert document.clips["figure"].bundled == "humanoid"
    assert [layer.do for layer in document.layers] == ["load", "adapt", "hit"]
    assert document.layer("feet").muted
    assert document.output == "loose targets"
    assert document.layer("loose targets").constraints[0]["name"] == "fist"
    assert document.layer("loose targets").tension == {"*": "relaxed", "right arm": 1.5625}
    assert json.loads(packed(document, {}))["version"] == VERSION


def test_every_older_version_has_its_steps():
    assert STEPS.keys() == COMMAND_STEPS.keys() == set(range(1, VERSION))


def test_clips_of_version_2_stand_as_they_did():
    """It read files without turning figures, and its targets are places in the world."""
    path = HERE / "fixtures/version_2.poise"
    contents = unpacked(path.read_bytes(), path)
    read = {name: dict(entry.read or {}) for name, entry in contents.document.clips.items()}
    assert contents.version == 2
    assert read == {
        "take": {"front": "kept"},
        "said": {"front": "kept", "up": "z"},
        "model": {},
        "figure": {},
    }


@pytest.mark.parametrize("name", ["punch.txt", "punch", "punch.xml.bak"])
@pytest.mark.parametrize("suffix", [".bvh", ".npz"])
def test_clips_of_version_2_stand_as_they_did_whatever_their_names(tmp_path, name, suffix):
    """What a file is shows in its content: also one of a strange name may have been turned since."""
    clip = clips.get("punch")
    turned = formats.load(clip.save(tmp_path / "a.bvh"), front="kept")
    (clip if suffix == ".npz" else turned).save(tmp_path / f"b{suffix}").rename(tmp_path / name)
    text = '{"poise": "project", "version": 2, "clips": {"p": {"file": "%s"}}, "layers": [%s]}'
    path = tmp_path / "old.poise"
    path.write_text(text % (name, '{"kind": "source", "name": "s", "clip": "p"}'))
    found = open_project(path)
    assert found.document.clips["p"].read == {"front": "kept"}
    assert found.clip().frames == clip.frames


def test_layers_of_version_3_are_operations():
    """Loosened and made to hit is one layer, unless something else works on the first of the two."""
    path = HERE / "fixtures/version_3.poise"
    contents = unpacked(path.read_bytes(), path)
    document = contents.document
    assert contents.version == 3
    names = {layer.name: layer.do for layer in document.layers}
    assert names == {
        "take": "load", "feet": "adapt", "hit": "hit", "quiet": "hit", "kept": "loosen", "aimed": "hit",
        "mended": "fix", "hat": "wear", "pins": "key", "blow": "perform", "lamp": "plan",
    }  # fmt: skip
    hit, quiet, aimed = (document.layer(name) for name in ("hit", "quiet", "aimed"))
    assert (hit.tension, hit.window, hit.dampers, hit.width) == ("loose", 0.3, "rest", 0.5)
    assert hit.widths["fist"].width == 0.8
    assert (quiet.muted, quiet.input, quiet.tension) == (False, "feet", "firm")
    assert quiet.constraints[0]["muted"] is True, "the loose motion was what was seen"
    assert (aimed.input, aimed.tension) == ("feet", "drunk")
    assert document.layer("feet").key_spacing == 0.2
    assert document.layer("mended").may == ("body", "feet")
    assert (document.layer("hat").ratio, document.layer("hat").grip) == (0.1, 0.05)
    assert document.layer("pins").retime
    assert (document.layer("blow").strength, document.layer("blow").gravity) == (300.0, "on")
    assert document.layer("lamp").fps == 30
    assert document.result == "hat"


def test_frequencies_of_version_4_were_of_joints():
    """Numbers are those of limbs now, which swing at five eighths; what was not there stays off."""
    path = HERE / "fixtures/version_4_tensions.poise"
    contents = unpacked(path.read_bytes(), path)
    assert contents.version == 4
    layer = contents.document.layer
    assert layer("word").tension == "drunk"
    assert layer("number").tension == 2.5
    limbs = layer("limbs").tension
    assert (limbs["*"], limbs["right arm"]) == ("relaxed", 1.0)
    assert (limbs["Head"].frequency, limbs["Head"].ratio) == (2.0, 0.25)
    assert (limbs["Chest"].stiffness, limbs["Chest"].ratio) == (300.0, 0.7)
    first, second = layer("hit").tension
    assert (first.tension, second.tension["*"], second.tension["spine"]) == (5.0, "loose", 1.5)
    assert [layer(name).contacts for name in ("word", "hit")] == [False, False]
    assert [layer(name).joint_limits for name in ("word", "hit")] == [False, False]


def test_edits_of_version_4_journals_are_brought_up_to_date():
    def value(path: str, given: object) -> object:
        event = {"do": {"do": "set", "layer": "loose", "path": path, "value": given}}
        return migrated_event(event, 4)["do"]["value"]

    assert value("tension", 4.0) == 2.5
    assert value("tension", "drunk") == "drunk"
    assert value("tension/right arm", {"frequency": 4.0, "ratio": 0.8}) == {"frequency": 2.5, "ratio": 0.5}
    assert value("tension/0/time", 4.0) == 4.0
    assert value("window", 0.4) == 0.4


def test_repairs_of_version_5_are_what_may_be_changed():
    path = HERE / "fixtures/version_5.poise"
    contents = unpacked(path.read_bytes(), path)
    assert contents.version == 5
    layer = contents.document.layer
    assert layer("all").may is None
    assert layer("some").may == ("time", "body", "feet", "flight")
    event = {"do": {"do": "set", "layer": "some", "path": "only", "value": ["spin", "balance"]}}
    assert migrated_event(event, 5)["do"] == {"do": "set", "layer": "some", "path": "may", "value": ["spin"]}


def test_performers_of_version_6_stand_without_springs():
    path = HERE / "fixtures/version_6.poise"
    contents = unpacked(path.read_bytes(), path)
    assert contents.version == 6
    layer = contents.document.layer
    assert (layer("dance").root, layer("dance").control) == ("free", "full")
    assert layer("held").control == "composite"
    event = {"do": {"do": "add-layer", "layer": {"do": "perform", "name": "x", "balance": {"ratio": 1.0}}}}
    assert "balance" not in migrated_event(event, 6)["do"]["layer"]


def test_plans_of_version_6_keep_their_scene():
    """What was the bundled scene ``walk`` has another name since ``walk`` is a template."""
    event = {"do": {"do": "add-layer", "layer": {"do": "plan", "name": "x", "scene": "walk"}}}
    assert migrated_event(event, 6)["do"]["layer"]["scene"] == "four steps"
    assert migrated_event(event, 7)["do"]["layer"]["scene"] == "walk"
    step = {"do": {"do": "set", "layer": "x", "path": "scene", "value": "walk"}}
    assert migrated_event(step, 6)["do"]["value"] == "four steps"


def test_performers_of_version_6_touch_what_they_touched():
    """A root that was moved had no floor, whatever the project's world held."""
    event = {"do": {"do": "add-layer", "layer": {"do": "perform", "name": "x", "follow": True}}}
    assert migrated_event(event, 6)["do"]["layer"]["world"] == "none"


def test_the_schema_in_the_documentation_is_the_one_of_the_code():
    assert SCHEMA.read_text() == text(), "python -m poise.project.schema > docs/schema/project.schema.json"
    for name in LAYERS:
        assert f'"{name}"' in SCHEMA.read_text()


def test_an_empty_project_has_no_result_and_says_so():
    with pytest.raises(InputError, match="no layers"):
        _ = Document().result


@pytest.mark.parametrize("version", range(1, VERSION))
def test_a_group_in_an_old_journal_is_brought_up_to_date_as_each_of_its_commands(version):
    """Groups of groups too; what is no command stays as it is."""
    commands = [
        {"do": "put-clip", "name": "walk", "clip": {"file": "walk.bvh"}},
        {"do": "set", "layer": "drunk", "path": "muted", "value": True},
        {"do": "remove-layer", "name": "drunk"},
    ]
    alone = [migrated_event({"do": each}, version)["do"] for each in commands]
    assert version > 2 or alone[0]["clip"]["read"] == {"front": "kept"}
    group = {"do": "group", "label": "all", "commands": [*commands, {"do": "group", "commands": commands}, 3]}
    found = migrated_event({"do": group, "when": 5}, version)
    inner = {"do": "group", "commands": alone}
    assert found == {"do": {"do": "group", "label": "all", "commands": [*alone, inner, 3]}, "when": 5}
