"""What is typed for an option, in every form: what it means, and what is said where it means nothing."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from poise import clips
from poise.cli.typed_values import READERS, flag, from_file, typed
from poise.errors import InputError
from poise.kinematics import Kinematics

MEANT = [
    ("tension", "loose", "loose"),
    ("tension", "2.5", 2.5),
    ("tension", "left arm=2.5, Head = tense", {"left arm": 2.5, "Head": "tense"}),
    ("place", "1,-2,3.5", [1, -2, 3.5]),
    ("colour", "0.5,0,1", [0.5, 0, 1]),
    ("bell", "auto", "auto"),
    ("bell", "0.4", 0.4),
    ("bells", "hand=0.4,foot=1", {"hand": 0.4, "foot": 1}),
    ("looks", "1,2,3@0.5", {"place": [1, 2, 3], "time": 0.5}),
    ("looks", "1,2,3@0.5-2", {"place": [1, 2, 3], "time": [0.5, 2]}),
    ("plant_moves", "3=0.1,0.2", {"plant": 3, "by": [0.1, 0.2], "turn": 0.0}),
    ("plant_moves", "3=0.1,0.2,15", {"plant": 3, "by": [0.1, 0.2], "turn": 15}),
    ("pose_pins", "Hand", {"point": "Hand"}),
    ("pose_pins", "Hand=1,2,3", {"point": "Hand", "place": [1, 2, 3]}),
    ("interval", "0.5,2", [0.5, 2]),
    ("floor", "on", True),
    ("floor", "off", False),
    ("floor", "0.02", 0.02),
    ("floor", "LeftToe=0.02", {"LeftToe": 0.02}),
    ("key_spacing", "0.25", 0.25),
    ("key_spacing", "arm=0.25,leg=0.5", {"arm": 0.25, "leg": 0.5}),
    ("key_spacing", "0,0.25,1", [0, 0.25, 1]),
    ("locks", "1,2-3,4.5", [1, [2, 3], 4.5]),
    ("route", "0,0;1,2", [[0, 0], [1, 2]]),
    ("line", "0,0,1;1,2,1", [[0, 0, 1], [1, 2, 1]]),
    ("prices", "2", 2),
    ("strength", "*=200,right arm=60", {"*": 200, "right arm": 60}),
    ("beats", "120", 120),
    ("beats", "song.wav", "song.wav"),
]
WRONG = [
    ("place", "1,2", r"X,Y,Z in metres, not '1,2'"),
    ("place", "1,2,x", "X,Y,Z in metres"),
    ("place", "1,2,nan", "nan is not a finite number"),
    ("place", "1,2,1e999", "1e999 is not a finite number"),
    ("colour", "1,2,3,4", "R,G,B"),
    ("interval", "1", "FROM,TO in seconds"),
    ("interval", "1,2,3", "FROM,TO in seconds"),
    ("looks", "1,2,3", "X,Y,Z@TIME"),
    ("looks", "1,2@3", "X,Y,Z@TIME"),
    ("looks", "1,2,3@1-", "X,Y,Z@TIME"),
    ("plant_moves", "3=0.1", "NUMBER=DX,DY"),
    ("plant_moves", "3=1,2,3,4", "NUMBER=DX,DY"),
    ("tension", "arm=", "tension by joint or limb"),
    ("tension", "=2", "tension by joint or limb"),
    ("tension", "arm=2,leg", "tension by joint or limb.*not 'leg'"),
    ("prices", "dear", "LIMB=NUMBER"),
    ("route", "0,0;1", "X,Y;X,Y"),
    ("line", "0,0", "X,Y,Z;X,Y,Z"),
    ("locks", "1,x", "SECONDS,FROM-TO"),
]  # fmt: skip


@pytest.mark.parametrize(("editor", "text", "value"), MEANT)
def test_what_is_meant(editor, text, value):
    found = READERS[editor](text, None)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("editor", "text", "said"), WRONG)
def test_what_means_nothing_is_said(editor, text, said):
    with pytest.raises(InputError, match=said):
        READERS[editor](text, None)


def field(kind: str = "str", **more) -> SimpleNamespace:
    """An option's declaration, as far as it is looked at."""
    usual = {
        "name": "at_rest",
        "shown": {},
        "repeated": False,
        "words": {},
        "units": (),
        "form": "N",
        "type": kind,
    }
    return SimpleNamespace(**usual | more)


