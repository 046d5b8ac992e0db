"""What the command of each operation takes, by its declaration: read from the command, without running it."""

from __future__ import annotations

import inspect
from typing import get_args

import pytest

from poise.cli.inputs import INPUT_HELP
from poise.cli.operation_verb import shown_fields, verb
from poise.cli.option_help import plain
from poise.operations.declare import fields_of
from poise.operations.registry import operations

VERBS = [name for name, made in operations().items() if made.VERB]


def taken(name: str) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(verb(operations()[name])).parameters)


def shown(parameter: inspect.Parameter):
    """What the help says of it."""
    return get_args(parameter.annotation)[1]


@pytest.mark.parametrize("name", VERBS)
def test_the_argument_is_told_as_it_was_declared(name):
    operation, source = operations()[name], shown(taken(name)["source"])
    if operation.ARGUMENT:
        assert source.metavar == operation.ARGUMENT.upper()
        assert source.help.startswith(plain(operation.ARGUMENT_HELP))
        assert "@-" in source.help
    else:
        assert (source.metavar, source.help) == ("CLIP", plain(INPUT_HELP))


@pytest.mark.parametrize("name", VERBS)
def test_files_that_are_written_are_those_that_are_made(name):
    operation, found = operations()[name], taken(name)
    motion = operation.MAKES == "motion"
    needed = {n for n, p in found.items() if p.default is inspect.Parameter.empty}
    assert needed == ({"source", "output"} if motion else {"source"})
    wanted = {
        "output": motion,
        "picture": True,
        "sheet": True,
        "film": True,
        "fresh": motion,
        "sound": bool(operation.SOUNDS),
        "plot": bool(operation.PLOTS),
        "force": True,
        "as_json": True,
        "animation": True,
        "read_options": True,
    }
    assert {n: n in found for n in wanted} == wanted
    assert ("carries" in shown(found["film"]).help) == bool(operation.PLOTS)
    if motion:
        assert ("sound" in shown(found["film"]).help) == bool(operation.SOUNDS)
    assert all(found[n].default is False for n in ("force", "as_json"))


@pytest.mark.parametrize("name", VERBS)
def test_options_are_the_fields_that_the_argument_does_not_give(name):
    operation = operations()[name]
    options = {n.removeprefix("option_") for n in taken(name) if n.startswith("option_")}
    every = {field.name for field in fields_of(operation)}
    given = set(operation.on_a_clip()) | ({operation.ARGUMENT} if operation.INPUT == "never" else set())
    assert options == every - given == {field.name for field in shown_fields(operation)}
    assert all(taken(name)[f"option_{n}"].default is None for n in options)
