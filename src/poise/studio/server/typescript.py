"""TypeScript declarations of messages, answers, document and commands: Python's types are the only source."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import inspect

from poise.project.commands import COMMANDS
from poise.project.document import Document
from poise.project.layer import AnyLayer
from poise.studio.server import messages
from poise.studio.server.answers import ANSWERS

HEAD = "// Generated from Python by `python -m poise.studio.server.typescript`; do not edit.\n\n"
WIDTH = 110
"""Longest line, as the formatter of the browser's half has it (``web/biome.jsonc``)."""


def declarations() -> str:
    """The whole file."""
    found = _Writer()
    roots = {
        "Said": messages.SAID,
        "Told": messages.TOLD,
        "PacketHeader": messages.PACKET,
        "AnyLayer": AnyLayer,
        "AnyCommand": tuple(COMMANDS.values()),
    }
    lines: list[str] = []
    for name, kind in roots.items():
        kinds = kind if isinstance(kind, tuple) else (kind,)
        parts = [found.name(inspect.type_info(k)) for k in kinds]
        lines.append(_declared(f"export type {name} =", " | ".join(parts)))
    found.name(inspect.type_info(Document))
    told = {question: found.name(inspect.type_info(kind)) for question, kind in ANSWERS.items()}
    table = "".join(f"  {question}: {kind};\n" for question, kind in told.items())
    lines.append(f"/** What questions are answered with. */\nexport interface Answers {{\n{table}}}")
    return HEAD + "\n".join([*found.made.values(), *lines]) + "\n"


def cards() -> str:
    """Operations as the server tells of them, one a line: what the tests of the browser's half draw."""
    from poise.studio.server.vocabulary import vocabulary

    told = (msgspec.json.encode(each).decode() for each in vocabulary(None).operations)
    return "[\n" + ",\n".join(told) + "\n]\n"


class _Writer:
    def __init__(self) -> None:
        self.made: dict[str, str] = {}

    def name(self, kind: inspect.Type) -> str:
        """How a type is written, declaring structs on the way."""
        match kind:
            case inspect.Metadata(type=inner):
                return self.name(inner)
            case inspect.StructType():
                return self._struct(kind)
            case inspect.UnionType(types=types):
                return " | ".join(dict.fromkeys(self.name(t) for t in types))
            case inspect.DictType(value_type=value):
                return f"Record<string, {self.name(value)}>"
            case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
                of = self.name(item)
                return f"({of})[]" if "|" in of else f"{of}[]"
            case inspect.TupleType(item_types=items):
                return f"[{', '.join(self.name(t) for t in items)}]"
            case inspect.LiteralType(values=values):
                return " | ".join(_literal(v) for v in values)
            case inspect.StrType():
                return "string"
            case inspect.IntType() | inspect.FloatType():
                return "number"
            case inspect.BoolType():
                return "boolean"
            case inspect.NoneType():
                return "null"
        return "unknown"

    def _struct(self, kind: inspect.StructType) -> str:
        name = kind.cls.__name__
        if name not in self.made:
            self.made[name] = ""  # a name is enough for what refers to itself
            body = [f"  {kind.tag_field}: {_literal(kind.tag)};"] if kind.tag_field else []
            for field in kind.fields:
                optional = "" if field.required else "?"
                body.append(_declared(f"  {field.encode_name}{optional}:", self.name(field.type)))
            note = (kind.cls.__doc__ or "").strip().splitlines()[0]
            self.made[name] = f"/** {note} */\nexport interface {name} {{\n" + "\n".join(body) + "\n}\n"
        return name


def _declared(head: str, kind: str) -> str:
    """One line; alternatives that do not fit into it have one each, as the formatter would have them."""
    if len(line := f"{head} {kind};") <= WIDTH:
        return line
    indent = " " * (len(head) - len(head.lstrip()))
    several = kind.startswith("(") and kind.endswith(")[]")
    alternatives = (kind[1:-3] if several else kind).split(" | ")
    listed = "".join(f"\n{indent}  | {alternative}" for alternative in alternatives)
    return f"{head} ({listed}\n{indent})[];" if several else f"{head}{listed};"


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


if __name__ == "__main__":
    from pathlib import Path

    from poise.files import write_text

    web = Path(__file__).parent.parent / "web"
    write_text(web / "src" / "messages.ts", declarations())
    write_text(web / "tests" / "operations.json", cards())