@pytest.mark.parametrize(
    ("kind", "more", "text", "value"),
    [
        ("float", {"units": ("s",)}, "3", 3),
        ("float", {"units": ("s",)}, "3.5", 3.5),
        ("float | None", {"units": ("s",)}, "none", None),
        ("float | None", {"units": ("s",)}, "OFF", None),
        ("float", {"units": ("s",)}, "none", "none"),
        ("tuple[float]", {"units": ("s",)}, "1,2", [1, 2]),
        ("tuple[float]", {"units": ("s",), "repeated": True}, "1,2", ["1,2"]),
        ("str", {"units": ("s",)}, "a,b", "a,b"),
        ("str", {}, "12", "12"),
        ("str", {"words": {"all": 7}}, "all", 7),
        ("str", {}, '{"a": 1}', {"a": 1}),
        ("str", {}, "[1, 2]", [1, 2]),
    ],
)
def test_what_has_no_editor_goes_by_its_type(kind, more, text, value):
    assert typed(field(kind, **more), [text], None)[0] == value


def test_lists_grow_by_what_each_text_gives():
    many = field(repeated=True)
    assert typed(many, ["[1, 2]", "b"], None) == ([1, 2, "b"], ["[1, 2]", "[1, 2]", "b"])
    with pytest.raises(InputError, match="--at-rest is given twice: a and b"):
        typed(field(), ["a", "b"], None)
    with pytest.raises(InputError, match="--rest: a place is written"):
        typed(field(shown={"editor": "place", "flag": "rest"}), ["1"], None)
    assert flag(field()) == "at-rest"


def test_data_comes_from_files_and_standard_input(tmp_path, monkeypatch):
    (tmp_path / "x.json").write_text('{"a": [1]}')
    assert typed(field(), [f"@{tmp_path / 'x.json'}"], None) == ({"a": [1]}, [f"@{tmp_path / 'x.json'}"])
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"[3]")))
    assert from_file("-") == [3]


def targets(text: str) -> list[dict]:
    return READERS["constraints"](text, clips.get("punch"))


def test_targets_say_where_when_and_how_fast():
    (pin,) = targets("RightHand@0.5=1,2,3")
    assert pin["target"] == {"value": [1, 2, 3]}
    assert pin["when"] == {"at": 0.5}
    assert pin["name"] == "RightHand at 0.5 s"
    _, speed = targets("RightHand@0.5=1,2,3~0,0,4")
    assert speed["target"] == {"value": [0, 0, 4]}
    assert speed["rate"]
    (held,) = targets("RightHand@0.5-0.75=1,2,3")
    assert held["when"] == {"from": 0.5, "to": 0.75}
    assert held["name"] == "RightHand from 0.5 to 0.75 s"
    clip = clips.get("punch")
    (there,) = targets("RightHand@0.5")
    assert there["target"]["value"] == pytest.approx(
        Kinematics(clip.character, clip.at(0.5)).point("RightHand")[0].tolist()
    )
    (pose,) = targets("pose@0.25")
    assert (pose["name"], pose["when"]) == ("pose at 0.25 s", {"at": 0.25})


@pytest.mark.parametrize(
    "text",
    [
        "RightHand", "@0.5", "RightHand@", "RightHand@x", "RightHand@0.5=1,2", "RightHand@0.5~1,2",
        "RightHand@0.5-0.7=1,2,3~1,2,3", "pose@0.5=1,2,3", "pose@0.5~1,2,3", "pose@0.5-0.7",
    ],
)  # fmt: skip
def test_targets_that_are_none(text):
    with pytest.raises(InputError, match="a target is written POINT@TIME"):
        targets(text)
