"""An option as the help shows it: its form, unit, words and heading, from its declaration."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Annotated, Any, get_args

import msgspec
import typer

from poise.cli.typed_values import TARGETS, flag
from poise.operations.declare import PURE, Field, Operation, fields_of

EVERYTHING = "--help-all"
"""Shows options for experts too."""
_TYPED_UNITS = {TARGETS: ("s", "m", "m/s")}
"""Of what is typed for data that no struct declares, by its editor."""


def option(field: Field) -> Any:
    """The Typer type of an option."""
    hidden = bool(field.shown.get("expert")) and EVERYTHING not in sys.argv
    panel = str(field.shown.get("group") or "Options")
    name = f"--{flag(field)}"
    names = [name] if name == f"--{field.name.replace('_', '-')}" else [name, f"--{field.name}"]
    shared: dict[str, Any] = {
        "help": plain(words(field)), "show_default": False, "rich_help_panel": panel, "hidden": hidden
    }  # fmt: skip
    if field.type_is(bool):
        return Annotated[bool | None, typer.Option(f"{name}/--no-{flag(field)}", **shared)]
    known = _completing(field.words)
    return Annotated[
        list[str] | None, typer.Option(*names, metavar=field.form, autocompletion=known, **shared)
    ]


def words(field: Field) -> str:
    """What an option means, its choices, its unit where its form does not show it, what is usual."""
    means = "; ".join(f"{word}: {what}" for word, what in field.shown.get("choices", {}).items())
    said = f"{field.line[:-1]} ({means})." if means else field.line
    hidden = [unit for unit in units(field) if f"<{unit}>" not in field.form]
    said += f" Units: {', '.join(hidden)}." if hidden else ""
    said += f" Default: {field.usual}." if field.usual else ""
    return said + (" Repeatable." if field.repeated else "")


def units(field: Field) -> tuple[str, ...]:
    """All units of an option's numbers, also of those in the parts of its values."""
    found = dict.fromkeys((*field.units, *_TYPED_UNITS.get(str(field.shown.get("editor", "")), ())))
    for part in _structs(field.type):
        for inner in fields_of(part):
            found |= dict.fromkeys(units(inner))
    return tuple(unit for unit in found if unit != PURE)


def _structs(kind: Any) -> list[type[msgspec.Struct]]:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return [kind]
    return [found for part in get_args(kind) for found in _structs(part)]


def _completing(choices: Iterable[str]) -> Callable[[str], list[str]]:
    """What a shell offers for a value: words where there are some, else nothing."""
    return lambda incomplete: [word for word in choices if word.startswith(incomplete)]


def plain(text: str) -> str:
    """Without what the terminal would take for markup."""
    return text.replace("[", "\\[")


def help_of(operation: type[Operation], shown: list[Field]) -> str:
    """What a verb does, how it ends, two commands."""
    said = " ".join((operation.__doc__ or "").split())
    ends = {
        "motion": "Exit status 1 if a request was not met; the report says which and why.",
        "report": "Exit status 1 if anything is implausible; the report says what, when and by how much.",
    }
    more = any(field.shown.get("expert") for field in shown) and EVERYTHING not in sys.argv
    experts = f" {EVERYTHING} also shows expert options." if more else ""
    return plain(f"{said}\n\n{ends[operation.MAKES]}{experts}\n\n{examples(*operation.EXAMPLES)}")


def examples(*commands: str) -> str:
    """Commands, without the program's name, as the end of a help."""
    return "Examples:\n\n" + "\n\n".join(f"  poise {each}" for each in commands)
