"""How an option is declared: its type with unit and range, its default, one line of words, where it is shown.

An *operation* is a frozen struct of options. Everything that shows or takes options is made from it: the
Python function, the project's layer, the recipe's step, the verb, the panel, the schema, the reference page.
Nothing here knows numpy, so that a project can be opened and checked without the methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Meta

from poise.operations.frozen_data import freeze

PURE = "1"
"""The unit of a pure number."""
_SHOWN = ("group", "expert", "main", "slider", "editor", "form", "choices", "when", "flag", "takes", "local")


def unit(
    symbol: str,
    *,
    gt: float | None = None,
    ge: float | None = None,
    lt: float | None = None,
    le: float | None = None,
) -> Meta:
    """Units belong to types, so that no number goes without one; with bounds (greater than, or equal, …)."""
    limits: dict[str, Any] = {"gt": gt, "ge": ge, "lt": lt, "le": le}
    return Meta(extra_json_schema={"x-unit": symbol}, **limits)


def about(
    line: str,
    *,
    group: str = "",
    expert: bool = False,
    main: bool = False,
    slider: tuple[float, float] | None = None,
    editor: str = "",
    form: str = "",
    choices: Mapping[str, str] | None = None,
    when: Mapping[str, Any] | None = None,
    flag: str = "",
    takes: str = "",
    local: bool = False,
) -> Meta:
    """What people read of an option, and how it is shown.

    ``group`` is the heading it stands under, ``expert`` hides it at first, ``main`` lets Python take it by
    position, ``slider`` is the range that is usual, ``editor`` names who edits it where a plain field would
    not do, ``form`` is how a value is typed (and ``editor`` who reads that), ``choices`` say what words mean,
    ``when`` is what other options must be for it to matter (a tuple: one of these), ``flag`` another name on
    the command line, ``takes`` what Python callers may give in place of a name or data, ``module:Class``
    each, and ``local`` says that it is about the machine and not about the motion: projects do not keep it.
    """
    said = {
        "group": group,
        "expert": expert,
        "main": main,
        "slider": slider,
        "editor": editor,
        "form": form,
        "choices": choices,
        "when": when,
        "flag": flag,
        "takes": takes,
        "local": local,
    }
    return Meta(description=line, extra_json_schema={f"x-{k}": v for k, v in said.items() if v})


class Value(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Part of an option: the same object in Python, in files and on the wire."""


class Operation(Value, frozen=True, kw_only=True, tag_field="do", tag="operation"):
    """Something that can be done to a motion."""

    RUN: ClassVar[str] = ""
    """``module:function``, imported when called: ``function(operation, situation) -> Result``."""
    FRAMES: ClassVar[str] = ""
    """``module:function`` that makes some frames alone, where that can be; else empty."""
    FREE: ClassVar[Sequence[str]] = ()
    """Options that hold plain data, whose own reader checks it."""
    RESULT: ClassVar[str] = "poise.operations.result:Result"
    """What it returns."""
    INPUT: ClassVar[str] = "always"
    """Whether it works on a motion: ``always``, ``maybe``, ``never``."""
    MAKES: ClassVar[str] = "motion"
    """What comes of it: ``motion``, or only a ``report``."""
    KEEPS_VERDICT: ClassVar[bool] = False
    """Whether what was found out about the motion is still true after it."""
    LAST: ClassVar[bool] = False
    """Whether only others like it may follow in a project."""
    FOLLOWS: ClassVar[bool] = False
    """Whether it takes what stands along with surfaces that a project moved since the take."""
    DYNAMIC: ClassVar[bool] = False
    """Whether its motion is simulated, so that one looks at what it came from."""
    REFUSES: ClassVar[Mapping[str, str]] = {}
    """Operations it cannot follow in a project, and why."""
    LAYER: ClassVar[bool] = True
    """Whether a project can hold it."""
    FUNCTION: ClassVar[bool] = True
    """Whether there is a Python function of its name."""
    VERB: ClassVar[bool] = True
    """Whether there is a command of its name."""
    ARGUMENT: ClassVar[str] = ""
    """The option that a command's argument gives, where that is no clip."""
    ARGUMENT_HELP: ClassVar[str] = ""
    """What the argument may be."""
    PLOTS: ClassVar[bool] = False
    """Whether its result can draw a page of curves (``Result.plot``)."""
    SOUNDS: ClassVar[bool] = False
    """Whether its result can be heard (``Result.sound``)."""
    DOCUMENT: ClassVar[str] = ""
    """``module:function`` that gives what it works from, which can be saved as a file; else empty."""
    EXAMPLES: ClassVar[Sequence[str]] = ()
    """Commands for the help, without the program's name."""
    IN_PYTHON: ClassVar[str] = ""
    """Statements for the reference that run as they are, with ``poise`` imported."""

    def __post_init__(self) -> None:
        for name in self.FREE:
            msgspec.structs.force_setattr(self, name, freeze(getattr(self, name), name))

    @property
    def do(self) -> str:
        """Its name."""
        return name_of(type(self))

    @property
    def starts(self) -> bool:
        """Whether it makes motion out of nothing."""
        return False

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them, in the form that is declared."""
        return options

    @classmethod
    def from_argument(cls, text: str) -> dict[str, Any] | None:
        """The options that a command's argument stands for; None where it is a clip."""
        return None

    @classmethod
    def on_a_clip(cls) -> dict[str, Any]:
        """What goes without saying where there is a clip to work on."""
        return {}

    def check(self) -> None:
        """Whatever can be said of its options together; errors name the option."""

    def uses(self) -> tuple[str, ...]:
        """Clips that it names."""
        return ()

    def files(self) -> tuple[str, ...]:
        """Files that it reads itself."""
        return ()


