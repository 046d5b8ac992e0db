"""From plain data to structs; what is wrong is said by entry and field."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec

from poise.errors import InputError, PoiseError, UnknownNameError
from poise.operations.declare import fields_of

_AT = re.compile(r" - at `(\$?[^`]*)`$")
_BOUND = re.compile(r" [<>]=? ")
_UNKNOWN = re.compile(r"Object contains unknown field `([^`]*)`")
_MISSING = re.compile(r"Object missing required field `([^`]*)`")
_TYPES = {
    "float": "a number", "int": "a whole number", "str": "text", "bool": "true or false", "null": "null",
    "array": "a list", "object": "a mapping",
}  # fmt: skip
Made = TypeVar("Made", bound=msgspec.Struct)
_ALONE = threading.RLock()
"""The decoder learns of a struct at its first use; another thread would take it half learned, and crash."""


@contextmanager
def reading(field: str) -> Iterator[None]:
    """While plain data is made sense of: whatever fails is a mistake in the data, and said by field."""
    try:
        yield
    except PoiseError as problem:
        raise InputError(f"field {field!r}: {problem}") from None
    except (TypeError, ValueError, KeyError, AttributeError, IndexError) as problem:
        raise InputError(f"field {field!r} cannot be read: {type(problem).__name__} {problem}") from None


def converted(data: Any, cls: type[Made], where: str) -> Made:
    """Data as a struct, complaints in words."""
    if isinstance(data, Mapping):
        refuse_unknown(data, cls, where)
    try:
        with _ALONE:
            return msgspec.convert(data, cls)
    except msgspec.ValidationError as problem:
        words = in_words(str(problem)) + _not(str(problem), data)
        raise InputError(f"{where}: {_with_form(words, str(problem), cls)}") from None


def refuse_unknown(data: Mapping[str, Any], cls: type[msgspec.Struct], where: str) -> None:
    """Name a field that does not exist, and those that do."""
    known = cls.__struct_encode_fields__  # unlike `structs.fields`, which evaluates every annotation anew
    tag = cls.__struct_config__.tag_field
    for name in data:
        if name not in known and name != tag:
            raise InputError(f"{where}: {UnknownNameError('field', name, known)}")


def in_words(message: str) -> str:
    """What the decoder says, as the rest of Poise would."""
    at = _AT.search(message)
    text = message[: at.start()] if at else message
    field = at[1].removeprefix("$").lstrip(".") if at else ""
    for pattern, form in ((_UNKNOWN, "field {!r} is unknown"), (_MISSING, "field {!r} is missing")):
        found = pattern.search(text)
        if found:
            said = form.format(found[1])
            return f"field {field!r}: {said}" if field else said
    text = re.sub(r"`([a-z |]+)`", lambda m: " or ".join(_TYPES.get(t, t) for t in m[1].split(" | ")), text)
    text = re.sub(r"`([^`]*)`", r"\1", text)
    text = text[0].lower() + text[1:]
    text = re.sub(r"^invalid enum value (.*)", r"\1 is not valid", text)
    return f"field {field!r}: {text}" if field else text


def _not(message: str, data: Any) -> str:
    """The number that is out of bounds, which the decoder does not tell."""
    at = _AT.search(message)
    if at is None or not _BOUND.search(message):
        return ""
    for step in re.findall(r"[^.\[\]$]+", at[1]):
        try:
            data = data[int(step)] if isinstance(data, list | tuple) else data[step]
        except (KeyError, IndexError, TypeError, ValueError):
            return ""
    return f", not {data:g}" if isinstance(data, int | float) else ""


def _with_form(words: str, message: str, cls: type[msgspec.Struct]) -> str:
    """The words, with how a value of the field is written where its declaration tells."""
    at = _AT.search(message)
    name = re.split(r"[.\[]", at[1].removeprefix("$").lstrip("."))[0] if at else ""
    for field in fields_of(cls) if name else ():
        if field.name == name and field.words:
            limits = f" ({', '.join(field.limits)})" if field.limits else ""
            *most, last = field.form.split("|")
            return f"{words}; use {' or '.join([', '.join(most), last] if most else [last])}{limits}"
    return words
