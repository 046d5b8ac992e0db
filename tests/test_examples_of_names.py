"""Whatever the Python reference shows says what it takes, gives and raises, and has an example that runs."""

from __future__ import annotations

import ast
import dataclasses
import doctest
import inspect
import re
import textwrap
from itertools import pairwise
from pathlib import Path

import pytest

import poise
from example_files import MAKERS
from poise import functions
from reference_names import SHOWN

NAMES = sorted({f"poise.{name}" for name in poise.__all__ if not name.startswith("_")} | SHOWN.keys())


def thing(name: str):
    """What a name of the reference means."""
    return SHOWN[name] if name in SHOWN else getattr(poise, name.removeprefix("poise."))


def constant(name: str) -> bool:
    """Whether it is plain data, and its value says all."""
    told = inspect.isclass(thing(name)) or inspect.ismodule(thing(name)) or inspect.isfunction(thing(name))
    return not told


def words(name: str) -> str:
    """Its docstring."""
    return inspect.getdoc(thing(name)) or ""


def example(name: str) -> str:
    """The statements of a docstring, as a program."""
    return "".join(each.source for each in doctest.DocTestParser().get_examples(words(name)))


def told(text: str, heading: str) -> set[str]:
    """Names that a section of a docstring explains."""
    section = re.search(rf"^{heading}:\n((?:[ ]{{4}}.*\n?|\n)+)", text, re.MULTILINE)
    return set(re.findall(r"^    \**(\w+): \S", section.group(1), re.MULTILINE)) if section else set()


def explained(cls: type) -> set[str]:
    """Fields of a class, and of what it is made from, with a line of words below each."""
    found = told(inspect.getdoc(cls) or "", "Args")
    for each in cls.__mro__:
        if each.__module__.startswith("poise."):
            body = ast.parse(textwrap.dedent(inspect.getsource(each))).body[0].body
            for field, after in pairwise(body):
                if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr):
                    found.add(ast.unparse(field.target))
    return found


def fields(cls: type) -> set[str]:
    """What one says to make it. Of operations and their values tests/operations sees to the words."""
    if dataclasses.is_dataclass(cls):
        names = {f.name for f in dataclasses.fields(cls) if f.init}
    elif issubclass(cls, tuple):
        names = set(cls._fields)
    else:
        names = set(getattr(cls, "__required_keys__", ())) | set(getattr(cls, "__optional_keys__", ()))
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("name", [name for name in NAMES if not constant(name)])
def test_the_example_runs(name, tmp_path, monkeypatch):
    program = example(name)
    if inspect.isfunction(thing(name)):
        named = {node.attr for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Attribute)}
        assert name.rpartition(".")[2] in named, f"{name} has no example that shows it"
    assert program, f"{name} has no example"
    monkeypatch.chdir(tmp_path)
    for file in re.findall(r'"([\w.]+)"', program):
        if file in MAKERS and f'save("{file}")' not in program:
            MAKERS[file](Path(file))
    exec(compile(program, f"example of {name}", "exec"), {"poise": poise})


@pytest.mark.parametrize("name", functions.__all__)
def test_operations_tell_what_they_take_give_and_raise(name):
    text = inspect.getdoc(getattr(functions, name)) or ""
    for part in ("Args:", "Returns:", "Raises:", "Examples:"):
        assert part in text, f"poise.{name} lacks {part}"


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isfunction(thing(name))])
def test_functions_tell_each_parameter_and_what_they_give(name):
    text, function = words(name), thing(name)
    missing = inspect.signature(function).parameters.keys() - told(text, "Args")
    if function.__module__ == functions.__name__:
        missing -= {"clip", "progress", "cancel"}  # the same for all: the page says it
    assert not missing, f"{name} does not tell {', '.join(sorted(missing))}"
    assert "Returns:" in text, f"{name} does not tell what it gives"
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raises = any(isinstance(node, ast.Raise) for node in ast.walk(tree))
    assert not raises or "Raises:" in text, f"{name} raises errors that it does not tell"


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isclass(thing(name))])
def test_classes_tell_each_field(name):
    missing = fields(thing(name)) - explained(thing(name))
    assert not missing, f"{name} does not tell {', '.join(sorted(missing))}"


def test_what_operations_return_is_in_the_reference():
    source = Path(functions.__file__).read_text()
    shown = {name.rpartition(".")[2] for name in SHOWN}
    assert set(re.findall(r'cast\("(\w+)"', source)) <= shown
