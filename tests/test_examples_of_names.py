"""Every public name has an example in its docstring, and every example runs."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from pathlib import Path

import pytest

import poise
from example_files import MAKERS
from poise import functions

NAMES = [name for name in poise.__all__ if not name.startswith("_")]

MADE_BY_OTHERS = {"Report", "Result", "Clip", "Scene", "Character", "operations"}
"""What nobody makes by its name."""


def example(name: str) -> str:
    """The statements of a docstring, as a program."""
    found = doctest.DocTestParser().get_examples(inspect.getdoc(getattr(poise, name)) or "")
    return "".join(each.source for each in found)


@pytest.mark.parametrize("name", NAMES)
def test_the_example_runs(name, tmp_path, monkeypatch):
    program = example(name)
    assert program, f"poise.{name} has no example"
    named = {node.attr for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Attribute)}
    assert name in named | MADE_BY_OTHERS, f"{program} does not show poise.{name}"
    monkeypatch.chdir(tmp_path)
    for file in re.findall(r'"([\w.]+)"', program):
        if file in MAKERS and f'save("{file}")' not in program:
            MAKERS[file](Path(file))
    exec(compile(program, f"example of poise.{name}", "exec"), {"poise": poise})


@pytest.mark.parametrize("name", functions.__all__)
def test_functions_tell_what_they_take_give_and_raise(name):
    words = inspect.getdoc(getattr(functions, name)) or ""
    for part in ("Args:", "Returns:", "Raises:", "Examples:"):
        assert part in words, f"poise.{name} lacks {part}"
