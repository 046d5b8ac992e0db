"""Verbs are what their declarations say: every option with its unit, and every example runs."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import poise
from poise.character.presets import humanoid
from poise.cli import bake, batch, convert, info, main, render
from poise.cli.operation_verb import shown_fields
from poise.cli.option_help import units
from poise.cli.typed_values import flag
from poise.kinematics import Kinematics
from poise.methods.key.path.key import PathKey
from poise.methods.key.sheet.keyframes import Keyframes
from poise.operations.declare import fields_of
from poise.operations.registry import operations
from poise.project.drunken_boxer import drunken_boxer

VERBS = [name for name, made in operations().items() if made.VERB]
WRITTEN = (info, convert, render, bake, batch)
"""Verbs that no declaration makes, and whose examples end by themselves."""
EXAMPLES = [each for name in VERBS for each in operations()[name].EXAMPLES]
EXAMPLES += [each for module in WRITTEN for each in module.EXAMPLES]


def helped(*arguments: str) -> str:
    """What is printed, on a terminal so wide that nothing is broken."""
    wide = {**os.environ, "COLUMNS": "600", "TERMINAL_WIDTH": "600", "NO_COLOR": "1"}
    command = [sys.executable, "-c", "from poise.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=wide).stdout


def rows(text: str, option: str) -> list[str]:
    """The lines of the help that tell of an option."""
    return re.findall(rf"^│ [* ]*{option}[ ,].*$", text, re.MULTILINE)


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_has_its_line_and_unit(verb):
    operation = operations()[verb]
    everything, usual = helped(verb, "--help-all"), helped(verb, "--help")
    for field in shown_fields(operation):
        (line,) = rows(everything, f"--{flag(field)}")
        assert field.line[:-1] in line
        for unit in units(field):
            assert f"<{unit}>" in line or re.search(rf"Units: [^.]*{re.escape(unit)}[,.]", line), (unit, line)
        for word in field.words:
            assert f"{word}: " in line, f"{word} is not explained"
        expert = bool(field.shown.get("expert"))
        assert bool(rows(usual, f"--{flag(field)}")) != expert, f"--{flag(field)} is for experts: {expert}"
    assert ("--help-all shows options for experts too" in usual) == any(
        field.shown.get("expert") for field in shown_fields(operation)
    )


def test_only_what_a_command_cannot_say_is_no_option():
    left = {
        (name, field.name)
        for name in VERBS
        for field in fields_of(operations()[name])
        if field not in shown_fields(operations()[name])
    }
    assert left == {("perform", "follow"), ("plan", "scene")}


@pytest.mark.parametrize("verb", [*VERBS, "info", "convert", "render", "bake", "batch", "studio", "demo"])
def test_help_has_two_examples_and_units(verb):
    text = helped(verb, "--help")
    assert len(re.findall(rf"^ +poise {verb}\b.*$", text, re.MULTILINE)) == 2
    shown = {"convert": ("<fps>", "<s>"), "render": ("<px>x<px>", "<fps>"), "bake": ("<fps>", "<s>")}
    for unit in shown.get(verb, ()):
        assert unit in text


def test_brackets_in_help_are_brackets():
    assert "POINT@TIME[=X,Y,Z][~VX,VY,VZ]" in helped("adapt", "--help")
    assert "load BODY@TIME=KG[,X,Y,Z]" in helped("perform", "--help")


def hop() -> Keyframes:
    """A body that crouches a little and comes up again."""
    rest = humanoid().rest_pose()
    z = float(Kinematics(humanoid(), rest).com[0, 2])
    path = [PathKey(0.0, (0, 0, z)), PathKey(1.2, (0, 0, z - 0.1)), PathKey(2.5, (0, 0, z))]
    return Keyframes(humanoid(), {0.0: rest, 2.5: rest}, name="hop").with_path(path)


def robot(path: Path) -> None:
    """A character whose thighs go by names that nobody knows."""
    text = poise.clips.get("walk").save("plain.bvh").read_text()
    for side in ("Left", "Right"):
        text = text.replace(f"{side}UpLeg", f"leg_{side[0]}")
    Path("plain.bvh").write_text(text)
    poise.load("plain.bvh").save(path)


def captures(path: Path) -> None:
    path.mkdir()
    poise.clips.get("wave").save(path / "wave.bvh")


CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 0.2) for y in (0, 0.2) for z in (0, 0.2)) + "".join(
    f"f {' '.join(map(str, face))}\n"
    for face in ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
)
RECIPE = {"output": ".bvh", "steps": [{"do": "mirror"}]}
MAKERS = {
    "walk.bvh": lambda path: poise.repeat(poise.clips.get("walk"), 2).save(path),
    "take.bvh": lambda path: poise.clips.get("wave").save(path),
    "jump.glb": lambda path: poise.clips.get("jump").save(path),
    "hero.glb": lambda path: poise.clips.get("run").save(path),
    "robot.glb": robot,
    "hop.json": lambda path: hop().save(path),
    "cape.obj": lambda path: path.write_text(CUBE),
    "boxer.poise": lambda path: drunken_boxer().save(path),
    "clean.json": lambda path: path.write_text(json.dumps(RECIPE)),
    "captures": captures,
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(example, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(example)
    target = words[words.index("-o") + 1] if "-o" in words else None
    for word in words:
        if word in MAKERS and word != target:
            MAKERS[word](Path(word))
    with pytest.raises(SystemExit) as ended:
        main(words)
    told = capfd.readouterr()
    assert not ended.value.code, told.out + told.err
    assert target is None or Path(target).exists()
