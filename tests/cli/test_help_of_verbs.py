"""The help of every verb, as a reader sees it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from poise.cli.app import app
from poise.operations.declare import fields_of
from poise.operations.registry import operations
from poise.version import __version__

VERBS = typer.main.get_command(app).commands
STUMBLED_OVER = ("so many", "so long", "asked for", "is told", "are told", "they do not", "says the format")
"""Turns of phrase that no native reader would use there."""


def shown(verb: str, monkeypatch) -> str:
    """Everything the help says, without frames and line breaks."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.argv", ["poise", verb, "--help-all"])
    done = CliRunner().invoke(app, [verb, "--help-all"])
    assert done.exit_code == 0, done.output
    return re.sub(r"\s+", " ", re.sub("[╭╮╰╯─│]", " ", done.output))


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_help_gives_two_examples_in_plain_words(verb, monkeypatch):
    text = shown(verb, monkeypatch)
    examples = text.split("Examples:")[1]
    assert len(re.findall(rf"poise {re.escape(verb)}\b", examples)) >= 2
    for phrase in STUMBLED_OVER:
        assert phrase not in text, f"poise {verb} --help says {phrase!r}"


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_help_shows_what_to_type_and_no_types_of_the_program(verb, monkeypatch):
    """A flag takes no value: nobody should be led to write ``--force true``."""
    text = shown(verb, monkeypatch)
    assert not re.findall(r"<(?:bool|str|int|float|path|file|list\[.*?\])>", text)
    assert "[[" not in text


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_help_keeps_units(verb, monkeypatch):
    """Nothing in angle brackets or square ones is taken for markup."""
    operation = operations().get(verb.replace("-", "_"))
    if operation is None:
        pytest.skip("no operation")
    text = shown(verb, monkeypatch)
    for field in fields_of(operation):
        hidden = field.shown.get("local") or field.shown.get("expert")
        if field.units and not hidden and field.form and "<" in field.form:
            unit = re.search(r"<[^>]+>", field.form)[0]
            assert unit in text, f"poise {verb}: {field.name} lost its unit {unit}"


def test_the_package_runs_as_a_program():
    """Where ``poise`` is not on the path, as often on Windows."""
    done = subprocess.run([sys.executable, "-m", "poise", "--version"], capture_output=True, text=True)
    assert done.returncode == 0
    assert __version__ in done.stdout
