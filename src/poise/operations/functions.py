"""The Python functions, made from the declarations: ``python -m poise.operations.functions``

They are written to a module that is checked in, so that editors and type checkers see real parameters.
"""

from __future__ import annotations

import ast
from importlib import import_module
from inspect import get_annotations
from pathlib import Path
from textwrap import wrap

from poise.files import write_text
from poise.operations.declare import Field, Operation, fields_of
from poise.operations.registry import operations

TARGET = Path(__file__).parent.parent / "functions.py"
HEAD = '''"""Every operation as a function.

A function takes a clip or the result of another function, and checks its options before it computes anything.
While it works it calls ``progress`` with the part done (0 to 1) and stops with ``CancelledError`` as soon as
``cancel`` returns True.
"""

# Made from the declarations; do not edit: ``python -m poise.operations.functions`` makes it anew.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from poise.operations.running import call
'''
RAISES = (
    "InputError: An option is out of range, or does not fit the clip; the message names it.",
    "CancelledError: ``cancel`` returned True.",
)
"""What every function may raise."""
_PLAIN = {"str", "float", "int", "bool", "dict", "tuple", "None", "Any", "Sequence", "Mapping"}
_WISH = "Constraint | FootPlant | Mapping[str, Any]"
_WISH_HOMES = {"Constraint": "poise.constraints", "FootPlant": "poise.constraints"}


def text() -> str:
    """The module."""
    late: dict[str, set[str]] = {
        "collections.abc": {"Mapping", "Sequence"},
        "poise.motion": {"Clip"},
        "poise.operations.result": {"Result"},
        "poise.watching": {"Cancel", "Progress"},
    }
    early: dict[str, set[str]] = {}
    made = {n: c for n, c in operations().items() if c.FUNCTION and c.__module__.startswith("poise.")}
    for cls in made.values():
        early.setdefault(cls.__module__, set()).add(cls.__name__)
    bodies = [_function(name, cls, late) for name, cls in made.items()]
    imports = [f"from {m} import {', '.join(sorted(n))}" for m, n in sorted(early.items())]
    types = [f"    from {m} import {', '.join(sorted(n))}" for m, n in sorted(late.items())]
    listed = "\n".join(f'    "{name}",' for name in sorted(made))
    every = f"__all__ = [\n{listed}\n]"
    head = "\n".join([HEAD.rstrip(), *imports, "", "if TYPE_CHECKING:", *types, "", every])
    return "\n\n\n".join([head, *bodies]) + "\n"


def _function(name: str, cls: type[Operation], late: dict[str, set[str]]) -> str:
    fields = [f for f in fields_of(cls) if f.name not in cls.on_a_clip()]
    first = [f for f in fields if f.required]
    second = [f for f in fields if not f.required and f.shown.get("main")]
    rest = [f for f in fields if not f.required and not f.shown.get("main")]
    module, _, result = cls.RESULT.partition(":")
    late.setdefault(module, set()).add(result)
    parameters = [] if cls.INPUT == "maybe" else _motion(cls)
    parameters += [f"{f.name}: {_type(cls, f, late)}," for f in first]
    parameters += _motion(cls) if cls.INPUT == "maybe" else []
    parameters += [f"{f.name}: {_type(cls, f, late)}{_default(f)}," for f in second]
    parameters += ["*,", *(f"{f.name}: {_type(cls, f, late)}{_default(f)}," for f in rest)]
    parameters += ["progress: Progress | None = None,", "cancel: Cancel | None = None,"]
    body = [
        f"def {name}(",
        *(f"    {p}" for p in parameters),
        f") -> {result}:",
        f'    """{_words(cls, (*first, *second, *rest))}',
        '    """',
        f'    return cast("{result}", call({cls.__name__}, **locals()))',
    ]
    return "\n".join(body)


def _motion(cls: type[Operation]) -> list[str]:
    """The parameter for what is worked on: none where motions are started, optional where they may be."""
    needs = {"always": "clip: Clip | Result,", "maybe": "clip: Clip | Result | None = None,", "never": ""}
    return [needs[cls.INPUT]] if needs[cls.INPUT] else []


