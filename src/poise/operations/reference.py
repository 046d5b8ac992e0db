"""The reference page, made from the declarations: ``python -m poise.operations.reference``"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, get_args

from poise.files import write_text
from poise.operations.declare import Field, Operation, Value, fields_of
from poise.operations.functions import text as functions
from poise.operations.registry import operations

TARGET = Path(__file__).parents[3] / "docs" / "reference" / "operations.md"
HEAD = """<!-- Made from the declarations: `python -m poise.operations.reference` writes this page anew. -->

# Operations

An operation has one name and the same options everywhere: as a Python function, a command, a layer of a
[project](../guide/projects.md), a step of a [recipe](../guide/batch.md) and a panel of the
[studio](../guide/studio.md). Commands write an option `key_spacing` as `--key-spacing`. Options marked * are
for experts; `--help-all` shows them. Every function also takes `progress` (called with the part done, from 0
to 1) and `cancel` (asked whether to stop). `<s>` stands for a number of seconds, written without its unit,
`<number>` for a number without a unit. Composite [values](#values) are written as JSON in files and commands;
`@FILE` reads one.
"""
INPUTS = {
    "always": "Works on a motion.",
    "maybe": "Works on a motion, or starts one.",
    "never": "Starts a motion.",
}


def text() -> str:
    """The page."""
    signatures = {
        n.name: _signature(n) for n in ast.parse(functions()).body if isinstance(n, ast.FunctionDef)
    }
    made = {name: cls for name, cls in operations().items() if cls.__module__.startswith("poise.")}
    listed = ["| operation | what it does |", "|---|---|"]
    listed += [f"| [`{name}`](#{name}) | {_words(cls)} |" for name, cls in made.items()]
    parts = [HEAD.rstrip(), "\n".join(listed)]
    parts += [_operation(name, cls, signatures.get(name, "")) for name, cls in made.items()]
    values = {each.__name__: each for cls in made.values() for each in values_of(cls)}
    parts.append("## Values\nOptions with more than a number or a word consist of these values.")
    parts += [_value(values[name]) for name in sorted(values)]
    return "\n\n".join(parts) + "\n"


def values_of(cls: type[Value]) -> list[type[Value]]:
    """Structs that options hold, and those that these hold."""
    found: dict[type[Value], None] = {}
    left = [each for field in fields_of(cls) for each in _values_in(field.type)]
    while left:
        each = left.pop()
        if each not in found:
            found[each] = None
            left += [inner for field in fields_of(each) for inner in _values_in(field.type)]
    return list(found)


def _values_in(kind: Any) -> list[type[Value]]:
    """Structs that a type names."""
    if isinstance(kind, type) and issubclass(kind, Value):
        return [kind]
    return list(dict.fromkeys(each for part in get_args(kind) for each in _values_in(part)))


def _operation(name: str, cls: type[Operation], signature: str) -> str:
    result = cls.RESULT.rpartition(":")[2]
    facts = [INPUTS[cls.INPUT], f"Gives a {'report, a ' if cls.MAKES == 'report' else ''}`{result}`."]
    if not cls.LAYER:
        facts.append("Not a layer of a project.")
    if cls.LAST:
        facts.append("Only others like it may follow in a project.")
    parts = [f"## {name}\n{_words(cls)}\n{' '.join(facts)}"]
    if cls.VERB and cls.EXAMPLES:
        parts.append("\n".join(["```bash", *(f"poise {each}" for each in cls.EXAMPLES), "```"]))
    if signature:
        parts.append(f"```\n{signature}\n```")
    groups: dict[str, list[Field]] = {}
    for field in fields_of(cls):
        groups.setdefault(str(field.shown.get("group", "")), []).append(field)
    parts += [f"**{group}**\n\n{_table(fields)}" for group, fields in groups.items()]
    return "\n\n".join(parts)


def _value(cls: type[Value]) -> str:
    return f"### Value {cls.__name__}\n{_words(cls)}\n\n{_table(fields_of(cls))}"


def _table(fields: list[Field]) -> str:
    return "\n".join(["| option | value | default | what it does |", "|---|---|---|---|", *map(_row, fields)])


def _row(field: Field) -> str:
    flag = str(field.shown.get("flag", ""))
    name = f"`{field.name}`{'*' if field.shown.get('expert') else ''}{f' (`--{flag}`)' if flag else ''}"
    words = [field.line]
    choices = field.shown.get("choices", {})
    if choices:
        words.append("; ".join(f"`{word}`: {what}" for word, what in choices.items()) + ".")
    words += [_when(other, value) for other, value in field.shown.get("when", {}).items()]
    return f"| {name} | {_form(field)} | {_default(field)} | {' '.join(words)} |"


def _form(field: Field) -> str:
    """How a value is written, with its unit and its range."""
    values = [f"[{each.__name__}](#value-{each.__name__.lower()})" for each in _values_in(field.type)]
    written = [f"`{form}`" for form in field.form.split("|")]
    if field.type_is(bool):
        written = ["`on`", "`off`"]
    elif values and field.form == "TEXT":
        written = []
    unit = f" in {field.unit_aside}" if field.unit_aside else ""
    limits = f" ({', '.join(field.limits)})" if field.limits else ""
    return f"{' or '.join([*written, *values])}{unit}{limits}{', repeatable' if field.repeated else ''}"


def _default(field: Field) -> str:
    if field.required:
        return "required"
    return f"`{field.usual}`" if field.usual else "`off`" if field.default is False else "–"


def _when(other: str, value: Any) -> str:
    if isinstance(value, tuple):
        return f"Matters where `{other}` is {' or '.join(f'`{each}`' for each in value)}."
    return f"Matters with `{other}`." if value is True else f"Matters where `{other}` is `{value}`."


def _words(cls: type[Value]) -> str:
    return " ".join((cls.__doc__ or "").partition("Examples:")[0].split())


def _signature(node: ast.FunctionDef) -> str:
    """``poise.name(clip, tension="relaxed", *, …)``, without types, which the tables tell better."""
    plain, only = node.args.args, node.args.kwonlyargs
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(node.args.defaults)) + [*node.args.defaults]
    first = [_argument(a.arg, d) for a, d in zip(plain, defaults, strict=True)]
    rest = [_argument(a.arg, d) for a, d in zip(only, node.args.kw_defaults, strict=True)]
    rest = [each for each in rest if each not in ("progress=None", "cancel=None")]
    return f"poise.{node.name}({', '.join([*first, *(['*', *rest] if rest else [])])})"


def _argument(name: str, default: ast.expr | None) -> str:
    return name if default is None else f"{name}={ast.unparse(default)}"


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    write_text(TARGET, text())
