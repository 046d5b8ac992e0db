"""Names from files reach no terminal as anything but letters, whichever verb prints them."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import poise
from poise.cli import main
from poise.cli.terminal import harmless

CLI = Path(poise.__file__).parent / "cli"
EVIL = "\x1b[2J[red]\x9b31m"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A walk whose hips, head and right hand have names that would clear the screen."""
    monkeypatch.chdir(tmp_path)
    poise.clips.get("walk").save("plain.bvh")
    text = Path("plain.bvh").read_text(encoding="utf-8")
    for name in ("Hips", "Head", "RightHand"):
        assert re.search(rf"\b{name}\b", text)
        text = re.sub(rf"\b{name}\b", name + EVIL, text)
    Path("walk.bvh").write_text(text, encoding="utf-8")
    Path("recipe.json").write_text(json.dumps({"steps": [{"do": "check"}]}))
    clips = Path("clips")
    clips.mkdir()
    (clips / f"a{EVIL}.bvh").write_text(text, encoding="utf-8")
    (clips / f"b{EVIL}.bvh").write_text(f"HIERARCHY\nROOT x{EVIL}\n{{\n", encoding="utf-8")
    return tmp_path


VERBS = {
    "info": ["info", "walk.bvh", "--bodies"],
    "info as JSON": ["info", "walk.bvh", "--bodies", "--json"],
    "check": ["check", f"clips/a{EVIL}.bvh", "--plot", f"page{EVIL}.txt"],
    "convert": ["convert", "walk.bvh", "-o", f"out{EVIL}.glb"],
    "hit, a name that is not there": ["hit", "walk.bvh", "-o", "out.bvh", "--at", "Nobody@0.2=0,0,1"],
    "pose": ["pose", "walk.bvh", "-o", "out.bvh", "--at", "0.2", "--pin", f"RightHand{EVIL}=0.4,-0.2,1.2"],
    "pose, a name that is not there": [
        "pose",
        "walk.bvh",
        "-o",
        "out.bvh",
        "--at",
        "0.2",
        "--pin",
        "Nobody=0,0,1",
    ],
    "a file that is not there": ["info", f"nowhere{EVIL}.bvh"],
    "a broken file": ["info", f"clips/b{EVIL}.bvh"],
    "batch": ["batch", "recipe.json", "clips", "-o", "out", "--workers", "1"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_names_are_printed_harmlessly(folder, capfd, verb):
    with pytest.raises(SystemExit) as ended:
        main(VERBS[verb])
    said = "".join(capfd.readouterr())
    assert ended.value.code in (0, 1, 2), said
    assert "a bug in Poise" not in said
    assert not CONTROL.search(said), repr(said)
    assert "\\u001b" in said or "\\x1b" in said, f"the names should be seen: {said}"
    if "as JSON" in verb:
        assert f"RightHand{EVIL}" in [body["name"] for body in json.loads(said)["body_list"]]


def test_markup_in_names_is_shown_as_it_is(folder, capfd):
    with pytest.raises(SystemExit):
        main(VERBS["batch"])
    assert "[red]" in capfd.readouterr().out


def test_text_is_left_alone_and_json_keeps_its_meaning():
    assert harmless("Hüfte\tλ 骨盤 🙂\n") == "Hüfte\tλ 骨盤 🙂\n"
    name = "".join(map(chr, range(0x20, 0xA0))) + "\u202e\u2028\ud800"
    told = harmless(json.dumps({"name": name}, ensure_ascii=False))
    assert json.loads(told) == {"name": name}
    assert not CONTROL.search(told)


@pytest.mark.parametrize("path", sorted(CLI.glob("*.py")), ids=lambda p: p.name)
def test_no_verb_prints_in_another_way(path):
    if path.name == "terminal.py":
        return
    tree = ast.parse(path.read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    prints = [c.lineno for c in calls if isinstance(c.func, ast.Name) and c.func.id == "print"]
    ours = any(
        isinstance(n, ast.ImportFrom)
        and n.module == "poise.cli.terminal"
        and "print" in [a.name for a in n.names]
        for n in tree.body
    )
    assert ours or not prints, f"line {prints[0]}: from poise.cli.terminal import print"
    named = [c for c in calls if isinstance(c.func, ast.Attribute)]
    others = [c.lineno for c in named if c.func.attr in ("echo", "secho", "print_exc")]
    assert not others, f"line {others[0]}: use print of poise.cli.terminal"
    raw = [
        c.lineno for c in calls
        if isinstance(c.func, ast.Attribute) and c.func.attr == "write" and "std" in ast.dump(c.func.value)
    ]  # fmt: skip
    assert not raw, f"line {raw[0]}: use print of poise.cli.terminal"
