"""Every option is declared in full and appears wherever options are shown, in its declaration's words."""

from __future__ import annotations

import ast
import json
import re
from inspect import Parameter, signature
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from poise import functions
from poise.cli.operation_verb import verb
from poise.cli.typed_values import flag
from poise.operations import functions as generator
from poise.operations import reference
from poise.operations.declare import Field, Operation, complaints, fields_of, name_of
from poise.operations.description import option
from poise.operations.frozen_data import as_plain
from poise.operations.registry import operations
from poise.project.layer import LAYERS

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/schema/project.schema.json").read_text(encoding="utf-8"))["$defs"]
PAGE = (ROOT / "docs/reference/operations.md").read_text(encoding="utf-8")
OWN = {name: each for name, each in operations().items() if each.__module__.startswith("poise.")}
VALUES = sorted({v for each in OWN.values() for v in reference.values_of(each)}, key=lambda v: v.__name__)
OPTIONS = [
    pytest.param(each, field, id=f"{name}.{field.name}")
    for name, each in OWN.items()
    for field in fields_of(each)
]
PARTS = [
    pytest.param(each, field, id=f"{each.__name__}.{field.name}")
    for each in VALUES
    for field in fields_of(each)
]
TWO_UNITS: dict[str, str] = {}
"""Names that have two units, and why."""


@pytest.mark.parametrize("cls", [*OWN.values(), *VALUES], ids=lambda cls: cls.__name__)
def test_every_option_has_words_a_group_a_unit_and_explained_choices(cls):
    assert not complaints(cls)


@pytest.mark.parametrize("cls", OWN.values(), ids=OWN)
def test_every_operation_says_what_it_does(cls):
    assert (cls.__doc__ or "").strip().endswith(".")
    assert len(cls.EXAMPLES) == 2
    for example in cls.EXAMPLES:
        assert re.match(rf"{name_of(cls).replace('_', '-')} \S", example)
        assert cls.MAKES == "report" or " -o " in example


@pytest.mark.parametrize(("cls", "field"), [*OPTIONS, *PARTS])
def test_defaults_are_values(cls, field):
    """As they would be read from a file."""
    if not field.required:
        again = msgspec.convert(as_plain(field.default), field.type)
        assert as_plain(again) == as_plain(field.default)


@pytest.mark.parametrize(("cls", "field"), OPTIONS)
def test_options_are_parameters_of_the_function(cls, field):
    if not cls.FUNCTION or field.name in cls.on_a_clip():
        return
    function = getattr(functions, name_of(cls))
    parameter = signature(function).parameters[field.name]
    given = None if field.default in ((), {}) else field.default
    assert parameter.default == (Parameter.empty if field.required else given)
    words = re.sub(r"\s+", " ", function.__doc__)
    assert f"{field.name}: {field.line[:-1]}" in words
    told = ", ".join((*([field.unit] if field.unit else []), *field.limits))
    assert not told or f"[{told}]" in words.split(f" {field.name}: ", 1)[1]


@pytest.mark.parametrize(("cls", "field"), OPTIONS)
def test_options_are_in_the_schema(cls, field):
    if name_of(cls) not in LAYERS:
        return
    properties = SCHEMA[LAYERS[name_of(cls)].__name__]["properties"]
    if field.shown.get("local"):
        assert field.name not in properties, "projects do not keep what is about the machine"
        return
    entry = properties[field.name]
    assert entry["description"] == field.line
    assert entry["x-group"] == field.shown["group"]
    assert entry.get("x-choices", {}) == field.shown.get("choices", {})
    text = json.dumps(entry, ensure_ascii=False)
    assert all(f'"x-unit": "{unit}"' in text for unit in field.units)