def _words(cls: type[Operation], fields: tuple[Field, ...]) -> str:
    lines = [" ".join((cls.__doc__ or "").split()), "", "    Args:"]
    for f in fields:
        told = ", ".join((*([f.unit] if f.unit else []), *f.limits))
        choices = "; ".join(f"{word}: {what}" for word, what in f.shown.get("choices", {}).items())
        line = f"{f.name}: {f.line[:-1]}{f' [{told}]' if told else ''}{f' ({choices})' if choices else ''}."
        lines += _entry(line)
    module, _, result = cls.RESULT.partition(":")
    made = (import_module(module).__dict__[result].__doc__ or "").strip().splitlines()[0]
    lines += ["", "    Returns:", *_entry(f"{result}: {made}"), "", "    Raises:"]
    lines += [each for raised in RAISES for each in _entry(raised)]
    if cls.IN_PYTHON:
        lines += ["", "    Examples:", *(f"        {each}" for each in _as_typed(cls.IN_PYTHON))]
    return "\n".join(lines)


def _entry(line: str) -> list[str]:
    return wrap(line, 110, initial_indent=8 * " ", subsequent_indent=12 * " ")


def _as_typed(statements: str) -> list[str]:
    """Statements with the prompts of an interactive session."""
    lines = []
    for statement in ast.parse(statements).body:
        first, *more = (ast.get_source_segment(statements, statement) or "").splitlines()
        lines += [f">>> {first}", *(f"... {each}" for each in more)]
    return lines


def _default(field: Field) -> str:
    if field.required:
        return ""
    return f" = {field.default!r}" if field.default not in (None, (), {}) else " = None"


def _type(cls: type[Operation], field: Field, late: dict[str, set[str]]) -> str:
    """The type as written in the declaration, friendlier to callers: any sequence, objects for names."""
    home = next(c for c in cls.__mro__ if field.name in get_annotations(c))
    tree, module = _written(ast.parse(get_annotations(home)[field.name], mode="eval").body, home.__module__)
    if isinstance(tree, ast.Subscript) and ast.unparse(tree.value) == "Annotated":
        assert isinstance(tree.slice, ast.Tuple)
        tree = tree.slice.elts[0]
    tree = _Friendly().visit(tree)
    written = ast.unparse(tree)
    optional = written.endswith(" | None")
    written = written.removesuffix(" | None")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in _PLAIN:
            where = _WISH_HOMES.get(node.id) or _home(node.id, module)
            late.setdefault(where, set()).add(node.id)
    for taken in filter(None, str(field.shown.get("takes", "")).split(",")):
        module, _, name = taken.strip().partition(":")
        told = name
        if any(c.__name__ == name for c in operations().values()):  # which has the name here
            told = f"{module.split('.')[-2].capitalize()}{name}"
        late.setdefault(module, set()).add(name if told == name else f"{name} as {told}")
        written += f" | {told}"
    absent = not field.required and field.default in (None, (), {})
    return f"{written} | None" if optional or absent else written


class _Friendly(ast.NodeTransformer):
    """``tuple[X, ...]`` becomes ``Sequence[X]``, a wish whatever says one."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.slice, ast.Tuple) and ast.unparse(node.value) == "Annotated":
            return node.slice.elts[0]
        if isinstance(node.slice, ast.Tuple) and ast.unparse(node.slice.elts[-1]) in ("...", "Ellipsis"):
            return ast.parse(f"Sequence[{ast.unparse(node.slice.elts[0])}]", mode="eval").body
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse(_WISH, mode="eval").body if node.id == "Wish" else node


def _written(tree: ast.expr, module: str) -> tuple[ast.expr, str]:
    """An annotation that several options share, as it is written, and the module where."""
    if not isinstance(tree, ast.Name):
        return tree, module
    home = _home(tree.id, module)
    for node in _source(home).body:
        names = (
            [t.id for t in node.targets if isinstance(t, ast.Name)] if isinstance(node, ast.Assign) else []
        )
        if isinstance(node, ast.Assign) and tree.id in names and "about(" in ast.unparse(node.value):
            return node.value, home
    return tree, module


def _home(name: str, module: str) -> str:
    """The module that a name in a declaration comes from."""
    for node in ast.walk(_source(module)):
        if isinstance(node, ast.ImportFrom) and node.module and any(a.name == name for a in node.names):
            return node.module
    return module


def _source(module: str) -> ast.Module:
    return ast.parse(Path(str(import_module(module).__file__)).read_text(encoding="utf-8"))


if __name__ == "__main__":
    write_text(TARGET, text())
