"""Complaints about options, by the names and files they have on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from poise.cli.inputs import STANDARD
from poise.cli.typed_values import flag
from poise.errors import FileFormatError, InputError
from poise.operations.declare import Field

_SUBJECT = re.compile(r"(?:field '(?P<field>[a-z_]+)(?P<path>[^']*)'|(?P<bare>[a-z_]+))(?P<end>:? )")
_ENTRY = re.compile(r"(?:\[(\d+)\]\.?(.*)|entry (\d+)\b)")


class Asked(NamedTuple):
    """An option that was given: for each of its entries, the text that gave it."""

    field: Field
    texts: tuple[str, ...]


@contextmanager
def by_option(verb: str, fields: list[Field], asked: Mapping[str, Asked]) -> Iterator[None]:
    """While options are made sense of, or followed: what is wrong is said by ``--option`` or by its file."""
    try:
        yield
    except FileFormatError:
        raise
    except InputError as problem:
        said = str(problem).removeprefix(f"{verb}: ")
        found = _SUBJECT.match(said)
        name = (found["field"] or found["bare"]) if found else ""
        known = {field.name: field for field in fields}
        if found is None or name not in known or (found["bare"] and name not in asked):
            raise
        rest = said[found.end() :]
        texts = asked[name].texts if name in asked else ()
        raise InputError(
            _led(f"--{flag(known[name])}", found["path"] or "", found["end"], rest, texts)
        ) from None


def _led(option: str, path: str, end: str, rest: str, texts: tuple[str, ...]) -> str:
    """The complaint, led by the option, or by the file and the entry in it."""
    entry = _ENTRY.match(path) or (_ENTRY.match(rest) if not path else None)
    number = int(entry[1] or entry[3]) if entry else 0
    origin = texts[number] if number < len(texts) else ""
    inner = path.lstrip(".")
    if not origin.startswith("@"):
        where = f" ({inner})" if inner else ""
        return f"{option}{where}{end}{rest}"
    file = "standard input" if origin[1:] == STANDARD else origin[1:]
    if entry is None:
        return f"{file}: field {inner!r}{end}{rest}" if inner else f"{file}: {rest}"
    inside = f"{file}: entry {number - texts.index(origin)}"
    if not path:
        return f"{inside}{rest[entry.end() :]}"
    return f"{inside}: field {entry[2]!r}{end}{rest}" if entry[2] else f"{inside}{end}{rest}"
