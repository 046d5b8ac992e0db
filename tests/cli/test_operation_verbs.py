"""Verbs are what their declarations say: every option with its unit, and every example runs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from example_files import MAKERS
from poise.cli import bake, batch, convert, info, main, render
from poise.cli.operation_verb import shown_fields
from poise.cli.option_help import units
from poise.cli.typed_values import flag, typed
from poise.operations.declare import fields_of
from poise.operations.registry import operations

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
    typed_as = verb.replace("_", "-")
    everything, usual = helped(typed_as, "--help-all"), helped(typed_as, "--help")
    for field in shown_fields(operation):
        (line,) = rows(everything, f"--{flag(field)}")
        assert field.line[:-1] in line
        for unit in units(field):
            assert f"<{unit}>" in line or re.search(rf"Units: [^.]*{re.escape(unit)}[,.]", line), (unit, line)
        for word in field.words:
            assert f"{word}: " in line, f"{word} is not explained"
        expert = bool(field.shown.get("expert"))
        assert bool(rows(usual, f"--{flag(field)}")) != expert, f"--{flag(field)} is for experts: {expert}"
    assert ("--help-all also shows expert options" in usual) == any(
        field.shown.get("expert") for field in shown_fields(operation)
    )


def test_only_what_a_command_cannot_say_is_no_option():
    left = {
        (name, field.name)
        for name in VERBS
        for field in fields_of(operations()[name])
        if field not in shown_fields(operations()[name])
    }
    arguments = {("plan", "scene"), ("assemble", "strips"), ("solve_markers", "capture")}
    assert left == {("perform", "follow"), *arguments}


@pytest.mark.parametrize(
    "verb",
    [
        *(name.replace("_", "-") for name in VERBS),
        "info",
        "convert",
        "render",
        "bake",
        "batch",
        "studio",
        "demo",
        "warm",
        "doctor",
        "bench",
    ],
)
def test_help_has_two_examples_and_units(verb):
    text = helped(verb, "--help")
    assert len(re.findall(rf"^ +poise {verb}\b.*$", text, re.MULTILINE)) == 2
    shown = {"render": ("<px>x<px>", "<fps>"), "bake": ("<fps>", "<s>")}
    for unit in shown.get(verb, ()):
        assert unit in text


CHOICES = [
    pytest.param(field, word, id=f"{verb} --{flag(field)} {word}")
    for verb in VERBS
    for field in shown_fields(operations()[verb])
    for word in field.words
]


@pytest.mark.parametrize(("field", "word"), CHOICES)
def test_every_choice_is_taken_as_it_is_typed(field, word):
    value, _ = typed(field, [word], None)
    assert msgspec.convert(value, field.type) == (
        (field.words[word],) if field.repeated else field.words[word]
    )


def test_choices_that_are_numbers_are_among_them():
    assert {1, 2} <= {each.values[0].words[each.values[1]] for each in CHOICES}


def test_brackets_in_help_are_brackets():
    assert "POINT@TIME[=X,Y,Z][~VX,VY,VZ]" in helped("adapt", "--help")
    assert "load BODY@TIME=KG[,X,Y,Z]" in helped("perform", "--help")


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(example, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(example)
    target = words[words.index("-o") + 1] if "-o" in words else None
    for name in (word.removeprefix("@") for word in words):
        if name in MAKERS and name != target:
            MAKERS[name](Path(name))
    with pytest.raises(SystemExit) as ended:
        main(words)
    told = capfd.readouterr()
    assert not ended.value.code, told.out + told.err
    assert target is None or Path(target).exists()