def name_of(operation: type[Operation]) -> str:
    """The one name of an operation."""
    return str(operation.__struct_config__.tag)


class Field(NamedTuple):
    """An option as generators read it."""

    name: str
    type: Any
    default: Any
    """``NODEFAULT`` where it must be given."""
    line: str
    shown: dict[str, Any]
    units: tuple[str, ...]
    """In the order of the type's alternatives."""
    words: Mapping[str, Any]
    """Values that are named one by one, by how they are written."""
    limits: tuple[str, ...]

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is NODEFAULT

    @property
    def unit(self) -> str:
        """The unit to be shown; empty for pure numbers and what is no number."""
        return next((u for u in self.units if u != PURE), "")

    @property
    def form(self) -> str:
        """How a value is typed: ``<s>|auto|adaptive``."""
        if self.shown.get("form"):
            return str(self.shown["form"])
        numbers = ("<number>" if u == PURE else f"<{u}>" for u in self.units)
        return "|".join((*numbers, *self.words)) or "TEXT"

    @property
    def unit_aside(self) -> str:
        """The unit, where the form does not show it."""
        return "" if f"<{self.unit}>" in self.form else self.unit

    @property
    def repeated(self) -> bool:
        """Whether it holds any number of values of one kind."""
        return _sequence(self.type)

    def type_is(self, kind: type) -> bool:
        """Whether it holds just this, or nothing."""
        held = get_args(self.type)[0] if get_origin(self.type) is Annotated else self.type
        return {*(get_args(held) or (held,))} - {type(None)} == {kind}

    @property
    def usual(self) -> str:
        """Its default in words; empty where that is nothing."""
        if self.required or self.default is None or self.default is False or self.default in ((), {}):
            return ""
        listed = self.default if isinstance(self.default, tuple) else (self.default,)
        return ", ".join(_word(each) for each in listed)


def fields_of(value: type[msgspec.Struct]) -> list[Field]:
    """Options in the order declared: what must be given first, then the main ones, then the others."""
    return list(_read_fields(value))


@cache
def _read_fields(value: type[msgspec.Struct]) -> tuple[Field, ...]:
    """Read from the types once: that takes milliseconds, and every call asks."""
    found = []
    for each in msgspec.structs.fields(value):
        units: dict[str, None] = {}
        words: dict[str, Any] = {}
        limits: dict[str, None] = {}
        _walk(each.type, units, words, limits)
        metas = getattr(each.type, "__metadata__", ())
        told = next((m for m in metas if isinstance(m, Meta) and m.description), None)
        extra = (told.extra_json_schema or {}) if told is not None else {}
        shown = {k: extra[f"x-{k}"] for k in _SHOWN if f"x-{k}" in extra}
        line = str(told.description) if told is not None else ""
        default = each.default if each.default_factory is NODEFAULT else each.default_factory()
        found.append(Field(each.name, each.type, default, line, shown, tuple(units), words, tuple(limits)))
    return tuple(sorted(found, key=lambda f: (not f.required, not f.shown.get("main"))))


def _walk(kind: Any, units: dict[str, None], words: dict[str, Any], limits: dict[str, None]) -> None:
    """Units, words and bounds anywhere in a type, in the order written."""
    parts = get_args(kind)
    if get_origin(kind) is Annotated:
        for meta in kind.__metadata__:
            if not isinstance(meta, Meta):
                continue
            if meta.extra_json_schema and "x-unit" in meta.extra_json_schema:
                units[str(meta.extra_json_schema["x-unit"])] = None
            signs = ((">", meta.gt), ("≥", meta.ge), ("<", meta.lt), ("≤", meta.le))
            limits |= {f"{sign} {value:g}": None for sign, value in signs if value is not None}
        parts = parts[:1]
    elif get_origin(kind) is Literal:
        words |= {str(part): part for part in parts}
        return
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return  # which has options of its own
    for part in parts:
        _walk(part, units, words, limits)


def _sequence(kind: Any) -> bool:
    if get_origin(kind) is Annotated:
        return _sequence(get_args(kind)[0])
    if get_origin(kind) is tuple:
        return get_args(kind)[-1] is Ellipsis
    left = [part for part in get_args(kind) if part is not type(None)]
    return get_origin(kind) not in (dict, Literal) and len(left) == 1 and _sequence(left[0])


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def complaints(value: type[msgspec.Struct]) -> list[str]:
    """What a declaration lacks."""
    found = []
    for field in fields_of(value):
        where = f"{value.__name__}.{field.name}"
        if not field.line.endswith("."):
            found.append(f"{where}: no line of words, or one without an end")
        if issubclass(value, Operation) and not field.shown.get("group"):
            found.append(f"{where}: no group")
        if _holds_number(field.type) and not field.units:
            found.append(f"{where}: a number without a unit")
        known = field.shown.get("choices", {})
        found += [f"{where}: {word!r} is not explained" for word in field.words if word not in known]
    return found


def _holds_number(kind: Any) -> bool:
    if kind in (float, int):
        return True
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return False
    return get_origin(kind) is not Literal and any(_holds_number(part) for part in get_args(kind))
