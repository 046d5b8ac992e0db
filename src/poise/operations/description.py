"""Operations as other programs are told of them: what a panel, a form or a host program needs to draw one."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from poise.operations.declare import Field, Operation, fields_of, name_of
from poise.operations.frozen_data import as_plain


class Range(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a number may be; bounds that are left out are none."""

    least: float | None = None
    most: float | None = None
    open: bool = False
    """Whether the least itself is too little."""


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One option of an operation."""

    name: str
    line: str
    """What it does, in one sentence."""
    holds: str
    """``number``, ``integer``, ``flag``, ``word``, ``text``, ``list`` or ``data``."""
    group: str
    unit: str = ""
    required: bool = False
    default: Any = None
    """As plain data; null where the operation chooses by itself."""
    optional: bool = False
    """Whether null is a value."""
    range: Range = Range()
    slider: tuple[float, float] | None = None
    choices: dict[str, str] = {}
    """Words, and what they mean; a number may be taken beside them."""
    editor: str = ""
    """Who edits it where a plain field would not do."""
    when: dict[str, Any] = {}
    """What other options must be for it to matter."""
    expert: bool = False
    form: str = ""
    """How it is typed."""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """An operation."""

    name: str
    words: str
    """What it does, in one sentence."""
    options: list[Option]
    input: str
    """Whether it works on a motion: ``always``, ``maybe``, ``never``."""
    makes: str
    """``motion`` or ``report``."""
    layer: bool
    last: bool
    """Whether only others like it may follow in a project."""
    dynamic: bool
    """Whether its motion is simulated, so that one looks at what it came from."""
    follows: bool = False
    """Whether it takes feet along with surfaces that a project moved since the take."""


def card(operation: type[Operation]) -> Card:
    """What there is to know of an operation."""
    return Card(
        name=name_of(operation),
        words=" ".join((operation.__doc__ or "").split()),
        options=[option(field) for field in fields_of(operation) if not field.shown.get("local")],
        input=operation.INPUT,
        makes=operation.MAKES,
        layer=operation.LAYER,
        last=operation.LAST,
        dynamic=operation.DYNAMIC,
        follows=operation.FOLLOWS,
    )


def option(field: Field) -> Option:
    """What there is to know of an option."""
    return Option(
        name=field.name,
        line=field.line,
        holds=_holds(field.type),
        group=str(field.shown.get("group", "")),
        unit=field.unit,
        required=field.required,
        default=None if field.required else as_plain(field.default),
        optional=type(None) in _kinds(field.type),
        range=_range(field.type),
        slider=field.shown.get("slider"),
        choices=dict(field.shown.get("choices", {})),
        editor=str(field.shown.get("editor", "")),
        when=dict(field.shown.get("when", {})),
        expert=bool(field.shown.get("expert")),
        form=field.form,
    )


def _kinds(kind: Any) -> list[Any]:
    """The alternatives of a type, without what is said about them."""
    if get_origin(kind) is Annotated:
        return _kinds(get_args(kind)[0])
    if get_origin(kind) in (Literal, tuple, dict, None) or isinstance(kind, type):
        return [kind]
    return [each for part in get_args(kind) for each in _kinds(part)]


def _holds(kind: Any) -> str:
    kinds = [each for each in _kinds(kind) if each is not type(None)]
    plain = {float: "number", int: "integer", bool: "flag", str: "text"}
    for wanted, name in plain.items():
        if wanted in kinds:
            return name
    if any(get_origin(each) is Literal for each in kinds):
        return "word"
    return "list" if any(get_origin(each) is tuple for each in kinds) else "data"


def _range(kind: Any) -> Range:
    """The first bounds in a type."""
    if get_origin(kind) is Annotated:
        for meta in kind.__metadata__:
            if isinstance(meta, msgspec.Meta) and (meta.gt, meta.ge, meta.lt, meta.le) != (None,) * 4:
                least, most = (
                    (meta.gt if meta.ge is None else meta.ge),
                    (meta.lt if meta.le is None else meta.le),
                )
                return Range(least, most, meta.gt is not None)
    for part in get_args(kind):
        found = _range(part)
        if found != Range():
            return found
    return Range()
