"""From plain data to documents, layers and commands; what is wrong is said by entry and field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from poise.errors import InputError, UnknownNameError
from poise.project.clip_entry import ClipEntry
from poise.project.document import Document
from poise.project.kinds import KINDS
from poise.project.layer import Layer

_AT = re.compile(r" - at `(\$?[^`]*)`$")
_UNKNOWN = re.compile(r"Object contains unknown field `([^`]*)`")
_MISSING = re.compile(r"Object missing required field `([^`]*)`")
_TYPES = {
    "float": "a number", "int": "a whole number", "str": "text", "bool": "true or false", "null": "null",
    "array": "a list", "object": "a mapping",
}  # fmt: skip


def document_from(data: Any) -> Document:
    """A checked document from plain data of the present version, without the file's header."""
    if not isinstance(data, Mapping):
        raise InputError(f"a project is a mapping, not {data!r:.40}")
    refuse_unknown(data, Document, "a project")
    clips = data.get("clips", {})
    if not isinstance(clips, Mapping):
        raise InputError("field 'clips' must be a mapping of names to clips")
    for name, entry in clips.items():
        converted(entry, ClipEntry, f"clip {name!r}")
    layers = data.get("layers", [])
    if not isinstance(layers, list):
        raise InputError("field 'layers' must be a list")
    found = [layer_from(entry, f"layer {k}") for k, entry in enumerate(layers)]
    rest = {k: v for k, v in data.items() if k != "layers"}
    made: Document = converted(rest, Document, "project")
    made = msgspec.structs.replace(made, layers=tuple(found))
    made.check()
    return made


def layer_from(data: Any, where: str = "a layer") -> Layer:
    """A layer from plain data."""
    if not isinstance(data, Mapping):
        raise InputError(f"{where} must be a mapping, not {data!r:.40}")
    if isinstance(data.get("name"), str):
        where = f"{where} ({data['name']!r})"
    if "kind" not in data:
        raise InputError(f"{where}: field 'kind' is missing (there are: {', '.join(KINDS)})")
    if not isinstance(data["kind"], str) or data["kind"] not in KINDS:
        raise InputError(f"{where}: field 'kind': {UnknownNameError('kind of layer', data['kind'], KINDS)}")
    found: Layer = converted(data, KINDS[data["kind"]], where)
    return found


def refuse_unknown(data: Mapping[str, Any], cls: type[msgspec.Struct], where: str) -> None:
    """Name a field that does not exist, and those that do."""
    known = cls.__struct_encode_fields__  # unlike `structs.fields`, which evaluates every annotation anew
    tag = cls.__struct_config__.tag_field
    for name in data:
        if name not in known and name != tag:
            raise InputError(f"{where}: {UnknownNameError('field', name, known)}")


def converted(data: Any, cls: type[msgspec.Struct], where: str) -> Any:
    """Data as a struct, complaints in words."""
    if isinstance(data, Mapping):
        refuse_unknown(data, cls, where)
    try:
        return msgspec.convert(data, cls)
    except msgspec.ValidationError as problem:
        raise InputError(f"{where}: {in_words(str(problem))}") from None


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
    return f"field {field!r}: {text}" if field else text
