"""Verbs that adapt whole motions: outputs, reports, and one clear line for every broken constraint file."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import run

from poise import clips, formats
from poise import constraints as c
from poise.kinematics import Kinematics
from poise.methods.adapt.plants.detect import detect


def test_reach_move_and_look(capsys, tmp_path):
    target = tmp_path / "out.npz"
    jump = clips.get("jump")
    place = Kinematics(jump.character, jump.at([0.5])).point("RightHandCentre")[0] + [0.1, 0.0, 0.1]
    text = ",".join(f"{x:.4f}" for x in place)
    code, out, err = run(
        capsys, "adapt", "jump", "-o", str(target), "--reach", f"right hand@0.5={text}",
        "--move", "1=0.02,0.01,5", "--look", "2,0.5,1.5@0.4-0.6",
    )  # fmt: skip
    assert code == 0, out + err
    assert "constraints met" in out
    assert "feet slide" in out
    moved = formats.load(target)
    got = Kinematics(moved.character, moved.at([0.5])).point("RightHandCentre")[0]
    np.testing.assert_allclose(got, place, atol=2e-4)
    again, _, err = run(capsys, "adapt", "jump", "-o", str(target))
    assert again == 2
    assert "--force" in err


def test_constraints_and_plants_from_a_file(capsys, tmp_path):
    jump = clips.get("jump")
    plants = detect(jump)
    pin = c.pin("LeftHandCentre", Kinematics(jump.character, jump.at([0.4])).point("LeftHandCentre")[0], 0.4)
    file = tmp_path / "asked.json"
    file.write_text(json.dumps([pin.to_dict(), *(p.to_dict() for p in plants)]))
    code, out, _ = run(
        capsys,
        "adapt",
        "jump",
        "-o",
        str(tmp_path / "o.npz"),
        "--no-plants",
        "--constraints",
        f"@{file}",
        "--json",
    )
    report = json.loads(out)
    assert code == 0
    assert report["met"]
    assert len(report["outcomes"]) == 1 + sum(len(p.intervals) for p in plants)


def test_what_is_missed_is_told(capsys, tmp_path):
    code, out, _ = run(
        capsys, "adapt", "jump", "-o", str(tmp_path / "o.npz"), "--reach", "right hand@0.5=9,0,9"
    )
    assert code == 1
    assert "is out of reach" in out


def test_routes_loops_and_other_characters(capsys, tmp_path):
    walk = tmp_path / "walk.npz"
    assert run(capsys, "repeat", "walk", "-o", str(walk), "--cycles", "2")[0] == 0
    bent, closed, other = (str(tmp_path / f"{n}.npz") for n in ("bent", "closed", "other"))
    assert run(capsys, "reroute", str(walk), "-o", bent, "--turn", "40")[0] == 0
    assert run(capsys, "loop", str(walk), "-o", closed)[0] == 0
    assert formats.load(closed).loop
    assert run(capsys, "retarget", str(walk), "-o", other, "--onto", "humanoid")[0] == 0
    options = ["--turn", "3", "--route", "0,0;1,0"]
    code, _, err = run(capsys, "reroute", str(walk), "-o", str(tmp_path / "x.npz"), *options)
    assert code == 2
    assert "--route: it sets the direction" in err
    code, _, err = run(capsys, "retarget", str(walk), "-o", str(tmp_path / "x.npz"))
    assert code == 2
    assert "retarget needs --onto FILE|PRESET" in err


GOOD = c.pin("RightHandCentre", (0.3, -0.3, 1.2), 0.4, name="knob").to_dict()


def changed(**fields) -> dict:
    return {k: v for k, v in {**GOOD, **fields}.items() if v != "gone"}


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"a": 1}, ["entry 0", "field 'handle' is missing"]),
        ([GOOD, 3], ["entry 1", "a whole number"]),
        ([GOOD, changed(handle="gone")], ["entry 1 ('knob')", "field 'handle' is missing"]),
        ([changed(handle={"kind": "pointy"})], ["entry 0", "field 'handle'", "pointy"]),
        ([changed(handle={"kind": "point_position", "point": "Tail"})], ["field 'handle'", "Tail"]),
        ([changed(target={"value": [1, 2]})], ["field 'target'", "3"]),
        ([changed(target={"valu": [1, 2, 3]})], ["field 'target'", "valu"]),
        ([changed(when={"at": "soon"})], ["field 'when'", "soon"]),
        ([changed(when={"at": 99})], ["field 'when'", "outside the clip"]),
        ([changed(weight="heavy")], ["field 'weight'", "heavy"]),
        ([changed(lower=["x"])], ["field 'lower'", "'x'"]),
        ([changed(priority=0.5)], ["field 'priority'"]),
        ([changed(rate="yes")], ["field 'rate'"]),
        ([changed(colour="red")], ["entry 0", "colour"]),
        ([{"intervals": {}}], ["field 'intervals'"]),
        ([{"intervals": {"Tail": {"from": 0, "to": 0.2}}}], ["field 'intervals'", "Tail"]),
        ([{"intervals": {"LeftHeel": {"from": 0, "to": 99}}}], ["field 'intervals'", "outside the clip"]),
        ([{"intervals": {"LeftHeel": {"from": 0, "to": 0.2}}, "place": [1]}], ["field 'place'"]),
        ([{"intervals": {"LeftHeel": {"from": 0, "to": 0.2}}, "plaice": None}], ["field 'plaice'"]),
    ],
)
def test_broken_files_name_entry_and_field(capsys, tmp_path, entries, words):
    file = tmp_path / "asked.json"
    file.write_text(json.dumps(entries))
    code, out, err = run(capsys, "adapt", "jump", "-o", str(tmp_path / "o.npz"), "--constraints", f"@{file}")
    assert code == 2, out
    assert not (tmp_path / "o.npz").exists()
    assert str(file) in err
    for word in words:
        assert word in err, err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--constraints", "@/nowhere.json"], "/nowhere.json"),
        (["--reach", "right hand"], "POINT@TIME"),
        (["--reach", "tail@0.4=1,2,3"], "tail"),
        (["--move", "9=1,2"], "no foot plant 9"),
        (["--move", "1=up"], "NUMBER=DX,DY"),
        (["--look", "1,2@0.3"], "X,Y,Z@TIME"),
        (["--move", "1=0.1,0", "--no-plants"], "plants"),
        (["--prior-weight", "0.5"], "--prior-weight has no effect without --prior"),
        (["--reach", "right hand@nan=1,2,3"], "--reach"),
        (["--key-spacing", "often"], "--key-spacing"),
    ],
)
def test_mistakes_are_one_line(capsys, tmp_path, arguments, word):
    code, _, err = run(capsys, "adapt", "jump", "-o", str(tmp_path / "o.npz"), *arguments)
    assert code == 2
    assert word in err
    assert len(err.strip().splitlines()) == 1


def test_an_entry_is_counted_in_its_own_file(capsys, tmp_path):
    file = tmp_path / "asked.json"
    file.write_text(json.dumps([GOOD, changed(when={"at": 99})]))
    options = ["--reach", "right hand@0.5", "--constraints", f"@{file}"]
    code, _, err = run(capsys, "adapt", "jump", "-o", str(tmp_path / "o.npz"), *options)
    assert code == 2
    assert err.startswith(f"poise: {file}: entry 1 ('knob'): field 'when': time 99 s lies outside the clip")
