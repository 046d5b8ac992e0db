"""The roster: every kernel that Python calls, with its types, and the verbs that need it.

It says what to compile before anybody waits for it (``poise warm``, wheels that carry kernels), and how many
are left. Nobody writes it by hand: scenarios that use every verb and every step of the studio are run, and
what they ask for is recorded (``python tests/kernels/record.py``; a test fails where a verb asks for more).

``roster.json`` holds ``tuples`` (named tuples of types, numbered) and ``kernels``:

    "poise.kinematics.forward:_forward": [
      {"types": ["int64", "@0", "float64[2C]"], "verbs": ["check"], "cost": 2}]

A type is a number's name; ``float64[2C]``: an array with two axes in C order (``A``: any; ``r``: read-only;
``u``: not aligned); ``@0``: a named tuple; a list: a plain tuple; ``none``;
``{"omitted": value}``: a default.
``cost`` is about how many seconds it takes to compile, as a power of two.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("roster.json")
_ARRAY = re.compile(r"(\w+)\[(\d+)([ACF])(r?)(u?)\]")


@dataclass(frozen=True)
class RosterEntry:
    """One kernel for one set of types."""

    kernel: str
    """``module:name``."""
    types: str
    """JSON, with numbers of named tuples."""
    verbs: frozenset[str]
    cost: int = 1

    @property
    def key(self) -> tuple[str, str]:
        """What it is, whoever needs it."""
        return self.kernel, self.types


@dataclass(frozen=True)
class Roster:
    """All entries, and the named tuples that they refer to."""

    entries: tuple[RosterEntry, ...]
    tuples: tuple[Any, ...]

    def needed(self, verbs: Iterable[str] = ()) -> tuple[RosterEntry, ...]:
        """Entries of these verbs; all where none is named."""
        wanted = frozenset(verbs)
        return tuple(each for each in self.entries if not wanted or each.verbs & wanted)

    @property
    def verbs(self) -> frozenset[str]:
        """Every verb that needs a kernel."""
        return frozenset[str]().union(*(each.verbs for each in self.entries))

    def dispatcher(self, entry: RosterEntry) -> Any:
        """The kernel itself; ``LookupError`` where there is none of that name any more."""
        module, _, name = entry.kernel.partition(":")
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as problem:
            raise LookupError(f"{entry.kernel}: {problem}") from problem

    def signature(self, entry: RosterEntry) -> tuple[Any, ...]:
        """numba's types of its arguments; ``LookupError`` where a named tuple is no more what it was."""
        try:
            return tuple(self._decoded(each) for each in json.loads(entry.types))
        except (ImportError, AttributeError, ValueError, IndexError, KeyError, TypeError) as problem:
            raise LookupError(f"{entry.kernel}: {problem}") from problem

    def expanded(self, kind: Any) -> Any:
        """Types as ``entry`` writes them, named tuples in full."""
        if isinstance(kind, list):
            return [self.expanded(each) for each in kind]
        if isinstance(kind, str) and kind.startswith("@"):
            name, parts = self.tuples[int(kind[1:])]
            return {"named": name, "of": [self.expanded(each) for each in parts]}
        return kind

    def _decoded(self, text: Any) -> Any:
        types = _numba_types()
        if isinstance(text, list):
            return types.BaseTuple.from_types([self._decoded(each) for each in text])
        if isinstance(text, dict):
            return types.Omitted(text["omitted"])
        if text.startswith("@"):
            name, parts = self.tuples[int(text[1:])]
            module, _, qualified = name.partition(":")
            made = getattr(importlib.import_module(module), qualified)
            if len(made._fields) != len(parts):
                raise ValueError(f"{name} has other fields than the roster says")
            return types.BaseTuple.from_types([self._decoded(each) for each in parts], made)
        if found := _ARRAY.fullmatch(text):
            kind, axes, layout, readonly, loose = found.groups()
            return types.Array(
                getattr(types, kind), int(axes), layout, readonly=bool(readonly), aligned=not loose
            )
        return getattr(types, text)


@cache
def roster() -> Roster:
    """What is checked in."""
    return read(FILE.read_text(encoding="utf-8"))


def read(text: str) -> Roster:
    """A roster from its file."""
    held = json.loads(text)
    entries = [
        RosterEntry(kernel, json.dumps(each["types"]), frozenset(each["verbs"]), int(each["cost"]))
        for kernel, versions in held["kernels"].items()
        for each in versions
    ]
    return Roster(tuple(entries), tuple(held["tuples"]))


def written(asked: Sequence[tuple[str, Any, frozenset[str], int]]) -> str:
    """The file of a roster: (kernel, expanded types as ``entry`` writes them, verbs, cost) in any order."""
    tuples: list[Any] = []

    def numbered(kind: Any) -> Any:
        if isinstance(kind, list):
            return [numbered(each) for each in kind]
        if isinstance(kind, dict) and "named" in kind:
            known = [kind["named"], [numbered(each) for each in kind["of"]]]
            if known not in tuples:
                tuples.append(known)
            return f"@{tuples.index(known)}"
        return kind

    kernels: dict[str, list[dict[str, Any]]] = {}
    for kernel, types, verbs, cost in sorted(asked, key=lambda each: (each[0], json.dumps(each[1]))):
        made = {"types": numbered(types), "verbs": sorted(verbs), "cost": cost}
        kernels.setdefault(kernel, []).append(made)
    lines = [
        f"  {json.dumps(kernel)}: [\n    " + ",\n    ".join(json.dumps(each) for each in versions) + "\n  ]"
        for kernel, versions in kernels.items()
    ]
    held = ",\n  ".join(json.dumps(each) for each in tuples)
    return f'{{\n"tuples": [\n  {held}\n],\n"kernels": {{\n' + ",\n".join(lines) + "\n}\n}\n"


def entry(function: Callable[..., Any], signature: Any) -> str:
    """A kernel and its types as one line of the log: name, tab, JSON."""
    kinds = [_encoded(each) for each in signature]
    return f"{function.__module__}:{function.__qualname__}\t{json.dumps(kinds)}"


def _numba_types() -> Any:
    from numba import types

    return types


def _encoded(kind: Any) -> Any:
    types = _numba_types()
    if type(kind) is types.Array:
        flags = ("" if kind.mutable else "r") + ("" if kind.aligned else "u")
        return f"{kind.dtype}[{kind.ndim}{kind.layout}{flags}]"
    if isinstance(kind, types.BaseNamedTuple):
        made = kind.instance_class
        return {
            "named": f"{made.__module__}:{made.__qualname__}",
            "of": [_encoded(each) for each in kind.types],
        }
    if isinstance(kind, types.BaseTuple):
        return [_encoded(each) for each in kind.types]
    if isinstance(kind, types.Omitted):
        return {"omitted": kind.value}
    if isinstance(kind, types.NoneType | types.Number | types.Boolean):
        return {"bool": "boolean"}.get(str(kind), str(kind))
    return f"?{kind!r}"