@pytest.mark.parametrize(("cls", "field"), OPTIONS)
def test_options_are_parameters_of_the_verb(cls, field):
    if not _asked_by_verb(cls, field):
        return
    told = get_args(signature(verb(cls)).parameters[f"option_{field.name}"].annotation)[1]
    assert any(name.startswith(f"--{flag(field)}") for name in (told.default, *told.param_decls))
    assert told.help.replace("\\[", "[").startswith(field.line[:-1])
    assert told.rich_help_panel == field.shown["group"]
    assert all(f"{word}: " in told.help for word in field.words)
    assert not field.unit or _names(f"{told.metavar} {told.help}", field.unit)


@pytest.mark.parametrize(("cls", "field"), [*OPTIONS, *PARTS])
def test_options_are_on_the_reference_page(cls, field):
    head = f"\n## {name_of(cls)}\n" if issubclass(cls, Operation) else f"\n### Value {cls.__name__}\n"
    section = re.split(r"\n##+ ", PAGE.split(head, 1)[1], maxsplit=1)[0]
    row = next(line for line in section.splitlines() if line.startswith(f"| `{field.name}`"))
    assert field.line in row
    assert not field.unit or f"<{field.unit}>" in row or f" in {field.unit}" in row.split(" | ")[1]
    assert all(f"`{word}`" in row for word in field.words)


def test_no_name_has_two_units():
    """What is called the same is measured the same, in operations and in what their options are made of."""
    found: dict[str, set[str]] = {}
    for cls in (*OWN.values(), *VALUES):
        for field in fields_of(cls):
            if field.unit:
                found.setdefault(field.name, set()).add(field.unit)
    two = {name for name, units in found.items() if len(units) > 1}
    assert two == set(TWO_UNITS), {name: found[name] for name in two ^ set(TWO_UNITS)}


def test_flags_are_switches_also_where_nothing_is_a_value():
    """Typed text would be refused where true or false is meant."""
    seen = set()
    for cls in OWN.values():
        for field in fields_of(cls):
            if option(field).holds == "flag" and _asked_by_verb(cls, field):
                told = get_args(signature(verb(cls)).parameters[f"option_{field.name}"].annotation)
                assert told[0] == bool | None, f"{name_of(cls)}.{field.name}"
                seen.add(field.default)
    assert seen == {True, False, None}


def test_what_is_nought_by_default_says_so():
    found: list[Field] = [f for cls in OWN.values() for f in fields_of(cls) if f.name in ("turn", "search")]
    assert found
    assert {field.usual for field in found} == {"0"}


def test_the_functions_are_those_of_the_declarations():
    written = Path(str(functions.__file__)).read_text(encoding="utf-8")
    again = "python -m poise.operations.functions, then ruff format"
    assert _shape(written) == _shape(generator.text()), again


def test_functions_take_no_options_that_nobody_declared():
    for name in functions.__all__:
        kinds = {p.kind for p in signature(getattr(functions, name)).parameters.values()}
        assert not kinds & {Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL}, name
    assert set(functions.__all__) == {name for name, each in OWN.items() if each.FUNCTION}


def test_the_reference_page_is_that_of_the_declarations():
    assert reference.text() == PAGE, "python -m poise.operations.reference"


def _names(text: str, unit: str) -> bool:
    """Whether a unit stands in a text as a word of its own."""
    return re.search(rf"(?<![\w'’]){re.escape(unit)}(?!\w)", text) is not None


def _asked_by_verb(cls: type[Operation], field: Field) -> bool:
    """Whether a command has it as an option: not what goes without saying, nor what its argument gives."""
    given = {*cls.on_a_clip(), cls.ARGUMENT if cls.INPUT == "never" else ""}
    return cls.VERB and field.name not in given


def _shape(source: str) -> list[str]:
    """A module up to its layout: imports as sets of names, everything else in order."""
    tree, found = ast.parse(source), []
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    found += sorted(f"{n.module}.{a.name} {a.asname}" for n in imported for a in n.names)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            document = re.sub(r"\s+", " ", ast.get_docstring(node) or "")
            node.body = node.body[1:]
            found += [document, ast.dump(node)]
        elif isinstance(node, ast.Assign):
            found.append(ast.dump(node))
    return found
